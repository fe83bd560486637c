//! Tells the program which compiler built it, for the header of its answers.

fn main() {
    let rustc = std::env::var("RUSTC").expect("cargo sets RUSTC");
    let output = std::process::Command::new(rustc).arg("--version").output().expect("rustc --version runs");
    let version = String::from_utf8_lossy(&output.stdout);
    println!("cargo::rustc-env=RUST_VERSION_USED={}", version.split(' ').nth(1).unwrap_or("unknown"));
    println!("cargo::rerun-if-changed=build.rs");
}

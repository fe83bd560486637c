//! Cargo compiles the crates that a build script stands on where there is one.

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
}

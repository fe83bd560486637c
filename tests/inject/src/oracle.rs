//! The answers of other programs.

use std::path::Path;

/// A digest in hex by one of coreutils' programs.
#[cfg(unix)]
pub fn digest_by(program: &str, bytes: &[u8]) -> String {
    use std::io::Write;
    use std::process::{Command, Stdio};
    let mut child = Command::new(program).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().expect(program);
    child.stdin.take().expect("a pipe").write_all(bytes).expect("written");
    let output = child.wait_with_output().expect("an end");
    assert!(output.status.success());
    String::from_utf8(output.stdout).expect("hex").split_whitespace().next().expect("a digest").to_owned()
}

/// The digest in hex that one of coreutils' programs would print: Windows has none of them, and
/// RustCrypto computes it.
#[cfg(windows)]
pub fn digest_by(program: &str, bytes: &[u8]) -> String {
    use sha2::Digest;
    let digest = match program {
        "md5sum" => md5::Md5::digest(bytes).to_vec(),
        "sha1sum" => sha1::Sha1::digest(bytes).to_vec(),
        "sha256sum" => sha2::Sha256::digest(bytes).to_vec(),
        "sha512sum" => sha2::Sha512::digest(bytes).to_vec(),
        other => panic!("{other} has no counterpart here"),
    };
    digest.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// The SHA-256 of a file's content in hex, by coreutils; as [`digest_by`] elsewhere.
#[cfg(unix)]
pub fn sha256_of(path: &Path) -> String {
    let output = std::process::Command::new("sha256sum").arg("-z").arg(path).output().expect("sha256sum");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8_lossy(&output.stdout[..64]).into_owned()
}

/// The SHA-256 of a file's content in hex.
#[cfg(windows)]
pub fn sha256_of(path: &Path) -> String {
    digest_by("sha256sum", &std::fs::read(path).expect("a file"))
}

//! The answers of other programs.

use std::io::Write;
use std::path::Path;
use std::process::{Command, Stdio};

/// A digest in hex by one of coreutils' programs.
pub fn digest_by(program: &str, bytes: &[u8]) -> String {
    let mut child = Command::new(program).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().expect(program);
    child.stdin.take().expect("a pipe").write_all(bytes).expect("written");
    let output = child.wait_with_output().expect("an end");
    assert!(output.status.success());
    String::from_utf8(output.stdout).expect("hex").split_whitespace().next().expect("a digest").to_owned()
}

/// The SHA-256 of a file's content in hex, by coreutils.
pub fn sha256_of(path: &Path) -> String {
    let output = Command::new("sha256sum").arg("-z").arg(path).output().expect("sha256sum");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8_lossy(&output.stdout[..64]).into_owned()
}

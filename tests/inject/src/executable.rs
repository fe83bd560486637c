//! Programs that a test makes and runs.

use std::io::Write;
use std::path::Path;
use std::process::{Command, Stdio};

/// Writes a program that can be run as soon as this returns.
///
/// A process of its own writes it. A file that this process had open for writing may be open still
/// in the child that another test's thread is starting, and Linux runs no such file (ETXTBSY).
///
/// # Panics
///
/// Where it cannot be written.
pub fn executable(path: &Path, bytes: &[u8]) {
    let words = ["-c", r#"rm -f "$0" && cat > "$0" && chmod 755 "$0""#];
    let mut writer = Command::new("sh").args(words).arg(path).stdin(Stdio::piped()).spawn().expect("sh runs");
    writer.stdin.take().expect("it is a pipe").write_all(bytes).expect("the program is written");
    assert!(writer.wait().expect("sh ends").success(), "{} is not written", path.display());
}

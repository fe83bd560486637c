//! Images that the system's own tools make, and how they are opened: as files, for reading.

use std::fs::{self, File};
use std::io::{self, Write};
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::Arc;

use pfh_volume::Bytes;
use tempfile::TempDir;

/// A directory for one test, which goes with it.
pub struct Bench {
    folder: TempDir,
}

impl Bench {
    pub fn new() -> Self {
        Bench { folder: tempfile::tempdir().expect("a directory") }
    }

    /// The path of a name in the directory.
    pub fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// A file of `size` zeros, which takes no room.
    pub fn blank(&self, name: &str, size: u64) -> PathBuf {
        let path = self.path(name);
        File::create(&path).and_then(|file| file.set_len(size)).expect("a file");
        path
    }
}

/// A file as a medium.
struct Medium(File);

impl Bytes for Medium {
    fn size(&self) -> u64 {
        self.0.metadata().map_or(0, |metadata| metadata.len())
    }

    fn read_at(&self, offset: u64, buffer: &mut [u8]) -> io::Result<usize> {
        self.0.read_at(buffer, offset)
    }
}

/// An image for reading.
pub fn open(path: &Path) -> Arc<dyn Bytes> {
    Arc::new(Medium(File::open(path).expect("an image")))
}

/// Runs a program that must succeed; what it prints.
pub fn run(program: &str, arguments: &[&str]) -> String {
    run_with(program, arguments, b"")
}

/// Runs a program that must succeed with `input`; what it prints.
pub fn run_with(program: &str, arguments: &[&str], input: &[u8]) -> String {
    let mut child = Command::new(program)
        .args(arguments)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap_or_else(|error| panic!("{program}: {error}"));
    child.stdin.take().expect("a pipe").write_all(input).expect("the input is read");
    let output = child.wait_with_output().expect("it ends");
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{program} {arguments:?}: {errors}");
    String::from_utf8_lossy(&output.stdout).into_owned()
}

/// A path as an argument.
pub fn text(path: &Path) -> &str {
    path.to_str().expect("a plain path")
}

/// Overwrites bytes of an image.
pub fn poke(path: &Path, offset: u64, bytes: &[u8]) {
    let file = fs::OpenOptions::new().write(true).open(path).expect("an image");
    file.write_all_at(bytes, offset).expect("written");
}

//! A directory of a test.

use pfh::{Cancel, Control};
use std::path::{Path, PathBuf};
use std::process::Command;

pub struct Room(tempfile::TempDir);

impl Room {
    pub fn new() -> Room {
        Room(tempfile::tempdir().unwrap())
    }

    /// A file, with the directories on the way to it.
    pub fn file(&self, name: impl AsRef<Path>, content: &(impl AsRef<[u8]> + ?Sized)) -> PathBuf {
        let path = self.at(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(&path, content).unwrap();
        path
    }

    pub fn path(&self) -> &Path {
        self.0.path()
    }

    pub fn at(&self, name: impl AsRef<Path>) -> PathBuf {
        self.0.path().join(name)
    }

    /// The output of a line of the shell in the room.
    pub fn sh(&self, line: &str) -> Vec<u8> {
        let output = Command::new("sh").args(["-ec", line]).current_dir(self.path()).output().unwrap();
        assert!(output.status.success(), "{line}: {}", String::from_utf8_lossy(&output.stderr));
        output.stdout
    }

    pub fn names(&self) -> Vec<String> {
        names(self.path())
    }
}

/// The names in a directory, sorted.
pub fn names(directory: &Path) -> Vec<String> {
    let entries = std::fs::read_dir(directory).unwrap();
    let mut names: Vec<String> = entries.map(|one| one.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    names
}

/// A job that is cancelled before it begins.
pub fn cancelled() -> Control<'static> {
    let cancel = Cancel::default();
    cancel.cancel();
    Control::new().with_cancel(cancel)
}

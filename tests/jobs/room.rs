//! A directory of a test.

use pfh::name_bytes::entered_path;
use pfh::{Cancel, Control};
use std::fs::File;
use std::io::{Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::process::Command;

pub struct Room {
    path: PathBuf,
    _directory: tempfile::TempDir,
}

impl Room {
    pub fn new() -> Room {
        Room::of(tempfile::tempdir().unwrap())
    }

    /// The room of a server, whose threads hold it open to the end of the process: Windows removes
    /// no such directory.
    pub fn of_server() -> Room {
        let mut directory = tempfile::tempdir().unwrap();
        directory.disable_cleanup(cfg!(windows));
        Room::of(directory)
    }

    fn of(directory: tempfile::TempDir) -> Room {
        Room { path: entered_path(directory.path().into()).into(), _directory: directory }
    }

    /// A file, with the directories on the way to it.
    pub fn file(&self, name: impl AsRef<Path>, content: &(impl AsRef<[u8]> + ?Sized)) -> PathBuf {
        let path = self.at(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(&path, content).unwrap();
        path
    }

    pub fn path(&self) -> &Path {
        &self.path
    }

    pub fn at(&self, name: impl AsRef<Path>) -> PathBuf {
        // With `/` on Windows as well.
        entered_path(self.path.join(name).into()).into()
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

/// Writes bytes into an open file, from an offset on.
pub fn write_at(mut file: &File, bytes: &[u8], at: u64) {
    file.seek(SeekFrom::Start(at)).unwrap();
    file.write_all(bytes).unwrap();
}

/// The system's words for a file that is not there.
pub fn missing() -> String {
    let text = std::io::Error::from_raw_os_error(2).to_string();
    text.split(" (os error").next().unwrap().trim_end_matches('.').to_owned()
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

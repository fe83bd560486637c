//! A document that others wrote: a list, a proof, a seal, a key, a state. It may be a pipe to which
//! nobody writes, and it may have no end.

use crate::interruption::go_on;
use crate::os::handles::AsFd;
use crate::os::{self, Patient};
use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom};
use std::path::Path;
use std::time::Duration;

/// Between two looks at the flag of [`end_texts_when`](crate::end_texts_when), while nothing comes.
const TICK: Duration = Duration::from_millis(50);

/// A document that is open for reading. A signal ends each wait for it, and each read.
#[derive(Debug)]
pub struct Document {
    file: Patient<File>,
    /// A FIFO, a terminal: there may be nothing to read yet.
    waits: bool,
}

impl Document {
    /// The longest state, plan, map or journal that is kept in memory, in bytes: one of some ten
    /// million files.
    pub const LONGEST: u64 = 4 << 30;

    /// Opens a file: `-` is the name of one. A FIFO is open at once, and its first read waits for a
    /// writer.
    ///
    /// # Errors
    /// As `open`.
    pub fn file(path: &Path) -> io::Result<Document> {
        os::open_document(path).map(|fd| Document::from(File::from(fd)))
    }

    /// All of a file.
    ///
    /// # Errors
    /// As for [`file`](Document::file) and `read`; `FileTooLarge` when it has more than `most`
    /// bytes.
    pub fn read(path: &Path, most: u64) -> io::Result<Vec<u8>> {
        Document::file(path)?.bytes(most)
    }

    /// The same as text.
    ///
    /// # Errors
    /// As for [`read`](Document::read); when it is not UTF-8.
    pub fn read_text(path: &Path, most: u64) -> io::Result<String> {
        String::from_utf8(Document::read(path, most)?).map_err(|_| io::ErrorKind::InvalidData.into())
    }

    /// All that is left.
    ///
    /// # Errors
    /// As for [`read`](Document::read).
    pub fn bytes(self, most: u64) -> io::Result<Vec<u8>> {
        let mut bytes = Vec::new();
        self.take(most.saturating_add(1)).read_to_end(&mut bytes)?;
        if bytes.len() as u64 > most { Err(io::ErrorKind::FileTooLarge.into()) } else { Ok(bytes) }
    }

    /// The open file, whose reads no signal ends.
    pub fn into_file(self) -> File {
        self.file.0
    }

    /// The same, borrowed.
    pub fn as_file(&self) -> &File {
        &self.file.0
    }
}

impl From<File> for Document {
    fn from(file: File) -> Document {
        let waits = file.metadata().is_ok_and(|found| !found.is_file() && !found.is_dir());
        if waits {
            os::widen(file.as_fd());
        }
        Document { file: Patient(file), waits }
    }
}

impl Read for Document {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        loop {
            go_on()?;
            if self.waits && !os::wait_readable_for(self.file.0.as_fd(), TICK)? {
                continue;
            }
            match self.file.read(buffer) {
                // Another reader of the same pipe was faster.
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => self.waits = true,
                other => return other,
            }
        }
    }
}

impl Seek for Document {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        self.file.seek(to)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_longer_than_its_kind_may_be_is_refused() {
        let room = tempfile::tempdir().unwrap();
        let path = room.path().join("proof");
        std::fs::write(&path, [7; 100]).unwrap();
        assert_eq!(Document::read(&path, 100).unwrap(), [7; 100]);
        assert_eq!(Document::read(&path, 99).unwrap_err().kind(), io::ErrorKind::FileTooLarge);
        std::fs::write(&path, "text").unwrap();
        assert_eq!(Document::read_text(&path, 4).unwrap(), "text");
    }

    #[cfg(unix)]
    #[test]
    fn a_fifo_is_open_at_once_and_its_writer_is_waited_for() {
        let room = tempfile::tempdir().unwrap();
        let path = room.path().join("fifo");
        assert!(std::process::Command::new("mkfifo").arg(&path).status().unwrap().success());
        let document = Document::file(&path).unwrap();
        let writer = std::thread::spawn(move || std::fs::write(path, "late").unwrap());
        assert_eq!(document.bytes(99).unwrap(), b"late");
        writer.join().unwrap();
    }
}

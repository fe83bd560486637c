//! A file that is looked at and then read, and is opened once for both.

use pfh_source::Document;
use std::fs::File;
use std::io::{self, Read, Seek};
use std::path::Path;

/// Bytes of the beginning that are kept: a look at a file is mostly within them.
const KEPT: usize = 1 << 20;

/// An open file that can be read again from its start. The bytes read first come from memory then,
/// unless they were more than a mebibyte.
#[derive(Debug)]
pub struct StartedFile {
    file: Document,
    kept: Vec<u8>,
    /// The place of the next byte in `kept`.
    at: usize,
    /// Whether bytes that are read are kept.
    keeps: bool,
    /// Whether the file itself must be read from its start again.
    is_over: bool,
}

impl StartedFile {
    /// Opens a file.
    ///
    /// # Errors
    /// As `open`.
    pub fn open(path: &Path) -> io::Result<StartedFile> {
        Ok(StartedFile { file: Document::file(path)?, kept: Vec::new(), at: 0, keeps: true, is_over: false })
    }

    /// The next byte is the first one.
    ///
    /// # Errors
    /// As `lseek`, when the file was read beyond the beginning that is kept.
    pub fn rewind(&mut self) -> io::Result<()> {
        self.at = 0;
        if self.is_over {
            self.file.rewind()?;
            (self.keeps, self.is_over) = (true, false);
        }
        Ok(())
    }

    /// Reads to the end: nothing more is kept.
    pub(crate) fn release(&mut self) {
        self.keeps = false;
    }

    /// The file itself, wherever it was read to.
    pub(crate) fn into_file(self) -> File {
        self.file.into_file()
    }
}

impl Read for StartedFile {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if self.at < self.kept.len() {
            let count = buffer.len().min(self.kept.len() - self.at);
            buffer[..count].copy_from_slice(&self.kept[self.at..self.at + count]);
            self.at += count;
            return Ok(count);
        }
        if !self.keeps && !self.kept.is_empty() {
            (self.kept, self.at, self.is_over) = (Vec::new(), 0, true);
        }
        let count = self.file.read(buffer)?;
        if self.keeps && self.kept.len() + count <= KEPT {
            self.kept.extend_from_slice(&buffer[..count]);
            self.at = self.kept.len();
        } else if count > 0 {
            (self.kept, self.at, self.keeps, self.is_over) = (Vec::new(), 0, false, true);
        }
        Ok(count)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_is_read_again_from_its_start() {
        let room = tempfile::tempdir().unwrap();
        let path = room.path().join("file");
        for length in [0, 10, KEPT - 1, KEPT, KEPT + 1, 3 * KEPT] {
            let bytes: Vec<u8> = (0..length).map(|at| (at % 251) as u8).collect();
            std::fs::write(&path, &bytes).unwrap();
            let mut file = StartedFile::open(&path).unwrap();
            for most in [0, 8, KEPT as u64, u64::MAX, u64::MAX] {
                file.rewind().unwrap();
                let mut found = Vec::new();
                (&mut file).take(most).read_to_end(&mut found).unwrap();
                assert_eq!(found, bytes[..length.min(most.try_into().unwrap_or(usize::MAX))]);
            }
            file.rewind().unwrap();
            file.release();
            let mut found = Vec::new();
            file.read_to_end(&mut found).unwrap();
            assert!(found == bytes, "{length}");
        }
    }

    /// Kept bytes are not read from the file again: a file that changes meanwhile has one
    /// beginning.
    #[test]
    fn the_beginning_is_read_once() {
        let room = tempfile::tempdir().unwrap();
        let path = room.path().join("file");
        std::fs::write(&path, "first").unwrap();
        let mut file = StartedFile::open(&path).unwrap();
        let mut start = [0; 5];
        file.read_exact(&mut start).unwrap();
        std::fs::write(&path, "other").unwrap();
        file.rewind().unwrap();
        let mut again = String::new();
        file.read_to_string(&mut again).unwrap();
        assert_eq!(again, "first");
    }
}

//! The parts of a file, read one after the other as if they were the whole.

use super::Failure;
use pfh_source::os::names::OsStrExt;
use pfh_source::{Problem, Ranges};
use std::io::{self, Read};
use std::path::Path;

/// A part that is open, and how much of it was read.
struct Open<'a> {
    part: &'a Path,
    file: Ranges,
    at: u64,
}

/// A stream of parts in order. One file is open at a time: transfers come in thousands of pieces.
pub(super) struct Parts<'a> {
    rest: Box<dyn Iterator<Item = (&'a Path, Option<u64>)> + 'a>,
    open: Option<Open<'a>>,
    failed: Option<Failure>,
}

impl<'a> Parts<'a> {
    /// The parts with the length in bytes that each must have, if that is known.
    pub(super) fn new(parts: impl Iterator<Item = (&'a Path, Option<u64>)> + 'a) -> Parts<'a> {
        Parts { rest: Box::new(parts), open: None, failed: None }
    }

    /// The failure of `read`: `io::Error` has no room for it.
    pub(super) fn failure(self) -> Option<Failure> {
        self.failed
    }

    /// Opens the next part; whether there is one.
    fn next(&mut self) -> Result<bool, Failure> {
        let Some((part, stated)) = self.rest.next() else { return Ok(false) };
        let file = Ranges::open(part.as_os_str().as_bytes()).map_err(unread(part))?;
        if let Some(stated) = stated.filter(|stated| *stated != file.size()) {
            return Err(Failure::Length { file: part.to_owned(), stated, found: file.size() });
        }
        self.open = Some(Open { part, file, at: 0 });
        Ok(true)
    }

    /// Bytes of the part that is open, or of the next one that has any.
    fn take(&mut self, buffer: &mut [u8]) -> Result<usize, Failure> {
        loop {
            if let Some(Open { part, file, at }) = &mut self.open {
                let length = (file.size() - *at).min(buffer.len() as u64);
                if length > 0 {
                    let mut bytes = Vec::new();
                    file.read(*at..*at + length, &mut bytes).map_err(unread(part))?;
                    buffer[..bytes.len()].copy_from_slice(&bytes);
                    *at += length;
                    return Ok(bytes.len());
                }
            }
            if let Some(Open { part, file, .. }) = self.open.take() {
                file.close().map_err(unread(part))?;
            }
            if !self.next()? {
                return Ok(0);
            }
        }
    }
}

impl Read for Parts<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if buffer.is_empty() {
            return Ok(0);
        }
        self.take(buffer).map_err(|failure| {
            self.failed = Some(failure);
            io::ErrorKind::Other.into()
        })
    }
}

fn unread(part: &Path) -> impl Fn(Problem) -> Failure {
    move |problem| Failure::Read { file: part.to_owned(), problem }
}

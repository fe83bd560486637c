//! The content of a file that lies on the medium plainly.

use std::io::{self, Read};
use std::sync::Arc;

use crate::bytes::Bytes;
use crate::field::read;
use crate::layout::Layout;
use crate::node::{Content, Failure, Node, Run};

/// Finds where a file lies, when it is asked: a million nodes hold no runs.
pub type Locate = Box<dyn Fn() -> Result<Layout, Failure> + Send + Sync>;

/// The bytes `from .. from + size` of a file that `locate` finds.
pub struct StoredBytes {
    /// The medium.
    pub bytes: Arc<dyn Bytes>,
    /// The name, for failures.
    pub path: Vec<u8>,
    /// Where it begins: 0, or the end of a file whose slack this is.
    pub from: u64,
    /// How many bytes.
    pub size: u64,
    /// Where it lies.
    pub locate: Locate,
}

impl StoredBytes {
    fn cut(&self) -> Result<Vec<Run>, Failure> {
        let end = self.from.checked_add(self.size);
        let end = end.ok_or_else(|| named(crate::field::failure(None, "the file ends beyond 2^64"), &self.path))?;
        let layout = (self.locate)().and_then(|layout| layout.disjoint().map(|()| layout));
        Ok(layout.map_err(|failed| named(failed, &self.path))?.window(self.from, end))
    }
}

/// `length` bytes of the file with this layout, from `from` on. The caller bounds them.
pub fn gather(bytes: &dyn Bytes, layout: &Layout, from: u64, length: usize) -> Result<Vec<u8>, Failure> {
    let mut found = Vec::with_capacity(length);
    for run in layout.window(from, from.saturating_add(length as u64)) {
        let part = usize::try_from(run.length).unwrap_or(0);
        match run.medium_offset {
            Some(offset) => found.extend(read(bytes, offset, part)?),
            None => found.resize(found.len() + part, 0),
        }
    }
    Ok(found)
}

/// A failure of the file with this path.
pub fn named(failed: Failure, path: &[u8]) -> Failure {
    Failure { path: path.to_vec(), ..failed }
}

/// A failure as the error of a reader.
pub fn reported(failed: Failure) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, failed)
}

impl Content for StoredBytes {
    fn open(&self) -> Result<Box<dyn Read + Send>, Failure> {
        let runs = self.cut()?;
        Ok(Box::new(Runs { bytes: self.bytes.clone(), path: self.path.clone(), runs, at: 0, within: 0 }))
    }

    fn open_at(&self, offset: u64) -> Result<Option<Box<dyn Read + Send>>, Failure> {
        let runs = self.cut()?;
        let at = runs.partition_point(|run| run.file_offset.saturating_add(run.length) <= offset);
        let within = runs.get(at).map_or(0, |run| offset.saturating_sub(run.file_offset));
        Ok(Some(Box::new(Runs { bytes: self.bytes.clone(), path: self.path.clone(), runs, at, within })))
    }

    fn runs(&self) -> Option<Vec<Run>> {
        self.cut().ok()
    }
}

/// Bytes that are held already: resident, inline.
pub struct HeldBytes {
    /// The bytes.
    pub bytes: Arc<[u8]>,
}

impl HeldBytes {
    /// The node of a stream that has these bytes.
    pub fn stream(self, node: Node) -> Node {
        let (size, content): (_, Arc<dyn Content>) = (Some(self.bytes.len() as u64), Arc::new(self));
        Node { size, resident: true, content: Some(content), ..node }
    }
}

impl Content for HeldBytes {
    fn open(&self) -> Result<Box<dyn Read + Send>, Failure> {
        Ok(Box::new(io::Cursor::new(self.bytes.clone())))
    }

    fn stored(&self) -> Result<Option<Box<dyn Read + Send>>, Failure> {
        self.open().map(Some)
    }
}

/// A file that is listed and cannot be read, for the reason that the failure states.
pub struct Unreadable(pub Failure);

impl Content for Unreadable {
    fn open(&self) -> Result<Box<dyn Read + Send>, Failure> {
        Err(self.0.clone())
    }
}

/// Reads runs one after the other.
pub struct Runs {
    bytes: Arc<dyn Bytes>,
    path: Vec<u8>,
    runs: Vec<Run>,
    at: usize,
    within: u64,
}

impl Read for Runs {
    crate::reading::shared_reads!();

    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let run = loop {
            match self.runs.get(self.at) {
                None => return Ok(0),
                Some(run) if self.within < run.length => break run,
                Some(_) => {
                    self.at += 1;
                    self.within = 0;
                }
            }
        };
        let left = usize::try_from(run.length - self.within).unwrap_or(usize::MAX);
        let room = left.min(buffer.len());
        let buffer = &mut buffer[..room];
        if room == 0 {
            return Ok(0);
        }
        let got = match run.medium_offset {
            None => {
                buffer.fill(0);
                room
            }
            Some(start) => {
                let offset = start + self.within;
                let wrong = |error: &io::Error| reported(named(crate::field::unreadable(offset, error), &self.path));
                match self.bytes.read_at(offset, buffer) {
                    Ok(0) => return Err(wrong(&io::ErrorKind::UnexpectedEof.into())),
                    Ok(got) => got,
                    Err(error) if error.kind() == io::ErrorKind::Interrupted => return Err(error),
                    Err(error) => return Err(wrong(&error)),
                }
            }
        };
        self.within += got as u64;
        Ok(got)
    }
}

/// Reads bytes from their start on that name their own failures ([`reported`]).
pub struct WholeReader {
    /// The bytes.
    pub of: Arc<dyn Bytes>,
    /// The name, for failures.
    pub path: Vec<u8>,
    /// How far it is read.
    pub at: u64,
}

impl Read for WholeReader {
    crate::reading::shared_reads!();

    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let got = self.of.read_at(self.at, buffer).map_err(|error| match error.downcast::<Failure>() {
            Ok(failed) => reported(named(failed, &self.path)),
            Err(error) => error,
        })?;
        self.at += got as u64;
        Ok(got)
    }
}

/// Reads a content piece by piece: `next` gives the piece that begins there, none at the end.
pub struct ByPieces<F> {
    next: F,
    path: Vec<u8>,
    at: u64,
    held: Vec<u8>,
    given: usize,
}

impl<F: FnMut(u64) -> Result<Option<Vec<u8>>, Failure>> ByPieces<F> {
    /// The content of the file with this path, from its start on.
    pub fn new(path: Vec<u8>, next: F) -> ByPieces<F> {
        ByPieces::starting(path, 0, next)
    }

    /// The same from this offset on.
    pub fn starting(path: Vec<u8>, at: u64, next: F) -> ByPieces<F> {
        ByPieces { next, path, at, held: Vec::new(), given: 0 }
    }
}

impl<F: FnMut(u64) -> Result<Option<Vec<u8>>, Failure>> Read for ByPieces<F> {
    crate::reading::shared_reads!();

    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if self.given == self.held.len() {
            let piece = (self.next)(self.at).map_err(|failed| reported(named(failed, &self.path)))?;
            let Some(piece) = piece else { return Ok(0) };
            self.at += piece.len() as u64;
            (self.held, self.given) = (piece, 0);
        }
        let got = buffer.len().min(self.held.len() - self.given);
        buffer[..got].copy_from_slice(&self.held[self.given..self.given + got]);
        self.given += got;
        Ok(got)
    }
}

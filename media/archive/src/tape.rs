//! Bytes at any position as a sequential reader.

use pfh_bytes::bytes::Bytes;
use std::fmt;
use std::io::{self, BufReader, Read};
use std::sync::Arc;

/// The amount of one read.
const AHEAD: usize = 64 << 10;

/// A range of bytes from its start to its end.
pub struct Tape {
    of: Arc<dyn Bytes>,
    at: u64,
    end: u64,
}

impl Tape {
    /// The range `start .. end`, as far as `of` reaches.
    pub fn new(of: Arc<dyn Bytes>, start: u64, end: u64) -> Tape {
        let end = end.min(of.size());
        Tape { of, at: start, end }
    }

    /// As [`new`](Tape::new), behind a buffer.
    pub fn buffered(of: Arc<dyn Bytes>, start: u64, end: u64) -> BufReader<Box<dyn Read + Send>> {
        let room = usize::try_from(end.saturating_sub(start)).unwrap_or(AHEAD).clamp(512, AHEAD);
        BufReader::with_capacity(room, Box::new(Tape::new(of, start, end)))
    }
}

impl Read for Tape {
    pfh_bytes::reading::shared_reads!();

    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let left = self.end.saturating_sub(self.at);
        let room = usize::try_from(left).unwrap_or(usize::MAX).min(buffer.len());
        if room == 0 {
            return Ok(0);
        }
        let read = self.of.read_at(self.at, &mut buffer[..room]);
        let got = read.map_err(|error| io::Error::new(error.kind(), Medium(error)))?;
        self.at += got as u64;
        Ok(got)
    }
}

/// An error of the medium, so that it is not taken for a decompressor's.
#[derive(Debug)]
struct Medium(io::Error);

impl fmt::Display for Medium {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl std::error::Error for Medium {}

/// Whether the medium said this.
pub fn is_medium(error: &io::Error) -> bool {
    error.get_ref().is_some_and(|inner| inner.is::<Medium>())
}

/// The error of the medium behind `error`; otherwise `error` itself, which is a decompressor's.
pub fn unwrapped(error: io::Error) -> Result<io::Error, io::Error> {
    match error.downcast::<Medium>() {
        Ok(Medium(error)) => Ok(error),
        Err(error) => Err(error),
    }
}

//! Bytes from a position on, one after the other, behind a buffer.

use pfh_bytes::bytes::Bytes;
use std::io;
use std::sync::Arc;

/// The amount of one read.
const AHEAD: u64 = 16 << 10;

/// A place in some bytes that moves on.
pub struct Cursor {
    of: Arc<dyn Bytes>,
    buffer: Vec<u8>,
    /// Where the buffer begins.
    start: u64,
    at: u64,
}

impl Cursor {
    /// At the first byte.
    pub fn new(of: Arc<dyn Bytes>) -> Cursor {
        Cursor { of, buffer: Vec::new(), start: 0, at: 0 }
    }

    /// Goes to an offset.
    pub fn seek(&mut self, at: u64) {
        self.at = at;
    }

    /// Where it is.
    pub fn place(&self) -> u64 {
        self.at
    }

    /// The byte here; `None` at the end.
    pub fn peek(&mut self) -> io::Result<Option<u8>> {
        Ok(self.rest()?.first().copied())
    }

    /// Takes the byte at the cursor.
    pub fn next(&mut self) -> io::Result<Option<u8>> {
        let byte = self.peek()?;
        self.at += u64::from(byte.is_some());
        Ok(byte)
    }

    /// Goes on by some bytes.
    pub fn skip(&mut self, count: u64) {
        self.at = self.at.saturating_add(count);
    }

    /// The bytes of the buffer from here on, at least one byte unless this is the end.
    pub fn rest(&mut self) -> io::Result<&[u8]> {
        let end = self.start + self.buffer.len() as u64;
        if !(self.start..end).contains(&self.at) {
            let room = self.of.size().saturating_sub(self.at).min(AHEAD);
            self.buffer.resize(room as usize, 0);
            self.start = self.at;
            let got = if room == 0 { 0 } else { self.of.read_at(self.at, &mut self.buffer)? };
            self.buffer.truncate(got);
        }
        Ok(&self.buffer[(self.at - self.start) as usize..])
    }

    /// Up to `count` bytes from here on, in one piece; the cursor stays.
    pub fn look(&self, count: usize) -> io::Result<Vec<u8>> {
        let room = self.of.size().saturating_sub(self.at).min(count as u64) as usize;
        let mut found = vec![0; room];
        self.of.read_exact_at(self.at, &mut found)?;
        Ok(found)
    }
}

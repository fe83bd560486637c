//! A text, line by line.

use super::super::tape::Tape;
use pfh_bytes::bytes::Bytes;
use std::io::{self, BufRead, BufReader};
use std::sync::Arc;

/// Bytes of a line that are held.
const HELD: usize = 16 << 10;

/// A line.
#[derive(Debug, Clone, Default)]
pub struct Line {
    /// Where it is, and where the next one is.
    pub at: u64,
    pub next: u64,
    /// Its beginning, without its end.
    pub text: Vec<u8>,
}

/// Reads lines.
pub struct Lines {
    input: BufReader<Tape>,
    at: u64,
}

impl Lines {
    /// The lines of `bytes`.
    pub fn new(bytes: Arc<dyn Bytes>) -> Lines {
        let size = bytes.size();
        Lines { input: BufReader::with_capacity(64 << 10, Tape::new(bytes, 0, size)), at: 0 }
    }

    /// The next line; `None` at the end.
    pub fn next(&mut self) -> io::Result<Option<Line>> {
        let (at, mut text) = (self.at, Vec::new());
        loop {
            let room = self.input.fill_buf()?;
            if room.is_empty() {
                break;
            }
            let stop = memchr::memchr(b'\n', room);
            let piece = &room[..stop.map_or(room.len(), |stop| stop + 1)];
            let take = piece.len().min(HELD.saturating_sub(text.len()));
            text.extend_from_slice(&piece[..take]);
            let got = piece.len();
            self.at += got as u64;
            self.input.consume(got);
            if stop.is_some() {
                break;
            }
        }
        while matches!(text.last(), Some(b'\n' | b'\r')) {
            text.pop();
        }
        Ok((self.at > at).then_some(Line { at, next: self.at, text }))
    }
}

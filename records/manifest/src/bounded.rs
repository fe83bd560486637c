//! Tokens of XML in bounded memory.

use std::io::{self, BufRead, Read};

/// A reader that gives at most `left` bytes before it fails, and counts line feeds.
pub(crate) struct BoundedReader<R> {
    reader: R,
    left: usize,
    limit: usize,
    lines: u64,
}

impl<R> BoundedReader<R> {
    /// A reader whose tokens have at most `limit` bytes.
    pub(crate) fn new(reader: R, limit: usize) -> BoundedReader<R> {
        BoundedReader { reader, left: limit, limit, lines: 0 }
    }

    /// The next token begins.
    pub(crate) fn begin(&mut self) {
        self.left = self.limit;
    }

    /// Whether the token at hand is too long.
    pub(crate) fn is_spent(&self) -> bool {
        self.left == 0
    }

    /// The number of the line at hand, from 1.
    pub(crate) fn line(&self) -> u64 {
        self.lines + 1
    }
}

impl<R: BufRead> Read for BoundedReader<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let mut available = self.fill_buf()?;
        let read = available.read(buffer)?;
        self.consume(read);
        Ok(read)
    }
}

impl<R: BufRead> BufRead for BoundedReader<R> {
    fn fill_buf(&mut self) -> io::Result<&[u8]> {
        if self.left == 0 {
            return Err(io::Error::other(format!("a token of more than {} bytes", self.limit)));
        }
        let available = self.reader.fill_buf()?;
        Ok(&available[..available.len().min(self.left)])
    }

    fn consume(&mut self, amount: usize) {
        // Consumed bytes were handed out by fill_buf last, so asking again reads nothing.
        if let Ok(available) = self.reader.fill_buf() {
            self.lines += available[..amount].iter().filter(|&&byte| byte == b'\n').count() as u64;
        }
        self.left -= amount;
        self.reader.consume(amount);
    }
}

//! Physical lines in bounded memory.

use std::io::{self, BufRead};

/// The longest line that is read, by default: 1 MiB, many times the longest path.
pub const LIMIT: usize = 1 << 20;

/// Cuts a reader into lines. Holds at most one line, and of one that is longer than the limit
/// nothing.
pub struct Lines<R> {
    reader: R,
    end: u8,
    limit: usize,
    number: u64,
    line: Vec<u8>,
}

/// A physical line, without the byte that ends it.
#[derive(Debug, PartialEq, Eq)]
pub enum Line<'a> {
    /// All of it.
    Whole(&'a [u8]),
    /// Longer than the limit: skipped to its end.
    TooLong,
}

impl<R: BufRead> Lines<R> {
    /// Lines of at most `limit` bytes that end with the byte `end` or with the input.
    pub fn new(reader: R, end: u8, limit: usize) -> Lines<R> {
        Lines { reader, end, limit, number: 0, line: Vec::new() }
    }

    /// How many lines came so far: the number of the last one, from 1.
    pub fn number(&self) -> u64 {
        self.number
    }

    /// The next line; `None` at the end of the input. Errors are the reader's own.
    #[expect(clippy::should_implement_trait, reason = "the line borrows from the reader, which an iterator cannot say")]
    pub fn next(&mut self) -> io::Result<Option<Line<'_>>> {
        self.line.clear();
        let mut any = false;
        let mut fits = true;
        loop {
            let available = match self.reader.fill_buf() {
                Ok(available) => available,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
                Err(error) => return Err(error),
            };
            if available.is_empty() {
                break;
            }
            any = true;
            let at = memchr::memchr(self.end, available);
            let part = &available[..at.unwrap_or(available.len())];
            fits &= self.line.len() + part.len() <= self.limit;
            if fits {
                self.line.extend_from_slice(part);
            }
            let used = part.len() + usize::from(at.is_some());
            self.reader.consume(used);
            if at.is_some() {
                break;
            }
        }
        if !any {
            return Ok(None);
        }
        self.number += 1;
        if !fits {
            // The gathered part of the line is freed: a single long line must not hold memory for
            // the rest of the run.
            self.line = Vec::new();
            return Ok(Some(Line::TooLong));
        }
        Ok(Some(Line::Whole(&self.line)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::BufReader;

    #[test]
    fn every_physical_line_once() {
        for capacity in [1, 2, 3, 7, 64] {
            let mut lines = Lines::new(BufReader::with_capacity(capacity, &b"a\n\nlonger\nfour\nlast"[..]), b'\n', 4);
            let mut seen = Vec::new();
            while let Some(line) = lines.next().expect("memory") {
                seen.push(match line {
                    Line::Whole(line) => String::from_utf8_lossy(line).into_owned(),
                    Line::TooLong => "!".to_owned(),
                });
            }
            assert_eq!(seen, ["a", "", "!", "four", "last"]);
            assert_eq!(lines.number(), 5);
        }
    }
}

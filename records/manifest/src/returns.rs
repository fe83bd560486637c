//! Texts whose lines end with CR alone, as those of old Macintoshes and of Excel there.

use std::io::{self, BufRead, Read};

/// Whether the lines of a text that begins so end with CR alone: it has no LF, and no NUL, which
/// may end records as well.
pub(crate) fn ends_lines(start: &[u8]) -> bool {
    start.contains(&b'\r') && !start.iter().any(|byte| matches!(byte, b'\n' | 0))
}

/// A reader with LF in the place of each CR.
pub(crate) struct Returns<R> {
    reader: R,
    ready: Vec<u8>,
    used: usize,
}

impl<R: BufRead> Returns<R> {
    pub(crate) fn new(reader: R) -> Returns<R> {
        Returns { reader, ready: Vec::new(), used: 0 }
    }
}

impl<R: BufRead> Read for Returns<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let count = self.fill_buf()?.read(buffer)?;
        self.consume(count);
        Ok(count)
    }
}

impl<R: BufRead> BufRead for Returns<R> {
    fn fill_buf(&mut self) -> io::Result<&[u8]> {
        if self.used == self.ready.len() {
            let available = self.reader.fill_buf()?;
            let count = available.len();
            self.ready.clear();
            self.ready.extend(available.iter().map(|byte| if *byte == b'\r' { b'\n' } else { *byte }));
            self.reader.consume(count);
            self.used = 0;
        }
        Ok(&self.ready[self.used..])
    }

    fn consume(&mut self, amount: usize) {
        self.used += amount;
    }
}

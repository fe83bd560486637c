//! Bits of a stream, the high one of each byte first.

use super::prefix::Codes;
use std::io::{self, BufRead};

/// The bits of a reader.
pub struct Bits<R> {
    input: R,
    held: u64,
    count: u32,
    /// Bits that were put behind the end.
    lent: u32,
}

impl<R: BufRead> Bits<R> {
    /// The bits of `input`.
    pub fn new(input: R) -> Self {
        Bits { input, held: 0, count: 0, lent: 0 }
    }

    /// Whether this many whole bytes are left, at most 7.
    ///
    /// # Errors
    /// Those of the input.
    pub fn has_bytes(&mut self, bytes: u32) -> io::Result<bool> {
        self.fill(bytes * 8)?;
        Ok(self.count.saturating_sub(self.lent) >= bytes * 8)
    }

    fn fill(&mut self, bits: u32) -> io::Result<()> {
        while self.count < bits {
            let next = self.input.fill_buf()?.first().copied();
            match next {
                Some(_) => self.input.consume(1),
                None => self.lent += 8,
            }
            self.held = self.held << 8 | u64::from(next.unwrap_or(0));
            self.count += 8;
        }
        Ok(())
    }

    /// The next 16 bits, with zeros behind the end.
    ///
    /// # Errors
    /// Those of the input.
    pub fn peek(&mut self) -> io::Result<u32> {
        self.fill(16)?;
        Ok((self.held >> (self.count - 16)) as u32 & 0xffff)
    }

    /// Goes on behind bits that were looked at, at most 16.
    ///
    /// # Errors
    /// When the input ends within them.
    pub fn skip(&mut self, count: u32) -> io::Result<()> {
        self.count -= count;
        if self.count < self.lent { Err(io::ErrorKind::UnexpectedEof.into()) } else { Ok(()) }
    }

    /// The number in the next bits, at most 32.
    ///
    /// # Errors
    /// When the input ends within them.
    pub fn bits(&mut self, count: u32) -> io::Result<u32> {
        let (mut value, mut left) = (0, count);
        while left > 0 {
            let part = left.min(16);
            value = value << part | self.peek()? >> (16 - part);
            self.skip(part)?;
            left -= part;
        }
        Ok(value)
    }

    /// The symbol of the next code.
    ///
    /// # Errors
    /// When there is none.
    pub fn symbol(&mut self, codes: &Codes) -> io::Result<usize> {
        let found = codes.find(self.peek()?);
        let (symbol, length) =
            found.ok_or_else(|| io::Error::new(io::ErrorKind::InvalidData, "a code that stands for nothing"))?;
        self.skip(length)?;
        Ok(usize::from(symbol))
    }
}

//! Bits of a stream, the low one of each byte first.

use std::io::{self, BufRead};

/// The bits of a reader.
pub struct Bits<R> {
    input: R,
    held: u64,
    count: u32,
}

impl<R: BufRead> Bits<R> {
    /// The bits of `input`.
    pub fn new(input: R) -> Self {
        Bits { input, held: 0, count: 0 }
    }

    /// The number in the next bits, at most 32.
    ///
    /// # Errors
    /// Those of the input, and its end.
    pub fn bits(&mut self, count: u32) -> io::Result<u32> {
        while self.count < count {
            let Some(byte) = self.input.fill_buf()?.first().copied() else {
                return Err(io::ErrorKind::UnexpectedEof.into());
            };
            self.input.consume(1);
            self.held |= u64::from(byte) << self.count;
            self.count += 8;
        }
        let value = (self.held & ((1 << count) - 1)) as u32;
        self.held >>= count;
        self.count -= count;
        Ok(value)
    }
}

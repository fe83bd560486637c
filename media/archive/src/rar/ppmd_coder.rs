//! The range coder of PPMd, without carries.

use super::bits::{Bits, wrong};
use std::io;

const TOP: u32 = 1 << 24;
const BOTTOM: u32 = 1 << 15;

/// The range coder.
#[derive(Default)]
pub struct Coder {
    pub low: u32,
    pub range: u32,
    pub code: u32,
}

impl Coder {
    /// Takes as many bytes as it needs.
    ///
    /// # Errors
    /// Those of the input.
    pub fn normalize(&mut self, bits: &mut Bits) -> io::Result<()> {
        loop {
            if self.low ^ self.low.wrapping_add(self.range) >= TOP {
                if self.range >= BOTTOM {
                    return Ok(());
                }
                self.range = self.low.wrapping_neg() & (BOTTOM - 1);
            }
            self.code = self.code << 8 | bits.bits(8)?;
            self.range <<= 8;
            self.low <<= 8;
        }
    }

    /// A number below `total`, unless the bytes are wrong.
    ///
    /// # Errors
    /// When the bytes are wrong.
    pub fn threshold(&mut self, total: u32) -> io::Result<u32> {
        self.range = self.range.checked_div(total).unwrap_or(0);
        self.code.checked_div(self.range).ok_or_else(|| wrong("PPMd: a range of nothing"))
    }

    /// Goes on behind the symbol of this range of numbers.
    pub fn decode(&mut self, start: u32, size: u32) {
        let start = start.wrapping_mul(self.range);
        self.low = self.low.wrapping_add(start);
        self.code = self.code.wrapping_sub(start);
        self.range = self.range.wrapping_mul(size);
    }
}

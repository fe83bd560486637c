//! How RAR 5 packs: blocks of matches and literals by prefix codes.

use super::bits::{Bits, codes, wrong};
use super::filter::Filter;
use super::window::Window;
use crate::prefix::Codes;
use std::io;

/// Symbols of the codes: of literals and lengths, of distances in RAR 5 and in RAR 7, of their low
/// bits, and of the lengths of matches at a distance that was used before.
const MAIN: usize = 306;
const FAR: [usize; 2] = [64, 80];
const LOW: usize = 16;
const AGAIN: usize = 44;
/// Symbols of one step.
const STEP: usize = 512;

struct Tables {
    main: Codes,
    far: Codes,
    low: Codes,
    again: Codes,
}

/// The state of the decoder.
pub struct Lz50 {
    /// Symbols of distances.
    far: usize,
    tables: Option<Tables>,
    before: [u64; 4],
    last: usize,
    /// The bit behind this block, and whether it is the last one; `None` between blocks.
    block: Option<(u64, bool)>,
}

impl Lz50 {
    /// A decoder for the first member of a group, of RAR 5 or of RAR 7.
    pub fn new(is_seven: bool) -> Lz50 {
        Lz50 { far: FAR[usize::from(is_seven)], tables: None, before: [0; 4], last: 0, block: None }
    }

    /// Another member begins.
    pub fn begin(&mut self) {
        self.block = None;
    }

    /// The head of a block.
    fn head(&mut self, bits: &mut Bits) -> io::Result<(u64, bool)> {
        bits.align()?;
        let (flags, sum) = (bits.bits(8)?, bits.bits(8)?);
        let count = flags >> 3 & 3;
        if count == 3 {
            return Err(wrong("a block with a length of four bytes"));
        }
        let (mut size, mut found) = (0, 0x5a ^ flags);
        for at in 0..=count {
            let byte = bits.bits(8)?;
            size |= byte << (8 * at);
            found ^= byte;
        }
        if found != sum {
            return Err(wrong("a block whose head has a wrong sum"));
        }
        let length = u64::from(size) * 8 + u64::from(flags & 7) + 1;
        let end = (bits.position() + length).checked_sub(8).ok_or_else(|| wrong("a block of no length"))?;
        if flags & 0x80 != 0 {
            let mut lengths = vec![0; MAIN + self.far + LOW + AGAIN];
            bits.lengths(&mut lengths, false)?;
            let (main, rest) = lengths.split_at(MAIN);
            let (far, rest) = rest.split_at(self.far);
            let (low, again) = rest.split_at(LOW);
            self.tables = Some(Tables { main: codes(main)?, far: codes(far)?, low: codes(low)?, again: codes(again)? });
        }
        Ok((end, flags & 0x40 != 0))
    }

    /// Decodes a little more, up to `end` bytes of the member; whether there may be more.
    ///
    /// # Errors
    /// Those of the input, and contradictions in it.
    pub fn step(&mut self, bits: &mut Bits, window: &mut Window, end: u64) -> io::Result<bool> {
        let (behind, is_last) = match self.block {
            Some(block) => block,
            None => self.head(bits)?,
        };
        self.block = Some((behind, is_last));
        for _ in 0..STEP {
            if window.written() >= end {
                return Ok(false);
            }
            if bits.position() >= behind {
                if bits.position() > behind {
                    return Err(wrong("a block that ends within a symbol"));
                }
                self.block = None;
                return Ok(!is_last);
            }
            self.symbol(bits, window)?;
        }
        Ok(window.written() < end)
    }

    fn symbol(&mut self, bits: &mut Bits, window: &mut Window) -> io::Result<()> {
        let tables =
            self.tables.as_ref().ok_or_else(|| wrong("a block that goes on with tables that there are not"))?;
        match bits.symbol(&tables.main)? {
            literal @ 0..256 => window.push(literal as u8),
            256 => return filter(bits, window),
            257 => {
                if self.last > 0 {
                    window.again(self.before[0], self.last)?;
                }
            }
            symbol @ 258..262 => {
                let distance = self.before[symbol - 258];
                self.before.copy_within(..symbol - 258, 1);
                self.before[0] = distance;
                let slot = bits.symbol(&tables.again)?;
                self.last = length(slot, bits)?;
                window.again(distance, self.last)?;
            }
            symbol => {
                let length = length(symbol - 262, bits)?;
                let slot = bits.symbol(&tables.far)?;
                let distance = 1 + match slot {
                    0..4 => slot as u64,
                    _ => {
                        let extra = (slot as u32 - 2) / 2;
                        let base = (2 | slot as u64 & 1) << extra;
                        base + match extra {
                            0..4 => u64::from(bits.bits(extra)?),
                            // Of RAR 7 alone.
                            36.. => {
                                let high = u64::from(bits.bits(extra - 36)?) << 32;
                                let high = high | u64::from(bits.bits(32)?);
                                (high << 4) + bits.symbol(&tables.low)? as u64
                            }
                            _ => (u64::from(bits.bits(extra - 4)?) << 4) + bits.symbol(&tables.low)? as u64,
                        }
                    }
                };
                let bonus = [0x100, 0x2000, 0x40000].iter().filter(|from| distance > **from).count();
                self.before.copy_within(..3, 1);
                (self.before[0], self.last) = (distance, length + bonus);
                window.again(distance, self.last)?;
            }
        }
        Ok(())
    }
}

fn length(slot: usize, bits: &mut Bits) -> io::Result<usize> {
    if slot < 8 {
        return Ok(2 + slot);
    }
    let extra = slot / 4 - 1;
    Ok(2 + ((4 | slot & 3) << extra) + bits.bits(extra as u32)? as usize)
}

fn filter(bits: &mut Bits, window: &mut Window) -> io::Result<()> {
    let mut number = || -> io::Result<u64> {
        let count = bits.bits(2)?;
        let mut value = 0;
        for at in 0..=count {
            value |= u64::from(bits.bits(8)?) << (8 * at);
        }
        Ok(value)
    };
    let (ahead, length) = (number()?, number()?);
    let filter = match bits.bits(3)? {
        0 => Filter::Delta(bits.bits(5)? as usize + 1),
        1 => Filter::Calls { and_jumps: false, goes_round: true },
        2 => Filter::Calls { and_jumps: true, goes_round: true },
        3 => Filter::Arm,
        _ => return Err(wrong("a filter that there is not")),
    };
    window.filter(ahead, length, filter)
}

//! Blocks of bzip2, which begin at any bit behind a number of 48 of them. Each run of blocks is
//! given to a decoder as a stream of its own, and the checksum of a stream is computed from those
//! of its blocks.

use super::part::{Part, Sum, Uncut};
use crate::crew::CrewStream;
use bzip2::bufread::BzDecoder;
use pfh_bytes::bytes::Bytes;
use std::io::{self, Cursor};
use std::sync::Arc;

const BLOCK: u64 = 0x3141_5926_5359;
const END: u64 = 0x1772_4538_5090;
const MASK: u64 = (1 << 48) - 1;

/// Bytes that are looked through at once.
const STEP: usize = 64 << 10;
/// The longest block in bits: 900 kB that cannot be compressed are a few percent longer.
const LONGEST: u64 = 8 * (2 << 20);
/// Memory of a decoder.
const WINDOW: u64 = 4 << 20;

/// Cuts between blocks.
pub struct Cutter {
    bytes: Arc<dyn Bytes>,
    /// Where the next stream begins, if no block is at hand.
    at: u64,
    /// The bit with which the block at hand begins.
    block: Option<u64>,
    level: u8,
    /// The checksum of the blocks of this stream.
    sum: u32,
    is_broken: bool,
}

impl Cutter {
    /// The blocks of the streams in `bytes`.
    pub fn new(bytes: &Arc<dyn Bytes>) -> Cutter {
        Cutter { bytes: bytes.clone(), at: 0, block: None, level: 0, sum: 0, is_broken: false }
    }

    /// The 64 bits from a bit on; zeros behind the end.
    fn bits(&self, bit: u64) -> Result<u64, Uncut> {
        let mut read = [0; 9];
        let left = self.bytes.size().checked_sub(bit / 8).ok_or(Uncut)?.min(9) as usize;
        self.bytes.read_exact_at(bit / 8, &mut read[..left]).map_err(|_| Uncut)?;
        let wide = read.iter().fold(0_u128, |wide, byte| wide << 8 | u128::from(*byte));
        Ok((wide >> (8 - bit % 8)) as u64)
    }

    /// The bit with which the next number begins, from a bit on, and whether it is a block's.
    fn number_from(&self, from: u64) -> Result<(u64, bool), Uncut> {
        let (mut at, mut last, mut buffer) = (from / 8, 0_u64, vec![0; STEP]);
        loop {
            let left = self.bytes.size().saturating_sub(at).min(STEP as u64) as usize;
            if left == 0 || at * 8 - from.min(at * 8) > LONGEST {
                return Err(Uncut);
            }
            self.bytes.read_exact_at(at, &mut buffer[..left]).map_err(|_| Uncut)?;
            for byte in &buffer[..left] {
                last = last << 8 | u64::from(*byte);
                at += 1;
                for shift in (0..8).rev() {
                    let number = last >> shift & MASK;
                    if (number == BLOCK || number == END) && (at * 8).checked_sub(shift + 48 + from).is_some() {
                        return Ok((at * 8 - shift - 48, number == BLOCK));
                    }
                }
            }
        }
    }

    /// The first block of the next stream that has one; `None` at the end.
    fn stream(&mut self) -> Result<Option<u64>, Uncut> {
        while self.at < self.bytes.size() {
            let [b'B', b'Z', b'h', level @ b'1'..=b'9', ..] = self.bits(self.at * 8)?.to_be_bytes() else {
                return Err(Uncut);
            };
            let first = (self.at + 4) * 8;
            (self.level, self.sum) = (level, 0);
            match self.bits(first)? >> 16 {
                BLOCK => return Ok(Some(first)),
                END => self.end(first)?,
                _ => return Err(Uncut),
            }
        }
        Ok(None)
    }

    /// Goes behind the end of a stream, if its checksum holds.
    fn end(&mut self, number: u64) -> Result<(), Uncut> {
        let stated = (self.bits(number + 48)? >> 32) as u32;
        self.at = (number + 80).div_ceil(8);
        if stated == self.sum && self.at <= self.bytes.size() { Ok(()) } else { Err(Uncut) }
    }

    fn part(&mut self) -> Result<Option<Part>, Uncut> {
        if self.is_broken {
            return Err(Uncut);
        }
        let start = match self.block.take() {
            Some(block) => block,
            None => match self.stream()? {
                Some(block) => block,
                None => return Ok(None),
            },
        };
        let sum = (self.bits(start + 48)? >> 32) as u32;
        self.sum = self.sum.rotate_left(1) ^ sum;
        let (end, is_block) = self.number_from(start + 80)?;
        if is_block {
            self.block = Some(end);
        } else {
            self.is_broken = self.end(end).is_err();
        }
        let (bytes, level) = (self.bytes.clone(), self.level);
        let open = move || open(&*bytes, level, (start, end), sum);
        Ok(Some(Part { size: None, most: None, window: WINDOW, open: Box::new(open), sum: Sum::None }))
    }
}

impl Iterator for Cutter {
    type Item = Result<Part, Uncut>;

    fn next(&mut self) -> Option<Self::Item> {
        let part = self.part().transpose()?;
        if part.is_err() {
            (self.at, self.block, self.is_broken) = (self.bytes.size(), None, false);
        }
        Some(part)
    }
}

/// The bits of a block as a stream, with this checksum.
fn open(bytes: &dyn Bytes, level: u8, (start, end): (u64, u64), sum: u32) -> io::Result<CrewStream> {
    let mut raw = vec![0; (end.div_ceil(8) - start / 8) as usize];
    bytes.read_exact_at(start / 8, &mut raw)?;
    raw.push(0);
    let (whole, part, shift) = ((end - start) / 8, (end - start) % 8, start % 8);
    let mut stream = vec![b'B', b'Z', b'h', level];
    let byte = |pair: &[u8]| ((u16::from(pair[0]) << 8 | u16::from(pair[1])) << shift >> 8) as u8;
    stream.extend(raw.windows(2).take(whole as usize).map(byte));
    let rest = raw.windows(2).nth(whole as usize).map_or(0, byte) >> (8 - part).min(7) >> u64::from(part == 0);
    let tail = u128::from(rest) << 80 | u128::from(END) << 32 | u128::from(sum);
    let length = (part + 80).div_ceil(8);
    let tail = tail << (length * 8 - part - 80);
    stream.extend_from_slice(&tail.to_be_bytes()[16 - length as usize..]);
    Ok(Box::new(BzDecoder::new(Cursor::new(stream))))
}

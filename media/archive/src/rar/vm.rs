//! Programs that RAR 3 stores for its filters. Those that its own packer writes are known by their
//! CRC; others are not run.

use super::bits::wrong;
use super::filter::Filter;
use std::io;

/// Programs of a member, at the most.
const PROGRAMS: usize = 1024;
/// Bytes of a program, at the most.
const LONGEST: u32 = 0xffff;

#[derive(Debug, Clone, Copy)]
enum Kind {
    Delta,
    Calls,
    CallsAndJumps,
    Itanium,
    Pixels,
    Samples,
}

impl Kind {
    fn of(code: &[u8]) -> io::Result<Kind> {
        if code.iter().fold(0, |sum, byte| sum ^ byte) != 0 {
            return Err(wrong("a filter's program whose sum does not hold"));
        }
        match (code.len(), crc32fast::hash(code)) {
            (29, 0x0e06_077d) => Ok(Kind::Delta),
            (53, 0xad57_6887) => Ok(Kind::Calls),
            (57, 0x3cd7_e57e) => Ok(Kind::CallsAndJumps),
            (120, 0x3769_893f) => Ok(Kind::Itanium),
            (149, 0x1c2c_5dc8) => Ok(Kind::Pixels),
            (216, 0xbc85_e701) => Ok(Kind::Samples),
            _ => Err(wrong("a filter with a program of its own: not run")),
        }
    }
}

/// The programs so far.
#[derive(Default)]
pub struct Programs {
    /// Each with the length of the range that it was last applied to.
    known: Vec<(Kind, u32)>,
    last: usize,
}

/// An ordered filter: how far ahead its range begins, its length, and the operation.
pub struct Order {
    /// Bytes between the next one and the range.
    pub ahead: u64,
    /// Bytes of the range.
    pub length: u64,
    /// The operation on them.
    pub filter: Filter,
}

impl Programs {
    /// The filter that a record orders; `first` is the byte before the record.
    ///
    /// # Errors
    /// When it contradicts itself, or brings a program that is not known.
    pub fn order(&mut self, first: u32, record: &[u8]) -> io::Result<Order> {
        let mut bits = Record { bytes: record, at: 0 };
        if first & 0x80 != 0 {
            let number = bits.number()? as usize;
            if number == 0 {
                self.known.clear();
            }
            self.last = number.saturating_sub(1);
        }
        let is_new = self.last == self.known.len();
        if self.last > self.known.len() || self.last >= PROGRAMS {
            return Err(wrong("a filter with a program that was never stored"));
        }
        let mut ahead = bits.number()?;
        if first & 0x40 != 0 {
            ahead = ahead.wrapping_add(258);
        }
        let length = match self.known.get(self.last) {
            _ if first & 0x20 != 0 => bits.number()?,
            Some((_, length)) => *length,
            None => 0,
        };
        let mut registers = [0_u32; 7];
        if first & 0x10 != 0 {
            let mask = bits.bits(7)?;
            for (number, register) in registers.iter_mut().enumerate() {
                if mask >> number & 1 == 1 {
                    *register = bits.number()?;
                }
            }
        }
        if is_new {
            let length = bits.number()?;
            if length == 0 || length > LONGEST {
                return Err(wrong("a filter with a program of an impossible length"));
            }
            let code = (0..length).map(|_| bits.bits(8).map(|byte| byte as u8)).collect::<io::Result<Vec<u8>>>()?;
            self.known.push((Kind::of(&code)?, 0));
        }
        let (kind, before) = &mut self.known[self.last];
        *before = length;
        let count = registers[0] as usize;
        let filter = match kind {
            Kind::Delta => Filter::Delta(count),
            Kind::Calls => Filter::Calls { and_jumps: false, goes_round: false },
            Kind::CallsAndJumps => Filter::Calls { and_jumps: true, goes_round: false },
            Kind::Itanium => Filter::Itanium,
            Kind::Pixels => Filter::Pixels(count, registers[1] as usize),
            Kind::Samples => Filter::Samples(count),
        };
        Ok(Order { ahead: ahead.into(), length: length.into(), filter })
    }
}

/// The bits of a record.
struct Record<'a> {
    bytes: &'a [u8],
    at: usize,
}

impl Record<'_> {
    fn bits(&mut self, count: usize) -> io::Result<u32> {
        let mut value = 0_u32;
        for _ in 0..count {
            let byte = self.bytes.get(self.at / 8).ok_or_else(|| wrong("a filter's record that is cut off"))?;
            value = value << 1 | u32::from(byte >> (7 - self.at % 8) & 1);
            self.at += 1;
        }
        Ok(value)
    }

    fn number(&mut self) -> io::Result<u32> {
        match self.bits(2)? {
            0 => self.bits(4),
            1 => match self.bits(8)? {
                byte @ 16.. => Ok(byte),
                byte => Ok(0xffff_ff00 | byte << 4 | self.bits(4)?),
            },
            2 => self.bits(16),
            _ => self.bits(32),
        }
    }
}

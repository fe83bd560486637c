//! Packed bytes of a member, which may lie in several volumes, and their bits, the high one of each
//! byte first.

use crate::high_bits;
use crate::prefix::Codes;
use crate::tape::Tape;
use pfh_bytes::bytes::Bytes;
use std::io::{self, BufReader, Read};
use std::sync::Arc;

/// Ranges of the medium one after the other, each with its start and its end.
pub struct Pieces {
    of: Arc<dyn Bytes>,
    left: std::vec::IntoIter<(u64, u64)>,
    tape: Option<Tape>,
}

impl Pieces {
    /// These ranges of `of`.
    pub fn new(of: Arc<dyn Bytes>, ranges: &[(u64, u64)]) -> Pieces {
        let left = Vec::from(ranges).into_iter();
        Pieces { of, left, tape: None }
    }
}

impl Read for Pieces {
    pfh_bytes::reading::shared_reads!();

    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        loop {
            if let Some(tape) = &mut self.tape {
                let got = tape.read(buffer)?;
                if got > 0 || buffer.is_empty() {
                    return Ok(got);
                }
            }
            let Some((start, end)) = self.left.next() else { return Ok(0) };
            self.tape = Some(Tape::new(self.of.clone(), start, end));
        }
    }
}

/// The bits of a member.
pub struct Bits {
    of: high_bits::Bits<BufReader<Pieces>>,
    taken: u64,
}

impl Bits {
    /// The bits of `input`.
    pub fn new(input: Pieces) -> Bits {
        Bits { of: high_bits::Bits::new(BufReader::with_capacity(32 << 10, input)), taken: 0 }
    }

    /// How many bits were taken.
    pub fn position(&self) -> u64 {
        self.taken
    }

    /// Whether whole bytes are left, at most 7.
    ///
    /// # Errors
    /// Those of the input.
    pub fn has_bytes(&mut self, bytes: u32) -> io::Result<bool> {
        self.of.has_bytes(bytes)
    }

    /// The next 16 bits, with zeros behind the end.
    ///
    /// # Errors
    /// Those of the input.
    pub fn peek(&mut self) -> io::Result<u32> {
        self.of.peek()
    }

    /// Goes on behind bits that were looked at, at most 16.
    ///
    /// # Errors
    /// When the input ends within them.
    pub fn skip(&mut self, count: u32) -> io::Result<()> {
        self.taken += u64::from(count);
        self.of.skip(count)
    }

    /// The number in the next bits, at most 32.
    ///
    /// # Errors
    /// When the input ends within them.
    pub fn bits(&mut self, count: u32) -> io::Result<u32> {
        self.taken += u64::from(count);
        self.of.bits(count)
    }

    /// Skips the rest of a byte.
    ///
    /// # Errors
    /// When the input ends before.
    pub fn align(&mut self) -> io::Result<()> {
        self.peek()?;
        self.skip((8 - (self.taken % 8) as u32) % 8)
    }

    /// The symbol of the next code.
    ///
    /// # Errors
    /// When there is none.
    pub fn symbol(&mut self, codes: &Codes) -> io::Result<usize> {
        let (symbol, length) = codes.find(self.peek()?).ok_or_else(|| wrong("a code that stands for nothing"))?;
        self.skip(length)?;
        Ok(usize::from(symbol))
    }

    /// Lengths of codes that are packed by codes themselves: if `is_added`, each is added to the
    /// present one in `lengths`, and the first codes of 20 symbols come before.
    ///
    /// # Errors
    /// When the codes contradict themselves.
    pub fn lengths(&mut self, lengths: &mut [u8], is_added: bool) -> io::Result<()> {
        let mut firsts = [0_u8; 20];
        let mut at = 0;
        while at < firsts.len() {
            let length = self.bits(4)?;
            let zeros = if length == 15 { self.bits(4)? as usize } else { 0 };
            if zeros == 0 {
                firsts[at] = length as u8;
                at += 1;
            } else {
                at += zeros + 2;
            }
        }
        let codes = codes(&firsts)?;
        let mut at = 0;
        while at < lengths.len() {
            let symbol = self.symbol(&codes)?;
            let count = match symbol {
                16 | 18 => 3 + self.bits(3)? as usize,
                17 | 19 => 11 + self.bits(7)? as usize,
                length => {
                    let before = if is_added { lengths[at] } else { 0 };
                    lengths[at] = (length as u8 + before) & 0xf;
                    at += 1;
                    continue;
                }
            };
            let value = match symbol {
                16 | 17 if at == 0 => return Err(wrong("a length that repeats none")),
                16 | 17 => lengths[at - 1],
                _ => 0,
            };
            let end = (at + count).min(lengths.len());
            lengths[at..end].fill(value);
            at = end;
        }
        Ok(())
    }
}

/// A fault of the packed bytes.
pub fn wrong(what: &str) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, what)
}

/// The codes of these lengths.
///
/// # Errors
/// When there are more codes than their lengths allow.
pub fn codes(lengths: &[u8]) -> io::Result<Codes> {
    Codes::new(lengths).ok_or_else(|| wrong("more codes than their lengths allow"))
}

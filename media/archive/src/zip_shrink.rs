//! Shrink, method 1 of zip (PKWARE's APPNOTE 5.1): LZW with codes of 9 to 13 bits, whose table is
//! cleared in part.

use super::low_bits::Bits;
use super::ready::{self, ReadyBytes, Steps};
use std::io::{self, BufRead, Read};

/// The code that is followed by an order.
const ORDER: usize = 256;
const CODES: usize = 1 << 13;
/// A code that stands for nothing.
const FREE: u16 = u16::MAX;

fn wrong(what: &str) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, format!("shrink: {what}"))
}

/// The bytes of a member.
pub struct Shrink<R> {
    bits: Bits<R>,
    width: u32,
    /// For each code the one before it, and its last byte.
    prefixes: Vec<u16>,
    bytes: Vec<u8>,
    /// Where a free code is looked for.
    next: usize,
    last: Option<(usize, u8)>,
    out: ReadyBytes,
}

impl<R: BufRead> Shrink<R> {
    /// A decoder of a stream.
    pub fn new(input: R) -> Self {
        let mut prefixes = vec![FREE; CODES];
        prefixes[..=ORDER].fill(0);
        let bytes = (0..CODES).map(|code| code as u8).collect();
        Shrink {
            bits: Bits::new(input),
            width: 9,
            prefixes,
            bytes,
            next: ORDER + 1,
            last: None,
            out: ReadyBytes::default(),
        }
    }

    /// Frees the codes that no other one goes on from.
    fn clear(&mut self) {
        let mut is_used = vec![false; CODES];
        for code in ORDER + 1..CODES {
            if let Some(used) = is_used.get_mut(usize::from(self.prefixes[code])) {
                *used = true;
            }
        }
        for (prefix, is_used) in self.prefixes.iter_mut().zip(is_used).skip(ORDER + 1) {
            if !is_used {
                *prefix = FREE;
            }
        }
        self.next = ORDER + 1;
    }
}

impl<R: BufRead> Steps for Shrink<R> {
    fn ready(&mut self) -> &mut ReadyBytes {
        &mut self.out
    }

    fn step(&mut self) -> io::Result<bool> {
        let code = self.bits.bits(self.width)? as usize;
        if code == ORDER {
            match self.bits.bits(self.width)? {
                1 if self.width < 13 => self.width += 1,
                2 => self.clear(),
                _ => return Err(wrong("an order that there is not")),
            }
            return Ok(true);
        }
        let Some((last, last_first)) = self.last else {
            if code > 255 {
                return Err(wrong("a first code that stands for no byte"));
            }
            self.out.bytes.push(code as u8);
            self.last = Some((code, code as u8));
            return Ok(true);
        };
        let from = self.out.bytes.len();
        let mut at = code;
        if code > ORDER && self.prefixes[code] == FREE {
            // The code that comes next, or one that was freed.
            self.out.bytes.push(last_first);
            at = last;
        }
        let mut steps = 0;
        while at > 255 {
            if self.prefixes[at] == FREE || steps > CODES {
                return Err(wrong("a code that is not in the table"));
            }
            self.out.bytes.push(self.bytes[at]);
            at = usize::from(self.prefixes[at]);
            steps += 1;
        }
        self.out.bytes.push(at as u8);
        self.out.bytes[from..].reverse();
        while self.next < CODES && self.prefixes[self.next] != FREE {
            self.next += 1;
        }
        if self.next < CODES {
            // A code may go on from one that was freed: then it goes on from itself.
            self.prefixes[self.next] = last as u16;
            self.bytes[self.next] = at as u8;
            self.next += 1;
        }
        self.last = Some((code, at as u8));
        Ok(true)
    }
}

impl<R: BufRead> Read for Shrink<R> {
    pfh_bytes::reading::shared_reads!();

    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        ready::read(self, buffer)
    }
}

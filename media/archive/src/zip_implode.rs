//! Implode, method 6 of zip (PKWARE's APPNOTE 5.3): Shannon-Fano codes of literals, lengths and
//! distances.

use super::low_bits::Bits;
use super::ready::{self, ReadyBytes, Steps};
use super::ring::Ring;
use std::io::{self, BufRead, Read};

fn wrong(what: &str) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, format!("implode: {what}"))
}

/// Codes that are written from their low bit on and count down.
struct Codes {
    /// For each length the first code, the number of codes, and the place of their symbols.
    lengths: [(u32, u32, usize); 17],
    symbols: Vec<u8>,
}

impl Codes {
    /// Reads the lengths of this number of symbols.
    fn read<R: BufRead>(bits: &mut Bits<R>, count: usize) -> io::Result<Codes> {
        let mut lengths = Vec::new();
        for _ in 0..=bits.bits(8)? {
            let byte = bits.bits(8)?;
            let (length, times) = ((byte & 0xf) + 1, (byte >> 4) + 1);
            lengths.resize(lengths.len() + times as usize, length as usize);
        }
        if lengths.len() != count {
            return Err(wrong("a table of another number of codes"));
        }
        let mut codes = Codes { lengths: [(0, 0, 0); 17], symbols: Vec::new() };
        // The shortest codes are the largest numbers; here each is turned round, to count up.
        let mut code = 0_u32;
        for length in 1..=16 {
            code <<= 1;
            let of: Vec<u8> = (0..count).filter(|at| lengths[*at] == length).map(|at| at as u8).collect();
            codes.lengths[length] = (code, of.len() as u32, codes.symbols.len());
            code += of.len() as u32;
            codes.symbols.extend(of);
            if code > 1 << length {
                return Err(wrong("more codes than their lengths allow"));
            }
        }
        Ok(codes)
    }

    fn next<R: BufRead>(&self, bits: &mut Bits<R>) -> io::Result<u8> {
        let mut code = 0;
        for (first, count, place) in &self.lengths[1..] {
            code = code << 1 | (1 - bits.bits(1)?);
            if code >= *first && code - first < *count {
                return Ok(self.symbols[place + (code - first) as usize]);
            }
        }
        Err(wrong("a code that stands for nothing"))
    }
}

/// The three sets of codes; literals may have none.
struct Sets {
    literals: Option<Codes>,
    lengths: Codes,
    distances: Codes,
}

/// The bytes of a member.
pub struct Implode<R> {
    bits: Bits<R>,
    ring: Ring,
    /// Low bits of a distance that stand by themselves.
    low: u32,
    has_literals: bool,
    sets: Option<Sets>,
    out: ReadyBytes,
}

impl<R: BufRead> Implode<R> {
    /// A decoder of a stream of a member with these flags.
    pub fn new(input: R, flags: u16) -> Self {
        // Bit 1: a window of 8 KiB rather than 4; bit 2: literals have codes.
        let (low, has_literals) = (if flags & 2 != 0 { 7 } else { 6 }, flags & 4 != 0);
        let ring = Ring::new(vec![0; 8192], 0);
        Implode { bits: Bits::new(input), ring, low, has_literals, sets: None, out: ReadyBytes::default() }
    }
}

impl<R: BufRead> Steps for Implode<R> {
    fn ready(&mut self) -> &mut ReadyBytes {
        &mut self.out
    }

    fn step(&mut self) -> io::Result<bool> {
        let bits = &mut self.bits;
        let sets = match &mut self.sets {
            Some(sets) => sets,
            none => {
                let literals = if self.has_literals { Some(Codes::read(bits, 256)?) } else { None };
                none.insert(Sets { literals, lengths: Codes::read(bits, 64)?, distances: Codes::read(bits, 64)? })
            }
        };
        if bits.bits(1)? == 1 {
            let byte = match &sets.literals {
                Some(literals) => literals.next(bits)?,
                None => bits.bits(8)? as u8,
            };
            self.ring.push(byte, &mut self.out.bytes);
            return Ok(true);
        }
        let low = bits.bits(self.low)? as usize;
        let distance = usize::from(sets.distances.next(bits)?) << self.low | low;
        let mut length = usize::from(sets.lengths.next(bits)?);
        if length == 63 {
            length += bits.bits(8)? as usize;
        }
        length += if self.has_literals { 3 } else { 2 };
        // In front of the start there are zeros.
        self.ring.again(distance + 1, length, &mut self.out.bytes);
        Ok(true)
    }
}

impl<R: BufRead> Read for Implode<R> {
    pfh_bytes::reading::shared_reads!();

    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        ready::read(self, buffer)
    }
}

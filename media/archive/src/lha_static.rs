//! lh4 to lh7 and lhx: blocks with codes of their own, as in Okumura's ar002.

use super::high_bits::Bits;
use super::prefix::{Codes, LONGEST};
use super::ready::{self, ReadyBytes, Steps};
use super::ring::Ring;
use std::io::{self, BufRead, Read};

/// Literals and lengths.
const SYMBOLS: usize = 510;
/// The shortest match.
const SHORTEST: usize = 3;

fn wrong(what: &str) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, what)
}

/// Codes, or the one symbol that needs no bits.
enum Set {
    One(usize),
    Many(Codes),
}

impl Set {
    fn of(lengths: &[u8]) -> io::Result<Set> {
        Codes::new(lengths).map(Set::Many).ok_or_else(|| wrong("more codes than their lengths allow"))
    }

    fn next<R: BufRead>(&self, bits: &mut Bits<R>) -> io::Result<usize> {
        match self {
            Set::One(symbol) => Ok(*symbol),
            Set::Many(codes) => bits.symbol(codes),
        }
    }
}

/// The bytes of a member.
pub struct Static<R> {
    bits: Bits<R>,
    ring: Ring,
    /// Bits of the number of codes of distances.
    width: u32,
    left: u32,
    symbols: Set,
    distances: Set,
    out: ReadyBytes,
}

impl<R: BufRead> Static<R> {
    /// A decoder of a stream with a window of 2^`window` bytes.
    pub fn new(input: R, window: u32, width: u32) -> Self {
        let ring = Ring::new(vec![b' '; 1 << window], 0);
        let (symbols, distances) = (Set::One(0), Set::One(0));
        Static { bits: Bits::new(input), ring, width, left: 0, symbols, distances, out: ReadyBytes::default() }
    }

    /// A length: three bits, and more while they are ones.
    fn length(&mut self) -> io::Result<u8> {
        let mut length = self.bits.bits(3)? as u8;
        if length == 7 {
            while self.bits.bits(1)? == 1 {
                length += 1;
                if usize::from(length) > LONGEST {
                    return Err(wrong("a code of more than 16 bits"));
                }
            }
        }
        Ok(length)
    }

    /// Codes of distances, or of lengths: zeros may follow the third of the latter.
    fn set(&mut self, width: u32, are_lengths: bool) -> io::Result<Set> {
        let count = self.bits.bits(width)? as usize;
        if count == 0 {
            return Ok(Set::One(self.bits.bits(width)? as usize));
        }
        let mut lengths = Vec::new();
        while lengths.len() < count {
            lengths.push(self.length()?);
            if are_lengths && lengths.len() == 3 {
                let zeros = self.bits.bits(2)? as usize;
                lengths.resize(3 + zeros, 0);
            }
        }
        Set::of(&lengths)
    }

    fn begin(&mut self) -> io::Result<()> {
        self.left = self.bits.bits(16)?;
        if self.left == 0 {
            return Err(wrong("an empty block"));
        }
        let first = self.set(5, true)?;
        let count = self.bits.bits(9)? as usize;
        self.symbols = if count == 0 {
            Set::One(self.bits.bits(9)? as usize)
        } else {
            let mut lengths: Vec<u8> = Vec::new();
            while lengths.len() < count {
                let zeros = match first.next(&mut self.bits)? {
                    0 => 1,
                    1 => 3 + self.bits.bits(4)? as usize,
                    2 => 20 + self.bits.bits(9)? as usize,
                    length if length - 2 <= LONGEST => {
                        lengths.push((length - 2) as u8);
                        continue;
                    }
                    _ => return Err(wrong("a code of more than 16 bits")),
                };
                lengths.resize(lengths.len() + zeros, 0);
            }
            if lengths.len() > SYMBOLS {
                return Err(wrong("more lengths than symbols"));
            }
            Set::of(&lengths)?
        };
        self.distances = self.set(self.width, false)?;
        Ok(())
    }
}

impl<R: BufRead> Steps for Static<R> {
    fn ready(&mut self) -> &mut ReadyBytes {
        &mut self.out
    }

    fn step(&mut self) -> io::Result<bool> {
        if self.left == 0 {
            self.begin()?;
        }
        self.left -= 1;
        let symbol = self.symbols.next(&mut self.bits)?;
        if symbol < 256 {
            self.ring.push(symbol as u8, &mut self.out.bytes);
            return Ok(true);
        }
        let distance = match self.distances.next(&mut self.bits)? {
            short @ 0..=1 => short,
            bits => (1 << (bits - 1)) + self.bits.bits(bits as u32 - 1)? as usize,
        };
        if distance >= self.ring.size() {
            return Err(wrong("a match that leads out of the window"));
        }
        self.ring.again(distance + 1, symbol - 256 + SHORTEST, &mut self.out.bytes);
        Ok(true)
    }
}

impl<R: BufRead> Read for Static<R> {
    pfh_bytes::reading::shared_reads!();

    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        ready::read(self, buffer)
    }
}

//! Reduce, methods 2 to 5 of zip (PKWARE's APPNOTE 5.2): a byte by its place among those that
//! follow the byte before it, and matches.

use super::low_bits::Bits;
use super::ready::{self, ReadyBytes, Steps};
use super::ring::Ring;
use std::io::{self, BufRead, Read};

/// The byte that begins a match.
const MARK: u8 = 144;

/// The meaning of the next byte.
enum State {
    Plain,
    Mark,
    /// The first byte of a match, when a length follows.
    Length(u8),
    /// The first byte, and the length.
    Distance(u8, usize),
}

/// The bytes of a member.
pub struct Reduce<R> {
    bits: Bits<R>,
    /// For each byte those that follow it; none before they were read.
    followers: Vec<Vec<u8>>,
    last: u8,
    /// Bits of a length in the first byte of a match.
    low: u32,
    state: State,
    ring: Ring,
    out: ReadyBytes,
}

impl<R: BufRead> Reduce<R> {
    /// A decoder of a stream with this factor, from 1 to 4.
    pub fn new(input: R, factor: u32) -> Self {
        let (bits, ring, out) = (Bits::new(input), Ring::new(vec![0; 4096], 0), ReadyBytes::default());
        Reduce { bits, followers: Vec::new(), last: 0, low: 8 - factor, state: State::Plain, ring, out }
    }

    /// The sets stand at the start, from that of the last byte on.
    fn begin(&mut self) -> io::Result<()> {
        self.followers = vec![Vec::new(); 256];
        for byte in (0..256).rev() {
            for _ in 0..self.bits.bits(6)? {
                let follower = self.bits.bits(8)? as u8;
                self.followers[byte].push(follower);
            }
        }
        Ok(())
    }

    fn byte(&mut self) -> io::Result<u8> {
        let set = &self.followers[usize::from(self.last)];
        let byte = if set.is_empty() || self.bits.bits(1)? == 1 {
            self.bits.bits(8)? as u8
        } else {
            let width = (usize::BITS - (set.len() - 1).leading_zeros()).max(1);
            let place = self.bits.bits(width)? as usize;
            let found = set.get(place).copied();
            found.ok_or_else(|| io::Error::new(io::ErrorKind::InvalidData, "reduce: a follower that there is not"))?
        };
        self.last = byte;
        Ok(byte)
    }
}

impl<R: BufRead> Steps for Reduce<R> {
    fn ready(&mut self) -> &mut ReadyBytes {
        &mut self.out
    }

    fn step(&mut self) -> io::Result<bool> {
        if self.followers.is_empty() {
            self.begin()?;
        }
        let byte = self.byte()?;
        let most = (1_u8 << self.low).wrapping_sub(1);
        self.state = match self.state {
            State::Plain if byte == MARK => State::Mark,
            State::Plain => {
                self.ring.push(byte, &mut self.out.bytes);
                State::Plain
            }
            State::Mark if byte == 0 => {
                self.ring.push(MARK, &mut self.out.bytes);
                State::Plain
            }
            State::Mark if byte & most == most => State::Length(byte),
            State::Mark => State::Distance(byte, usize::from(byte & most)),
            State::Length(first) => State::Distance(first, usize::from(first & most) + usize::from(byte)),
            State::Distance(first, length) => {
                let distance = (usize::from(first >> self.low) << 8) + usize::from(byte) + 1;
                self.ring.again(distance, length + 3, &mut self.out.bytes);
                State::Plain
            }
        };
        Ok(true)
    }
}

impl<R: BufRead> Read for Reduce<R> {
    pfh_bytes::reading::shared_reads!();

    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        ready::read(self, buffer)
    }
}

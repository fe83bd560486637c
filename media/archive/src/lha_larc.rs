//! lzs and lz5, of the program LArc: matches by their place in the window.

use super::high_bits::Bits;
use super::ready::{self, ReadyBytes, Steps};
use super::ring::Ring;
use std::io::{self, BufRead, Read};

/// The bytes of a member.
pub struct Larc<R> {
    bits: Bits<R>,
    ring: Ring,
    /// Of lz5: its flags, with a one above the last; 1 when none are left.
    flags: Option<u32>,
    out: ReadyBytes,
}

impl<R: BufRead> Larc<R> {
    /// A decoder of a stream of lz5, or else of lzs.
    pub fn new(input: R, is_five: bool) -> Self {
        let ring = if is_five { Ring::new(window(), 4096 - 18) } else { Ring::new(vec![b' '; 2048], 2048 - 17) };
        Larc { bits: Bits::new(input), ring, flags: is_five.then_some(1), out: ReadyBytes::default() }
    }

    /// A flag of lz5: the low bit of a byte first.
    fn flag(&mut self, flags: u32) -> io::Result<bool> {
        let flags = if flags == 1 { 0x100 | self.bits.bits(8)? } else { flags };
        self.flags = Some(flags >> 1);
        Ok(flags & 1 == 1)
    }
}

/// The content of the window of lz5 at its start.
fn window() -> Vec<u8> {
    let mut bytes: Vec<u8> = (0..=255).flat_map(|byte| [byte; 13]).collect();
    bytes.extend((0..=255).chain((0..=255).rev()));
    bytes.extend([0; 128]);
    bytes.extend([b' '; 110]);
    bytes.resize(4096, 0);
    bytes
}

impl<R: BufRead> Steps for Larc<R> {
    fn ready(&mut self) -> &mut ReadyBytes {
        &mut self.out
    }

    fn step(&mut self) -> io::Result<bool> {
        let is_literal = match self.flags {
            Some(flags) => self.flag(flags)?,
            None => self.bits.bits(1)? == 1,
        };
        if is_literal {
            let byte = self.bits.bits(8)? as u8;
            self.ring.push(byte, &mut self.out.bytes);
            return Ok(true);
        }
        let (place, length) = match self.flags {
            Some(_) => {
                let raw = self.bits.bits(16)?;
                // The low byte of the place, its high four bits, the length.
                (raw >> 8 | (raw & 0xf0) << 4, (raw & 0xf) + 3)
            }
            None => (self.bits.bits(11)?, self.bits.bits(4)? + 2),
        };
        self.ring.from(place as usize, length as usize, &mut self.out.bytes);
        Ok(true)
    }
}

impl<R: BufRead> Read for Larc<R> {
    pfh_bytes::reading::shared_reads!();

    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        ready::read(self, buffer)
    }
}

//! The stream of a folder of a cabinet: blocks of at most 32 KiB, each with its checksum.

use super::lzx::{FRAME, Lzx, Use};
use super::member::{failure, wrong};
use super::ready::{self, Ready, Steps};
use crate::bytes::Bytes;
use crate::field::{le16, le32};
use crate::node::Failure;
use flate2::{Decompress, FlushDecompress, Status};
use std::io::{self, Read};
use std::sync::Arc;

/// How the blocks of a folder are packed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Method {
    Stored,
    /// Deflate, whose window goes on from block to block.
    MsZip,
    Quantum,
    /// With a window of 2^n bytes.
    Lzx(u32),
    Unknown(u16),
}

impl Method {
    /// The method that a folder states.
    pub fn of(raw: u16) -> Method {
        match (raw & 0xf, u32::from(raw >> 8)) {
            (0, _) => Method::Stored,
            (1, _) => Method::MsZip,
            (2, _) => Method::Quantum,
            (3, bits @ 15..=21) => Method::Lzx(bits),
            _ => Method::Unknown(raw),
        }
    }
}

/// A folder, as its header has it.
#[derive(Debug, Clone, Copy)]
pub struct Folder {
    /// Where its first block begins.
    pub start: u64,
    pub blocks: u16,
    pub method: Method,
    /// Bytes behind the header of each block that are the application's.
    pub reserved: u8,
}

enum Decoder {
    Stored,
    MsZip,
    Lzx(Box<Lzx>),
}

/// The bytes of a folder.
pub struct Blocks {
    bytes: Arc<dyn Bytes>,
    at: u64,
    left: u16,
    reserved: usize,
    decoder: Decoder,
    /// The output of the block before.
    window: Vec<u8>,
    packed: Vec<u8>,
    out: Ready,
}

impl Blocks {
    /// Those of this folder; `None` if its method is not read.
    pub fn open(bytes: Arc<dyn Bytes>, folder: Folder) -> Option<Blocks> {
        let decoder = match folder.method {
            Method::Stored => Decoder::Stored,
            Method::MsZip => Decoder::MsZip,
            Method::Lzx(bits) => Decoder::Lzx(Box::new(Lzx::new(bits, Use::Cabinet)?)),
            Method::Quantum | Method::Unknown(_) => return None,
        };
        let (at, left, reserved) = (folder.start, folder.blocks, usize::from(folder.reserved));
        let (window, packed, out) = (Vec::new(), Vec::new(), Ready::default());
        Some(Blocks { bytes, at, left, reserved, decoder, window, packed, out })
    }

    fn fail(&self, cause: impl Into<String>) -> io::Error {
        wrong(Failure { offset: Some(self.at), ..failure(b"", cause) })
    }

    fn read_at(&self, at: u64, buffer: &mut [u8]) -> io::Result<()> {
        self.bytes.read_exact_at(at, buffer).map_err(|error| match error.kind() {
            io::ErrorKind::UnexpectedEof => self.fail("the cabinet ends within this block"),
            _ => error,
        })
    }

    fn block(&mut self) -> io::Result<()> {
        let mut header = vec![0; 8 + self.reserved];
        self.read_at(self.at, &mut header)?;
        let (stored, length) = (usize::from(le16(&header, 4)), usize::from(le16(&header, 6)));
        let mut packed = std::mem::take(&mut self.packed);
        packed.resize(stored, 0);
        self.read_at(self.at + header.len() as u64, &mut packed)?;
        let (stated, found) = (le32(&header, 0), sum(&header[4..], sum(&packed, 0)));
        // Zero: none was computed.
        if stated != 0 && stated != found {
            return Err(self.fail(format!("a block with the checksum {found:08x} and not {stated:08x} as it states")));
        }
        if length == 0 {
            return Err(self.fail("a block that goes on in the next cabinet: not read"));
        }
        if length > FRAME {
            return Err(self.fail(format!("a block of {length} bytes, more than 32 KiB")));
        }
        let from = self.out.bytes.len();
        let decoded = match &mut self.decoder {
            Decoder::Stored if stored == length => {
                self.out.bytes.extend_from_slice(&packed);
                Ok(())
            }
            Decoder::Stored => Err(io::Error::other("a stored block of another length than it states")),
            Decoder::MsZip => inflate(&packed, &self.window, length, &mut self.out.bytes),
            Decoder::Lzx(lzx) => lzx.decode(&packed, length, &mut self.out.bytes),
        };
        decoded.map_err(|error| self.fail(format!("a block: {error}")))?;
        if let Decoder::MsZip = self.decoder {
            // A short block leaves a part of the window in place.
            let excess = (self.window.len() + length).saturating_sub(FRAME).min(self.window.len());
            self.window.drain(..excess);
            self.window.extend_from_slice(&self.out.bytes[from..]);
        }
        self.at += (header.len() + stored) as u64;
        self.left -= 1;
        self.packed = packed;
        Ok(())
    }
}

impl Steps for Blocks {
    fn ready(&mut self) -> &mut Ready {
        &mut self.out
    }

    fn step(&mut self) -> io::Result<bool> {
        if self.left == 0 {
            return Ok(false);
        }
        self.block()?;
        Ok(true)
    }
}

impl Read for Blocks {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        ready::read(self, buffer)
    }
}

/// A block of MSZIP: a signature, and one stream of deflate.
fn inflate(packed: &[u8], window: &[u8], length: usize, out: &mut Vec<u8>) -> io::Result<()> {
    let invalid = |what: &str| io::Error::new(io::ErrorKind::InvalidData, format!("MSZIP: {what}"));
    let stream = packed.strip_prefix(b"CK").ok_or_else(|| invalid("no signature"))?;
    let mut inflater = Decompress::new(false);
    if !window.is_empty() {
        inflater.set_dictionary(window).map_err(|error| invalid(&error.to_string()))?;
    }
    let from = out.len();
    out.resize(from + length, 0);
    let mut at = 0;
    loop {
        let done = inflater.total_out() as usize;
        let status = inflater.decompress(&stream[at..], &mut out[from + done..], FlushDecompress::Finish);
        let status = status.map_err(|error| invalid(&error.to_string()))?;
        at = inflater.total_in() as usize;
        match status {
            Status::StreamEnd if inflater.total_out() as usize == length => return Ok(()),
            Status::StreamEnd => return Err(invalid("fewer bytes than the block states")),
            _ if inflater.total_out() as usize == done => {
                return Err(invalid("not as many bytes as the block states"));
            }
            _ => {}
        }
    }
}

/// The checksum of a block: words of four bytes; the last ones begin with the high byte.
fn sum(bytes: &[u8], seed: u32) -> u32 {
    let (words, rest) = bytes.as_chunks::<4>();
    let sum = words.iter().fold(seed, |sum, word| sum ^ u32::from_le_bytes(*word));
    let last = rest.iter().fold(0, |last, byte| last << 8 | u32::from(*byte));
    sum ^ last
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_sum_is_that_of_the_specification() {
        assert_eq!(sum(b"\x0e\0\x0e\0Hello, world!\n", 0), 0x7f2e_1a4c);
    }
}

//! The stream of a folder of a cabinet: blocks of at most 32 KiB, each with its checksum. In a set
//! of cabinets it may have pieces in several, and a block may end in the next one.

use super::lzx::{FRAME, Lzx, Use};
use super::member::{failure, wrong};
use super::ready::{self, ReadyBytes, Steps};
use flate2::{Decompress, FlushDecompress, Status};
use pfh_bytes::bytes::Bytes;
use pfh_bytes::field::{le16, le32};
use pfh_bytes::node::Failure;
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

/// The part of a folder in one cabinet, as its header there has it.
#[derive(Clone)]
pub struct Piece {
    pub bytes: Arc<dyn Bytes>,
    /// Where the cabinet begins in its set.
    pub base: u64,
    /// Where its first block begins in the cabinet.
    pub start: u64,
    pub blocks: u16,
    /// Bytes behind the header of each block that are the application's.
    pub reserved: u8,
}

/// A folder.
#[derive(Clone)]
pub struct Folder {
    pub pieces: Vec<Piece>,
    pub method: Method,
    /// The cabinet that its beginning is in, if that is not there.
    pub lost: Option<Vec<u8>>,
}

impl Folder {
    /// How many blocks it has; one in two cabinets counts twice.
    pub fn blocks(&self) -> u64 {
        self.pieces.iter().map(|piece| u64::from(piece.blocks)).sum()
    }
}

enum Decoder {
    Stored,
    MsZip,
    Lzx(Box<Lzx>),
}

/// The bytes of a folder.
pub struct Blocks {
    /// The piece at hand, and behind it the others.
    piece: Piece,
    further: std::vec::IntoIter<Piece>,
    at: u64,
    left: u16,
    decoder: Decoder,
    /// The output of the block before.
    window: Vec<u8>,
    packed: Vec<u8>,
    out: ReadyBytes,
}

impl Blocks {
    /// The blocks of this folder; `None` if its method is not read.
    pub fn open(folder: Folder) -> Option<Blocks> {
        let decoder = match folder.method {
            Method::Stored => Decoder::Stored,
            Method::MsZip => Decoder::MsZip,
            Method::Lzx(bits) => Decoder::Lzx(Box::new(Lzx::new(bits, Use::Cabinet)?)),
            Method::Quantum | Method::Unknown(_) => return None,
        };
        let mut further = folder.pieces.into_iter();
        let piece = further.next()?;
        let (at, left) = (piece.start, piece.blocks);
        let (window, packed, out) = (Vec::new(), Vec::new(), ReadyBytes::default());
        Some(Blocks { piece, further, at, left, decoder, window, packed, out })
    }

    fn fail(&self, cause: impl Into<String>) -> io::Error {
        wrong(Failure { offset: Some(self.piece.base + self.at), ..failure(b"", cause) })
    }

    fn read_at(&self, at: u64, buffer: &mut [u8]) -> io::Result<()> {
        self.piece.bytes.read_exact_at(at, buffer).map_err(|error| match error.kind() {
            io::ErrorKind::UnexpectedEof => self.fail("the cabinet ends within this block"),
            _ => error,
        })
    }

    /// Goes to the next cabinet that has blocks of the folder; whether there is one.
    fn next_piece(&mut self) -> bool {
        while self.left == 0 {
            let Some(next) = self.further.next() else { return false };
            (self.at, self.left) = (next.start, next.blocks);
            self.piece = next;
        }
        true
    }

    /// Reads one cabinet's part of a block: the length of the whole, 0 if it goes on in the next
    /// cabinet.
    fn part(&mut self) -> io::Result<usize> {
        let mut header = vec![0; 8 + usize::from(self.piece.reserved)];
        self.read_at(self.at, &mut header)?;
        let (stored, length) = (usize::from(le16(&header, 4)), usize::from(le16(&header, 6)));
        let from = self.packed.len();
        if from + stored > usize::from(u16::MAX) {
            return Err(self.fail(format!("a block of {} packed bytes", from + stored)));
        }
        let mut packed = std::mem::take(&mut self.packed);
        packed.resize(from + stored, 0);
        self.read_at(self.at + header.len() as u64, &mut packed[from..])?;
        let (stated, found) = (le32(&header, 0), sum(&header[4..], sum(&packed[from..], 0)));
        self.packed = packed;
        // Zero: none was computed.
        if stated != 0 && stated != found {
            return Err(self.fail(format!("a block with the checksum {found:08x} and not {stated:08x} as it states")));
        }
        if length > FRAME {
            return Err(self.fail(format!("a block of {length} bytes, more than 32 KiB")));
        }
        self.at += (header.len() + stored) as u64;
        self.left -= 1;
        Ok(length)
    }

    fn block(&mut self) -> io::Result<()> {
        self.packed.clear();
        let began = self.piece.base + self.at;
        let mut length = self.part()?;
        while length == 0 {
            if self.left > 0 || !self.next_piece() {
                return Err(self.fail("a block that goes on in the next cabinet, which is not there"));
            }
            length = self.part()?;
        }
        let from = self.out.bytes.len();
        let decoded = match &mut self.decoder {
            Decoder::Stored if self.packed.len() == length => {
                self.out.bytes.extend_from_slice(&self.packed);
                Ok(())
            }
            Decoder::Stored => Err(io::Error::other("a stored block of another length than it states")),
            Decoder::MsZip => inflate(&self.packed, &self.window, length, &mut self.out.bytes),
            Decoder::Lzx(lzx) => lzx.decode(&self.packed, length, &mut self.out.bytes),
        };
        decoded.map_err(|error| wrong(Failure { offset: Some(began), ..failure(b"", format!("a block: {error}")) }))?;
        if let Decoder::MsZip = self.decoder {
            // A short block leaves a part of the window in place.
            let excess = (self.window.len() + length).saturating_sub(FRAME).min(self.window.len());
            self.window.drain(..excess);
            self.window.extend_from_slice(&self.out.bytes[from..]);
        }
        Ok(())
    }
}

impl Steps for Blocks {
    fn ready(&mut self) -> &mut ReadyBytes {
        &mut self.out
    }

    fn step(&mut self) -> io::Result<bool> {
        if !self.next_piece() {
            return Ok(false);
        }
        self.block()?;
        Ok(true)
    }
}

impl Read for Blocks {
    pfh_bytes::reading::shared_reads!();

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

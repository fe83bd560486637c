//! Chunks of LZMA2 behind which a dictionary begins again, as 7-Zip writes them by several threads.
//! Lengths stand in front of each chunk.

use super::flow::beside;
use super::frames::read;
use super::joined::JoinedStream;
use super::part::{ENOUGH, Part, Sum, Uncut, several};
use super::steady::Steady;
use crate::crew::CrewStream;
use crate::limits::Limits;
use crate::tape::Tape;
use lzma_rust2::Lzma2Reader;
use pfh_bytes::bytes::Bytes;
use std::io::{self, BufReader, Cursor, Read};
use std::ops::Range;
use std::sync::Arc;

/// Bytes of the dictionary that this property stands for.
pub fn dictionary(bits: u8) -> u64 {
    match bits {
        40 => u64::from(u32::MAX),
        _ => u64::from(2 | bits & 1) << (bits / 2 + 11),
    }
}

/// Opens the LZMA2 in a range of `bytes`, with a dictionary of this many bytes.
///
/// # Errors
/// Those of the decoder.
pub fn open(bytes: &Arc<dyn Bytes>, range: Range<u64>, window: u32, limits: &Limits) -> io::Result<CrewStream> {
    let again = {
        let (bytes, range) = (bytes.clone(), range.clone());
        move || -> io::Result<CrewStream> {
            let input = BufReader::with_capacity(64 << 10, Tape::new(bytes.clone(), range.start, range.end));
            Ok(Box::new(Lzma2Reader::new(input, window, None)))
        }
    };
    let cut = limits.crew.get().and_then(|crew| {
        let parts = Cutter { bytes: bytes.clone(), at: range.start, end: range.end, window };
        several(Box::new(parts)).map(|parts| (crew.clone(), parts))
    });
    match cut {
        Some((crew, parts)) => Ok(Box::new(Steady::or(Box::new(JoinedStream::new(crew, parts)), Box::new(again)))),
        None => Ok(beside(again()?, &limits.crew)),
    }
}

struct Cutter {
    bytes: Arc<dyn Bytes>,
    at: u64,
    end: u64,
    window: u32,
}

impl Cutter {
    /// The chunk at an offset: where it ends, what it gives, and whether nothing in front of it is
    /// needed. `None` at the end of the stream.
    fn chunk(&self, at: u64) -> Result<Option<(u64, u64, bool)>, Uncut> {
        let [control] = read(&*self.bytes, at).ok_or(Uncut)?;
        let sizes: Option<[u8; 4]> = match control {
            0 => return Ok(None),
            1 | 2 => read::<2>(&*self.bytes, at + 1).map(|size| [size[0], size[1], 0, 0]),
            0x80.. => read(&*self.bytes, at + 1),
            _ => None,
        };
        let [a, b, c, d] = sizes.ok_or(Uncut)?;
        let size = u64::from(u16::from_be_bytes([a, b])) + 1;
        Ok(Some(match control {
            1 | 2 => (at + 3 + size, size, control == 1),
            _ => {
                let has_properties = control >= 0xC0;
                let packed = u64::from(u16::from_be_bytes([c, d])) + 1;
                let end = at + 5 + u64::from(has_properties) + packed;
                (end, (u64::from(control & 0x1F) << 16) + size, control >= 0xE0)
            }
        }))
    }

    /// Where the part ends that begins here, and what it gives.
    fn part(&self) -> Result<(u64, u64, bool), Uncut> {
        let (mut at, mut size) = (self.at, 0);
        loop {
            match self.chunk(at)? {
                None => return Ok((at, size, true)),
                Some((_, _, is_new)) if is_new && size >= ENOUGH => return Ok((at, size, false)),
                Some((end, gives, _)) if end < self.end => (at, size) = (end, size + gives),
                Some(_) => return Err(Uncut),
            }
        }
    }
}

impl Iterator for Cutter {
    type Item = Result<Part, Uncut>;

    fn next(&mut self) -> Option<Self::Item> {
        let start = self.at;
        if start >= self.end {
            return None;
        }
        let (end, size, is_last) = match self.part() {
            Ok(part) => part,
            Err(uncut) => {
                self.at = self.end;
                return Some(Err(uncut));
            }
        };
        // Bytes behind the end of the stream are not read.
        self.at = if is_last { self.end } else { end };
        let (bytes, window) = (self.bytes.clone(), self.window);
        let open = move || -> io::Result<CrewStream> {
            let chunks = Tape::new(bytes, start, end).chain(Cursor::new([0]));
            Ok(Box::new(Lzma2Reader::new(BufReader::with_capacity(64 << 10, chunks), window, None)))
        };
        Some(Ok(Part { size: Some(size), most: None, window: window.into(), open: Box::new(open), sum: Sum::None }))
    }
}

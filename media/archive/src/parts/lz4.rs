//! Blocks of LZ4 frames that need nothing of the blocks in front (LZ4 Frame Format 1.6.4). Each run
//! of blocks is given to a decoder as a frame of its own; the checksum of a frame is computed where
//! the parts are read.

use super::frames::{SKIPPABLE, read};
use super::part::{ENOUGH, Part, Sum, Uncut};
use crate::crew::CrewStream;
use crate::tape::Tape;
use lz4_flex::frame::FrameDecoder;
use pfh_bytes::bytes::Bytes;
use std::io::{BufReader, Cursor, Read};
use std::sync::Arc;
use twox_hash::XxHash32;

const MAGIC: u32 = 0x184D_2204;

/// The blocks of a frame, as its header describes them.
#[derive(Clone, Copy)]
struct Header {
    /// The size of blocks, as the header has it.
    block: u8,
    has_sums: bool,
    has_sum: bool,
}

/// Where the frame that begins at an offset ends.
pub fn end(bytes: &dyn Bytes, start: u64) -> Option<u64> {
    let number = |at: u64| read(bytes, at).map(u32::from_le_bytes);
    let magic = number(start)?;
    if magic & !0xF == SKIPPABLE {
        return Some(start + 8 + u64::from(number(start + 4)?));
    }
    let [flags] = read(bytes, start + 4).filter(|_| magic == MAGIC)?;
    let has = |bit: u8, length: u64| if flags & bit != 0 { length } else { 0 };
    // Flags, sizes of blocks and of the content, the dictionary's number, a checksum.
    let mut at = start + 7 + has(8, 8) + has(1, 4);
    loop {
        let length = number(at)?;
        at += 4;
        if length == 0 {
            return Some(at + has(4, 4));
        }
        at += u64::from(length & 0x7FFF_FFFF) + has(16, 4);
    }
}

/// Cuts between blocks.
pub struct Cutter {
    bytes: Arc<dyn Bytes>,
    at: u64,
    frame: Option<Header>,
}

impl Cutter {
    /// The blocks of the frames in `bytes`.
    pub fn new(bytes: &Arc<dyn Bytes>) -> Cutter {
        Cutter { bytes: bytes.clone(), at: 0, frame: None }
    }

    /// Goes into the next frame; `None` at the end.
    fn header(&mut self) -> Result<Option<Header>, Uncut> {
        loop {
            if self.at == self.bytes.size() {
                return Ok(None);
            }
            let magic = u32::from_le_bytes(read(&*self.bytes, self.at).ok_or(Uncut)?);
            if magic & !0xF == SKIPPABLE {
                let length: [u8; 4] = read(&*self.bytes, self.at + 4).ok_or(Uncut)?;
                self.at += 8 + u64::from(u32::from_le_bytes(length));
                continue;
            }
            let [flags, block] = read(&*self.bytes, self.at + 4).filter(|_| magic == MAGIC).ok_or(Uncut)?;
            // Version 1, blocks that stand alone, and no dictionary. A size that is stated is
            // checked by a decoder of the whole.
            if flags & 0b1110_1001 != 0b0110_0000 {
                return Err(Uncut);
            }
            self.at += 7;
            return Ok(Some(Header { block, has_sums: flags & 0b1_0000 != 0, has_sum: flags & 0b100 != 0 }));
        }
    }

    fn part(&mut self) -> Result<Option<Part>, Uncut> {
        let header = match self.frame.take() {
            Some(header) => header,
            None => match self.header()? {
                Some(header) => header,
                None => return Ok(None),
            },
        };
        let most = 1_u64 << (8 + 2 * u32::from(header.block >> 4 & 7));
        let (start, mut size) = (self.at, 0);
        loop {
            let length = u32::from_le_bytes(read(&*self.bytes, self.at).ok_or(Uncut)?);
            if length == 0 {
                break;
            }
            if size >= ENOUGH {
                self.frame = Some(header);
                break;
            }
            self.at += 4 + u64::from(length & 0x7FFF_FFFF) + if header.has_sums { 4 } else { 0 };
            size += most;
        }
        let end = self.at;
        let sum = match (header.has_sum, self.frame.is_some()) {
            (false, _) => Sum::None,
            (true, true) => Sum::GoesOn,
            (true, false) => Sum::Ends(u32::from_le_bytes(read(&*self.bytes, end + 4).ok_or(Uncut)?)),
        };
        if self.frame.is_none() {
            self.at = end + if header.has_sum { 8 } else { 4 };
        }
        if self.at > self.bytes.size() {
            return Err(Uncut);
        }
        let bytes = self.bytes.clone();
        let open = move || Ok(open(header, &bytes, start, end));
        // Blocks may be shorter than they may be.
        Ok(Some(Part { size: None, most: Some(size), window: most, open: Box::new(open), sum }))
    }
}

impl Iterator for Cutter {
    type Item = Result<Part, Uncut>;

    fn next(&mut self) -> Option<Self::Item> {
        let part = self.part().transpose()?;
        if part.is_err() {
            (self.at, self.frame) = (self.bytes.size(), None);
        }
        Some(part)
    }
}

/// A run of blocks as a frame.
fn open(header: Header, bytes: &Arc<dyn Bytes>, start: u64, end: u64) -> CrewStream {
    let described = [0b0110_0000 | u8::from(header.has_sums) << 4, header.block];
    let check = (XxHash32::oneshot(0, &described) >> 8) as u8;
    let front = [&MAGIC.to_le_bytes()[..], &described, &[check]].concat();
    let whole = Cursor::new(front).chain(Tape::new(bytes.clone(), start, end)).chain(Cursor::new([0; 4]));
    Box::new(FrameDecoder::new(BufReader::with_capacity(64 << 10, whole)))
}

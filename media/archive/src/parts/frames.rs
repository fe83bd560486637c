//! Frames one behind the other, each of a length that its header or its end states: BGZF's members
//! of gzip (SAM/BAM specification, section 4.1), frames of Zstandard (RFC 8878), members of lzip.

use super::part::{ENOUGH, MOST, Part, Sum, Uncut};
use crate::decoder::{self, Packing};
use crate::limits::Limits;
use crate::tape::Tape;
use pfh_bytes::bytes::Bytes;
use std::sync::Arc;

/// A frame: where it ends, what it gives, and its window.
pub struct Frame {
    end: u64,
    size: Option<u64>,
    window: u64,
}

/// The first of the 16 magic numbers of frames that decoders skip, of Zstandard and of LZ4.
pub const SKIPPABLE: u32 = 0x184D_2A50;

/// Finds the frame that begins at an offset.
type Find = fn(&dyn Bytes, u64) -> Option<Frame>;

/// Cuts between frames.
pub struct Cutter {
    packing: Packing,
    bytes: Arc<dyn Bytes>,
    limits: Limits,
    find: Find,
    at: u64,
}

/// The members of a gzip in blocks.
pub fn gzip(bytes: &Arc<dyn Bytes>, limits: &Limits) -> Cutter {
    Cutter::new(Packing::Gzip, bytes, limits, block_of_gzip)
}

/// The frames of a Zstandard stream.
pub fn zstd(bytes: &Arc<dyn Bytes>, limits: &Limits) -> Cutter {
    Cutter::new(Packing::Zstd, bytes, limits, frame_of_zstd)
}

impl Cutter {
    fn new(packing: Packing, bytes: &Arc<dyn Bytes>, limits: &Limits, find: Find) -> Cutter {
        Cutter { packing, bytes: bytes.clone(), limits: limits.clone(), find, at: 0 }
    }
}

impl Iterator for Cutter {
    type Item = Result<Part, Uncut>;

    fn next(&mut self) -> Option<Self::Item> {
        let (start, end) = (self.at, self.bytes.size());
        let (mut size, mut window) = (Some(0), 0);
        // Short ones go together.
        while self.at < end && size.is_some_and(|size| size < ENOUGH) {
            let Some(frame) = (self.find)(&*self.bytes, self.at).filter(|frame| frame.end <= end) else {
                if self.at > start {
                    break;
                }
                self.at = end;
                return Some(Err(Uncut));
            };
            size = size.zip(frame.size).and_then(|(sum, size)| sum.checked_add(size));
            (self.at, window) = (frame.end, window.max(frame.window));
        }
        (self.at > start)
            .then(|| Ok(part(self.packing, &self.bytes, &self.limits, Frame { end: self.at, size, window }, start)))
    }
}

/// Whole frames from `start` on.
fn part(packing: Packing, bytes: &Arc<dyn Bytes>, limits: &Limits, frame: Frame, start: u64) -> Part {
    let (bytes, limits) = (bytes.clone(), limits.clone());
    let Frame { end, size, window } = frame;
    let open = move || Ok(decoder::of(packing, Tape::buffered(bytes, start, end), &limits));
    Part { size, most: None, window, open: Box::new(open), sum: Sum::None }
}

pub(super) fn read<const N: usize>(bytes: &dyn Bytes, at: u64) -> Option<[u8; N]> {
    let mut read = [0; N];
    at.checked_add(N as u64).filter(|end| *end <= bytes.size())?;
    bytes.read_exact_at(at, &mut read).ok()?;
    Some(read)
}

fn block_of_gzip(bytes: &dyn Bytes, at: u64) -> Option<Frame> {
    let [0x1F, 0x8B, 8, 4, _, _, _, _, _, _, 6, 0, b'B', b'C', 2, 0, low, high] = read(bytes, at)? else { return None };
    let end = at + u64::from(u16::from_le_bytes([low, high])) + 1;
    let size = u32::from_le_bytes(read(bytes, end.checked_sub(4)?)?);
    Some(Frame { end, size: Some(size.into()), window: 32 << 10 })
}

/// Where the frame of Zstandard that begins at an offset ends.
pub fn end(bytes: &dyn Bytes, start: u64) -> Option<u64> {
    frame_of_zstd(bytes, start).map(|frame| frame.end)
}

fn frame_of_zstd(bytes: &dyn Bytes, start: u64) -> Option<Frame> {
    let magic = u32::from_le_bytes(read(bytes, start)?);
    if magic & !0xF == SKIPPABLE {
        let end = start + 8 + u64::from(u32::from_le_bytes(read(bytes, start + 4)?));
        return Some(Frame { end, size: Some(0), window: 0 });
    }
    if magic != 0xFD2F_B528 {
        return None;
    }
    let [flags] = read(bytes, start + 4)?;
    let (mut at, is_single) = (start + 5, flags & 0x20 != 0);
    let mut window = 0;
    if !is_single {
        let [log] = read(bytes, at)?;
        let base = 1_u64 << (10 + u32::from(log >> 3));
        (window, at) = (base + base / 8 * u64::from(log & 7), at + 1);
    }
    at += [0, 1, 2, 4][usize::from(flags & 3)];
    let size = match (flags >> 6, is_single) {
        (0, false) => None,
        (0, true) => Some(u64::from(read::<1>(bytes, at)?[0])),
        (1, _) => Some(u64::from(u16::from_le_bytes(read(bytes, at)?)) + 256),
        (2, _) => Some(u64::from(u32::from_le_bytes(read(bytes, at)?))),
        _ => Some(u64::from_le_bytes(read(bytes, at)?)),
    };
    at += match (flags >> 6, is_single) {
        (0, false) => 0,
        (0, true) => 1,
        (field, _) => 1 << field,
    };
    if is_single {
        window = size?;
    }
    loop {
        let [low, middle, high] = read(bytes, at)?;
        let header = u32::from_le_bytes([low, middle, high, 0]);
        at += 3 + match header >> 1 & 3 {
            1 => 1,
            _ => u64::from(header >> 3),
        };
        if header & 1 != 0 {
            return Some(Frame { end: at + if flags & 4 != 0 { 4 } else { 0 }, size, window });
        }
    }
}

/// The members of an lzip, whose lengths stand at their ends: found from the last one on.
pub fn lzip(bytes: &Arc<dyn Bytes>, limits: &Limits) -> impl Iterator<Item = Result<Part, Uncut>> + Send + use<> {
    let mut members = Vec::new();
    let mut end = bytes.size();
    while end > 0 && members.len() < MOST {
        let Some(member) = member_of_lzip(&**bytes, end) else {
            members.clear();
            break;
        };
        let start = member.0;
        members.push(member);
        end = start;
    }
    let (bytes, limits) = (bytes.clone(), limits.clone());
    members.into_iter().rev().map(move |(start, frame)| Ok(part(Packing::Lzip, &bytes, &limits, frame, start)))
}

/// The member that ends at an offset: where it begins, and the rest.
fn member_of_lzip(bytes: &dyn Bytes, end: u64) -> Option<(u64, Frame)> {
    let size = u64::from_le_bytes(read(bytes, end.checked_sub(16)?)?);
    let start = end.checked_sub(u64::from_le_bytes(read(bytes, end - 8)?)).filter(|start| end - start >= 36)?;
    let [b'L', b'Z', b'I', b'P', 1, code] = read(bytes, start)? else { return None };
    let whole = 1_u64 << (code & 31);
    Some((start, Frame { end, size: Some(size), window: whole - whole / 16 * u64::from(code >> 5) }))
}

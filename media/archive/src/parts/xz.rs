//! Blocks of xz: their places and sizes stand in the index at the end of each stream (The .xz File
//! Format, 1.2.1). Each is given to a decoder as a stream of its own, with an index of that block.

use super::frames::read;
use super::part::{MOST, Part, Sum, Uncut};
use crate::crew::CrewStream;
use crate::decoder::{self, Packing};
use crate::limits::Limits;
use crate::tape::Tape;
use pfh_bytes::bytes::Bytes;
use std::io::{BufReader, Cursor, Read};
use std::sync::Arc;

const HEADER: u64 = 12;

/// A block: where it lies, its length without padding, what it gives.
#[derive(Clone, Copy)]
struct Block {
    start: u64,
    length: u64,
    size: u64,
    flags: [u8; 2],
}

/// The blocks of all streams; none where the end does not lead to their starts.
pub fn parts(bytes: &Arc<dyn Bytes>, limits: &Limits) -> impl Iterator<Item = Result<Part, Uncut>> + Send + use<> {
    let blocks = blocks(&**bytes).unwrap_or_default();
    let (bytes, limits) = (bytes.clone(), limits.clone());
    blocks.into_iter().rev().map(move |block| {
        let window = window(&*bytes, block.start).ok_or(Uncut)?;
        let (bytes, limits) = (bytes.clone(), limits.clone());
        let open = move || Ok(open(block, &bytes, &limits));
        Ok(Part { size: Some(block.size), most: None, window, open: Box::new(open), sum: Sum::None })
    })
}

/// All blocks, the last one first.
fn blocks(bytes: &dyn Bytes) -> Option<Vec<Block>> {
    let (mut all, mut end) = (Vec::new(), bytes.size());
    while end > 0 {
        let footer: [u8; HEADER as usize] = read(bytes, end.checked_sub(HEADER)?)?;
        // Padding between streams comes in fours.
        if footer[8..] == [0; 4] {
            end -= 4;
            continue;
        }
        if footer[10..] != *b"YZ" || crc32fast::hash(&footer[4..10]).to_le_bytes() != footer[..4] {
            return None;
        }
        let flags = [footer[8], footer[9]];
        let length = (u64::from(u32::from_le_bytes(footer[4..8].try_into().ok()?)) + 1) * 4;
        let index_at = end.checked_sub(HEADER + length)?;
        if length > 20 * MOST as u64 {
            return None;
        }
        let mut index = vec![0; length as usize];
        bytes.read_exact_at(index_at, &mut index).ok()?;
        let records = records(&index).filter(|records| all.len() + records.len() <= MOST)?;
        let mut at = index_at;
        for (length, size) in records.into_iter().rev() {
            at = at.checked_sub(length.checked_next_multiple_of(4)?)?;
            all.push(Block { start: at, length, size, flags });
        }
        end = at.checked_sub(HEADER)?;
        let header: [u8; HEADER as usize] = read(bytes, end)?;
        if header[..6] != *b"\xFD7zXZ\0" || header[6..8] != flags {
            return None;
        }
    }
    Some(all)
}

/// The lengths and sizes in an index.
fn records(index: &[u8]) -> Option<Vec<(u64, u64)>> {
    let (body, sum) = index.split_last_chunk::<4>().map(|(body, sum)| (body, u32::from_le_bytes(*sum)))?;
    let (0, mut rest) = body.split_first().map(|(first, rest)| (*first, rest))? else { return None };
    if crc32fast::hash(body) != sum {
        return None;
    }
    let count = number(&mut rest).and_then(|count| usize::try_from(count).ok()).filter(|count| *count <= MOST)?;
    let records: Option<Vec<_>> = (0..count).map(|_| Some((number(&mut rest)?, number(&mut rest)?))).collect();
    records.filter(|records| rest.iter().all(|byte| *byte == 0) && records.iter().all(|record| record.0 > 8))
}

/// A number of 7 bits a byte, the low ones first.
fn number(from: &mut &[u8]) -> Option<u64> {
    let mut value = 0;
    for shift in (0..63).step_by(7) {
        let (byte, rest) = from.split_first()?;
        *from = rest;
        value |= u64::from(byte & 0x7F) << shift;
        if byte & 0x80 == 0 {
            return Some(value);
        }
    }
    None
}

fn write(mut value: u64, into: &mut Vec<u8>) {
    while value >= 0x80 {
        into.push(value as u8 | 0x80);
        value >>= 7;
    }
    into.push(value as u8);
}

/// The window of a block: the dictionary of its last filter, which is LZMA2.
fn window(bytes: &dyn Bytes, start: u64) -> Option<u64> {
    let [length] = read(bytes, start)?;
    let mut header = vec![0; (usize::from(length) + 1) * 4];
    bytes.read_exact_at(start, &mut header).ok()?;
    let (flags, mut rest) = (*header.get(1)?, header.get(2..)?);
    for _ in 0..(flags >> 6 & 1) + (flags >> 7) {
        number(&mut rest)?;
    }
    let mut window = None;
    for _ in 0..=flags & 3 {
        let (id, length) = (number(&mut rest)?, usize::try_from(number(&mut rest)?).ok()?);
        let (properties, behind) = rest.split_at_checked(length)?;
        if let (0x21, [bits @ 0..=40]) = (id, properties) {
            window = Some(super::lzma2::dictionary(*bits));
        }
        rest = behind;
    }
    window
}

/// One block as a stream.
fn open(block: Block, bytes: &Arc<dyn Bytes>, limits: &Limits) -> CrewStream {
    let Block { start, length, size, flags } = block;
    let sealed = |body: &[u8]| crc32fast::hash(body).to_le_bytes();
    let header = [&b"\xFD7zXZ\0"[..], &flags, &sealed(&flags)].concat();
    let mut index = vec![0, 1];
    write(length, &mut index);
    write(size, &mut index);
    index.resize(index.len().next_multiple_of(4), 0);
    index.extend_from_slice(&sealed(&index));
    let stated = [&(index.len() as u32 / 4 - 1).to_le_bytes()[..], &flags].concat();
    let footer = [&sealed(&stated)[..], &stated, b"YZ"].concat();
    let end = start + length.next_multiple_of(4);
    let whole =
        Cursor::new(header).chain(Tape::new(bytes.clone(), start, end)).chain(Cursor::new([index, footer].concat()));
    decoder::of(Packing::Xz, BufReader::new(Box::new(whole) as Box<dyn Read + Send>), limits)
}

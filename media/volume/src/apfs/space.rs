//! The map of free space of a container, which all its volumes share.

use std::sync::{Arc, Mutex, PoisonError};

use super::blocks::Blocks;
use super::object::{checksum, within};
use crate::unallocated::free;
use pfh_bytes::field::{failure, le32, le64, read};
use pfh_bytes::node::{Failure, Nodes};

/// Types of objects.
const SPACE: u16 = 0x05;
const ADDRESSES: u16 = 0x06;
const CHUNKS: u16 = 0x07;

/// The longest map, without the bits.
const LONGEST: u32 = 4 << 20;
/// The most blocks of chunks: a container of 2^47 bytes.
const MOST: u64 = 1 << 18;

/// The map.
pub struct Space {
    blocks: Arc<Blocks>,
    /// Blocks of one chunk, and chunks that one block lists.
    per_chunk: u64,
    per_list: u64,
    /// The blocks that list chunks.
    lists: Vec<u64>,
    /// The chunk that was looked at last, and its bits: `None` if all of it is free.
    held: Mutex<Option<(u64, Bits)>>,
}

/// A bit for each block of a chunk that is in use.
type Bits = Option<Arc<[u8]>>;

impl Space {
    /// The map of `length` bytes from a block on.
    pub fn open(blocks: &Arc<Blocks>, block: u64, length: u32) -> Result<Space, Failure> {
        let offset = blocks.offset(block);
        let wrong = |cause: &str| failure(Some(offset), format!("map of free space: {cause}"));
        if u64::from(length) < blocks.block_size
            || length > LONGEST
            || !u64::from(length).is_multiple_of(blocks.block_size)
        {
            return Err(wrong("of a size that it has not"));
        }
        let raw = read(&*blocks.bytes, offset, length as usize)?;
        if le64(&raw, 0) != checksum(&raw) || le32(&raw, 24) as u16 != SPACE {
            return Err(wrong("the checksum of an object is wrong"));
        }
        let (per_chunk, per_list, per_address) = (le32(&raw, 36), le32(&raw, 40), le32(&raw, 44));
        let (count, chunks) = (le64(&raw, 48), le64(&raw, 56));
        let (lists, addresses) = (u64::from(le32(&raw, 64)), u64::from(le32(&raw, 68)));
        let fits = |count: u64, per: u32, parts: u64| per > 0 && count.div_ceil(u64::from(per)) == parts;
        let is_whole = count == blocks.count && fits(count, per_chunk, chunks) && fits(chunks, per_list, lists);
        if !is_whole || lists > MOST || u64::from(per_chunk) > blocks.block_size * 8 {
            return Err(wrong("it is not of as many blocks as the container"));
        }
        let at = le32(&raw, 80) as usize;
        let numbers = |raw: &[u8], at: usize, count: u64| -> Option<Vec<u64>> {
            let count = usize::try_from(count).ok()?;
            let raw = raw.get(at..at.checked_add(count.checked_mul(8)?)?)?;
            Some(raw.chunks_exact(8).map(|number| le64(number, 0)).collect())
        };
        let outside = || wrong("its lists are outside of it");
        let lists = if addresses == 0 {
            numbers(&raw, at, lists).ok_or_else(outside)?
        } else if fits(lists, per_address, addresses) {
            let mut found = Vec::new();
            for block in numbers(&raw, at, addresses).ok_or_else(outside)? {
                let object = blocks.object_of(block, ADDRESSES, "map of free space")?;
                let count = u64::from(le32(&object.raw, 36)).min(lists - found.len() as u64);
                found.extend(numbers(&object.raw, 40, count).ok_or_else(outside)?);
            }
            found
        } else {
            return Err(outside());
        };
        let (per_chunk, per_list) = (u64::from(per_chunk), u64::from(per_list));
        Ok(Space { blocks: blocks.clone(), per_chunk, per_list, lists, held: Mutex::default() })
    }

    /// The bits of a chunk.
    fn bits(&self, chunk: u64) -> Result<Bits, Failure> {
        let (list, index) = (chunk / self.per_list, chunk % self.per_list);
        let lost = || failure(None, "map of free space: a chunk that no list has");
        let block = usize::try_from(list).ok().and_then(|list| self.lists.get(list)).copied().ok_or_else(lost)?;
        let object = self.blocks.object_of(block, CHUNKS, "map of free space")?;
        let at = usize::try_from(40 + 32 * index).unwrap_or(usize::MAX);
        let row = object.raw.get(at..).and_then(|rest| rest.get(..32)).ok_or_else(lost)?;
        let wrong = |cause: &str| failure(Some(object.offset + at as u64), format!("map of free space: {cause}"));
        let count = (self.blocks.count - chunk * self.per_chunk).min(self.per_chunk);
        let (stated, free, bitmap) = (u64::from(le32(row, 16)), u64::from(le32(row, 20)), le64(row, 24));
        if index >= u64::from(le32(&object.raw, 36)) || stated != count {
            return Err(wrong("a chunk of another size"));
        }
        let (bits, found): (Bits, u64) = match bitmap {
            0 => (None, count),
            _ => {
                let bits = self.blocks.block(bitmap).map_err(|failed| within(failed, "map of free space"))?;
                let used: u64 = bits.iter().take((count / 8) as usize).map(|byte| u64::from(byte.count_ones())).sum();
                let rest = bits.get((count / 8) as usize).map_or(0, |byte| byte & ((1 << (count % 8)) - 1));
                (Some(bits.into()), count - used - u64::from(rest.count_ones()))
            }
        };
        // Bitmaps have no checksum; this number is all that is known of them.
        match found == free {
            true => Ok(bits),
            false => Err(wrong(&format!("{found} free blocks, and {free} are stated"))),
        }
    }

    /// Whether a block is in use.
    fn is_used(&self, block: u64) -> Result<bool, Failure> {
        let (chunk, index) = (block / self.per_chunk, block % self.per_chunk);
        let mut held = self.held.lock().unwrap_or_else(PoisonError::into_inner);
        let bits = match &*held {
            Some((number, bits)) if *number == chunk => bits.clone(),
            _ => {
                let bits = self.bits(chunk)?;
                *held = Some((chunk, bits.clone()));
                bits
            }
        };
        let byte = |bits: Arc<[u8]>| bits.get((index / 8) as usize).is_some_and(|byte| byte >> (index % 8) & 1 == 1);
        Ok(bits.is_some_and(byte))
    }

    /// The free runs of the container.
    pub fn free(self: Arc<Self>) -> Nodes {
        let blocks = self.blocks.count.min(self.blocks.bytes.size() / self.blocks.block_size);
        let (bytes, size) = (self.blocks.bytes.clone(), self.blocks.block_size);
        Box::new(free(bytes, 0, size, 0..blocks, Box::new(move |block| self.is_used(block))))
    }
}

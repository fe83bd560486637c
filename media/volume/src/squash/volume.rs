//! A volume, and how its blocks are read.

use std::sync::Arc;

use super::inode::Inode;
use super::metadata::Metadata;
use super::superblock::Superblock;
use pfh_bytes::bytes::Bytes;
use pfh_bytes::field::{failure, le32, le64, read};
use pfh_bytes::node::Failure;
use pfh_container::Units;

/// Rows of fragments in a block of metadata.
const FRAGMENTS: u32 = 512;

/// The bit of a length for a block that is stored plainly; the length is in the bits below.
pub const PLAIN: u32 = 1 << 24;
/// A stored block: its place, its length there, and whether it is compressed.
#[derive(Clone, Copy)]
pub struct Block {
    pub offset: u64,
    pub length: u32,
    pub is_packed: bool,
}

impl Block {
    /// A block by its place and the length that the format states.
    pub fn new(offset: u64, stated: u32) -> Block {
        Block { offset, length: stated & (PLAIN - 1), is_packed: stated & PLAIN == 0 }
    }
}

/// A volume that is open.
pub struct Squash {
    pub bytes: Arc<dyn Bytes>,
    pub superblock: Superblock,
    pub metadata: Arc<Metadata>,
    /// Fragments by their places: each holds the ends of many files.
    pub fragments: Units,
}

impl Squash {
    /// The inode at a reference.
    pub fn inode(&self, reference: u64) -> Result<Inode, Failure> {
        Inode::read(&self.metadata, self.superblock.inode_table, reference)
    }

    /// The block of a fragment.
    pub fn fragment(&self, number: u32) -> Result<Block, Failure> {
        let count = self.superblock.fragments;
        let table = self.superblock.fragment_table.filter(|_| number < count);
        let table = table.ok_or_else(|| failure(None, format!("fragment {number} of {count}")))?;
        let place = table.saturating_add(u64::from(number / FRAGMENTS) * 8);
        let block = le64(&read(&*self.bytes, place, 8)?, 0);
        let row = self.metadata.within(0, block, (number % FRAGMENTS * 16) as usize).take(16)?;
        Ok(Block::new(le64(&row, 0), le32(&row, 8)))
    }

    /// The bytes of a block, `most` of them at the most.
    pub fn unpacked(&self, block: Block, most: usize) -> Result<Vec<u8>, Failure> {
        let wrong = |cause: &str| failure(Some(block.offset), cause);
        if block.length as usize > most {
            return Err(wrong("a block that is longer than blocks are"));
        }
        let stored = read(&*self.bytes, block.offset, block.length as usize)?;
        if !block.is_packed {
            return Ok(stored);
        }
        self.superblock.method.unpack(&stored, most).ok_or_else(|| wrong("a block that does not unpack"))
    }
}

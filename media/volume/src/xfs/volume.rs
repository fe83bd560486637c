//! One volume, and how its blocks are read.

use std::sync::Arc;

use super::superblock::Superblock;
use pfh_bytes::bytes::Bytes;
use pfh_bytes::field::{failure, read};
use pfh_bytes::node::Failure;

/// A volume that is open.
pub struct Xfs {
    pub bytes: Arc<dyn Bytes>,
    pub superblock: Superblock,
}

impl Xfs {
    /// Bytes of a block.
    pub fn block_size(&self) -> u64 {
        u64::from(self.superblock.block_size)
    }

    /// How many bytes the volume has as it counts itself; runs may not leave them.
    pub fn size(&self) -> u64 {
        self.superblock.blocks << self.superblock.block_log
    }

    /// The inode of the root directory.
    pub fn root(&self) -> u64 {
        self.superblock.root.unwrap_or(0)
    }

    /// Reads a block of a group, with its place.
    pub fn block_of(&self, group: u32, block: u32, what: &str) -> Result<(Vec<u8>, u64), Failure> {
        if block >= self.superblock.blocks_of(group) {
            let cause = format!("{what}: block {block} of group {group} is not in the volume");
            return Err(failure(None, cause));
        }
        let offset = self.superblock.place(group, block);
        Ok((read(&*self.bytes, offset, self.superblock.block_size as usize)?, offset))
    }

    /// Reads a block by its number, with its place.
    pub fn block(&self, block: u64, what: &str) -> Result<(Vec<u8>, u64), Failure> {
        let outside = || failure(None, format!("{what}: block {block} is not in the volume"));
        let offset = self.superblock.offset(block, 1).ok_or_else(outside)?;
        Ok((read(&*self.bytes, offset, self.superblock.block_size as usize)?, offset))
    }
}

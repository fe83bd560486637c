//! A volume, and how its blocks are read.

use std::sync::Arc;

use super::checkpoint::Checkpoint;
use super::superblock::{BLOCK, Superblock};
use pfh_bytes::bytes::Bytes;
use pfh_bytes::field::{failure, le32, read};
use pfh_bytes::node::Failure;

/// Where the footer of a node begins: its number, its inode's, flags, the checkpoint.
pub const FOOTER: usize = 4072;

/// A volume that is open.
pub struct F2fs {
    pub bytes: Arc<dyn Bytes>,
    pub superblock: Superblock,
    pub checkpoint: Checkpoint,
}

impl F2fs {
    /// Where a block of files or nodes begins.
    pub fn offset(&self, block: u32) -> Result<u64, Failure> {
        let number = u64::from(block);
        let superblock = &self.superblock;
        let offset = number * BLOCK;
        if number < superblock.main || number >= superblock.blocks {
            return Err(failure(Some(offset), format!("block {number} is outside of the main area")));
        }
        if number >= superblock.first {
            let names = superblock.devices.join(", ");
            return Err(failure(None, format!("block {number} lies on a device that is not here ({names})")));
        }
        Ok(offset)
    }

    /// The block of a node, checked to be that one.
    pub fn node(&self, number: u32, inode: u32) -> Result<Vec<u8>, Failure> {
        let place = self.place(number)?;
        if place.block == 0 {
            return Err(failure(None, format!("node {number} is not in use")));
        }
        if place.inode != inode {
            return Err(failure(None, format!("node {number} of inode {}, and not of {inode}", place.inode)));
        }
        self.node_at(place.block, number, inode)
    }

    /// The block of a node at this place.
    pub fn node_at(&self, block: u32, number: u32, inode: u32) -> Result<Vec<u8>, Failure> {
        let offset = self.offset(block)?;
        let raw = read(&*self.bytes, offset, BLOCK as usize)?;
        let (stated, of) = (le32(&raw, FOOTER), le32(&raw, FOOTER + 4));
        if (stated, of) != (number, inode) {
            let cause = format!("node {number} of inode {inode}, and the block states {stated} of {of}");
            return Err(failure(Some(offset + FOOTER as u64), cause));
        }
        Ok(raw)
    }
}

//! The groups of a volume: where inodes stand, and which inodes and blocks are in use.

use std::sync::{Arc, Mutex, PoisonError};

use super::superblock::Superblock;
use pfh_bytes::bytes::Bytes;
use pfh_bytes::field::{failure, le16, le32, read};
use pfh_bytes::node::Failure;

/// A volume that is open.
pub struct Ext {
    /// The volume.
    pub bytes: Arc<dyn Bytes>,
    /// How it is laid out.
    pub superblock: Superblock,
    /// The bitmap that was asked for last, with its block.
    bitmap: Mutex<Option<(u64, Arc<[u8]>)>>,
}

/// Where the structures of a group stand.
struct Group {
    block_bitmap: u64,
    inode_bitmap: u64,
    inode_table: u64,
    flags: u16,
}

/// No inode of the group was ever in use; its bitmap is not written.
const INODES_UNUSED: u16 = 1;
/// No block of the group is in use beyond its own structures; its bitmap is not written.
const BLOCKS_UNUSED: u16 = 2;

impl Ext {
    /// The volume behind a superblock.
    pub fn new(bytes: Arc<dyn Bytes>, superblock: Superblock) -> Self {
        Ext { bytes, superblock, bitmap: Mutex::new(None) }
    }

    /// Bytes of a block.
    pub fn block_size(&self) -> u64 {
        u64::from(self.superblock.block_size)
    }

    /// How many bytes the volume has as it counts itself; runs may not leave them.
    pub fn size(&self) -> u64 {
        self.superblock.blocks * self.block_size()
    }

    /// Reads a block of metadata.
    pub fn block(&self, block: u64) -> Result<Vec<u8>, Failure> {
        if block == 0 || block >= self.superblock.blocks {
            return Err(failure(None, format!("block {block} is not one of the volume's")));
        }
        read(&*self.bytes, block * self.block_size(), self.superblock.block_size as usize)
    }

    fn group(&self, group: u64) -> Result<Group, Failure> {
        let wide = self.superblock.descriptor_size >= 64;
        let raw = read(&*self.bytes, self.superblock.descriptor(group), self.superblock.descriptor_size as usize)?;
        let block = |low: usize, high: usize| {
            let high = if wide { u64::from(le32(&raw, high)) << 32 } else { 0 };
            u64::from(le32(&raw, low)) | high
        };
        Ok(Group {
            block_bitmap: block(0, 0x20),
            inode_bitmap: block(4, 0x24),
            inode_table: block(8, 0x28),
            flags: le16(&raw, 0x12),
        })
    }

    /// The blocks of a group's two bitmaps, and the first of its inodes.
    pub fn places_of(&self, group: u64) -> Result<[u64; 3], Failure> {
        let found = self.group(group)?;
        Ok([found.block_bitmap, found.inode_bitmap, found.inode_table])
    }

    /// Where an inode stands, in bytes.
    pub fn inode_offset(&self, number: u32) -> Result<u64, Failure> {
        let wrong = || failure(None, format!("inode {number} is not one of the volume's"));
        let index = number.checked_sub(1).filter(|_| number <= self.superblock.inodes).ok_or_else(wrong)?;
        let per_group = self.superblock.inodes_per_group;
        let table = self.group(u64::from(index / per_group))?.inode_table;
        if table == 0 || table >= self.superblock.blocks {
            return Err(failure(None, format!("the inodes of group {} are not in the volume", index / per_group)));
        }
        Ok(table * self.block_size() + u64::from(index % per_group) * u64::from(self.superblock.inode_size))
    }

    /// Whether an inode is in use by its bitmap.
    pub fn is_inode_used(&self, number: u32) -> Result<bool, Failure> {
        let index = number.saturating_sub(1);
        let group = self.group(u64::from(index / self.superblock.inodes_per_group))?;
        Ok(group.flags & INODES_UNUSED == 0
            && self.bit(group.inode_bitmap, index % self.superblock.inodes_per_group)?)
    }

    /// The inodes of a group that are in use by its bitmap.
    pub fn used_inodes(&self, group: u64) -> Result<Vec<u32>, Failure> {
        let stands = self.group(group)?;
        if stands.flags & INODES_UNUSED != 0 {
            return Ok(Vec::new());
        }
        let bitmap = self.block(stands.inode_bitmap)?;
        let per_group = self.superblock.inodes_per_group;
        let first = u64::from(per_group) * group + 1;
        let is_set = |index: &u32| bitmap.get(*index as usize / 8).is_some_and(|byte| byte >> (index % 8) & 1 == 1);
        let numbers = (0..per_group).filter(is_set).map(|index| first + u64::from(index));
        let numbers = numbers.take_while(|number| *number <= u64::from(self.superblock.inodes));
        Ok(numbers.filter_map(|number| u32::try_from(number).ok()).collect())
    }

    /// Whether a group has inodes that were ever in use.
    pub fn has_inodes(&self, group: u64) -> Result<bool, Failure> {
        Ok(self.group(group)?.flags & INODES_UNUSED == 0)
    }

    /// Whether a block is in use by its bitmap.
    pub fn is_used(&self, block: u64) -> Result<bool, Failure> {
        let Some(index) = block.checked_sub(self.superblock.first_block) else { return Ok(true) };
        let per_group = u64::from(self.superblock.blocks_per_group);
        let group = self.group(index / per_group)?;
        if group.flags & BLOCKS_UNUSED != 0 {
            return Ok(false);
        }
        let bit = index % per_group / u64::from(self.superblock.blocks_per_cluster);
        self.bit(group.block_bitmap, u32::try_from(bit).unwrap_or(u32::MAX))
    }

    fn bit(&self, bitmap: u64, bit: u32) -> Result<bool, Failure> {
        let mut held = self.bitmap.lock().unwrap_or_else(PoisonError::into_inner);
        let bytes = match &*held {
            Some((block, bytes)) if *block == bitmap => bytes.clone(),
            _ => {
                let bytes: Arc<[u8]> = self.block(bitmap)?.into();
                *held = Some((bitmap, bytes.clone()));
                bytes
            }
        };
        Ok(bytes.get(bit as usize / 8).is_some_and(|byte| byte >> (bit % 8) & 1 == 1))
    }
}

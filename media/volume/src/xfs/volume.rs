//! One volume: what opens it, and how its blocks are read.

use std::sync::Arc;

use super::btree::{self, Tree};
use super::superblock::{Found, Superblock};
use crate::bytes::Bytes;
use crate::field::{failure, read};
use crate::file_system::{FileSystem, Recognised};
use crate::node::Failure;

/// A volume that is open.
pub struct Xfs {
    pub bytes: Arc<dyn Bytes>,
    pub superblock: Superblock,
}

/// Opens an XFS volume; `None` if there is none.
pub fn open(bytes: &Arc<dyn Bytes>) -> Result<Option<Recognised>, Failure> {
    let superblock = match Superblock::read(&**bytes)? {
        Found::Nothing => return Ok(None),
        Found::Unread(name) => return Ok(Some(Recognised::Unread(name))),
        Found::Superblock(superblock) => *superblock,
    };
    let names = (superblock.label.clone(), superblock.id.clone());
    let (block_size, warnings) = (superblock.block_size, superblock.warnings.clone());
    let mut volume = Arc::new(Xfs { bytes: bytes.clone(), superblock });
    if volume.superblock.root.is_none() || volume.superblock.lacks_own {
        let root = volume.superblock.root.map_or_else(|| first_inode(&volume), Ok)?;
        let own = [&volume.superblock.own[..], &[root.saturating_add(1), root.saturating_add(2)]].concat();
        let superblock = Superblock { root: Some(root), own, ..volume.superblock.clone() };
        volume = Arc::new(Xfs { bytes: bytes.clone(), superblock });
    }
    let size = volume.size();
    Ok(Some(FileSystem::alone("XFS", names, (block_size, size), warnings, volume)))
}

/// The first inode there is, which is the root.
fn first_inode(volume: &Arc<Xfs>) -> Result<u64, Failure> {
    let lost = || failure(Some(0), "XFS superblock: it knows no root, and the volume has no inodes");
    let root = volume.inode_root(0)?;
    let record = Tree::new(volume.clone(), 0, btree::INODES, root).next().ok_or_else(lost)??;
    Ok(u64::from(record.start))
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

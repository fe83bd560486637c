//! Opens a volume.

use std::sync::Arc;

use super::btree::{self, Tree};
use super::superblock::{Superblock, SuperblockSearch};
use super::volume::Xfs;
use crate::file_system::{FileSystem, VolumeContent};
use pfh_bytes::bytes::Bytes;
use pfh_bytes::field::failure;
use pfh_bytes::node::Failure;

/// Opens an XFS volume; `None` for another format.
pub fn open(bytes: &Arc<dyn Bytes>) -> Result<Option<VolumeContent>, Failure> {
    let superblock = match Superblock::read(&**bytes)? {
        SuperblockSearch::Nothing => return Ok(None),
        SuperblockSearch::Unread(name) => return Ok(Some(VolumeContent::Unread(name))),
        SuperblockSearch::Superblock(superblock) => *superblock,
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

//! Opens a volume.

use std::sync::Arc;

use super::inode::Of;
use super::metadata::Metadata;
use super::superblock::{Superblock, SuperblockSearch as Start};
use super::volume::Squash;
use crate::file_system::{FileSystem, Options, Volume, VolumeContent};
use crate::walk::Walk;
use pfh_bytes::bytes::Bytes;
use pfh_bytes::field::failure;
use pfh_bytes::node::{Failure, Nodes};
use pfh_container::Units;

/// Opens a volume of squashfs; `None` if these bytes are another's.
pub fn open(bytes: &Arc<dyn Bytes>) -> Result<Option<VolumeContent>, Failure> {
    let superblock = match Superblock::read(&**bytes)? {
        Start::Other => return Ok(None),
        Start::Unread(why) => return Ok(Some(VolumeContent::Unread(why))),
        Start::Superblock(superblock) => superblock,
    };
    let mut warnings = Vec::new();
    let (size, there) = (superblock.size, bytes.size());
    if size > there {
        let cause = format!("squashfs has {size} bytes, and the medium ends at {there}: the rest is missing");
        warnings.push(failure(Some(there), cause));
    }
    let metadata = Arc::new(Metadata::new(bytes.clone(), superblock.method));
    let block_size = superblock.block_size;
    let volume = Arc::new(Squash { bytes: bytes.clone(), superblock, metadata, fragments: Units::default() });
    // The root must be a directory: otherwise nothing can be listed.
    if !matches!(volume.inode(volume.superblock.root)?.of, Of::Directory { .. }) {
        return Err(failure(Some(32), "squashfs: the root is not a directory"));
    }
    let names = (Vec::new(), String::new());
    Ok(Some(FileSystem::alone("squashfs", names, (block_size, size), warnings, volume)))
}

impl Volume for Squash {
    fn nodes(self: Arc<Self>, _: Options) -> Nodes {
        // Nothing is deleted or free in it.
        let root = self.superblock.root;
        Box::new(Walk::new(self, root, root))
    }
}

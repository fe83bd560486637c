//! Opens a volume.

use std::sync::Arc;

use super::content::ends;
use super::directory::Names;
use super::superblock::{PLACE, Superblock, SuperblockSearch};
use super::volume::Erofs;
use crate::file_system::{FileSystem, Options, Volume, VolumeContent};
use crate::walk::Walk;
use pfh_bytes::bytes::Bytes;
use pfh_bytes::field::failure;
use pfh_bytes::node::{Failure, Nodes};

/// Opens a volume of EROFS; `None` if these bytes are another's.
pub fn open(bytes: &Arc<dyn Bytes>) -> Result<Option<VolumeContent>, Failure> {
    let mut superblock = match Superblock::read(&**bytes)? {
        SuperblockSearch::Other => return Ok(None),
        SuperblockSearch::Unread(why) => return Ok(Some(VolumeContent::Unread(why))),
        SuperblockSearch::Superblock(superblock) => *superblock,
    };
    let mut warnings = std::mem::take(&mut superblock.warnings);
    let (size, there) = (superblock.size(), bytes.size());
    if size > there {
        let cause = format!("EROFS has {size} bytes, and the medium ends at {there}: the rest is missing");
        warnings.push(failure(Some(there), cause));
    }
    for (index, device) in superblock.devices.iter().enumerate() {
        let (number, tag) = (index + 1, String::from_utf8_lossy(&device.tag).into_owned());
        let tag = if tag.is_empty() { tag } else { format!(" ({tag})") };
        let cause = format!("EROFS: device {number}{tag}, {} blocks, is not here", device.blocks);
        warnings.push(failure(None, cause));
    }
    let names = (superblock.label.clone(), superblock.id.clone());
    let block_size = superblock.block_size() as u32;
    let superblock = Arc::new(superblock);
    let volume = Arc::new(Erofs::new(bytes.clone(), superblock.clone()));
    if let Some(number) = superblock.packed {
        let apart = Arc::new(Erofs::new(bytes.clone(), superblock));
        volume.ends.get_or_init(|| ends(apart, number));
    }
    // The root must be a directory: otherwise nothing can be listed.
    if !volume.inode(volume.superblock.root)?.is_directory() {
        return Err(failure(Some(PLACE + 14), "EROFS: the root is not a directory"));
    }
    Ok(Some(FileSystem::alone("EROFS", names, (block_size, size), warnings, volume)))
}

impl Volume for Erofs {
    fn nodes(self: Arc<Self>, options: Options) -> Nodes {
        let number = self.superblock.root;
        let root = match self.inode(number) {
            Ok(root) => root,
            Err(failed) => return Box::new(std::iter::once(Err(failed))),
        };
        let walk =
            |for_slack: bool| Walk::new(Arc::new(Names { volume: self.clone(), for_slack }), number, root.clone());
        // Nothing is deleted in it.
        let live = walk(false);
        if options.unallocated {
            return Box::new(live.chain(walk(true).filter(Result::is_ok)));
        }
        Box::new(live)
    }
}

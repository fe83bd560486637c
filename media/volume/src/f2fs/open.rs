//! Opens a volume, and lists it.

use std::sync::Arc;

use super::checkpoint::Checkpoint;
use super::dead::{nameless, unlisted};
use super::superblock::{BLOCK, SEGMENT, Superblock, SuperblockSearch};
use super::tree::Names;
use super::volume::F2fs;
use crate::file_system::{FileSystem, Options, Volume, VolumeContent};
use crate::unallocated;
use crate::walk::{Pass, Walk, WalkEntry as Listed};
use pfh_bytes::bytes::Bytes;
use pfh_bytes::field::failure;
use pfh_bytes::node::{Failure, Nodes};

/// Opens a volume of F2FS; `None` if these bytes are another's.
pub fn open(bytes: &Arc<dyn Bytes>) -> Result<Option<VolumeContent>, Failure> {
    let mut superblock = match Superblock::read(&**bytes)? {
        SuperblockSearch::Other => return Ok(None),
        SuperblockSearch::Unread(why) => return Ok(Some(VolumeContent::Unread(why))),
        SuperblockSearch::Superblock(superblock) => *superblock,
    };
    let mut warnings = std::mem::take(&mut superblock.warnings);
    let mut checkpoint = Checkpoint::read(&**bytes, &superblock)?;
    warnings.append(&mut checkpoint.warnings);
    let names = (superblock.label.clone(), superblock.id.clone());
    let (root, size) = (superblock.root, superblock.size());
    let volume = Arc::new(F2fs { bytes: bytes.clone(), superblock, checkpoint });
    let found = volume.inode(root)?;
    if !found.is_directory() {
        return Err(failure(Some(found.offset), "F2FS: the root is not a directory"));
    }
    Ok(Some(FileSystem::alone("F2FS", names, (BLOCK as u32, size), warnings, volume)))
}

impl Volume for F2fs {
    fn nodes(self: Arc<Self>, options: Options) -> Nodes {
        let root = self.superblock.root;
        let names = |pass: Pass, gone| Arc::new(Names { volume: self.clone(), pass, seen: Arc::default(), gone });
        let walk = move |names: &Arc<Names>| Walk::new(names.clone(), root.into(), root);
        let live = names(Pass::Live, None);
        let rest = live.clone();
        let rest = std::iter::once(()).flat_map(move |()| unlisted(rest.clone()));
        let rest = rest.filter_map(|found| found.map(|Listed { node, .. }| node).transpose());
        let mut nodes: Nodes = Box::new(walk(&live).chain(rest));
        if options.deleted {
            let volume = self.clone();
            let deleted = std::iter::once(()).flat_map(move |()| {
                let gone = Some(Arc::new(volume.gone()));
                let names = Arc::new(Names { volume: volume.clone(), pass: Pass::Deleted, seen: Arc::default(), gone });
                walk(&names).filter(Result::is_ok).chain(nameless(names.clone()))
            });
            nodes = Box::new(nodes.chain(deleted));
        }
        if options.unallocated {
            let volume = self.clone();
            let superblock = &self.superblock;
            let end = superblock.main + superblock.main_segments * SEGMENT;
            let end = end.min(superblock.first).min(self.bytes.size() / BLOCK);
            let free = unallocated::free(
                self.bytes.clone(),
                0,
                BLOCK,
                superblock.main.min(end)..end,
                Box::new(move |block| volume.is_used(block)),
            );
            let slack = walk(&names(Pass::Slack, None)).filter(Result::is_ok);
            nodes = Box::new(nodes.chain(slack).chain(free));
        }
        nodes
    }
}

//! Inodes that no directory lists: in use, open without a name, or deleted and still on the medium.

use std::sync::Arc;

use super::blocks::LostNodes;
use super::inode::Inode;
use super::maps::NODES;
use super::superblock::{BLOCK, SEGMENT};
use super::tree::Names;
use super::volume::{F2fs, FOOTER};
use crate::walk::{Entries, join};
use pfh_bytes::field::{le16, le32, read};
use pfh_bytes::node::{Allocation, Nodes};
use pfh_bytes::stored::named;

/// The most nodes of deleted files that are held, in 64 MiB.
const MOST: usize = 2 << 20;

fn path_of(number: u32) -> Vec<u8> {
    format!("$OrphanFiles/OrphanFile-{number}").into_bytes()
}

/// Inodes in use that no directory lists, once all directories were.
pub fn unlisted(names: Arc<Names>) -> Entries<u32> {
    let volume = names.volume.clone();
    let blocks = volume.nodes() / NODES;
    Box::new((0..blocks).flat_map(move |block| {
        let (places, failed) = volume.places(block);
        let mut found: Vec<_> = failed.into_iter().map(Err).collect();
        for (number, place) in places {
            let superblock = &volume.superblock;
            let is_own = number == superblock.root || superblock.own.contains(&number);
            let is_named = names.seen().listed.has(number.into()) || volume.checkpoint.orphans.contains(&number);
            if place.inode != number || is_own || is_named {
                continue;
            }
            match volume.inode(number) {
                Ok(inode) if inode.links == 0 => {}
                Ok(inode) => {
                    names.seen().listed.insert(number.into());
                    found.extend(names.live(&inode, &path_of(number)));
                }
                Err(failed) => found.push(Err(named(failed, &path_of(number)))),
            }
        }
        found
    }))
}

/// Deleted inodes that no deleted name leads to: by their own names, below directories that are
/// there.
pub fn nameless(names: Arc<Names>) -> Nodes {
    let volume = names.volume.clone();
    let gone = names.gone.clone().unwrap_or_default();
    let mut dead: Vec<u32> = gone.keys().copied().collect();
    dead.sort_unstable();
    let open = volume.checkpoint.orphans.clone().into_iter().map(|number| (number, None));
    let dead = dead.into_iter().map(move |number| (number, gone.get(&number).map(|(_, block)| *block)));
    Box::new(open.chain(dead).flat_map(move |(number, block)| {
        let inode: Option<Inode> = match block {
            None => volume.inode(number).ok(),
            Some(block) => volume.inode_at(block, number).ok(),
        };
        let Some(inode) = inode.filter(|_| names.seen().given.insert(number)) else { return Vec::new() };
        let parent = names.seen().paths.get(&inode.parent).cloned();
        let path = parent.filter(|_| !inode.is_encrypted).and_then(|parent| join(&parent, &inode.name).ok());
        let found = names.was(&inode, &path.unwrap_or_else(|| path_of(number)));
        found.into_iter().filter_map(|found| found.ok()?.node.map(Ok)).collect()
    }))
}

impl F2fs {
    /// The nodes that free blocks still hold and no map has: the newest of each.
    pub fn gone(&self) -> LostNodes {
        let mut gone = LostNodes::new();
        let superblock = &self.superblock;
        let end = (superblock.main + superblock.main_segments * SEGMENT).min(superblock.first);
        for block in superblock.main..end {
            if !matches!(self.is_used(block), Ok(false)) {
                continue;
            }
            // Most free blocks hold data, or zeros, and so have no such footer.
            let Ok(footer) = read(&*self.bytes, block * BLOCK + FOOTER as u64, 24) else { continue };
            let (number, of, version) = (le32(&footer, 0), le32(&footer, 4), u64::from(le32(&footer, 12)));
            let is_one = number > 2 && of > 2 && u64::from(number) < self.nodes() && u64::from(of) < self.nodes();
            // The high half of a version is a checksum, where it is not zero.
            if !is_one || version == 0 || version > self.checkpoint.version & u64::from(u32::MAX) {
                continue;
            }
            let is_free = |number: u32| self.place(number).is_ok_and(|place| place.block == 0);
            if !is_free(number) || number != of && !is_free(of) {
                continue;
            }
            if number == of && !self.is_inode(block) {
                continue;
            }
            let found = gone.get(&number).is_none_or(|(before, _)| version >= *before);
            if found && (gone.len() < MOST || gone.contains_key(&number)) {
                gone.insert(number, (version, block as u32));
            }
        }
        gone
    }

    /// Whether a block has the fields of an inode.
    fn is_inode(&self, block: u64) -> bool {
        let Ok(raw) = read(&*self.bytes, block * BLOCK, 96) else { return false };
        let kind = le16(&raw, 0) & 0xf000;
        let has_name = (1..=255).contains(&le32(&raw, 88));
        has_name && [0x1000, 0x2000, 0x4000, 0x6000, 0x8000, 0xa000, 0xc000].contains(&kind)
    }

    /// Whether blocks of a deleted file are in use again.
    pub fn allocation(self: &Arc<Self>, inode: &Inode, gone: Option<&Arc<LostNodes>>) -> Allocation {
        if self.checkpoint.orphans.contains(&inode.number) {
            return Allocation::Deleted;
        }
        if inode.inline.is_some() || !matches!(inode.kind(), 0x8000 | 0xa000 | 0x4000) || inode.compression.is_some() {
            return if inode.compression.is_some() { Allocation::Overwritten } else { Allocation::Deleted };
        }
        let is_free = |offset: u64, length: u64| {
            (offset / BLOCK..(offset + length).div_ceil(BLOCK)).all(|block| matches!(self.is_used(block), Ok(false)))
        };
        match self.layout(inode, gone.cloned()) {
            Ok(layout) => {
                let mut stored = layout.runs().iter().filter_map(|run| Some((run.medium_offset?, run.length)));
                if stored.all(|(offset, length)| is_free(offset, length)) {
                    Allocation::Deleted
                } else {
                    Allocation::Overwritten
                }
            }
            Err(_) => Allocation::Overwritten,
        }
    }
}

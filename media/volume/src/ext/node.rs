//! The node of a name: that of an inode, in use or deleted.

use std::collections::HashSet;
use std::sync::{Arc, Mutex, PoisonError};

use super::group::Ext;
use super::inode::{INLINE, Inode};
use super::place::Place;
use crate::walk::{WalkEntry, WalkFolder};
use pfh_bytes::field::failure;
use pfh_bytes::node::{Allocation, Failure, Kind, Node, Run, is_target};
use pfh_bytes::stored::named;

/// The directory that a walk goes into.
pub fn into(inode: &Inode, path: Vec<u8>) -> WalkFolder<Place> {
    WalkFolder { id: u64::from(inode.number), path, directory: Place::Directory(inode.number) }
}

impl Ext {
    /// The node of an inode that is in use.
    pub fn node(self: &Arc<Self>, inode: &Inode, path: Vec<u8>) -> Result<Node, Failure> {
        let kind = match inode.kind() {
            0x8000 => Kind::File,
            0x4000 => Kind::Directory,
            0xa000 => match self.target(inode).map_err(|failed| named(failed, &path))? {
                target if is_target(&target) => Kind::Link(target),
                _ => Kind::File,
            },
            // No device, FIFO or socket has bytes: a file that calls itself one does.
            0x1000 | 0x2000 | 0x6000 | 0xc000 if inode.size > 0 => Kind::File,
            mode => Kind::special(mode)
                .map_err(|cause| named(failure(self.inode_offset(inode.number).ok(), cause), &path))?,
        };
        let content = (kind == Kind::File).then(|| self.content(inode, &path));
        Ok(Node {
            path,
            kind,
            size: Some(inode.size),
            id: Some(u64::from(inode.number)),
            times: inode.times,
            allocation: Allocation::Live,
            resident: inode.flags & INLINE != 0,
            compressed: false,
            content,
        })
    }

    /// The node of a deleted name. An inode that is in use again says nothing of the deleted file,
    /// unless it `is_orphan`: in use, and in no directory.
    pub fn deleted(
        self: &Arc<Self>,
        number: u32,
        path: Vec<u8>,
        is_orphan: bool,
        named: &Mutex<HashSet<u32>>,
    ) -> Option<WalkEntry<Place>> {
        let inode = self.inode(number).ok()?;
        if is_orphan && let Ok(node) = self.node(&inode, path.clone()) {
            return Some(WalkEntry { node: Some(Node { allocation: Allocation::Deleted, ..node }), into: None });
        }
        let mut node = Node {
            allocation: Allocation::Overwritten,
            ..Node::bare(&path, Kind::File, Some(u64::from(number)), inode.times)
        };
        if inode.links > 0 || self.is_inode_used(number).unwrap_or(true) {
            node.times = Default::default();
            return Some(WalkEntry { node: Some(node), into: None });
        }
        named.lock().unwrap_or_else(PoisonError::into_inner).insert(number);
        let is_directory = inode.is_directory();
        let mut live = self.node(&inode, node.path.clone()).unwrap_or(node);
        live.allocation = self.allocation(&inode);
        if inode.size == 0 {
            // ext3 and ext4 clear size and place: the rest is not an empty file.
            (live.size, live.content) = (None, None);
        }
        let into = (is_directory && live.allocation == Allocation::Deleted).then(|| into(&inode, live.path.clone()));
        Some(WalkEntry { node: Some(live), into })
    }

    /// Whether blocks of a deleted file are in use again.
    fn allocation(&self, inode: &Inode) -> Allocation {
        let is_free = |run: &Run| {
            let Some(offset) = run.medium_offset else { return true };
            let blocks = offset / self.block_size()..(offset + run.length).div_ceil(self.block_size());
            blocks.into_iter().all(|block| matches!(self.is_used(block), Ok(false)))
        };
        let holds_bytes = !matches!(inode.kind(), 0x8000 | 0x4000) || inode.flags & INLINE != 0;
        match self.layout(inode) {
            _ if holds_bytes => Allocation::Deleted,
            Ok(layout) if layout.runs().iter().all(is_free) => Allocation::Deleted,
            _ => Allocation::Overwritten,
        }
    }
}

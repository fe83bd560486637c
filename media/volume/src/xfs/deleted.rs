//! Deleted files: inodes that are free, whose room still holds a list of extents, and names in free
//! room of directories that lead to them.

use std::sync::{Arc, Mutex, PoisonError};

use super::bmap::{EXTENT, Extent};
use super::directory::FreedName;
use super::inode::{Fork, Inode};
use super::inodes::{inodes, is_used, path_of};
use super::node::blank;
use super::tree::{Names, Place, SeenInodes};
use super::volume::Xfs;
use crate::walk::{WalkEntry, join};
use pfh_bytes::field::be16;
use pfh_bytes::layout::Layout;
use pfh_bytes::node::{Allocation, Content, Failure, Kind, Node, Run, Times};
use pfh_bytes::stored::StoredBytes;

/// A file never ended beyond this.
const MOST: u64 = 1 << 50;

/// Types of files as directories number them.
const DIRECTORY: u8 = 2;
const LINK: u8 = 7;

impl Names {
    /// The node of a deleted name. An inode that is in use again says nothing of the deleted file.
    pub fn gone(&self, gone: &FreedName, parent: &[u8]) -> Option<WalkEntry<Place>> {
        let entry = &gone.entry;
        let path = join(parent, &entry.name).ok()?;
        let kind = match entry.kind {
            DIRECTORY => Kind::Directory,
            LINK => Kind::Link(Vec::new()),
            3 => Kind::Special("character device"),
            4 => Kind::Special("block device"),
            5 => Kind::Special("fifo"),
            6 => Kind::Special("socket"),
            _ => Kind::File,
        };
        // Half a number is all of it where no volume has larger ones.
        let is_known = gone.is_whole || self.volume.highest() < 1 << 32;
        let inode = if is_known { self.volume.inode(entry.inode).ok() } else { None };
        let free = inode.as_ref().filter(|inode| matches!(is_used(&self.volume, inode.number), Ok(false)));
        let node = match free {
            Some(inode) => {
                self.seen.lock().unwrap_or_else(PoisonError::into_inner).given.insert(inode.number);
                match kind {
                    // Inodes of a chunk that is free as a whole keep their fields.
                    Kind::File if inode.kind() == 0x8000 => self.volume.given_up(inode, path),
                    Kind::File => self.volume.freed(inode, path),
                    kind => Node { allocation: Allocation::Deleted, ..blank(inode, &path, kind) },
                }
            }
            None => Node {
                allocation: Allocation::Overwritten,
                ..Node::bare(&path, kind, is_known.then_some(entry.inode), Times::default())
            },
        };
        Some(WalkEntry { node: Some(node), into: None })
    }
}

impl Xfs {
    /// A number that no inode exceeds.
    fn highest(&self) -> u64 {
        u64::from(self.superblock.groups) << (self.superblock.group_log + self.superblock.inode_log).min(32)
    }

    /// The node of a free inode. Its size and type are cleared; the content of its extents ends
    /// with a whole block.
    fn freed(self: &Arc<Self>, inode: &Inode, path: Vec<u8>) -> Node {
        let node = Node { allocation: Allocation::Deleted, ..blank(inode, &path, Kind::File) };
        let Some(layout) = self.remains(inode.number, &inode.content) else { return node };
        let is_free = |run: &Run| run.medium_offset.is_none_or(|at| matches!(self.is_free(at, run.length), Ok(true)));
        let allocation = if layout.runs().iter().all(is_free) { Allocation::Deleted } else { Allocation::Overwritten };
        let (size, bytes) = (layout.end(), self.bytes.clone());
        let locate = Box::new(move || Ok(layout.clone()));
        let content: Arc<dyn Content> = Arc::new(StoredBytes { bytes, path, from: 0, size, locate });
        Node { size: Some(size), allocation, content: Some(content), ..node }
    }

    /// The node of a free inode that was not cleared.
    fn given_up(self: &Arc<Self>, inode: &Inode, path: Vec<u8>) -> Node {
        let layout = self.layout(inode.number, &inode.content, inode.is_shared);
        let allocation = layout.map_or(Allocation::Overwritten, |layout| self.allocation(&layout));
        let content = Some(self.content(inode, &path));
        Node { size: Some(inode.size), allocation, content, ..blank(inode, &path, Kind::File) }
    }

    /// Whether blocks of a deleted file are in use again.
    fn allocation(self: &Arc<Self>, layout: &Layout) -> Allocation {
        let is_free = |run: &Run| run.medium_offset.is_none_or(|at| matches!(self.is_free(at, run.length), Ok(true)));
        if layout.runs().iter().all(is_free) { Allocation::Deleted } else { Allocation::Overwritten }
    }

    /// Where a file lay, by the remains in its inode: a list of extents, or the root of a tree of
    /// them.
    fn remains(&self, number: u64, fork: &Fork) -> Option<Layout> {
        let size = self.size();
        let mut layout = Layout::new(size);
        let mut take = |extent: Extent, offset: u64| {
            let is_sound = extent.count > 0 && (extent.first + extent.count) << self.superblock.block_log <= MOST;
            let wrong = pfh_bytes::field::failure(Some(offset), "not an extent");
            if is_sound { self.lay(&mut layout, extent, offset) } else { Err(wrong) }
        };
        if (1..=10).contains(&be16(&fork.raw, 0)) {
            self.tree(number, fork, &mut take).ok()?;
        } else {
            for raw in fork.raw.chunks_exact(EXTENT) {
                if take(Extent::new(raw), fork.offset).is_err() {
                    break;
                }
            }
        }
        (layout.disjoint().is_ok() && layout.runs().iter().any(|run| run.medium_offset.is_some())).then_some(layout)
    }
}

/// Inodes in use that no name leads to: deleted while they were open.
pub fn unlinked(volume: Arc<Xfs>, seen: Arc<Mutex<SeenInodes>>) -> impl Iterator<Item = Result<Node, Failure>> + Send {
    numbers(&volume, true).flat_map(move |number| {
        let is_listed = seen.lock().unwrap_or_else(PoisonError::into_inner).listed.has(number);
        let inode = if is_listed || volume.superblock.own.contains(&number) { None } else { volume.inode(number).ok() };
        let inode = inode.filter(|inode| inode.mode != 0 && inode.links == 0 && !inode.is_own);
        let nodes = inode.map_or_else(Vec::new, |inode| volume.nodes_of(&inode, &path_of(number)));
        let deleted = |node: Node| Node { allocation: Allocation::Deleted, ..node };
        nodes.into_iter().map(move |node| node.map(deleted))
    })
}

/// Free inodes that were in use once, and whose names are gone.
pub fn freed(volume: Arc<Xfs>, seen: Arc<Mutex<SeenInodes>>) -> impl Iterator<Item = Result<Node, Failure>> + Send {
    numbers(&volume, false).filter_map(move |number| {
        let is_given = seen.lock().unwrap_or_else(PoisonError::into_inner).given.contains(&number);
        let inode = if is_given { None } else { volume.inode(number).ok() };
        // One that was never in use has no time.
        let inode = inode.filter(|inode| inode.mode == 0 && inode.was_used())?;
        Some(Ok(volume.freed(&inode, path_of(number))))
    })
}

/// The numbers of inodes, begun when they are asked for. Parts that cannot be read were failures
/// when the live names were listed.
fn numbers(volume: &Arc<Xfs>, are_used: bool) -> impl Iterator<Item = u64> + Send + use<> {
    let volume = volume.clone();
    let begun = std::iter::once(()).flat_map(move |()| inodes(&volume));
    begun.flatten().filter_map(move |(number, is_used)| (is_used == are_used).then_some(number))
}

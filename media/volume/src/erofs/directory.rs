//! The lists of directories, and the nodes of their names.

use std::sync::Arc;

use super::inode::{Form, Inode};
use super::volume::Erofs;
use crate::unallocated::slack;
use crate::walk::{Entries, Tree, WalkEntry, WalkFolder, join, join_stream};
use pfh_bytes::field::{failure, le16, le64};
use pfh_bytes::node::{Failure, Kind, Node};
use pfh_bytes::stored::{HeldBytes, named};

/// Bytes of an entry; its name stands behind all entries of its block.
const ENTRY: usize = 12;
/// The longest target of a link.
const LONGEST_LINK: u64 = 64 << 10;

/// A volume while it is walked: for its names, or for the room behind its files.
pub struct Names {
    pub volume: Arc<Erofs>,
    pub for_slack: bool,
}

/// A name, and the number of its inode.
type Entry = (Vec<u8>, u64);

/// The names of one block, each with its inode; and the fault of the block.
fn entries(block: &[u8]) -> (Vec<Entry>, Option<(usize, &'static str)>) {
    let mut found = Vec::new();
    let first = usize::from(le16(block, 8));
    if first < ENTRY || first > block.len() || !first.is_multiple_of(ENTRY) {
        return (found, Some((8, "a list of names that begins where it cannot")));
    }
    let count = first / ENTRY;
    for index in 0..count {
        let at = index * ENTRY;
        let start = usize::from(le16(block, at + 8));
        let end = if index + 1 < count { le16(block, at + ENTRY + 8).into() } else { block.len() };
        let Some(name) = block.get(start..end).filter(|_| start >= first) else {
            return (found, Some((at + 8, "a name that lies outside of its block")));
        };
        // The last one ends with a zero, or with the block.
        let name = if index + 1 < count { name } else { name.split(|&byte| byte == 0).next().unwrap_or_default() };
        found.push((name.to_vec(), le64(block, at)));
    }
    (found, None)
}

impl Erofs {
    /// The node of an inode, then those of its attributes.
    fn nodes_of(self: &Arc<Self>, inode: &Inode, path: &[u8]) -> Vec<Result<Node, Failure>> {
        let bare = |path: &[u8], kind: Kind| Node::bare(path, kind, Some(inode.number), inode.times);
        let kind = match inode.kind() {
            0x8000 => Kind::File,
            0x4000 => Kind::Directory,
            0xa000 if inode.size > LONGEST_LINK => {
                let cause = format!("a link with a target of {} bytes", inode.size);
                return vec![Err(named(failure(Some(inode.offset), cause), path))];
            }
            0xa000 => match self.range(inode, 0, inode.size as usize) {
                Ok(target) => Kind::Link(target),
                Err(failed) => return vec![Err(named(failed, path))],
            },
            mode => match Kind::special(mode) {
                Ok(kind) => kind,
                Err(cause) => return vec![Err(named(failure(Some(inode.offset), cause), path))],
            },
        };
        let is_file = kind == Kind::File;
        let mut node = bare(path, kind);
        if is_file {
            node.size = Some(inode.size);
            node.compressed = matches!(inode.form, Form::Packed { .. });
            node.resident = matches!(inode.form, Form::Inline(_)) && inode.size <= self.superblock.block_size();
            node.content = Some(self.content(inode, path));
        }
        let mut nodes = vec![Ok(node)];
        match self.attributes(inode) {
            Err(failed) => nodes.push(Err(named(failed, path))),
            Ok(attributes) => nodes.extend(attributes.into_iter().map(|(name, bytes)| {
                join_stream(path, &name).map(|path| HeldBytes { bytes }.stream(bare(&path, Kind::Stream)))
            })),
        }
        nodes
    }
}

impl Names {
    /// The nodes of a name in a directory.
    fn found(&self, directory: &[u8], name: &[u8], number: u64) -> Vec<Result<WalkEntry<Inode>, Failure>> {
        let path = match join(directory, name) {
            Ok(path) => path,
            Err(failed) => return vec![Err(failed)],
        };
        let inode = match self.volume.inode(number) {
            Ok(inode) => inode,
            Err(failed) => return vec![Err(named(failed, &path))],
        };
        let mut into =
            inode.is_directory().then(|| WalkFolder { id: number, path: path.clone(), directory: inode.clone() });
        if self.for_slack {
            let is_whole = inode.kind() == 0x8000 && matches!(inode.form, Form::Plain(_) | Form::Chunks(_));
            let layout = is_whole.then(|| self.volume.layout(&inode).ok()).flatten();
            let node = layout.and_then(|layout| slack(&self.volume.bytes, &path, inode.size, &layout));
            return vec![Ok(WalkEntry { node, into })];
        }
        let nodes = self.volume.nodes_of(&inode, &path).into_iter();
        nodes.map(|node| node.map(|node| WalkEntry { node: Some(node), into: into.take() })).collect()
    }
}

impl Tree for Names {
    type Directory = Inode;

    fn list(self: Arc<Self>, inode: Inode, path: Arc<[u8]>) -> Entries<Inode> {
        let block = self.volume.superblock.block_size();
        // A size that was made up must not keep a reader busy: the first failure ends the list.
        let mut has_failed = false;
        Box::new(
            (0..inode.size.div_ceil(block))
                .map_while(move |index| {
                    if has_failed {
                        return None;
                    }
                    let list = self.volume.range(&inode, index * block, block as usize);
                    let (found, failed) = match list {
                        Ok(list) => {
                            let (found, wrong) = entries(&list);
                            let named = |(at, cause)| {
                                let place = self.volume.layout(&inode).ok().and_then(|layout| {
                                    layout.window(index * block, inode.size).first().and_then(|run| run.medium_offset)
                                });
                                failure(place.map(|place| place + at as u64), cause)
                            };
                            (found, wrong.map(named))
                        }
                        Err(failed) => (Vec::new(), Some(failed)),
                    };
                    has_failed = failed.is_some();
                    let is_own = |name: &[u8]| name == b"." || name == b"..";
                    let found = found.into_iter().filter(|(name, _)| !is_own(name));
                    let mut all: Vec<_> = found.flat_map(|(name, number)| self.found(&path, &name, number)).collect();
                    all.extend(failed.map(|failed| Err(named(failed, &path))));
                    Some(all)
                })
                .flatten(),
        )
    }
}

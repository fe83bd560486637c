//! The names of a volume, live and deleted.

use std::collections::{HashMap, HashSet};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use super::blocks::{Blocks, LostNodes};
use super::directory::{Entry, entries};
use super::inode::Inode;
use super::superblock::BLOCK;
use super::volume::F2fs;
use crate::listed::NumberSet;
use crate::walk::{Entries, Pass, Tree, WalkEntry, WalkFolder, join};
use pfh_bytes::field::{failure, read};
use pfh_bytes::node::{Allocation, Failure, Kind, Node};
use pfh_bytes::stored::named;

/// The most directories whose paths are held for the names of deleted files.
const MOST_PATHS: usize = 1 << 20;

/// The inodes that walks came across.
#[derive(Default)]
pub struct SeenInodes {
    /// Inodes that some directory lists.
    pub listed: NumberSet,
    /// Files with several names whose slack was given; deleted inodes that have a name.
    pub given: HashSet<u32>,
    /// The paths of directories.
    pub paths: HashMap<u32, Vec<u8>>,
}

/// A volume while it is walked.
pub struct Names {
    pub volume: Arc<F2fs>,
    pub pass: Pass,
    pub seen: Arc<Mutex<SeenInodes>>,
    /// Nodes of deleted files.
    pub gone: Option<Arc<LostNodes>>,
}

/// The directory that a walk goes into.
pub fn into(inode: &Inode, path: &[u8]) -> Option<WalkFolder<u32>> {
    inode.is_directory().then(|| WalkFolder { id: inode.number.into(), path: path.to_vec(), directory: inode.number })
}

/// A name as it can be written: those that are encrypted are bytes of any value.
fn written(name: &[u8], is_encrypted: bool) -> Vec<u8> {
    match is_encrypted {
        true => name.iter().flat_map(|byte| format!("{byte:02x}").into_bytes()).collect(),
        false => name.to_vec(),
    }
}

/// The entries of one block, and the fault of the block.
type Block = (Vec<Entry>, Option<Failure>);

impl Names {
    /// The inodes that walks came across.
    pub fn seen(&self) -> MutexGuard<'_, SeenInodes> {
        self.seen.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The entries of a directory, block by block.
    fn blocks(&self, inode: Inode) -> Box<dyn Iterator<Item = Result<Block, Failure>> + Send> {
        let volume = self.volume.clone();
        let parse = |bytes: &[u8], place: u64, is_inline: bool| {
            let (found, wrong) = entries(bytes, is_inline);
            (found, wrong.map(|(at, cause)| failure(Some(place + at as u64), cause)))
        };
        if let Some((at, room)) = inode.inline {
            let block = parse(&inode.raw[at..at + room], inode.offset + at as u64, true);
            return Box::new(std::iter::once(Ok(block)));
        }
        let mut blocks = Blocks::new(&volume, &inode, None);
        let (mut index, end) = (0, inode.size.div_ceil(BLOCK));
        Box::new(std::iter::from_fn(move || {
            while index < end {
                let found = blocks.at(index);
                let (place, span) = match found {
                    Ok(found) => found,
                    Err(failed) => {
                        // All behind the first fault is as hard to find.
                        index = end;
                        return Some(Err(failed));
                    }
                };
                index += span;
                if place == 0 || place == u32::MAX {
                    continue;
                }
                let block = volume
                    .offset(place)
                    .and_then(|offset| Ok(parse(&read(&*volume.bytes, offset, BLOCK as usize)?, offset, false)));
                return Some(block);
            }
            None
        }))
    }

    /// The nodes of a directory's entry in this pass.
    fn found(&self, entry: &Entry, parent: &[u8], is_encrypted: bool) -> Vec<Result<WalkEntry<u32>, Failure>> {
        if entry.name == b"." || entry.name == b".." {
            return Vec::new();
        }
        let name = written(&entry.name, is_encrypted);
        let is_live = self.pass == Pass::Live;
        if entry.is_deleted {
            return if self.pass == Pass::Deleted { self.deleted(entry, parent, &name) } else { Vec::new() };
        }
        if is_live {
            // A file counts as seen even if its name cannot be written.
            self.seen().listed.insert(entry.inode.into());
        }
        let found = join(parent, &name).and_then(|path| {
            let inode = self.volume.inode(entry.inode).and_then(|inode| check(inode, entry));
            inode.map(|inode| (inode, path.clone())).map_err(|failed| named(failed, &path))
        });
        let live = |inode: &Inode, path: &[u8]| self.volume.nodes_of(inode, path, None);
        self.pass.found(found, into, live, |inode, path| {
            let is_first = inode.links < 2 || self.seen().given.insert(inode.number);
            is_first.then(|| self.volume.slack(inode, path)).flatten()
        })
    }

    /// The nodes of an inode in use, and the directory behind it.
    pub fn live(&self, inode: &Inode, path: &[u8]) -> Vec<Result<WalkEntry<u32>, Failure>> {
        let mut into = into(inode, path);
        let nodes = self.volume.nodes_of(inode, path, None).into_iter();
        nodes.map(|node| node.map(|node| WalkEntry { node: Some(node), into: into.take() })).collect()
    }

    /// The node of a deleted name. An inode that is in use says nothing of the deleted file.
    fn deleted(&self, entry: &Entry, parent: &[u8], name: &[u8]) -> Vec<Result<WalkEntry<u32>, Failure>> {
        let Ok(path) = join(parent, name) else { return Vec::new() };
        let inode = self.gone.as_ref().and_then(|gone| {
            let (_, block) = gone.get(&entry.inode)?;
            self.volume.inode_at(*block, entry.inode).ok().filter(|inode| check(inode.clone(), entry).is_ok())
        });
        if let Some(inode) = inode {
            let is_first = self.seen().given.insert(entry.inode);
            return if is_first { self.was(&inode, &path) } else { Vec::new() };
        }
        let kind = if entry.kind == 2 { Kind::Directory } else { Kind::File };
        let node = Node::bare(&path, kind, Some(entry.inode.into()), Default::default());
        let node = Node { allocation: Allocation::Overwritten, ..node };
        vec![Ok(WalkEntry { node: Some(node), into: None })]
    }

    /// The nodes of a deleted inode.
    pub fn was(&self, inode: &Inode, path: &[u8]) -> Vec<Result<WalkEntry<u32>, Failure>> {
        let allocation = self.volume.allocation(inode, self.gone.as_ref());
        let nodes = self.volume.nodes_of(inode, path, self.gone.as_ref()).into_iter().flatten();
        nodes.map(|node| Ok(WalkEntry { node: Some(Node { allocation, ..node }), into: None })).collect()
    }
}

impl Tree for Names {
    type Directory = u32;

    fn list(self: Arc<Self>, number: u32, path: Arc<[u8]>) -> Entries<u32> {
        let is_live = self.pass == Pass::Live;
        let inode = match self.volume.inode(number) {
            Ok(inode) => inode,
            Err(failed) if is_live => return Box::new(std::iter::once(Err(named(failed, &path)))),
            // Faults of live directories were reported when they were listed.
            Err(_) => return Box::new(std::iter::empty()),
        };
        if self.pass == Pass::Deleted {
            let mut seen = self.seen();
            if seen.paths.len() < MOST_PATHS {
                seen.paths.insert(number, path.to_vec());
            }
        }
        let is_encrypted = inode.is_encrypted;
        Box::new(self.blocks(inode).flat_map(move |block| {
            let (found, failed) = match block {
                Ok((found, failed)) => (found, failed),
                Err(failed) => (Vec::new(), Some(failed)),
            };
            let mut all: Vec<_> = found.iter().flat_map(|entry| self.found(entry, &path, is_encrypted)).collect();
            all.extend(failed.filter(|_| is_live).map(|failed| Err(named(failed, &path))));
            all
        }))
    }
}

/// Checks that an inode is of the type that its name states.
fn check(inode: Inode, entry: &Entry) -> Result<Inode, Failure> {
    // Types in directories, by those of modes.
    let kind = match inode.kind() {
        0x8000 => 1,
        0x4000 => 2,
        0x2000 => 3,
        0x6000 => 4,
        0x1000 => 5,
        0xc000 => 6,
        0xa000 => 7,
        _ => 0,
    };
    match entry.kind == 0 || kind == 0 || entry.kind == kind {
        true => Ok(inode),
        false => Err(failure(Some(inode.offset), "of one type by its name, and of another by its inode")),
    }
}

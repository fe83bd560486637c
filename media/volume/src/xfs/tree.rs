//! The names of a volume.

use std::collections::HashSet;
use std::sync::{Arc, Mutex, PoisonError};

use super::directory::Entry;
use super::inode::Inode;
use super::volume::Xfs;
use crate::listed::NumberSet;
use crate::walk::{Pass, WalkEntry, WalkFolder, join};
use pfh_bytes::field::failure;
use pfh_bytes::node::Failure;
use pfh_bytes::stored::named;

/// The inodes that a walk came across.
#[derive(Default)]
pub struct SeenInodes {
    /// Inodes that some directory lists.
    pub listed: NumberSet,
    /// Inodes that were given already: deleted ones with a name, files with several names whose
    /// slack was given.
    pub given: HashSet<u64>,
}

/// The start of a list.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Place {
    Directory(u64),
    /// Inodes that no directory lists: directories that begin a tree, or all the rest.
    Roots,
    Rest,
}

/// A volume while it is walked.
pub struct Names {
    pub volume: Arc<Xfs>,
    pub pass: Pass,
    pub seen: Arc<Mutex<SeenInodes>>,
}

/// The directory that a walk goes into.
pub fn into(inode: &Inode, path: &[u8]) -> Option<WalkFolder<Place>> {
    let directory = Place::Directory(inode.number);
    inode.is_directory().then(|| WalkFolder { id: inode.number, path: path.to_vec(), directory })
}

impl Names {
    /// The nodes of a live entry of a directory in this pass.
    pub fn found(&self, entry: &Entry, parent: &[u8]) -> Vec<Result<WalkEntry<Place>, Failure>> {
        if entry.name == b"." || entry.name == b".." {
            return Vec::new();
        }
        if self.pass == Pass::Live {
            // A file counts as seen even if its name cannot be written.
            self.seen.lock().unwrap_or_else(PoisonError::into_inner).listed.insert(entry.inode);
        }
        let found = join(parent, &entry.name).and_then(|path| {
            let inode = self.volume.inode(entry.inode).and_then(|inode| check(inode, entry));
            inode.map(|inode| (inode, path.clone())).map_err(|failed| named(failed, &path))
        });
        let live = |inode: &Inode, path: &[u8]| self.volume.nodes_of(inode, path);
        self.pass.found(found, into, live, |inode, path| {
            let mut seen = self.seen.lock().unwrap_or_else(PoisonError::into_inner);
            let is_first = inode.links < 2 || seen.given.insert(inode.number);
            is_first.then(|| self.volume.slack(inode, path)).flatten()
        })
    }

    /// The nodes of an inode in use, and the directory behind it.
    pub fn live(&self, inode: &Inode, path: &[u8]) -> Vec<Result<WalkEntry<Place>, Failure>> {
        let mut into = into(inode, path);
        let nodes = self.volume.nodes_of(inode, path).into_iter();
        nodes.map(|node| node.map(|node| WalkEntry { node: Some(node), into: into.take() })).collect()
    }
}

/// Checks that an inode is in use and of the type that its name states.
fn check(inode: Inode, entry: &Entry) -> Result<Inode, Failure> {
    let wrong = |cause: &str| Err(failure(Some(inode.offset), cause));
    if inode.mode == 0 || inode.links == 0 {
        return wrong("the name leads to an inode that is not in use");
    }
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
        false => wrong("of one type by its name, and of another by its inode"),
    }
}

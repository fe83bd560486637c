//! The names of a subvolume.

use std::collections::HashSet;
use std::hash::{BuildHasher, RandomState};
use std::sync::{Arc, Mutex, PoisonError};

use super::node::Key;
use super::orphans::orphans;
use super::record::{Entry, entries, kind};
use super::volume::Subvolume;
use crate::file_system::{Options, Volume};
use crate::listed::NumberSet;
use crate::walk::{Entries, Tree, Walk, WalkEntry, WalkFolder, join};
use pfh_bytes::field::failure;
use pfh_bytes::node::{Allocation, Failure, Kind, Node, Nodes, Times};
use pfh_bytes::stored::named;

/// The most names of a directory whose two lists differ.
const MOST_NAMES: usize = 1 << 20;

/// A subvolume while it is walked.
struct Names {
    volume: Arc<Subvolume>,
    /// Inodes that some directory lists.
    listed: Arc<Mutex<NumberSet>>,
}

impl Volume for Subvolume {
    fn nodes(self: Arc<Self>, options: Options) -> Nodes {
        if self.is_deleted && !options.deleted {
            return Box::new(std::iter::empty());
        }
        let listed: Arc<Mutex<NumberSet>> = Arc::default();
        listed.lock().unwrap_or_else(PoisonError::into_inner).insert(self.root);
        let names = Names { volume: self.clone(), listed: listed.clone() };
        Box::new(Walk::new(Arc::new(names), self.root, self.root).chain(orphans(self, listed, options.deleted)))
    }
}

impl Tree for Names {
    type Directory = u64;

    fn list(self: Arc<Self>, directory: u64, path: Arc<[u8]>) -> Entries<u64> {
        let listed = Arc::new(Mutex::new(Sum::default()));
        let (sum, of, under) = (listed.clone(), self.clone(), path.clone());
        let by_number = self.items(directory, kind::NAME).flat_map(move |found| match found {
            Ok(entry) => {
                sum.lock().unwrap_or_else(PoisonError::into_inner).add(&entry);
                of.found(&entry, &under)
            }
            Err(failed) => vec![Err(named(failed, &under))],
        });
        // Names that only the list by hashes has.
        let mut rest = None;
        let by_hash = std::iter::from_fn(move || {
            let rest = rest.get_or_insert_with(|| {
                let sum = std::mem::take(&mut *listed.lock().unwrap_or_else(PoisonError::into_inner));
                self.clone().others(directory, &sum).into_iter()
            });
            let found = rest.next()?;
            Some(match found {
                Ok(entry) => self.found(&entry, &path),
                Err(failed) => vec![Err(named(failed, &path))],
            })
        });
        Box::new(by_number.chain(by_hash.flatten()))
    }
}

/// A sum of the names of a directory that does not depend on their order.
#[derive(Default)]
struct Sum {
    key: RandomState,
    count: u64,
    sum: u64,
}

impl Sum {
    fn of(&self, entry: &Entry) -> u64 {
        self.key.hash_one((&entry.name, entry.to.id, entry.to.kind))
    }

    fn add(&mut self, entry: &Entry) {
        self.count += 1;
        self.sum = self.sum.wrapping_add(self.of(entry));
    }
}

impl Names {
    /// The entries of a directory in items of this type.
    fn items(&self, directory: u64, kind: u8) -> impl Iterator<Item = Result<Entry, Failure>> + Send + use<> {
        self.volume.tree.of(directory, kind, 0).flat_map(|item| match item.and_then(|(_, raw)| entries(&raw)) {
            Ok(found) => found.into_iter().map(Ok).collect(),
            Err(failed) => vec![Err(failed)],
        })
    }

    /// The entries that only the list by hashes has: none as a rule, which the sums of both show.
    fn others(&self, directory: u64, sum: &Sum) -> Vec<Result<Entry, Failure>> {
        let mut all = Sum { key: sum.key.clone(), ..Sum::default() };
        let mut failed = Vec::new();
        for item in self.items(directory, kind::NAME_BY_HASH) {
            match item {
                Ok(entry) => all.add(&entry),
                Err(why) => failed.push(Err(why)),
            }
        }
        if (all.count, all.sum) == (sum.count, sum.sum) {
            return failed;
        }
        let known: HashSet<u64> =
            self.items(directory, kind::NAME).flatten().take(MOST_NAMES).map(|entry| sum.of(&entry)).collect();
        let others =
            self.items(directory, kind::NAME_BY_HASH).flatten().filter(|entry| !known.contains(&sum.of(entry)));
        failed.extend(others.take(MOST_NAMES).map(Ok));
        failed
    }

    /// The nodes of a name: its file, and the streams of the file.
    fn found(&self, entry: &Entry, parent: &[u8]) -> Vec<Result<WalkEntry<u64>, Failure>> {
        let path = match join(parent, &entry.name) {
            Ok(path) => path,
            Err(failed) => {
                self.note(entry.to.id);
                return vec![Err(failed)];
            }
        };
        let wrong = |cause: &str| vec![Err(named(failure(None, cause), &path))];
        match entry.to.kind {
            kind::INODE => self.note(entry.to.id),
            // A subvolume: its names are in a volume of its own.
            kind::ROOT => {
                return vec![Ok(WalkEntry {
                    node: Some(of_subvolume(&entry.to, &path, self.volume.is_deleted)),
                    into: None,
                })];
            }
            _ => return wrong("a name of something that is neither a file nor a subvolume"),
        }
        let inode = match self.volume.inode(entry.to.id) {
            Ok(inode) => inode,
            Err(failed) => return vec![Err(named(failed, &path))],
        };
        if Some(inode.kind()) != TYPES.get(usize::from(entry.kind)).copied() {
            return wrong("of one type by its name, and of another by its inode");
        }
        let is_directory = inode.kind() == 0x4000;
        let mut into =
            is_directory.then(|| WalkFolder { id: inode.number, path: path.clone(), directory: inode.number });
        let nodes = self.volume.nodes_of(&inode, &path, Allocation::Live).into_iter();
        nodes.map(|node| node.map(|node| WalkEntry { into: into.take(), node: Some(node) })).collect()
    }

    /// An inode has been seen, even if its name cannot be written.
    fn note(&self, number: u64) {
        self.listed.lock().unwrap_or_else(PoisonError::into_inner).insert(number);
    }
}

/// Modes of the types that names state.
const TYPES: [u32; 8] = [0, 0x8000, 0x4000, 0x2000, 0x6000, 0x1000, 0xc000, 0xa000];

/// The directory that another subvolume is below.
fn of_subvolume(to: &Key, path: &[u8], is_deleted: bool) -> Node {
    let allocation = if is_deleted { Allocation::Deleted } else { Allocation::Live };
    Node { allocation, ..Node::bare(path, Kind::Directory, Some(to.id), Times::default()) }
}

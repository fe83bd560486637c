//! The names of a volume, live and deleted.

use std::collections::HashSet;
use std::sync::{Arc, Mutex, PoisonError};

use super::content::inline_rest;
use super::directory::{Entry, entries};
use super::group::Ext;
use super::inode::{ENCRYPTED, INDEXED, INLINE};
use super::node::into;
use super::orphans::{path_of, unlisted};
use super::superblock::{FILETYPE, Found as FoundSuperblock, Superblock};
use crate::account::Layers;
use crate::bytes::Bytes;
use crate::field::{failure, le16, le32};
use crate::file_system::{FileSystem, Options, Recognised, Volume};
use crate::listed::Listed;
use crate::node::{Failure, Node, Nodes, Run};
use crate::stored::named;
use crate::unallocated::{self, slack};
use crate::walk::{Entries, Found, Tree, Walk, join};

const ROOT: u32 = 2;

/// Opens an ext volume; `None` for another format.
pub fn open(bytes: &Arc<dyn Bytes>) -> Result<Option<Recognised>, Failure> {
    let superblock = match Superblock::read(&**bytes)? {
        FoundSuperblock::Nothing => return Ok(None),
        FoundSuperblock::Unread(name) => return Ok(Some(Recognised::Unread(name))),
        FoundSuperblock::Superblock(superblock) => *superblock,
    };
    let (kind, names) = (superblock.kind, (superblock.label.clone(), superblock.id.clone()));
    let (block_size, warnings) = (superblock.block_size, superblock.warnings.clone());
    let volume = Arc::new(Ext::new(bytes.clone(), superblock));
    let sizes = (block_size, volume.size());
    Ok(Some(FileSystem::alone(kind, names, sizes, warnings, volume)))
}

/// The kind of names that a walk gives.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Pass {
    Live,
    Deleted,
    Slack,
}

/// The start of a list.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Place {
    Directory(u32),
    /// Inodes that no directory lists: directories that begin a tree, or all the rest.
    Roots,
    Rest,
}

/// The inodes that the walk of live names came across.
#[derive(Default)]
pub struct Seen {
    /// Inodes that some directory lists.
    pub listed: Listed,
    /// Inodes in use that no directory lists.
    pub orphans: Listed,
    /// Whether a directory could not be listed because its names are encrypted.
    pub has_encrypted: bool,
}

/// A volume while it is walked.
pub struct Names {
    pub volume: Arc<Ext>,
    pass: Pass,
    pub seen: Arc<Mutex<Seen>>,
    /// Deleted inodes that have a name.
    named: Mutex<HashSet<u32>>,
}

impl Volume for Ext {
    fn layers(self: Arc<Self>) -> Result<Layers, Failure> {
        Ext::layers(&self)
    }

    fn nodes(self: Arc<Self>, options: Options) -> Nodes {
        let seen: Arc<Mutex<Seen>> = Arc::default();
        let names =
            |pass: Pass| Arc::new(Names { volume: self.clone(), pass, seen: seen.clone(), named: Mutex::default() });
        let walk = |pass: Pass| {
            let names = names(pass);
            (names.clone(), Walk::new(names, u64::from(ROOT), Place::Directory(ROOT)))
        };
        let (live, unnamed) = (walk(Pass::Live).1, names(Pass::Live));
        // Begun when they are asked for: the listed inodes must be known by then.
        let orphans_in_use = [Place::Roots, Place::Rest].into_iter();
        let orphans_in_use = orphans_in_use.flat_map(move |place| Walk::new(unnamed.clone(), u64::MAX, place));
        let mut nodes: Nodes = Box::new(live.chain(orphans_in_use));
        if options.deleted {
            // Faults of directories were reported when the live names were listed.
            let (names, deleted) = walk(Pass::Deleted);
            let deleted = deleted.filter(Result::is_ok);
            nodes = Box::new(nodes.chain(deleted).chain(orphans(names)));
        }
        if options.unallocated {
            let volume = self.clone();
            let blocks = self.superblock.blocks.min(self.bytes.size() / self.block_size());
            let free = unallocated::free(
                self.bytes.clone(),
                0,
                self.block_size(),
                self.superblock.first_block..blocks,
                Box::new(move |block| volume.is_used(block)),
            );
            nodes = Box::new(nodes.chain(walk(Pass::Slack).1.filter(Result::is_ok)).chain(free));
        }
        nodes
    }
}

impl Tree for Names {
    type Directory = Place;

    fn list(self: Arc<Self>, directory: Place, path: Arc<[u8]>) -> Entries<Place> {
        let directory = match directory {
            Place::Directory(number) => number,
            Place::Roots => return unlisted(self, true),
            Place::Rest => return unlisted(self, false),
        };
        let fail = |failed: Failure| -> Entries<Place> { Box::new(std::iter::once(Err(failed))) };
        let is_live = self.pass == Pass::Live;
        let blocks = match self.blocks(directory) {
            Ok(blocks) => blocks,
            Err(failed) if is_live => return fail(named(failed, &path)),
            // Faults of live directories were reported when they were listed.
            Err(_) => return Box::new(std::iter::empty()),
        };
        Box::new(blocks.flat_map(move |block| {
            let (found, failed) = match block {
                Ok((found, failed)) => (found, failed),
                Err(failed) => (Vec::new(), Some(failed)),
            };
            let (names, path) = (self.clone(), path.clone());
            let failed = failed.filter(|_| is_live).map(|failed| Err(named(failed, &path)));
            found.into_iter().filter_map(move |entry| names.found(&entry, &path)).chain(failed)
        }))
    }
}

/// The entries of one block, and the fault of the block.
type Block = Result<(Vec<Entry>, Option<Failure>), Failure>;

impl Names {
    /// The entries of a directory, block by block.
    pub fn blocks(&self, directory: u32) -> Result<Box<dyn Iterator<Item = Block> + Send>, Failure> {
        let volume = self.volume.clone();
        let inode = volume.inode(directory)?;
        let has_types = volume.superblock.incompatible & FILETYPE != 0;
        let deleted = self.pass == Pass::Deleted;
        if !inode.is_directory() {
            return Err(failure(None, "not a directory"));
        }
        if inode.flags & ENCRYPTED != 0 {
            self.seen.lock().unwrap_or_else(PoisonError::into_inner).has_encrypted = true;
            return Err(failure(None, "the names are encrypted (fscrypt)"));
        }
        let parse = move |bytes: &[u8], from: usize, place: Option<u64>| {
            let (found, broken) = entries(bytes, from, has_types, deleted);
            let failed = broken.map(|broken| {
                let offset = place.map(|place| place + broken.0 as u64);
                failure(offset, "an entry of the directory contradicts itself: the rest of its block is not listed")
            });
            (found, failed)
        };
        if inode.flags & INLINE != 0 {
            let offset = volume.inode_offset(inode.number).ok();
            let rest = match inode.size > inode.block.len() as u64 {
                true => {
                    inline_rest(&inode.rest).map(|rest| parse(rest, 0, None)).map_err(|cause| failure(offset, cause))
                }
                false => Ok((Vec::new(), None)),
            };
            return Ok(Box::new([Ok(parse(&inode.block, 4, None)), rest].into_iter()));
        }
        let layout = volume.layout(&inode)?;
        let block_size = volume.block_size();
        let is_indexed = inode.flags & INDEXED != 0;
        // Holes hold no entries, and a size that was made up must not keep a reader busy.
        let runs = layout.window(0, inode.size).into_iter().filter_map(|run| Some((run, run.medium_offset?)));
        let blocks = runs.flat_map(move |(run, start): (Run, u64)| {
            (0..run.length.div_ceil(block_size))
                .map(move |index| (run.file_offset + index * block_size, start + index * block_size))
        });
        Ok(Box::new(blocks.map(move |(place, offset)| {
            let bytes = volume.block(offset / block_size)?;
            let is_index =
                is_indexed && (place == 0 || le32(&bytes, 0) == 0 && u64::from(le16(&bytes, 4)) == block_size);
            if is_index && deleted {
                // The room behind the names is the index itself.
                return Ok((Vec::new(), None));
            }
            Ok(parse(&bytes, 0, Some(offset)))
        })))
    }

    /// The node of a directory's entry in this pass.
    fn found(&self, entry: &Entry, parent: &[u8]) -> Option<Result<Found<Place>, Failure>> {
        if entry.name == b"." || entry.name == b".." {
            return None;
        }
        if self.pass == Pass::Live {
            // A file counts as listed even if its name cannot be written.
            self.seen.lock().unwrap_or_else(PoisonError::into_inner).listed.insert(entry.inode.into());
        }
        if entry.is_deleted != (self.pass == Pass::Deleted) {
            if entry.is_deleted || self.pass != Pass::Deleted {
                return None;
            }
            // A live directory is walked through for the deleted names in it.
            let inode = self.volume.inode(entry.inode).ok().filter(|inode| inode.is_directory() && inode.links > 0)?;
            let path = join(parent, &entry.name).ok()?;
            return Some(Ok(Found { node: None, into: Some(into(&inode, path)) }));
        }
        let path = match join(parent, &entry.name) {
            Ok(path) => path,
            Err(failed) => return (self.pass == Pass::Live).then_some(Err(failed)),
        };
        match self.pass {
            Pass::Live => Some(self.live(entry.inode, path)),
            Pass::Deleted => {
                let is_orphan =
                    self.seen.lock().unwrap_or_else(PoisonError::into_inner).orphans.has(entry.inode.into());
                self.volume.deleted(entry.inode, path, is_orphan, &self.named).map(Ok)
            }
            Pass::Slack => self.slack(entry.inode, path).map(Ok),
        }
    }

    fn live(&self, number: u32, path: Vec<u8>) -> Result<Found<Place>, Failure> {
        let inode = self.volume.inode(number).map_err(|failed| named(failed, &path))?;
        if inode.links == 0 {
            return Err(named(
                failure(self.volume.inode_offset(number).ok(), "the name leads to an inode that is not in use"),
                &path,
            ));
        }
        let into = inode.is_directory().then(|| into(&inode, path.clone()));
        let node = self.volume.node(&inode, path)?;
        Ok(Found { node: Some(node), into })
    }

    /// The room behind a file in its last block, and a directory to go through.
    fn slack(&self, number: u32, path: Vec<u8>) -> Option<Found<Place>> {
        let inode = self.volume.inode(number).ok().filter(|inode| inode.links > 0)?;
        if inode.is_directory() {
            return Some(Found { node: None, into: Some(into(&inode, path)) });
        }
        let layout =
            (inode.kind() == 0x8000 && inode.flags & INLINE == 0).then(|| self.volume.layout(&inode).ok())??;
        let node = slack(&self.volume.bytes, &path, inode.size, &layout)?;
        Some(Found { node: Some(node), into: None })
    }
}

/// Deleted inodes whose names are gone, in order of their numbers.
fn orphans(names: Arc<Names>) -> impl Iterator<Item = Result<Node, Failure>> + Send {
    let volume = names.volume.clone();
    let (inodes, per_group) = (volume.superblock.inodes, volume.superblock.inodes_per_group);
    let volume_of_groups = volume.clone();
    let groups = (0..volume.superblock.groups().min(volume.bytes.size() / volume.block_size()))
        .filter(move |&group| volume_of_groups.has_inodes(group).unwrap_or(false));
    let numbers = groups.flat_map(move |group| {
        let first = u32::try_from(group * u64::from(per_group)).unwrap_or(u32::MAX);
        (1..=per_group).map(move |index| first.saturating_add(index))
    });
    // Groups that claim the same inodes must not be read for longer than the volume is.
    let most = volume.bytes.size() / u64::from(volume.superblock.inode_size);
    let numbers = numbers.filter(move |&number| number <= inodes);
    numbers.take(usize::try_from(most).unwrap_or(usize::MAX)).filter_map(move |number| {
        let inode = names.volume.inode(number).ok()?;
        let is_deleted = inode.links == 0 && inode.mode != 0 && inode.times.deleted.is_some();
        let is_given = names.seen.lock().unwrap_or_else(PoisonError::into_inner).orphans.has(number.into());
        if !is_deleted || is_given || !names.named.lock().unwrap_or_else(PoisonError::into_inner).insert(number) {
            return None;
        }
        names.volume.deleted(number, path_of(number), false, &names.named)?.node.map(Ok)
    })
}

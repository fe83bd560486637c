//! All names of a volume: those of its directories, then inodes that no directory lists.

use std::sync::{Arc, Mutex, PoisonError};

use super::btree::{self, Tree};
use super::deleted::{freed, unlinked};
use super::inode::Inode;
use super::space::free;
use super::tree::{Names, Pass, Place, Seen};
use super::volume::Xfs;
use crate::field::failure;
use crate::file_system::{Options, Volume};
use crate::listed::Listed;
use crate::node::{Failure, Nodes};
use crate::stored::named;
use crate::walk::{Entries, Walk};

impl Volume for Xfs {
    fn nodes(self: Arc<Self>, options: Options) -> Nodes {
        let walk = |pass: Pass, seen: &Arc<Mutex<Seen>>, place: Place, id: u64| {
            let names = Names { volume: self.clone(), pass, seen: seen.clone() };
            Walk::new(Arc::new(names), id, place)
        };
        let root = self.root();
        let seen: Arc<Mutex<Seen>> = Arc::default();
        let live = walk(Pass::Live, &seen, Place::Directory(root), root);
        // Begun when they are asked for: what is listed must be known.
        let (volume, its) = (self.clone(), seen.clone());
        let orphans = [Place::Roots, Place::Rest].into_iter().flat_map(move |place| {
            let names = Names { volume: volume.clone(), pass: Pass::Live, seen: its.clone() };
            Walk::new(Arc::new(names), u64::MAX, place)
        });
        let mut nodes: Nodes = Box::new(live.chain(orphans));
        if options.deleted {
            // Faults of directories were reported when the live names were listed.
            let deleted = walk(Pass::Deleted, &seen, Place::Directory(root), root).filter(Result::is_ok);
            let (volume, its) = (self.clone(), seen.clone());
            let nameless = unlinked(self.clone(), seen).chain(freed(volume, its));
            nodes = Box::new(nodes.chain(deleted).chain(nameless));
        }
        if options.unallocated {
            let slack = walk(Pass::Slack, &Arc::default(), Place::Directory(root), root).filter(Result::is_ok);
            nodes = Box::new(nodes.chain(slack).chain(free(self.clone())));
        }
        nodes
    }
}

/// The path of an inode that no directory lists.
pub fn path_of(number: u64) -> Vec<u8> {
    format!("$OrphanFiles/OrphanFile-{number}").into_bytes()
}

/// All inodes that there are, with whether they are in use, by the trees of the groups.
pub fn inodes(volume: &Arc<Xfs>) -> Box<dyn Iterator<Item = Result<(u64, bool), Failure>> + Send> {
    let volume = volume.clone();
    Box::new(volume.groups().flat_map(move |group| of_group(&volume, group)))
}

type Inodes = Box<dyn Iterator<Item = Result<(u64, bool), Failure>> + Send>;

fn of_group(volume: &Arc<Xfs>, group: u32) -> Inodes {
    let root = match volume.inode_root(group) {
        Ok(root) => root,
        Err(failed) => return Box::new(std::iter::once(Err(failed))),
    };
    let (log, is_sparse) = (volume.superblock.inode_log, volume.superblock.is_sparse);
    let first = u64::from(group) << (volume.superblock.group_log + log);
    let most = u64::from(volume.superblock.blocks_of(group)) << log;
    let mut next = 0;
    Box::new(Tree::new(volume.clone(), group, btree::INODES, root).flat_map(move |record| {
        let record = match record {
            Ok(record) => record,
            Err(failed) => return vec![Err(failed)],
        };
        let start = u64::from(record.start);
        let holes = if is_sparse { record.small().0 } else { 0 };
        let there = (0..64).filter(move |index| holes >> (index / 4) & 1 == 0);
        let numbers: Vec<u64> = there.clone().collect();
        if start < next || numbers.last().is_some_and(|last| start + last >= most) {
            let cause = "a chunk of inodes lies over another, or outside of its group";
            return vec![Err(failure(Some(record.offset), cause))];
        }
        next = start + 64;
        there.map(|index| Ok((first + start + index, record.bits() >> index & 1 == 0))).collect()
    }))
}

/// Whether an inode is in use, by the tree of its group.
pub fn is_used(volume: &Arc<Xfs>, number: u64) -> Result<bool, Failure> {
    let superblock = &volume.superblock;
    let bits = superblock.group_log + superblock.inode_log;
    let Ok(group) = u32::try_from(number >> bits) else { return Ok(false) };
    let within = number & ((1 << bits) - 1);
    let Ok(first) = u32::try_from(within) else { return Ok(false) };
    let root = volume.inode_root(group)?;
    let mut records = Tree::from(volume.clone(), group, btree::INODES, root, first);
    let Some(record) = records.next().transpose()? else { return Ok(false) };
    let index = within.checked_sub(u64::from(record.start)).filter(|&index| index < 64);
    Ok(index.is_some_and(|index| record.bits() >> index & 1 == 0))
}

/// What no directory lists, once all directories were: cut off from its directory. Directories
/// that no other such directory holds go first, so that what is in them has its names.
pub fn unlisted(names: Arc<Names>, are_roots: bool) -> Entries<Place> {
    let volume = names.volume.clone();
    let below = if are_roots { below(&names) } else { Listed::default() };
    Box::new(inodes(&volume).flat_map(move |found| {
        let (number, is_used) = match found {
            Ok(found) => found,
            // Said once, behind everything else.
            Err(failed) => return if are_roots { Vec::new() } else { vec![Err(failed)] },
        };
        let is_listed = has(&names.seen, number);
        if is_listed && !is_used && !are_roots {
            let cause = "a name leads to it, and it is free";
            return vec![Err(named(failure(names.volume.inode_offset(number), cause), &path_of(number)))];
        }
        if is_listed || !is_used || is_own(&names.volume, number) {
            return Vec::new();
        }
        match names.volume.inode(number) {
            Ok(inode) if inode.is_own || inode.mode != 0 && inode.links == 0 => Vec::new(),
            Ok(inode) if are_roots && (!inode.is_directory() || below.has(number)) => Vec::new(),
            Ok(inode) if inode.mode == 0 && are_roots => Vec::new(),
            Ok(inode) if inode.mode == 0 => {
                let cause = "an inode that is in use by the tree of its group, and free by itself";
                vec![Err(named(failure(Some(inode.offset), cause), &path_of(number)))]
            }
            Ok(inode) => {
                names.seen.lock().unwrap_or_else(PoisonError::into_inner).listed.insert(number);
                names.live(&inode, &path_of(number))
            }
            Err(_) if are_roots => Vec::new(),
            Err(failed) => vec![Err(named(failed, &path_of(number)))],
        }
    }))
}

/// What directories hold that no directory lists.
fn below(names: &Arc<Names>) -> Listed {
    let mut below = Listed::default();
    let volume = &names.volume;
    for number in inodes(volume).flatten().filter_map(|(number, is_used)| is_used.then_some(number)) {
        if has(&names.seen, number) || is_own(volume, number) {
            continue;
        }
        let Some(inode) = volume.inode(number).ok().filter(|inode: &Inode| inode.is_directory()) else { continue };
        for entry in volume.live_names(&inode) {
            if entry.name != b"." && entry.name != b".." && entry.inode != number {
                below.insert(entry.inode);
            }
        }
    }
    below
}

fn has(seen: &Mutex<Seen>, number: u64) -> bool {
    seen.lock().unwrap_or_else(PoisonError::into_inner).listed.has(number)
}

/// Whether an inode is the root, or of the file system itself.
fn is_own(volume: &Xfs, number: u64) -> bool {
    number == volume.root() || volume.superblock.own.contains(&number)
}

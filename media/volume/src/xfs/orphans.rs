//! Inodes in use that no directory lists.

use std::sync::{Arc, Mutex, PoisonError};

use super::inode::Inode;
use super::inodes::{inodes, path_of};
use super::tree::{Names, Place, SeenInodes};
use super::volume::Xfs;
use crate::listed::NumberSet;
use crate::walk::Entries;
use pfh_bytes::field::failure;
use pfh_bytes::stored::named;

/// Inodes that no directory lists, once all directories were listed: they were cut off from their
/// directories. Directories that no other such directory holds go first, so that the entries below
/// them have their names.
pub fn unlisted(names: Arc<Names>, are_roots: bool) -> Entries<Place> {
    let volume = names.volume.clone();
    let below = if are_roots { below(&names) } else { NumberSet::default() };
    Box::new(inodes(&volume).flat_map(move |found| {
        let (number, is_used) = match found {
            Ok(found) => found,
            // Reported once, behind everything else.
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

/// Inodes that unlisted directories hold.
fn below(names: &Arc<Names>) -> NumberSet {
    let mut below = NumberSet::default();
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

fn has(seen: &Mutex<SeenInodes>, number: u64) -> bool {
    seen.lock().unwrap_or_else(PoisonError::into_inner).listed.has(number)
}

/// Whether an inode is the root, or of the file system itself.
fn is_own(volume: &Xfs, number: u64) -> bool {
    number == volume.root() || volume.superblock.own.contains(&number)
}

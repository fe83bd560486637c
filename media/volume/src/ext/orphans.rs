//! Inodes in use that no directory lists: cut off from their directories, or deleted while open.

use std::sync::{Arc, PoisonError};

use super::group::Ext;
use super::inode::{ATTRIBUTE, ENCRYPTED, Inode};
use super::node::into;
use super::place::Place;
use super::tree::Names;
use crate::listed::NumberSet;
use crate::walk::{Entries, WalkEntry};
use pfh_bytes::field::failure;
use pfh_bytes::node::Failure;
use pfh_bytes::stored::named;

/// The name of an inode that has none.
pub fn path_of(number: u32) -> Vec<u8> {
    format!("$OrphanFiles/OrphanFile-{number}").into_bytes()
}

/// Inodes in use that no directory lists, once all directories were listed. Directories that no
/// other such directory holds go first, so that the entries below them have their names.
pub fn unlisted(names: Arc<Names>, are_roots: bool) -> Entries<Place> {
    let below = if are_roots { below(&names) } else { NumberSet::default() };
    // Entries of unlisted directories are listed while they are walked.
    Box::new(used(&names.volume.clone()).flat_map(move |number| {
        let number = match number {
            Ok(number) => number,
            // Reported once, behind everything else.
            Err(failed) => return (!are_roots).then_some(Err(failed)),
        };
        if is_listed(&names, number) {
            return None;
        }
        let inode = match names.volume.inode(number) {
            Ok(inode) => inode,
            Err(failed) => return (!are_roots).then(|| Err(named(failed, &path_of(number)))),
        };
        if !is_a_file(&names, &inode) || are_roots && (!inode.is_directory() || below.has(number.into())) {
            return None;
        }
        let mut seen = names.seen.lock().unwrap_or_else(PoisonError::into_inner);
        seen.listed.insert(number.into());
        seen.orphans.insert(number.into());
        drop(seen);
        let node = names.volume.node(&inode, path_of(number));
        let into = inode.is_directory().then(|| into(&inode, path_of(number)));
        Some(node.map(|node| WalkEntry { node: Some(node), into }))
    }))
}

/// Whether an unlisted inode in use is that of a file. One with a time of deletion is deleted, and
/// its bitmap was not written since; the attributes of others are not files.
fn is_a_file(names: &Names, inode: &Inode) -> bool {
    let is_open = inode.links > 0 || inode.deleted <= names.volume.superblock.inodes;
    let is_hidden =
        inode.flags & ENCRYPTED != 0 && names.seen.lock().unwrap_or_else(PoisonError::into_inner).has_encrypted;
    inode.mode != 0 && inode.flags & ATTRIBUTE == 0 && is_open && !is_hidden
}

/// Inodes that unlisted directories hold.
fn below(names: &Arc<Names>) -> NumberSet {
    let mut below = NumberSet::default();
    for number in used(&names.volume).flatten().filter(|number| !is_listed(names, *number)) {
        let inode = names.volume.inode(number).ok();
        if !inode.is_some_and(|inode| inode.is_directory() && is_a_file(names, &inode)) {
            continue;
        }
        let Ok(blocks) = names.blocks(number) else { continue };
        for entry in blocks.flatten().flat_map(|(entries, _)| entries) {
            if entry.name != b"." && entry.name != b".." && entry.inode != number {
                below.insert(entry.inode.into());
            }
        }
    }
    below
}

fn is_listed(names: &Names, number: u32) -> bool {
    names.seen.lock().unwrap_or_else(PoisonError::into_inner).listed.has(number.into())
}

/// The inodes of files that are in use by the bitmaps, in order; the first bitmap that cannot be
/// read is a failure.
fn used(volume: &Arc<Ext>) -> impl Iterator<Item = Result<u32, Failure>> + Send + use<> {
    let (first, own) = (volume.superblock.first_inode, volume.superblock.own);
    let groups = volume.superblock.groups().min(volume.bytes.size() / volume.block_size());
    // Groups that claim the same inodes must not be read for longer than the volume is.
    let most = volume.bytes.size() / u64::from(volume.superblock.inode_size);
    let (volume, mut has_failed) = (volume.clone(), false);
    let numbers = (0..groups).flat_map(move |group| match volume.used_inodes(group) {
        Ok(numbers) => numbers.into_iter().map(Ok).collect::<Vec<_>>(),
        Err(_) if has_failed => Vec::new(),
        Err(failed) => {
            has_failed = true;
            let cause =
                format!("inodes in use cannot be compared with names: bitmap of group {group}: {}", failed.cause);
            vec![Err(failure(failed.offset, cause))]
        }
    });
    let is_file = move |number: &u32| *number >= first && !own.contains(number);
    numbers
        .filter(move |number| number.as_ref().map_or(true, is_file))
        .take(usize::try_from(most).unwrap_or(usize::MAX))
}

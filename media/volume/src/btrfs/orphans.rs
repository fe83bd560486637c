//! Files that no directory lists: deleted while they were open, or cut off from their directory.

use std::sync::{Arc, Mutex, PoisonError};

use super::node::Key;
use super::record::{Inode, NUMBERS, kind};
use super::volume::Subvolume;
use crate::listed::NumberSet;
use pfh_bytes::node::{Allocation, Failure, Node};
use pfh_bytes::stored::named;

/// The inodes that no directory lists, once all directories were listed. Deleted ones that wait to
/// be removed are among them on request.
pub fn orphans(
    volume: Arc<Subvolume>,
    listed: Arc<Mutex<NumberSet>>,
    deleted: bool,
) -> impl Iterator<Item = Result<Node, Failure>> + Send {
    let mut items = None;
    let next = move || {
        let items = items.get_or_insert_with(|| volume.tree.from(Key::of(*NUMBERS.start(), kind::INODE, 0)));
        loop {
            let (key, raw) = match items.next()? {
                Ok(item) => item,
                Err(failed) => return Some(vec![Err(failed)]),
            };
            let is_file = key.kind == kind::INODE && NUMBERS.contains(&key.id);
            if !is_file || listed.lock().unwrap_or_else(PoisonError::into_inner).has(key.id) {
                continue;
            }
            let path = format!("$OrphanFiles/OrphanFile-{}", key.id).into_bytes();
            let inode = match Inode::new(key.id, &raw) {
                Ok(inode) => inode,
                Err(failed) => return Some(vec![Err(named(failed, &path))]),
            };
            let is_deleted = inode.links == 0 && volume.is_orphan(key.id);
            if is_deleted && !deleted {
                continue;
            }
            let allocation = if is_deleted { Allocation::Deleted } else { Allocation::Live };
            return Some(volume.nodes_of(&inode, &path, allocation));
        }
    };
    std::iter::from_fn(next).flatten()
}

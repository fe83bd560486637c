//! Files that no directory lists: deleted while they were open, or cut off from their directory.

use std::sync::{Arc, Mutex, PoisonError};

use super::record::{self, Inode, RECORD};
use super::volume::Apfs;
use crate::listed::NumberSet;
use pfh_bytes::node::{Failure, Node};
use pfh_bytes::stored::named;

/// The inodes of the system itself: parent of the root, the root, and the directory of files that
/// were deleted while they were open.
const OWN: u64 = 3;

/// The inodes that no directory lists, once all directories were. A node of the tree that cannot be
/// read is a failure here as well, since its names are not known.
pub fn orphans(volume: Arc<Apfs>, listed: Arc<Mutex<NumberSet>>) -> impl Iterator<Item = Result<Node, Failure>> + Send {
    let mut records = None;
    let next = move || {
        let records = records.get_or_insert_with(|| volume.tree.from((0, 0, 0)));
        loop {
            let (key, value) = match records.next()? {
                Ok(record) => record,
                Err(failed) => return Some(vec![Err(failed)]),
            };
            let (number, kind) = record::number_and_kind(&key);
            if kind != RECORD.inode || number <= OWN {
                continue;
            }
            if listed.lock().unwrap_or_else(PoisonError::into_inner).has(number) {
                continue;
            }
            let path = format!("$OrphanFiles/OrphanFile-{number}").into_bytes();
            return Some(match Inode::new(number, &value) {
                Ok(inode) => volume.nodes_of(&inode, &path),
                Err(failed) => vec![Err(named(failed, &path))],
            });
        }
    };
    std::iter::from_fn(next).flatten()
}

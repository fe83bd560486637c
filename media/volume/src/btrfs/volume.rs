//! One subvolume or snapshot, and its inodes.

use std::sync::Arc;

use super::btree::Tree;
use super::node::Key;
use super::record::{Inode, kind};
use super::sums::Sums;
use pfh_bytes::field::failure;
use pfh_bytes::node::Failure;

/// A subvolume that is open.
pub struct Subvolume {
    pub tree: Arc<Tree>,
    /// The tree of checksums, or why there is none.
    pub sums: Arc<Result<Sums, Failure>>,
    /// The number of its root directory.
    pub root: u64,
    /// Whether it was deleted, and waits to be removed.
    pub is_deleted: bool,
}

impl Subvolume {
    /// An inode by its number.
    pub fn inode(&self, number: u64) -> Result<Inode, Failure> {
        let found = self.tree.get(Key::of(number, kind::INODE, 0))?;
        Inode::new(number, &found.ok_or_else(|| failure(None, format!("inode {number} is not there")))?)
    }

    /// Whether an inode was deleted while it was open.
    pub fn is_orphan(&self, number: u64) -> bool {
        self.tree.get(Key::of(super::record::ORPHANS, kind::ORPHAN, number)).is_ok_and(|found| found.is_some())
    }
}

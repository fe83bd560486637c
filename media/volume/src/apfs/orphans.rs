//! Files that no directory lists: deleted while they were open, or cut off from their directory.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};

use super::record::{self, Inode, RECORD};
use super::volume::Apfs;
use crate::node::{Failure, Node};
use crate::stored::named;

/// The inodes of the system itself: parent of the root, the root, and the directory of what was
/// deleted while it was open.
const OWN: u64 = 3;

/// Numbers of inodes, a bit for each, in pages of those that are near one another.
#[derive(Default)]
pub struct Listed(BTreeMap<u64, [u64; 8]>);

impl Listed {
    /// Takes a number up.
    pub fn insert(&mut self, number: u64) {
        let page = self.0.entry(number / 512).or_default();
        page[(number / 64 % 8) as usize] |= 1 << (number % 64);
    }

    /// Whether a number is in it.
    pub fn has(&self, number: u64) -> bool {
        self.0.get(&(number / 512)).is_some_and(|page| page[(number / 64 % 8) as usize] >> (number % 64) & 1 == 1)
    }
}

/// The inodes that no directory lists, once all directories were. A node of the tree that cannot
/// be read is a failure here as well: what it lists is not known.
pub fn orphans(volume: Arc<Apfs>, listed: Arc<Mutex<Listed>>) -> impl Iterator<Item = Result<Node, Failure>> + Send {
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_in_and_nothing_else() {
        let mut listed = Listed::default();
        let numbers = [0, 63, 64, 511, 512, 1 << 40, u64::MAX];
        for number in numbers {
            listed.insert(number);
        }
        for number in numbers {
            assert!(listed.has(number) && !listed.has(number ^ 2), "{number}");
        }
    }
}

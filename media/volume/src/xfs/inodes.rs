//! All inodes of a volume, by the trees of the groups.

use std::sync::Arc;

use super::btree::{self, Tree};
use super::volume::Xfs;
use pfh_bytes::field::failure;
use pfh_bytes::node::Failure;

/// The path of an inode that no directory lists.
pub fn path_of(number: u64) -> Vec<u8> {
    format!("$OrphanFiles/OrphanFile-{number}").into_bytes()
}

/// All inodes, each with whether it is in use, by the trees of the groups.
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

//! The free runs of a volume, by the trees of its groups.

use std::sync::Arc;

use super::btree::{self, Tree};
use super::volume::Xfs;
use crate::unallocated::gap;
use pfh_bytes::field::failure;
use pfh_bytes::node::{Failure, Nodes};

impl Xfs {
    /// The groups that begin on the medium.
    pub fn groups(&self) -> impl Iterator<Item = u32> + Send + use<> {
        let size = u64::from(self.superblock.group_blocks) * self.block_size();
        let there = u32::try_from(self.bytes.size().div_ceil(size)).unwrap_or(u32::MAX);
        0..self.superblock.groups.min(there)
    }

    /// Whether a run of bytes is free. It must be of one group, as those of extents are.
    pub fn is_free(self: &Arc<Self>, offset: u64, length: u64) -> Result<bool, Failure> {
        let size = self.block_size();
        let (first, end) = (offset / size, offset.saturating_add(length).div_ceil(size));
        let per_group = u64::from(self.superblock.group_blocks);
        let Ok(group) = u32::try_from(first / per_group) else { return Ok(false) };
        let before = u64::from(group) * per_group;
        let (first, end) = (u32::try_from(first - before).unwrap_or(u32::MAX), end - before);
        let root = self.free_root(group)?;
        let mut records = Tree::from(self.clone(), group, btree::FREE, root, first);
        let Some(record) = records.next().transpose()? else { return Ok(false) };
        Ok(record.start <= first && u64::from(record.start) + u64::from(record.number(0)) >= end)
    }
}

/// The free runs, in order of place.
pub fn free(volume: Arc<Xfs>) -> Nodes {
    Box::new(volume.groups().flat_map(move |group| of_group(&volume, group)))
}

fn of_group(volume: &Arc<Xfs>, group: u32) -> Nodes {
    let root = match volume.free_root(group) {
        Ok(root) => root,
        Err(failed) => return Box::new(std::iter::once(Err(failed))),
    };
    let (blocks, there) = (u64::from(volume.superblock.blocks_of(group)), volume.bytes.size());
    let records = Tree::new(volume.clone(), group, btree::FREE, root);
    let (volume, mut last) = (volume.clone(), 0);
    Box::new(records.filter_map(move |record| {
        let record = match record {
            Ok(record) => record,
            Err(failed) => return Some(Err(failed)),
        };
        let (start, count) = (u64::from(record.start), u64::from(record.number(0)));
        if count == 0 || start < last || start + count > blocks {
            let cause = "a run of free blocks lies over another, or outside of its group";
            return Some(Err(failure(Some(record.offset), cause)));
        }
        last = start + count;
        let offset = volume.superblock.place(group, record.start);
        let end = offset.saturating_add(count * volume.block_size()).min(there);
        (offset < end).then(|| Ok(gap(&volume.bytes, offset..end)))
    }))
}

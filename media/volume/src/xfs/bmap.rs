//! Where a fork lies: lists of extents, and trees of them.

use std::collections::HashSet;

use super::inode::{Fork, Format};
use super::seal::{Owner, Seal};
use super::volume::Xfs;
use pfh_bytes::field::{be16, be64, failure, is_at};
use pfh_bytes::layout::Layout;
use pfh_bytes::node::Failure;

/// Bytes of an extent.
pub const EXTENT: usize = 16;
/// No tree that the kernel writes is deeper.
const DEEPEST: u16 = 10;

/// A run of blocks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Extent {
    /// Where in the file, in blocks.
    pub first: u64,
    /// Where in the volume, as the number of a block.
    pub block: u64,
    pub count: u64,
    /// Whether it was allocated, and nothing was written to it.
    pub is_unwritten: bool,
}

impl Extent {
    /// The extent in these 16 bytes.
    pub fn new(raw: &[u8]) -> Extent {
        let (high, low) = (be64(raw, 0), be64(raw, 8));
        Extent {
            first: high >> 9 & ((1 << 54) - 1),
            block: (high & 0x1ff) << 43 | low >> 21,
            count: low & ((1 << 21) - 1),
            is_unwritten: high >> 63 != 0,
        }
    }
}

/// A function that takes extents, each with the place of its record.
type Take<'a> = &'a mut dyn FnMut(Extent, u64) -> Result<(), Failure>;

/// A tree while it is walked.
struct Walk<'a> {
    volume: &'a Xfs,
    owner: u64,
    visited: HashSet<u64>,
    take: Take<'a>,
}

impl Xfs {
    /// The extents of a fork in order.
    ///
    /// # Errors
    /// When they are not in order, or not as many as the inode states.
    pub fn extents(&self, owner: u64, fork: &Fork, take: Take) -> Result<(), Failure> {
        let wrong = |cause: String| Err(failure(Some(fork.offset), cause));
        let (mut count, mut end) = (0_u64, 0_u64);
        let mut check = |extent: Extent, offset: u64| {
            count += 1;
            let is_sound =
                extent.count > 0 && extent.first >= end && self.superblock.has_unwritten >= extent.is_unwritten;
            if !is_sound {
                return Err(failure(Some(offset), "an extent is empty, or lies over the one before"));
            }
            end = extent.first + extent.count;
            take(extent, offset)
        };
        match fork.format {
            Format::Extents => {
                let room = (fork.raw.len() / EXTENT) as u64;
                if fork.extents > room {
                    return wrong(format!("{} extents in room for {room}", fork.extents));
                }
                for (index, raw) in fork.raw.chunks_exact(EXTENT).take(fork.extents as usize).enumerate() {
                    check(Extent::new(raw), fork.offset + (index * EXTENT) as u64)?;
                }
            }
            Format::Tree => self.tree(owner, fork, &mut check)?,
            other => return wrong(format!("a fork without extents ({other:?})")),
        }
        match count == fork.extents {
            true => Ok(()),
            false => wrong(format!("{count} extents, and {} are stated", fork.extents)),
        }
    }

    /// The extents of a tree whose root is in the inode.
    pub fn tree(&self, owner: u64, fork: &Fork, take: Take) -> Result<(), Failure> {
        let (level, count) = (be16(&fork.raw, 0), usize::from(be16(&fork.raw, 2)));
        let most = fork.raw.len().saturating_sub(4) / 16;
        if level == 0 || level > DEEPEST || count == 0 || count > most {
            return Err(failure(Some(fork.offset), "a root of extents contradicts itself"));
        }
        let mut walk = Walk { volume: self, owner, visited: HashSet::new(), take };
        for index in 0..count {
            let (key, child) = (be64(&fork.raw, 4 + index * 8), be64(&fork.raw, 4 + (most + index) * 8));
            walk.node(child, key, level - 1)?;
        }
        Ok(())
    }

    /// Where a fork lies. Extents that were not written to are zeros, as a hole.
    pub fn layout(&self, owner: u64, fork: &Fork, is_shared: bool) -> Result<Layout, Failure> {
        let size = self.size();
        let mut layout = if is_shared { Layout::shared(size) } else { Layout::new(size) };
        self.extents(owner, fork, &mut |extent, offset| self.lay(&mut layout, extent, offset))?;
        Ok(layout)
    }

    /// Adds an extent, whose record stands at `offset`.
    pub fn lay(&self, layout: &mut Layout, extent: Extent, offset: u64) -> Result<(), Failure> {
        let Some(place) = self.superblock.offset(extent.block, extent.count) else {
            return Err(failure(Some(offset), "an extent leads out of its group of blocks"));
        };
        let Some(first) = extent.first.checked_mul(self.block_size()) else {
            return Err(failure(Some(offset), "an extent begins beyond 2^64"));
        };
        layout.push_at(first, (!extent.is_unwritten).then_some(place), extent.count * self.block_size())
    }
}

impl Walk<'_> {
    fn node(&mut self, block: u64, key: u64, level: u16) -> Result<(), Failure> {
        let what = "tree of extents";
        let (raw, offset) = self.volume.block(block, what)?;
        let wrong = |cause: &str| Err(failure(Some(offset), format!("{what}: {cause}")));
        if !self.visited.insert(block) {
            return wrong("a node stands twice");
        }
        let is_sealed = self.volume.superblock.is_sealed;
        let head = if is_sealed { 72 } else { 24 };
        if !is_at(&raw, 0, if is_sealed { b"BMA3" } else { b"BMAP" }) {
            return wrong("a node has no magic");
        }
        let owner = Some((56, Owner::Inode));
        self.volume.verify(&raw, offset, Seal { what, sum: 64, place: Some(24), uuid: 40, owner }, self.owner)?;
        if be16(&raw, 4) != level {
            return wrong("a node is of another level than its place");
        }
        let (count, most) = (usize::from(be16(&raw, 6)), (raw.len() - head) / 16);
        if count == 0 || count > most {
            return wrong("a node has more entries than room, or none");
        }
        let first = if level == 0 { Extent::new(&raw[head..]).first } else { be64(&raw, head) };
        if first < key {
            return wrong("a node holds extents that belong to another");
        }
        for index in 0..count {
            if level == 0 {
                let at = head + index * EXTENT;
                (self.take)(Extent::new(&raw[at..at + EXTENT]), offset + at as u64)?;
            } else {
                self.node(be64(&raw, head + (most + index) * 8), be64(&raw, head + index * 8), level - 1)?;
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_extent_of_all_fields() {
        let (first, block, count) = ((1_u64 << 54) - 2, (1_u64 << 52) - 3, (1_u64 << 21) - 4);
        let high = 1 << 63 | first << 9 | block >> 43;
        let low = (block & ((1 << 43) - 1)) << 21 | count;
        let raw = [high.to_be_bytes(), low.to_be_bytes()].concat();
        assert_eq!(Extent::new(&raw), Extent { first, block, count, is_unwritten: true });
    }
}

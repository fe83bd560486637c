//! Checksums of data, by logical places.

use std::sync::Arc;

use super::btree::Tree;
use super::node::Key;
use super::record::{CHECKSUMS, kind};
use pfh_bytes::node::Failure;

/// The tree of checksums.
pub struct Sums(pub Arc<Tree>);

/// The checksums of a range of blocks, one behind the other.
pub struct BlockSums {
    sums: Vec<u8>,
    are_there: Vec<bool>,
    size: usize,
}

impl BlockSums {
    /// The checksum of a block of the range; `None` if it has none.
    pub fn get(&self, index: usize) -> Option<&[u8]> {
        let is_there = self.are_there.get(index).is_some_and(|is_there| *is_there);
        self.sums.get(index * self.size..(index + 1) * self.size).filter(|_| is_there)
    }
}

impl Sums {
    /// The checksums of the blocks of a range, which begins with a block.
    pub fn of(&self, logical: u64, length: u64) -> Result<BlockSums, Failure> {
        let (block, size) = (self.0.pool.sector_size, self.0.pool.checksum.size());
        let count = length.div_ceil(block);
        let mut found =
            BlockSums { sums: vec![0; count as usize * size], are_there: vec![false; count as usize], size };
        let key = Key::of(CHECKSUMS, kind::CHECKSUMS, logical);
        let before = self.0.last_up_to(key)?.map(|(key, _)| key);
        let from = before.filter(|before| (before.id, before.kind) == (key.id, key.kind));
        for item in self.0.of(key.id, key.kind, from.unwrap_or(key).offset) {
            let (at, raw) = item?;
            if at.offset >= logical.saturating_add(length) {
                break;
            }
            // Items begin with a block of the medium, and so does the range.
            if at.offset.abs_diff(logical) % block != 0 {
                continue;
            }
            let skipped = logical.saturating_sub(at.offset) / block;
            let first = at.offset.saturating_sub(logical) / block;
            let there = (raw.len() / size) as u64;
            let shared = there.saturating_sub(skipped).min(count.saturating_sub(first)) as usize;
            let (first, skipped) = (first as usize, skipped.min(there) as usize);
            if shared > 0 {
                found.are_there[first..first + shared].fill(true);
                found.sums[first * size..(first + shared) * size]
                    .copy_from_slice(&raw[skipped * size..(skipped + shared) * size]);
            }
        }
        Ok(found)
    }
}

//! Checksums of data, by logical places.

use std::sync::Arc;

use super::btree::Tree;
use super::node::Key;
use super::record::{CHECKSUMS, kind};
use crate::node::Failure;

/// The tree of checksums.
pub struct Sums(pub Arc<Tree>);

impl Sums {
    /// The checksum of each block of a range; `None` for those that have none.
    pub fn of(&self, logical: u64, length: u64) -> Result<Vec<Option<Vec<u8>>>, Failure> {
        let (block, size) = (self.0.pool.sector_size, self.0.pool.checksum.size());
        let mut found = vec![None; length.div_ceil(block) as usize];
        let key = Key::of(CHECKSUMS, kind::CHECKSUMS, logical);
        let before = self.0.last_up_to(key)?.map(|(key, _)| key);
        let from = before.filter(|before| (before.id, before.kind) == (key.id, key.kind));
        for item in self.0.of(key.id, key.kind, from.unwrap_or(key).offset) {
            let (at, raw) = item?;
            if at.offset >= logical.saturating_add(length) {
                break;
            }
            for (index, sum) in raw.chunks_exact(size).enumerate() {
                let place = at.offset.saturating_add(index as u64 * block);
                let number = place.checked_sub(logical).filter(|distance| distance.is_multiple_of(block));
                if let Some(slot) = number.and_then(|distance| found.get_mut((distance / block) as usize)) {
                    *slot = Some(sum.to_vec());
                }
            }
        }
        Ok(found)
    }
}

//! The allocation file: a bit for each block of the volume that is in use.

use std::sync::{Arc, Mutex, PoisonError};

use super::fork::Blocks;
use crate::unallocated::free;
use pfh_bytes::bytes::Bytes;
use pfh_bytes::field::failure;
use pfh_bytes::layout::Layout;
use pfh_bytes::node::{Failure, Nodes};
use pfh_bytes::stored::gather;

/// Bytes of the map that are read together.
const PART: u64 = 4096;

/// The map.
pub struct Space {
    bytes: Arc<dyn Bytes>,
    blocks: Blocks,
    layout: Layout,
    size: u64,
    /// The part that was read last, by its number.
    held: Mutex<Option<(u64, Arc<[u8]>)>>,
}

impl Space {
    /// The map in a file of this size, which lies at these places.
    pub fn new(bytes: &Arc<dyn Bytes>, blocks: Blocks, layout: Layout, size: u64) -> Space {
        Space { bytes: bytes.clone(), blocks, layout, size, held: Mutex::default() }
    }

    /// Whether a block is in use.
    pub fn is_used(&self, block: u64) -> Result<bool, Failure> {
        let at = block / 8;
        if block >= self.blocks.count || at >= self.size {
            let place = Some(self.blocks.offset(block));
            return Err(failure(place, format!("the allocation file has no bit of block {block}")));
        }
        let mut held = self.held.lock().unwrap_or_else(PoisonError::into_inner);
        let part = match &*held {
            Some((number, part)) if *number == at / PART => part.clone(),
            _ => {
                let from = at / PART * PART;
                let length = usize::try_from((self.size - from).min(PART)).unwrap_or(0);
                let part: Arc<[u8]> = gather(&*self.bytes, &self.layout, from, length)?.into();
                *held = Some((at / PART, part.clone()));
                part
            }
        };
        // The first block of each byte is its highest bit.
        let byte = part.get((at % PART) as usize).copied().unwrap_or(0);
        Ok(byte << (block % 8) & 0x80 != 0)
    }

    /// The free runs of the volume.
    pub fn free(self: Arc<Self>) -> Nodes {
        let there = self.bytes.size().saturating_sub(self.blocks.base) / self.blocks.size;
        let (bytes, blocks) = (self.bytes.clone(), self.blocks);
        let range = 0..blocks.count.min(there);
        Box::new(free(bytes, blocks.base, blocks.size, range, Box::new(move |block| self.is_used(block))))
    }
}

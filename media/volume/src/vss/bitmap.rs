//! The map of the blocks of a volume that a store does not keep, because they were free.

use super::block::{BLOCK, Chain, HEAD, Kind};
use pfh_bytes::bytes::Bytes;
use pfh_bytes::node::Failure;

/// Blocks of a volume that a block of the map stands for.
const OF_BLOCK: u64 = (BLOCK - HEAD as u64) * 8;
/// The most blocks of a map: those of a volume of 16 TiB.
const MOST: u64 = 8 << 10;

/// A bit for each block of the volume.
#[derive(Debug)]
pub struct Bitmap(Vec<u8>);

impl Bitmap {
    /// Reads the map that begins here, for a volume of this size.
    pub fn read(bytes: &dyn Bytes, first: u64, volume: u64) -> Result<Bitmap, Failure> {
        let wanted = volume.div_ceil(BLOCK).div_ceil(OF_BLOCK).min(MOST);
        let mut bits = Vec::new();
        for block in Chain::new(bytes, Kind::Bitmap, first, wanted as usize + 1).take(wanted as usize) {
            bits.extend_from_slice(&block?.1[HEAD..]);
        }
        Ok(Bitmap(bits))
    }

    /// Whether the block at this offset was free. A block that the map leaves out was in use.
    pub fn is_free(&self, offset: u64) -> bool {
        let number = offset / BLOCK;
        let byte = usize::try_from(number / 8).ok().and_then(|at| self.0.get(at));
        byte.is_some_and(|byte| byte >> (number % 8) & 1 == 1)
    }
}

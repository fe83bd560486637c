//! The ring between the reader and the ends: how many blocks, of how many bytes (Panichprecha et
//! al.: at most five of 64 MB).

/// Where blocks begin, and the unit of their lengths: reads and writes past the page cache need it.
const ALIGN: u64 = 4096;
/// The largest block.
const LARGEST: u64 = 1 << 30;
/// The most blocks.
const MOST: u64 = 1 << 16;
/// Blocks of any size that are had by default: the paper's.
const FEWEST: u64 = 5;
/// Bytes of a block by default.
const BLOCK: u64 = 1 << 20;
/// Bytes of all blocks by default.
const ALL: u64 = 64 << 20;

/// The blocks that may be read and not yet hashed and written. Reads themselves stay at 1 MiB under
/// every length of a block: unreadable bytes are narrowed down the same way.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Ring {
    block: usize,
    blocks: usize,
    is_measured: bool,
}

/// A ring that cannot be.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum RingError {
    /// The size is not allowed for a block.
    #[error("a block has a multiple of 4096 bytes, up to 1 GiB, not {0}")]
    Block(u64),
    /// The number of blocks is not allowed.
    #[error("there are from 2 blocks (one is read while one is written) to 65536, not {0}")]
    Blocks(u64),
}

impl Ring {
    /// Blocks of that many bytes (1 MiB by default), that many of them (by default as many as 64
    /// MiB hold, and at least five).
    ///
    /// # Errors
    /// See [`RingError`].
    pub fn new(block: Option<u64>, blocks: Option<u64>) -> Result<Ring, RingError> {
        let block = block.unwrap_or(BLOCK);
        if block == 0 || block > LARGEST || !block.is_multiple_of(ALIGN) {
            return Err(RingError::Block(block));
        }
        let blocks = blocks.unwrap_or((ALL / block).max(FEWEST));
        if !(2..=MOST).contains(&blocks) {
            return Err(RingError::Blocks(blocks));
        }
        // Fits: both are far below 32 bits.
        Ok(Ring { block: block as usize, blocks: blocks as usize, is_measured: false })
    }

    /// Blocks of a size that the run chooses by the rates that it measures, in the memory that it
    /// has: it begins with 1 MiB, and larger ones have to bring more.
    pub fn measured() -> Ring {
        Ring { block: BLOCK as usize, blocks: (ALL / BLOCK) as usize, is_measured: true }
    }

    /// Whether the size is chosen on the way.
    pub fn is_measured(self) -> bool {
        self.is_measured
    }

    /// Bytes of a block, or of the first ones.
    pub fn block(self) -> usize {
        self.block
    }

    /// How many blocks there are, of the first size.
    pub fn blocks(self) -> usize {
        self.blocks
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_papers_ring_and_ours() {
        let of = |block, blocks| Ring::new(block, blocks).map(|ring| (ring.block(), ring.blocks()));
        assert_eq!(of(None, None), Ok((1 << 20, 64)));
        assert_eq!(of(Some(64_000_000), None), Ok((64_000_000, 5)));
        assert_eq!(of(Some(4096), Some(2)), Ok((4096, 2)));
        assert_eq!(of(None, Some(5)), Ok((1 << 20, 5)));
        assert_eq!(of(Some(512), None), Err(RingError::Block(512)));
        assert_eq!(of(Some(0), None), Err(RingError::Block(0)));
        assert_eq!(of(None, Some(1)), Err(RingError::Blocks(1)));
        assert_eq!((Ring::measured().block(), Ring::measured().blocks()), (1 << 20, 64));
    }
}

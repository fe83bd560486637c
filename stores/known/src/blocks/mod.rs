//! Blocks of known files: they find the remains of a file that is gone.

mod build;
mod flag;
mod rolling;
mod table;

pub use build::{BlockBuild, BlocksBuilt};
pub use flag::{COMMON, Flag};
pub use rolling::{Rolling, Sieve};
pub use table::{Block, BlockFile, BlockPlace, BlockTable};

/// Sizes that blocks may have in bytes: powers of two from a sector to a piece that is hashed at
/// once.
pub const SIZES: std::ops::RangeInclusive<u32> = 512..=1 << 20;

/// Sizes of blocks in ascending order, each once.
///
/// # Errors
/// When one is not a size of blocks.
pub fn block_sizes(sizes: &[u32]) -> Result<Vec<u32>, u32> {
    if let Some(wrong) = sizes.iter().find(|size| !SIZES.contains(size) || !size.is_power_of_two()) {
        return Err(*wrong);
    }
    let mut sizes = sizes.to_vec();
    sizes.sort_unstable();
    sizes.dedup();
    Ok(sizes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_are_powers_of_two_from_a_sector() {
        assert_eq!(block_sizes(&[4096, 512, 4096]), Ok(vec![512, 4096]));
        for wrong in [0, 1, 256, 513, 1536, 2 << 20, u32::MAX] {
            assert_eq!(block_sizes(&[512, wrong]), Err(wrong));
        }
    }
}

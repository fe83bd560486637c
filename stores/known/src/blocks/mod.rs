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

//! Errors of a request, beyond those that every job has.

use pfh_source::terminal::shown;
use std::path::PathBuf;

/// Errors of a request.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Problem {
    /// There is no image.
    #[error("no image is named")]
    NoImage,
    /// There is no set.
    #[error("nothing to compare with: no set of blocks is named")]
    NoSet,
    /// Blocks have no such size.
    #[error("blocks of {0} bytes: a size is a power of two from 512 to 1048576")]
    Size(u32),
    /// A set is one of files, or no set.
    #[error("{}: holds no blocks of files", shown(.0))]
    NoBlocks(PathBuf),
    /// A set that an earlier program built, where blocks are looked for at any byte.
    #[error("{}: has no sums by which blocks are found at any byte: build it again", shown(.0))]
    NoSums(PathBuf),
    /// No set has blocks of a size.
    #[error("blocks of {size} bytes: no set has blocks of that size, but of {}", join(others))]
    NoSuchBlocks {
        /// The size in bytes.
        size: u32,
        /// The sizes that sets have.
        others: Vec<u32>,
    },
}

fn join(sizes: &[u32]) -> String {
    sizes.iter().map(u32::to_string).collect::<Vec<_>>().join(", ")
}

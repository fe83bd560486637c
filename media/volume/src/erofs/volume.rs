//! A volume that is open: the medium, the superblock, and the parts that all files share.

use std::sync::{Arc, OnceLock};

use super::superblock::Superblock;
use pfh_bytes::bytes::Bytes;
use pfh_bytes::field::failure;
use pfh_bytes::node::Failure;

/// The inode that holds the ends of files.
pub trait Ends: Send + Sync {
    /// Exactly `length` bytes from `from` on. The caller bounds them.
    fn range(&self, from: u64, length: usize) -> Result<Vec<u8>, Failure>;
}

/// A volume that is open.
pub struct Erofs {
    pub bytes: Arc<dyn Bytes>,
    pub superblock: Arc<Superblock>,
    /// The ends of files, or why they cannot be read; not set where none are apart.
    pub ends: OnceLock<Result<Arc<dyn Ends>, Failure>>,
    /// The prefixes of long names of attributes.
    pub prefixes: OnceLock<Result<Vec<Vec<u8>>, Failure>>,
}

impl Erofs {
    /// A volume with this superblock.
    pub fn new(bytes: Arc<dyn Bytes>, superblock: Arc<Superblock>) -> Erofs {
        Erofs { bytes, superblock, ends: OnceLock::new(), prefixes: OnceLock::new() }
    }

    /// Where a block begins.
    pub fn block(&self, number: u32) -> u64 {
        u64::from(number) << self.superblock.block_log
    }

    /// `length` bytes of the inode that holds the ends of files. The caller bounds them.
    pub fn end(&self, from: u64, length: usize) -> Result<Vec<u8>, Failure> {
        let ends = self.ends.get();
        ends.ok_or_else(|| failure(None, "an end of a file in a volume that has none apart"))?
            .clone()?
            .range(from, length)
    }
}

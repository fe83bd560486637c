//! The superblock.

use pfh_bytes::bytes::Bytes;
use pfh_bytes::field::{failure, is_at, le16, le32, le64, read_some};
use pfh_bytes::node::Failure;

use super::packed::Method;

/// Bytes of it.
pub const SIZE: usize = 96;
/// A table that is not there.
const NONE: u64 = u64::MAX;
/// Blocks of files, by the kernel.
const BLOCKS: std::ops::RangeInclusive<u16> = 12..=20;

/// A superblock of version 4.0.
pub struct Superblock {
    /// Bytes of a block of a file, and their logarithm.
    pub block_size: u32,
    pub method: Method,
    /// Where the inode of the root directory is.
    pub root: u64,
    /// Bytes of the file system.
    pub size: u64,
    /// How many fragments there are.
    pub fragments: u32,
    pub inode_table: u64,
    pub directory_table: u64,
    pub fragment_table: Option<u64>,
    pub attribute_table: Option<u64>,
}

/// The result of looking for a superblock at the start of a volume.
pub enum SuperblockSearch {
    /// Another file system.
    Other,
    /// One of a version that is not read.
    Unread(String),
    /// One that is.
    Superblock(Superblock),
}

impl Superblock {
    /// Reads the superblock.
    pub fn read(bytes: &dyn Bytes) -> Result<SuperblockSearch, Failure> {
        let raw = read_some(bytes, 0, SIZE)?;
        if !is_at(&raw, 0, b"hsqs") {
            return Ok(SuperblockSearch::Other);
        }
        let wrong = |offset: u64, cause: &str| failure(Some(offset), format!("squashfs: {cause}"));
        if raw.len() < SIZE {
            return Err(wrong(raw.len() as u64, "the volume is cut off here"));
        }
        let (major, minor) = (le16(&raw, 28), le16(&raw, 30));
        if (major, minor) != (4, 0) {
            let is_older = (1..4).contains(&major);
            let version = if is_older { format!(" {major}.{minor}") } else { String::new() };
            return Ok(SuperblockSearch::Unread(format!("squashfs{version}")));
        }
        let Some(method) = Method::of(le16(&raw, 20)) else {
            return Ok(SuperblockSearch::Unread(format!("squashfs compressed by method {}", le16(&raw, 20))));
        };
        let (block_size, log) = (le32(&raw, 12), le16(&raw, 22));
        if !BLOCKS.contains(&log) || block_size != 1 << log {
            return Err(wrong(12, "a size of blocks that it cannot have"));
        }
        let size = le64(&raw, 40);
        let table = |at: usize, what: &str| {
            let start = le64(&raw, at);
            let fits = start >= SIZE as u64 && start <= size;
            if fits { Ok(start) } else { Err(wrong(at as u64, &format!("the table of {what} is not in the volume"))) }
        };
        let optional = |at: usize, what: &str| {
            let is_there = le64(&raw, at) != NONE;
            is_there.then(|| table(at, what)).transpose()
        };
        let fragments = le32(&raw, 16);
        Ok(SuperblockSearch::Superblock(Superblock {
            block_size,
            method,
            root: le64(&raw, 32),
            size,
            fragments,
            inode_table: table(64, "inodes")?,
            directory_table: table(72, "directories")?,
            fragment_table: if fragments > 0 { optional(80, "fragments")? } else { None },
            attribute_table: optional(56, "attributes")?,
        }))
    }
}

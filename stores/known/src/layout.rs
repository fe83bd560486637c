//! The layout of a known-set file, version 2 or 3. docs/adr/0002-known-set-file.md gives the
//! reasons.
//!
//! ```text
//! magic, 16 bytes
//! for each algorithm, in the order of their names:
//!   for each shard of at most 2^20 rows:
//!     blocks of 64 rows (the last may be short): rows, then the CRC-32 of the rows
//!       row: the digest, then the number of a combination of origins in 0, 1, 2 or 4 bytes
//!     (of the shard before:) index: of each block the first 8 bytes of its first digest; then the filter's fingerprints
//! origins, then combinations: records of [number, length, content, CRC-32], then for each the offset of its record
//! Bloom filters: words as they came, then the CRC-32 of each 4,096 bytes of them (the last may be fewer)
//! directory: JSON, see [`Directory`]
//! tail, 88 bytes: offset and length of the directory; BLAKE3 of the directory; BLAKE3 of all before the tail; magic, 8 bytes
//! ```
//! In version 1 Bloom filters have no checksums; all else is the same. Version 3 is that of sets of
//! blocks: it has no digests of files, and for each size of blocks a table as above, whose rows
//! hold the number of a place, then records of files and of shared places, then a filter, see
//! [`Blocks`].
//!
//! Numbers are little-endian but for digests and values that are compared with them.

use serde::{Deserialize, Serialize};

use crate::sets::Set;

/// The first bytes of a file.
pub const MAGIC: [u8; 16] = *b"pfh known set\n\x01\0";
/// The last bytes of a file.
pub const END: [u8; 8] = *b"\npfhkn1\n";
/// Bytes of the tail.
pub const TAIL: usize = 8 + 8 + 32 + 32 + 8;
/// The version that this crate writes of sets of files.
pub const VERSION: u32 = 2;
/// The version that it writes of sets of blocks: older programs must not take one for an empty set.
pub const OF_BLOCKS: u32 = 3;
/// The oldest version that this crate reads.
pub const OLDEST: u32 = 1;
/// Rows of a shard.
pub const SHARD: usize = 1 << 20;
/// Rows of a block.
pub const BLOCK: usize = 64;
/// Bytes of a Bloom filter that have a checksum together.
pub const WORDS: usize = 4096;
/// Bytes of a checksum.
pub const CRC: usize = 4;

/// Bytes that hold the number of any combination of that many origins.
pub fn combination_bytes(origins: usize) -> usize {
    match origins {
        0..=1 => 0,
        // Any set of 8 is one of 2^8.
        2..=8 => 1,
        9..=16 => 2,
        _ => 4,
    }
}

/// The header of a file.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Directory {
    /// The version of the layout.
    pub version: u32,
    /// The sets.
    pub sets: Vec<Set>,
    /// Where the origins are.
    pub origins: Section,
    /// Where the combinations are.
    pub combinations: Section,
    /// The tables, by algorithm.
    pub tables: Vec<Table>,
    /// The Bloom filters.
    pub blooms: Vec<Bloom>,
    /// The blocks of files, by their size.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub blocks: Vec<Blocks>,
}

/// The blocks of one size. Places are numbered through all files: a block of a file has the number
/// of the file's first block and how many blocks of the file are before it. A row holds the number
/// of the one place of its block, or the number of all places and that of a record of
/// [`SHARED`](crate::layout::SHARED) bytes.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Blocks {
    /// Bytes of a block.
    pub size: u32,
    /// How many places there are.
    pub places: u32,
    /// The digests.
    pub table: Table,
    /// The files, in order of their first places: number of the set, first place, number of blocks
    /// (4 bytes each), length in bytes (8), then the name.
    pub files: Section,
    /// The records of blocks with several places: the first of them, filled up with the last one,
    /// how many places and how many files there are, each 4 bytes, then the CRC-32.
    pub shared: Section,
    /// The filter of the sums of telling blocks, by which they are found at any byte; earlier
    /// programs wrote none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rolled: Option<RollingFilter>,
}

/// A filter of rolling sums: words of 64 bits, a power of two of them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct RollingFilter {
    /// Where its words start.
    pub offset: u64,
    /// How many words.
    pub words: u64,
    /// Their CRC-32.
    pub crc: u32,
}

/// Places that a record of a shared block names.
pub const PLACES: usize = 16;
/// Bytes of a record of a shared block.
pub const SHARED: usize = 4 * (PLACES + 2) + CRC;

/// Numbered records of different lengths.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Section {
    /// Where the offsets of the records start.
    pub offset: u64,
    /// How many records there are.
    pub count: u64,
}

/// The digests of one algorithm.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Table {
    /// The algorithm's name.
    pub algorithm: String,
    /// Bytes of a digest.
    pub digest: usize,
    /// Bytes of a combination's number.
    pub combination: usize,
    /// How many digests.
    pub rows: u64,
    /// The parts, in ascending order.
    pub shards: Vec<Shard>,
}

/// A run of a table's rows.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Shard {
    /// Where its first block starts.
    pub offset: u64,
    /// How many rows it has.
    pub rows: u64,
    /// Its first digest, in hexadecimal digits.
    pub first: String,
    /// Where its index starts; the fingerprints follow.
    pub index: u64,
    /// The CRC-32 of index and fingerprints.
    pub crc: u32,
    /// The filter, where one could be made.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub filter: Option<Filter>,
}

/// A binary fuse filter with fingerprints of 8 bits (Graf and Lemire 2022). Keys are the first 8
/// bytes of the digests.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Filter {
    /// Seed of the key's hash.
    pub seed: u64,
    /// Places of a segment, a power of two.
    pub segment: u32,
    /// Places of all segments but the last two.
    pub segments: u32,
    /// Fingerprints, a byte each.
    pub places: u64,
}

/// A Bloom filter of the DCSO library, whose keys are digests in upper-case hexadecimal digits.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Bloom {
    /// The position of the set that it stands for.
    pub set: u32,
    /// The algorithm of its keys.
    pub algorithm: String,
    /// Where its words start.
    pub offset: u64,
    /// Where the checksums of its words start; `None` in version 1, which has none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sums: Option<u64>,
    /// Bits.
    pub bits: u64,
    /// Positions per key.
    pub hashes: u64,
    /// Keys that were put in, as it says.
    pub entries: u64,
}

//! Objects: blocks with a number, a type and a checksum.

use crate::field::{le32, le64};
use crate::node::Failure;

/// Bytes in front of the fields of an object.
pub const HEADER: usize = 32;

/// Types of objects.
pub const SUPERBLOCK: u16 = 0x01;
pub const TREE: u16 = 0x02;
pub const TREE_NODE: u16 = 0x03;
pub const MAP: u16 = 0x0b;
pub const CHECKPOINT_MAP: u16 = 0x0c;
pub const VOLUME: u16 = 0x0d;
pub const FILES: u16 = 0x0e;
pub const SNAPSHOTS: u16 = 0x10;
pub const EXTENTS: u16 = 0x1f;

/// Flags of a type: where an object is looked up.
pub const EPHEMERAL: u32 = 0x8000_0000;
pub const PHYSICAL: u32 = 0x4000_0000;

/// An object that is whole.
pub struct Object {
    /// Where it lies, in bytes.
    pub offset: u64,
    /// All its bytes.
    pub raw: Vec<u8>,
}

impl Object {
    /// Its number.
    pub fn id(&self) -> u64 {
        le64(&self.raw, 8)
    }

    /// The transaction that wrote it.
    pub fn transaction(&self) -> u64 {
        le64(&self.raw, 16)
    }

    /// Its type, without the flags.
    pub fn kind(&self) -> u16 {
        le32(&self.raw, 24) as u16
    }

    /// The type of what a tree holds.
    pub fn subtype(&self) -> u16 {
        le32(&self.raw, 28) as u16
    }
}

/// A failure, with what it is a failure of.
pub fn within(failed: Failure, what: &str) -> Failure {
    Failure { cause: format!("{what}: {}", failed.cause), ..failed }
}

/// The checksum of an object: Fletcher's with 64 bits, over all words behind it.
pub fn checksum(raw: &[u8]) -> u64 {
    const MODULUS: u64 = 0xffff_ffff;
    let (mut low, mut high) = (0_u64, 0_u64);
    // The sums of a thousand words fit into 64 bits.
    for part in raw.get(8..).unwrap_or_default().chunks(4096) {
        for word in part.chunks_exact(4) {
            low += u64::from(u32::from_le_bytes([word[0], word[1], word[2], word[3]]));
            high += low;
        }
        (low, high) = (low % MODULUS, high % MODULUS);
    }
    let first = MODULUS - (low + high) % MODULUS;
    let second = MODULUS - (low + first) % MODULUS;
    second << 32 | first
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn checksums_make_the_sums_zero() {
        for seed in 0..50_u64 {
            let mut raw: Vec<u8> = (0..4096_u64).map(|at| ((at * at * (seed + 3)) >> 5) as u8).collect();
            if seed == 0 {
                raw[8..].fill(0xff);
            }
            let sum = checksum(&raw);
            // The definition: with the checksum behind the words both sums are zero.
            let words = raw[8..].chunks_exact(4).map(|word| u64::from(le32(word, 0)));
            let (low, high) = words.chain([sum & 0xffff_ffff, sum >> 32]).fold((0_u64, 0_u64), |(low, high), word| {
                let low = (low + word) % 0xffff_ffff;
                (low, (high + low) % 0xffff_ffff)
            });
            assert_eq!((low, high), (0, 0), "{seed}");
        }
    }
}

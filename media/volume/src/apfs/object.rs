//! Blocks of a container, and the objects in them, each with a checksum.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, PoisonError};

use super::node::Node;
use crate::bytes::Bytes;
use crate::field::{failure, le32, le64, read};
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

/// Nodes of trees that are held: a quarter of a megabyte with blocks of 4 KiB.
const MOST_NODES: usize = 64;

/// The blocks of a container.
pub struct Blocks {
    /// The medium.
    pub bytes: Arc<dyn Bytes>,
    /// Bytes of a block.
    pub block_size: u64,
    /// How many blocks the container says it has.
    pub count: u64,
    /// Nodes of trees that were used last.
    nodes: Mutex<VecDeque<(Held, Arc<Node>)>>,
}

/// A node by its block, its number, and the type of its tree.
pub type Held = (u64, u64, u16);

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

impl Blocks {
    /// The `count` blocks of a medium.
    pub fn new(bytes: Arc<dyn Bytes>, block_size: u64, count: u64) -> Blocks {
        Blocks { bytes, block_size, count, nodes: Mutex::default() }
    }

    /// How many bytes the container says it has.
    pub fn size(&self) -> u64 {
        self.count.saturating_mul(self.block_size)
    }

    /// Where a block lies.
    pub fn offset(&self, block: u64) -> u64 {
        block.saturating_mul(self.block_size)
    }

    /// The bytes of a block, as they are.
    pub fn block(&self, block: u64) -> Result<Vec<u8>, Failure> {
        if block >= self.count {
            let cause = format!("a reference to block {block}, beyond the container of {} blocks", self.count);
            return Err(failure(Some(self.offset(block)), cause));
        }
        read(&*self.bytes, self.offset(block), usize::try_from(self.block_size).unwrap_or(0))
    }

    /// An object of one block, whose checksum is that of its bytes.
    pub fn object(&self, block: u64) -> Result<Object, Failure> {
        let (offset, raw) = (self.offset(block), self.block(block)?);
        if le64(&raw, 0) != checksum(&raw) {
            return Err(failure(Some(offset), "the checksum of an object is wrong"));
        }
        Ok(Object { offset, raw })
    }

    /// An object of this type.
    pub fn object_of(&self, block: u64, kind: u16, what: &str) -> Result<Object, Failure> {
        let object = self.object(block).map_err(|failed| within(failed, what))?;
        if object.kind() != kind {
            let cause = format!("{what}: an object of the type {:#x}", object.kind());
            return Err(failure(Some(object.offset), cause));
        }
        Ok(object)
    }

    /// A node: one that is held, or what `open` makes of its block.
    pub fn node(&self, key: Held, open: impl FnOnce() -> Result<Node, Failure>) -> Result<Arc<Node>, Failure> {
        let lock = || self.nodes.lock().unwrap_or_else(PoisonError::into_inner);
        {
            let mut nodes = lock();
            if let Some(at) = nodes.iter().position(|held| held.0 == key)
                && let Some(found) = nodes.remove(at)
            {
                let node = found.1.clone();
                nodes.push_front(found);
                return Ok(node);
            }
        }
        let node = Arc::new(open()?);
        let mut nodes = lock();
        nodes.push_front((key, node.clone()));
        nodes.truncate(MOST_NODES);
        Ok(node)
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

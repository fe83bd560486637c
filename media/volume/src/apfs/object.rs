//! Objects: blocks with a number, a type and a checksum.

use pfh_bytes::field::{failure, le32, le64};
use pfh_bytes::node::Failure;
pub use pfh_container::fletcher64 as checksum;

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
    /// The object of these bytes; its checksum must hold.
    pub fn whole(offset: u64, raw: Vec<u8>) -> Result<Object, Failure> {
        match le64(&raw, 0) == checksum(&raw) {
            true => Ok(Object { offset, raw }),
            false => Err(failure(Some(offset), "the checksum of an object is wrong")),
        }
    }

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

    /// The type of a tree's entries.
    pub fn subtype(&self) -> u16 {
        le32(&self.raw, 28) as u16
    }
}

/// A failure, with the name of the structure that failed.
pub fn within(failed: Failure, what: &str) -> Failure {
    Failure { cause: format!("{what}: {}", failed.cause), ..failed }
}

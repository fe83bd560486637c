//! The seal of structures of version 5: a checksum, their place, their volume and their owner.

use super::sum::sum;
use super::volume::Xfs;
use pfh_bytes::field::{be32, be64, failure, is_at, le32};
use pfh_bytes::node::Failure;

/// Where a kind of structure has these fields.
#[derive(Debug, Clone, Copy)]
pub struct Seal {
    pub what: &'static str,
    /// The checksum.
    pub sum: usize,
    /// Its place, in units of 512 bytes.
    pub place: Option<usize>,
    /// The UUID of the volume.
    pub uuid: usize,
    /// Its owner: an inode of 64 bits, or a group of 32.
    pub owner: Option<(usize, Owner)>,
}

/// Whose a structure is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Owner {
    Group,
    Inode,
}

impl Xfs {
    /// Compares the seal of a structure from `offset` on; before version 5 there is none.
    pub fn verify(&self, raw: &[u8], offset: u64, seal: Seal, owner: u64) -> Result<(), Failure> {
        if !self.superblock.is_sealed {
            return Ok(());
        }
        let wrong = |cause: &str| Err(failure(Some(offset), format!("{}: {cause}", seal.what)));
        if sum(raw, seal.sum) != le32(raw, seal.sum) {
            return wrong("the checksum is wrong");
        }
        if !is_at(raw, seal.uuid, &self.superblock.uuid) {
            return wrong("it is of another volume");
        }
        if seal.place.is_some_and(|at| be64(raw, at) != offset / 512) {
            return wrong("it belongs to another place");
        }
        let is_its = match seal.owner {
            None => true,
            Some((at, Owner::Group)) => u64::from(be32(raw, at)) == owner,
            Some((at, Owner::Inode)) => be64(raw, at) == owner,
        };
        if is_its { Ok(()) } else { wrong("it belongs to another file or group") }
    }
}

//! The headers of a group: where its trees of free runs and inodes begin.

use super::btree::Root;
use super::seal::Seal;
use super::volume::Xfs;
use pfh_bytes::field::{be32, failure, is_at, read};
use pfh_bytes::node::Failure;

const SPACE: Seal = Seal { what: "header of a group", sum: 216, place: None, uuid: 64, owner: None };
const INODES: Seal = Seal { what: "header of a group's inodes", sum: 312, place: None, uuid: 296, owner: None };

impl Xfs {
    /// One of the sectors that a group begins with, which names itself and the group.
    fn header(&self, group: u32, sector: u64, magic: &[u8], seal: Seal) -> Result<Vec<u8>, Failure> {
        let size = usize::from(self.superblock.sector_size);
        let offset = self.superblock.place(group, 0) + sector * size as u64;
        let raw = read(&*self.bytes, offset, size)?;
        let wrong = |cause: &str| Err(failure(Some(offset), format!("{}: {cause}", seal.what)));
        if !is_at(&raw, 0, magic) || be32(&raw, 4) != 1 {
            return wrong("it has no magic");
        }
        self.verify(&raw, offset, seal, u64::from(group))?;
        if be32(&raw, 8) != group || be32(&raw, 12) != self.superblock.blocks_of(group) {
            return wrong("it is of another group, or of another size than that");
        }
        Ok(raw)
    }

    /// The tree of the inodes of a group.
    pub fn inode_root(&self, group: u32) -> Result<Root, Failure> {
        let raw = self.header(group, 2, b"XAGI", INODES)?;
        Ok(Root { block: be32(&raw, 20), levels: be32(&raw, 24) })
    }

    /// The tree of the free runs of a group by their places.
    pub fn free_root(&self, group: u32) -> Result<Root, Failure> {
        let raw = self.header(group, 1, b"XAGF", SPACE)?;
        Ok(Root { block: be32(&raw, 16), levels: be32(&raw, 28) })
    }
}

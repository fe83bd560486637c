//! Maps of objects: from the number of an object and a transaction to the block.

use std::sync::Arc;

use super::blocks::Blocks;
use super::btree::{At, Locate, Numbers, Tree};
use super::node::{Place, Shape};
use super::object::{MAP, PHYSICAL, within};
use pfh_bytes::field::{failure, le32, le64};
use pfh_bytes::node::Failure;

/// Flags of an entry.
const DELETED: u32 = 1;
const ENCRYPTED: u32 = 4;

/// The tree of the map.
const SHAPE: Shape = Shape { subtype: MAP, place, what: "map of objects" };

/// A map.
pub struct ObjectMap {
    tree: Tree,
    offset: u64,
    block_size: u64,
}

fn place(key: &[u8]) -> Option<Place> {
    (key.len() >= 16).then(|| (le64(key, 0), 0, le64(key, 8)))
}

impl ObjectMap {
    /// The map in a block.
    pub fn open(blocks: &Arc<Blocks>, block: u64) -> Result<ObjectMap, Failure> {
        let object = blocks.object_of(block, MAP, "map of objects")?;
        if le32(&object.raw, 40) & PHYSICAL == 0 {
            return Err(failure(Some(object.offset), "map of objects: its tree is not found by its block"));
        }
        let root = le64(&object.raw, 48);
        let tree = Tree::open(blocks.clone(), Numbers::Physical, root, SHAPE)?;
        Ok(ObjectMap { tree, offset: object.offset, block_size: blocks.block_size })
    }

    /// An object of this type as of a transaction, by its number.
    pub fn object(
        &self,
        blocks: &Blocks,
        number: u64,
        transaction: u64,
        (kind, what): (u16, &str),
    ) -> Result<super::object::Object, Failure> {
        let at = self.find(number, transaction).map_err(|failed| within(failed, what))?;
        if at.is_encrypted {
            return Err(failure(Some(blocks.offset(at.block)), format!("{what}: is encrypted")));
        }
        let object = blocks.object_of(at.block, kind, what)?;
        if object.id() != number {
            return Err(failure(Some(object.offset), format!("{what}: an object with another number")));
        }
        Ok(object)
    }
}

impl Locate for ObjectMap {
    fn find(&self, number: u64, transaction: u64) -> Result<At, Failure> {
        let wrong = |cause: &str| failure(Some(self.offset), format!("object {number} {cause}"));
        let found = self.tree.last_up_to((number, 0, transaction))?;
        let (_, value) = found.filter(|(key, _)| le64(key, 0) == number).ok_or_else(|| wrong("is in no map"))?;
        if value.len() < 16 {
            return Err(wrong("is mapped to nothing"));
        }
        match le32(&value, 0) {
            flags if flags & DELETED != 0 => Err(wrong("is deleted")),
            _ if u64::from(le32(&value, 4)) != self.block_size => Err(wrong("has more than a block: not read")),
            flags => Ok(At { block: le64(&value, 8), is_encrypted: flags & ENCRYPTED != 0 }),
        }
    }
}

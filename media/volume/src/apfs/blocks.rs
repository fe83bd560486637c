//! The blocks of a container, and the objects in them.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, PoisonError};

use super::node::Node;
use super::object::{Object, within};
use crate::locked::Decrypt;
use pfh_bytes::bytes::Bytes;
use pfh_bytes::field::{failure, read};
use pfh_bytes::node::Failure;

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
    /// The cipher of the volume; `None` if it is not encrypted.
    pub cipher: Option<Arc<dyn Decrypt>>,
    /// Nodes of trees that were used last.
    nodes: Mutex<VecDeque<(HeldNode, Arc<Node>)>>,
}

/// A node by its block, its number, and the type of its tree.
pub type HeldNode = (u64, u64, u16);

impl Blocks {
    /// The `count` blocks of a medium.
    pub fn new(bytes: Arc<dyn Bytes>, block_size: u64, count: u64) -> Blocks {
        Blocks { bytes, block_size, count, cipher: None, nodes: Mutex::default() }
    }

    /// The same blocks, decrypted with this cipher for one volume.
    pub fn with(&self, cipher: Arc<dyn Decrypt>) -> Blocks {
        Blocks { cipher: Some(cipher), ..Blocks::new(self.bytes.clone(), self.block_size, self.count) }
    }

    /// How many bytes the container says it has.
    pub fn size(&self) -> u64 {
        self.count.saturating_mul(self.block_size)
    }

    /// Where a block lies.
    pub fn offset(&self, block: u64) -> u64 {
        block.saturating_mul(self.block_size)
    }

    /// The bytes of a block, unchecked.
    pub fn block(&self, block: u64) -> Result<Vec<u8>, Failure> {
        if block >= self.count {
            let cause = format!("a reference to block {block}, beyond the container of {} blocks", self.count);
            return Err(failure(Some(self.offset(block)), cause));
        }
        read(&*self.bytes, self.offset(block), usize::try_from(self.block_size).unwrap_or(0))
    }

    /// An object of one block; its checksum must hold.
    pub fn object(&self, block: u64) -> Result<Object, Failure> {
        Object::whole(self.offset(block), self.block(block)?)
    }

    /// The plain bytes of a block that is encrypted.
    ///
    /// # Errors
    /// As [`Blocks::block`], and if there is no cipher.
    pub fn decrypted(&self, block: u64) -> Result<Vec<u8>, Failure> {
        let offset = self.offset(block);
        let cipher = self.cipher.as_ref().ok_or_else(|| failure(Some(offset), "a block is encrypted"))?;
        let mut raw = self.block(block)?;
        cipher.decrypt(offset, &mut raw);
        Ok(raw)
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

    /// A node: a held one, or the one that `open` reads from its block.
    pub fn node(&self, key: HeldNode, open: impl FnOnce() -> Result<Node, Failure>) -> Result<Arc<Node>, Failure> {
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

//! The record of a change, written and synced before the tree is touched: after any interruption of
//! the writing of the tree, the change can be made again from it. `docs/tree.md` lists every byte.

use std::collections::BTreeMap;

use super::{Header, Value};
use crate::wire::Reader;

const MAGIC: &[u8; 8] = b"pfh jrnl";
const VERSION: u8 = 1;
const CONTEXT: &str = "pfh tree 1 journal checksum";

/// A change of some leaves: their values before and after, and the siblings that lead from either
/// to its root.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Change {
    pub(crate) old: Header,
    pub(crate) new: Header,
    pub(crate) before: Vec<(u64, Value)>,
    pub(crate) after: Vec<(u64, Value)>,
    pub(crate) siblings: Vec<Value>,
    /// Offsets in the binary form, and the values that come there.
    pub(crate) nodes: Vec<(u64, Value)>,
}

impl Change {
    /// The header before the change.
    pub fn old(&self) -> Header {
        self.old
    }

    /// The header after the change.
    pub fn new_header(&self) -> Header {
        self.new
    }

    /// Values that were computed: leaves, nodes and the root.
    pub fn computed(&self) -> usize {
        if self.after.is_empty() { 0 } else { self.nodes.len() + 1 }
    }

    /// The record from which the change can be made again after an interruption.
    pub fn journal(&self) -> Journal {
        Journal::of(self)
    }
}

/// All that a change writes, and the state of the tree that it belongs to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Journal {
    old: Value,
    new: Header,
    nodes: BTreeMap<u64, Value>,
}

impl Journal {
    pub(super) fn of(change: &Change) -> Journal {
        Journal { old: change.old.root, new: change.new, nodes: change.nodes.iter().copied().collect() }
    }

    /// The header that the tree has after the change.
    pub fn header(&self) -> Header {
        self.new
    }

    /// The value that the change writes at this offset of the tree, if any.
    pub(super) fn value(&self, offset: u64) -> Option<Value> {
        self.nodes.get(&offset).copied()
    }

    /// Whether a tree with this header (`None`: a damaged one) is the one that the change was made
    /// for: before it, after it, or in between.
    pub(super) fn is_for(&self, header: Option<&Header>) -> bool {
        header.is_none_or(|header| {
            (header.parameters, header.length) == (self.new.parameters, self.new.length)
                && (header.root == self.old || header.root == self.new.root)
        })
    }

    /// Values to write to the tree, in ascending order: offsets and bytes, values that touch
    /// each other joined, the header last.
    pub fn writes(&self) -> Vec<(u64, Vec<u8>)> {
        let mut writes: Vec<(u64, Vec<u8>)> = Vec::new();
        for (&offset, value) in &self.nodes {
            match writes.last_mut() {
                Some((start, bytes)) if *start + bytes.len() as u64 == offset => bytes.extend(value),
                _ => writes.push((offset, value.to_vec())),
            }
        }
        writes.push((0, self.new.encode().to_vec()));
        writes
    }

    /// The binary form, with a checksum.
    pub fn encode(&self) -> Vec<u8> {
        let mut bytes = [&MAGIC[..], &[VERSION], &self.old, &self.new.encode()].concat();
        bytes.extend((self.nodes.len() as u64).to_le_bytes());
        for (offset, value) in &self.nodes {
            bytes.extend(offset.to_le_bytes());
            bytes.extend(value);
        }
        bytes.extend(blake3::derive_key(CONTEXT, &bytes));
        bytes
    }

    /// Reads the binary form; `None` for one that is not whole: then the tree has not been touched.
    pub fn decode(bytes: &[u8]) -> Option<Journal> {
        let (content, checksum) = bytes.split_last_chunk::<32>()?;
        if *checksum != blake3::derive_key(CONTEXT, content) {
            return None;
        }
        let mut reader = Reader::open(content, MAGIC, VERSION).ok()?;
        let old = reader.array().ok()?;
        let new = Header::decode(reader.bytes(Header::BYTES).ok()?).ok()?;
        let count = reader.u64().ok()?;
        let mut nodes = BTreeMap::new();
        for _ in 0..count {
            // Each takes bytes of the input: a claimed count costs no more than these.
            nodes.insert(reader.u64().ok()?, reader.array().ok()?);
        }
        reader.close().ok()?;
        Some(Journal { old, new, nodes })
    }
}

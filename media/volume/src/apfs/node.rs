//! One node of a B-tree.

use std::ops::Range;

use super::object::{HEADER, Object, TREE, TREE_NODE};
use pfh_bytes::field::{failure, le16, le32, le64};
use pfh_bytes::node::Failure;

/// Bytes in front of the table of a node.
const DATA: usize = 56;
/// Bytes of the facts about a tree, at the end of its root.
const INFO: usize = 40;
/// The deepest tree: a leaf holds two entries at least.
const DEEPEST: u16 = 24;

/// Flags of a node.
const ROOT: u16 = 1;
const LEAF: u16 = 2;
const FIXED: u16 = 4;
const HASHED: u16 = 8;
const NO_HEADER: u16 = 16;

/// An entry whose value is empty.
const GHOST: u16 = 0xffff;

/// The order of entries: number, type, and a number within these.
pub type Place = (u64, u8, u64);

/// Facts about a tree, from its root.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Info {
    /// Bytes of each key, if all have the same.
    key_size: usize,
    /// Bytes of each value of a leaf, if all have the same.
    value_size: usize,
    /// Whether nodes have no header, and so no checksum.
    pub is_bare: bool,
}

/// The kind of a tree.
#[derive(Clone, Copy)]
pub struct Shape {
    /// The type of its entries.
    pub subtype: u16,
    /// The place of a key; `None` for one that is too short.
    pub place: fn(&[u8]) -> Option<Place>,
    /// Its name in failures.
    pub what: &'static str,
}

/// A node that is whole.
pub struct Node {
    /// Where it lies, in bytes.
    pub offset: u64,
    /// 0 for leaves.
    pub level: u16,
    /// Of a root: facts about the tree.
    pub info: Option<Info>,
    raw: Vec<u8>,
    entries: Vec<Entry>,
}

/// One entry.
struct Entry {
    place: Place,
    key: Range<usize>,
    value: Range<usize>,
}

impl Node {
    /// The root of a tree (no `info`), or another node of the tree with this `info`.
    pub fn new(object: Object, shape: &Shape, info: Option<Info>) -> Result<Node, Failure> {
        let Object { offset, ref raw } = object;
        let wrong = |cause: &str| failure(Some(offset), format!("{}: {cause}", shape.what));
        let (flags, level) = (le16(raw, 32), le16(raw, 34));
        let is_root = info.is_none();
        let mut end = raw.len();
        let info = match info {
            Some(info) => info,
            None => {
                end -= INFO;
                info_of(&raw[end..], raw.len()).map_err(|cause| wrong(&cause))?
            }
        };
        if (flags & ROOT != 0) != is_root {
            return Err(wrong("a root within a tree, or a tree without one"));
        }
        if (flags & LEAF != 0) != (level == 0) || level > DEEPEST {
            return Err(wrong("the level of a node contradicts itself"));
        }
        if (flags & NO_HEADER != 0) != info.is_bare {
            return Err(wrong("a node with a header in a tree without, or the reverse"));
        }
        let kind = if is_root { TREE } else { TREE_NODE };
        if !info.is_bare && (object.kind(), object.subtype()) != (kind, shape.subtype) {
            return Err(wrong("the type of a node is another one"));
        }
        let (table_at, table_length) = (DATA + usize::from(le16(raw, 40)), usize::from(le16(raw, 42)));
        let keys_at = table_at + table_length;
        let count = le32(raw, 36) as usize;
        let is_fixed = flags & FIXED != 0;
        let each = if is_fixed { 4 } else { 8 };
        if keys_at > end || count > table_length / each {
            return Err(wrong("the table of a node contradicts itself"));
        }
        let mut entries: Vec<Entry> = Vec::with_capacity(count);
        for index in 0..count {
            let slot = &raw[table_at + index * each..];
            let (key_at, value_back) = (le16(slot, 0), le16(slot, if is_fixed { 2 } else { 4 }));
            let (key_size, value_size) = match (is_fixed, level) {
                (true, 0) => (info.key_size, info.value_size),
                (true, _) => (info.key_size, 8),
                (false, _) => (usize::from(le16(slot, 2)), usize::from(le16(slot, 6))),
            };
            let key = keys_at + usize::from(key_at)..keys_at + usize::from(key_at) + key_size;
            let value = match value_back {
                GHOST => end..end,
                back => match end.checked_sub(usize::from(back)) {
                    Some(at) => at..at + value_size,
                    None => return Err(wrong("a value of a node is outside of it")),
                },
            };
            if key.end > end || value.end > end || value.start < keys_at {
                return Err(wrong("an entry of a node is outside of it"));
            }
            // Of hashed trees the hash of the child follows.
            if level > 0 && (value.len() < 8 || value.len() > 8 && flags & HASHED == 0) {
                return Err(wrong("an entry of a node leads to no other"));
            }
            let place = (shape.place)(&raw[key.clone()]).ok_or_else(|| wrong("a key that is too short"))?;
            if entries.last().is_some_and(|last| last.place > place) {
                return Err(wrong("the entries of a node are not in order"));
            }
            entries.push(Entry { place, key, value });
        }
        if count == 0 && !is_root {
            return Err(wrong("a node without entries"));
        }
        let info = is_root.then_some(info);
        Ok(Node { offset, level, info, entries, raw: object.raw })
    }

    /// How many entries there are.
    pub fn len(&self) -> usize {
        self.entries.len()
    }

    /// The place of an entry.
    pub fn place(&self, index: usize) -> Option<Place> {
        self.entries.get(index).map(|entry| entry.place)
    }

    /// The place of the last entry.
    pub fn last(&self) -> Option<Place> {
        self.entries.last().map(|entry| entry.place)
    }

    /// How many entries are in front of a place.
    pub fn before(&self, place: Place) -> usize {
        self.entries.partition_point(|entry| entry.place < place)
    }

    /// How many entries are in front of a place or at it.
    pub fn up_to(&self, place: Place) -> usize {
        self.entries.partition_point(|entry| entry.place <= place)
    }

    /// Key and value of an entry.
    pub fn entry(&self, index: usize) -> Option<(&[u8], &[u8])> {
        let entry = self.entries.get(index)?;
        Some((&self.raw[entry.key.clone()], &self.raw[entry.value.clone()]))
    }

    /// The number of the node that an entry leads to.
    pub fn child(&self, index: usize) -> Option<u64> {
        self.entry(index).map(|(_, value)| le64(value, 0))
    }
}

/// The facts at the end of a root.
fn info_of(raw: &[u8], block: usize) -> Result<Info, String> {
    const BARE: u32 = 0x100;
    let (flags, node_size) = (le32(raw, 0), le32(raw, 4) as usize);
    if node_size != block {
        return Err(format!("nodes of {node_size} bytes in blocks of {block}: not read"));
    }
    let (key_size, value_size) = (le32(raw, 8) as usize, le32(raw, 12) as usize);
    if key_size + value_size > block {
        return Err("keys and values larger than a node".to_owned());
    }
    Ok(Info { key_size, value_size, is_bare: flags & BARE != 0 })
}

/// Bytes that a node has at least.
const _: () = assert!(HEADER < DATA);

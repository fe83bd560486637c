//! One node of a tree.

use super::checksum::Checksum;
use super::superblock::Root;
use pfh_bytes::field::{array, byte, le32, le64};

/// Bytes of a header, of an item in a leaf, and of a pointer.
const HEADER: usize = 101;
const ITEM: usize = 25;
const POINTER: usize = 33;
/// The highest tree.
const HIGHEST: u8 = 7;

/// The key of an item.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Key {
    /// The number of its inode or tree, or a place.
    pub id: u64,
    /// The type of the item.
    pub kind: u8,
    /// Which one of these.
    pub offset: u64,
}

impl Key {
    /// Bytes of one.
    pub const SIZE: usize = 17;

    /// A key.
    pub const fn of(id: u64, kind: u8, offset: u64) -> Key {
        Key { id, kind, offset }
    }

    /// The key at a place.
    pub fn read(raw: &[u8], at: usize) -> Key {
        Key { id: le64(raw, at), kind: byte(raw, at + 8), offset: le64(raw, at + 9) }
    }
}

/// A node that is whole.
pub struct Node {
    pub level: u8,
    count: usize,
    raw: Vec<u8>,
}

impl Node {
    /// The node in these bytes, which must be the one that is looked for, of a file system with one
    /// of these UUIDs.
    pub fn new((checksum, owners): (Checksum, &[[u8; 16]]), raw: Vec<u8>, root: Root) -> Result<Node, String> {
        if !checksum.is_of(raw.get(32..).unwrap_or_default(), &raw) {
            return Err("the checksum of a node is wrong".to_owned());
        }
        let (place, generation, level) = (le64(&raw, 0x30), le64(&raw, 0x50), byte(&raw, 0x64));
        if place != root.logical || !owners.contains(&array(&raw, 0x20)) {
            return Err("a node of another place or file system".to_owned());
        }
        if generation != root.generation {
            return Err(format!("a node of the transaction {generation} in place of {}", root.generation));
        }
        if level != root.level || level > HIGHEST {
            return Err(format!("a node of the level {level} in place of {}", root.level));
        }
        let count = le32(&raw, 0x60) as usize;
        let each = if level == 0 { ITEM } else { POINTER };
        if count > (raw.len() - HEADER) / each || count == 0 && level > 0 {
            return Err(format!("a node of {count} entries"));
        }
        let node = Node { level, count, raw };
        for index in 0..count {
            if index > 0 && node.key(index - 1) >= node.key(index) {
                return Err("the entries of a node are not in order".to_owned());
            }
            if level == 0 && node.range(index).start < HEADER + count * ITEM || node.range(index).end > node.raw.len() {
                return Err("an item of a node is outside of it".to_owned());
            }
        }
        Ok(node)
    }

    /// How many entries there are.
    pub fn len(&self) -> usize {
        self.count
    }

    fn entry(&self, index: usize) -> usize {
        HEADER + index * if self.level == 0 { ITEM } else { POINTER }
    }

    fn range(&self, index: usize) -> std::ops::Range<usize> {
        if self.level > 0 {
            return 0..0;
        }
        let at = self.entry(index) + Key::SIZE;
        let start = HEADER.saturating_add(le32(&self.raw, at) as usize);
        start..start.saturating_add(le32(&self.raw, at + 4) as usize)
    }

    /// The key of an entry, which must exist.
    pub fn key(&self, index: usize) -> Key {
        Key::read(&self.raw, self.entry(index))
    }

    /// The last key; `None` if there is none.
    pub fn last(&self) -> Option<Key> {
        self.count.checked_sub(1).map(|index| self.key(index))
    }

    /// The bytes of an item.
    pub fn item(&self, index: usize) -> &[u8] {
        self.raw.get(self.range(index)).unwrap_or_default()
    }

    /// The node that an entry leads to.
    pub fn child(&self, index: usize) -> Root {
        let at = self.entry(index) + Key::SIZE;
        let level = self.level.saturating_sub(1);
        Root { logical: le64(&self.raw, at), generation: le64(&self.raw, at + 8), level }
    }

    /// How many entries are in front of a key, with those at it if `is_at`.
    pub fn before(&self, key: Key, is_at: bool) -> usize {
        let (mut low, mut high) = (0, self.count);
        while low < high {
            let middle = low + (high - low) / 2;
            match self.key(middle) < key || is_at && self.key(middle) == key {
                true => low = middle + 1,
                false => high = middle,
            }
        }
        low
    }
}

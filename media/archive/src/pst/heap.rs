//! A node's heap and the properties in it ([MS-PST], 2.3): pieces of its blocks by number, a tree
//! of these, and by that tree a value for each property.

use super::data::Data;
use super::layout::Layout;
use super::store::{Node, Store};
use pfh_bytes::field::{failure, le16, le32};
use pfh_bytes::node::Failure;
use std::collections::BTreeMap;
use std::sync::Arc;

/// Properties of one node, at most.
const MOST: usize = 1 << 16;
/// Levels of a tree in a heap.
const DEEPEST: u8 = 8;

/// The value of a property.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Value {
    /// In the property itself.
    Number(u32),
    /// A piece of the heap.
    Piece(u32),
    /// The data of a node below.
    Node(u32),
}

/// The properties of a node.
pub struct Properties {
    layout: Layout,
    blocks: Vec<Vec<u8>>,
    /// By number: type and value.
    values: BTreeMap<u16, (u16, Value)>,
    /// The nodes below it.
    pub below: Vec<Node>,
}

impl Properties {
    /// Reads the properties of a node.
    pub fn read(store: &Arc<Store>, node: &Node) -> Result<Properties, Failure> {
        let blocks = Data::open(store, node.data)?.blocks()?;
        let below = super::data::below(store, node.below)?;
        let mut properties = Properties { layout: store.layout, blocks, values: BTreeMap::new(), below };
        let first = properties.blocks.first().map(Vec::as_slice).unwrap_or_default();
        if first.get(2) != Some(&0xec) || first.get(3) != Some(&0xbc) {
            return Err(failure(None, format!("node {:#x} has no properties where they must be", node.id)));
        }
        let root = le32(first, 4);
        let head = properties.piece(root)?;
        if head.len() < 8 || head[..3] != [0xb5, 2, 6] {
            return Err(failure(None, "the tree of properties has entries of another kind"));
        }
        let (levels, top) = (head[3], le32(head, 4));
        if levels >= DEEPEST {
            return Err(failure(None, format!("a tree of properties of {levels} levels")));
        }
        properties.collect(top, levels)?;
        Ok(properties)
    }

    /// A piece of the heap.
    fn piece(&self, id: u32) -> Result<&[u8], Failure> {
        let wrong = || failure(None, format!("the heap has no piece {id:#x}"));
        let (block, number) = self.layout.piece(id);
        if id & 0x1f != 0 || number == 0 {
            return Err(wrong());
        }
        let block = self.blocks.get(block).ok_or_else(wrong)?;
        let map = usize::from(le16(block, 0));
        let count = usize::from(le16(block, map));
        if map + 4 + 2 * (count + 1) > block.len() || number > count {
            return Err(wrong());
        }
        let at = |number: usize| usize::from(le16(block, map + 4 + 2 * number));
        block.get(at(number - 1)..at(number)).ok_or_else(wrong)
    }

    fn collect(&mut self, id: u32, levels: u8) -> Result<(), Failure> {
        if id == 0 {
            return Ok(());
        }
        if levels > 0 {
            let entries: Vec<u32> = self.piece(id)?.chunks_exact(6).map(|entry| le32(entry, 2)).collect();
            return entries.into_iter().try_for_each(|below| self.collect(below, levels - 1));
        }
        let entries: Vec<(u16, u16, u32)> =
            self.piece(id)?.chunks_exact(8).map(|entry| (le16(entry, 0), le16(entry, 2), le32(entry, 4))).collect();
        for (property, kind, value) in entries {
            if self.values.len() >= MOST {
                return Err(failure(None, "more properties of one node than are read"));
            }
            let found = match kind {
                // 16 and 32 bits, a float, an error, a truth.
                0x0002 | 0x0003 | 0x0004 | 0x000a | 0x000b => Value::Number(value),
                _ if value & 0x1f == 0 => Value::Piece(value),
                _ => Value::Node(value),
            };
            self.values.insert(property, (kind, found));
        }
        Ok(())
    }

    /// Type and value of a property.
    pub fn value(&self, property: u16) -> Option<&(u16, Value)> {
        self.values.get(&property)
    }

    /// A property that is a number.
    pub fn number(&self, property: u16) -> Option<u32> {
        match self.values.get(&property) {
            Some((_, Value::Number(number))) => Some(*number),
            _ => None,
        }
    }

    /// The bytes of a piece; of none for 0.
    pub fn bytes(&self, id: u32) -> Result<&[u8], Failure> {
        if id == 0 { Ok(&[]) } else { self.piece(id) }
    }

    /// A short text as UTF-8: converted from 16 bits a letter, or unchanged.
    pub fn text(&self, property: u16) -> Result<Option<Vec<u8>>, Failure> {
        let Some((kind, Value::Piece(id))) = self.values.get(&property) else { return Ok(None) };
        let bytes = self.bytes(*id)?;
        Ok(match kind {
            0x001f => Some(pfh_bytes::text::utf16(&pfh_bytes::text::units(bytes))),
            0x001e => Some(bytes.to_vec()),
            _ => None,
        })
    }

    /// A time in nanoseconds since 1970.
    pub fn time(&self, property: u16) -> Option<i128> {
        let Some((0x0040, Value::Piece(id))) = self.values.get(&property) else { return None };
        let ticks = u64::from_le_bytes(self.bytes(*id).ok()?.try_into().ok()?);
        (ticks != 0).then(|| super::super::member::from_filetime(ticks))
    }

    /// The node of this number below it.
    pub fn node(&self, id: u32) -> Result<Node, Failure> {
        let found = self.below.iter().find(|node| node.id == id);
        found.copied().ok_or_else(|| failure(None, format!("node {id:#x} is not below its own")))
    }
}

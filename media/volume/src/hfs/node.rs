//! One node of a B-tree.

use std::ops::Range;

use pfh_bytes::field::{be16, be32, byte, failure};
use pfh_bytes::node::Failure;

/// Bytes in front of the records of a node.
pub const DESCRIPTOR: usize = 14;

/// Types of nodes.
pub const LEAF: u8 = 0xff;
pub const INDEX: u8 = 0;
pub const HEADER: u8 = 1;

/// The order of records, as far as that matters here.
pub type Place = (u64, u64);

/// The kind of a tree.
#[derive(Clone, Copy)]
pub struct Shape {
    /// The place of a key; `None` for one that is too short.
    pub place: fn(&[u8]) -> Option<Place>,
    /// Its name in failures.
    pub what: &'static str,
}

/// A node that is whole.
pub struct Node {
    /// Where it lies on the medium.
    pub offset: Option<u64>,
    /// 1 for leaves.
    pub height: u8,
    /// The number of the node in front of it on its level; 0 for the first.
    pub back: u32,
    raw: Vec<u8>,
    entries: Vec<Entry>,
}

/// One record.
struct Entry {
    place: Place,
    key: Range<usize>,
    value: Range<usize>,
}

impl Node {
    /// The index node or leaf with these bytes.
    pub fn new(raw: Vec<u8>, offset: Option<u64>, shape: &Shape) -> Result<Node, Failure> {
        let wrong = |cause: &str| failure(offset, format!("{}: {cause}", shape.what));
        let (kind, height) = (byte(&raw, 8), byte(&raw, 9));
        if !matches!(kind, LEAF | INDEX) || (kind == LEAF) != (height == 1) || height == 0 {
            return Err(wrong("the type of a node contradicts its height, or is another one"));
        }
        let records = records(&raw).ok_or_else(|| wrong("the records of a node contradict one another"))?;
        let mut entries: Vec<Entry> = Vec::with_capacity(records.len());
        for record in records {
            let length = usize::from(be16(&raw, record.start));
            let key = record.start + 2..record.start + 2 + length;
            let value = key.end.next_multiple_of(2)..record.end;
            if value.start > value.end {
                return Err(wrong("a key that is longer than its record"));
            }
            if kind == INDEX && value.len() < 4 {
                return Err(wrong("a record of a node leads to no other"));
            }
            let place = (shape.place)(&raw[key.clone()]).ok_or_else(|| wrong("a key that is too short"))?;
            if entries.last().is_some_and(|last| last.place > place) {
                return Err(wrong("the records of a node are not in order"));
            }
            entries.push(Entry { place, key, value });
        }
        if entries.is_empty() && kind == INDEX {
            return Err(wrong("a node without records"));
        }
        Ok(Node { offset, height, back: be32(&raw, 4), raw, entries })
    }

    /// How many records there are.
    pub fn len(&self) -> usize {
        self.entries.len()
    }

    /// The place of a record.
    pub fn place(&self, index: usize) -> Option<Place> {
        self.entries.get(index).map(|entry| entry.place)
    }

    /// The place of the last record.
    pub fn last(&self) -> Option<Place> {
        self.entries.last().map(|entry| entry.place)
    }

    /// The number of records in front of the place that is looked for.
    pub fn before(&self, is_before: &dyn Fn(&[u8]) -> bool) -> usize {
        self.entries.partition_point(|entry| is_before(&self.raw[entry.key.clone()]))
    }

    /// Key and value of a record.
    pub fn entry(&self, index: usize) -> Option<(&[u8], &[u8])> {
        let entry = self.entries.get(index)?;
        Some((&self.raw[entry.key.clone()], &self.raw[entry.value.clone()]))
    }

    /// The number of the node that a record of an index leads to.
    pub fn child(&self, index: usize) -> Option<u32> {
        self.entry(index).map(|(_, value)| be32(value, 0))
    }
}

/// The ranges of the records of a node, which follow one another; `None` if they do not.
pub fn records(raw: &[u8]) -> Option<Vec<Range<usize>>> {
    let count = usize::from(be16(raw, 10));
    // The table of their starts stands at the end, the last one first.
    let table = raw.len().checked_sub(2 * (count + 1)).filter(|&table| table >= DESCRIPTOR)?;
    let start = |index: usize| usize::from(be16(raw, raw.len() - 2 * (index + 1)));
    let mut ranges = Vec::with_capacity(count);
    let mut end = DESCRIPTOR;
    for index in 0..count {
        let range = start(index)..start(index + 1);
        if range.start < end || range.len() < 2 || range.end > table {
            return None;
        }
        end = range.end;
        ranges.push(range);
    }
    Some(ranges)
}

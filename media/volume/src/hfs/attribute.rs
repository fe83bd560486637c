//! Extended attributes, which are in a tree of their own.

use std::sync::Arc;

use super::btree::{Record, Tree};
use super::fork::{Fork, LIST};
use super::node::{Place, Shape};
use pfh_bytes::field::{be16, be32, failure};
use pfh_bytes::node::Failure;
use pfh_bytes::text::utf16;

/// The tree of attributes.
pub const SHAPE: Shape = Shape { place, what: "tree of attributes" };

/// Types of records.
const INLINE: u32 = 0x10;
const FORK: u32 = 0x20;
const EXTENTS: u32 = 0x30;

/// The place of a key: its file.
fn place(key: &[u8]) -> Option<Place> {
    (key.len() >= 12).then(|| (u64::from(be32(key, 2)), 0))
}

/// Where the value of an attribute is.
#[derive(Debug, Clone)]
pub enum Value {
    /// With the attribute.
    Inline(Arc<[u8]>),
    /// In blocks of its own.
    Fork(Fork),
}

impl Value {
    /// Bytes of the value.
    pub fn size(&self) -> u64 {
        match self {
            Value::Inline(bytes) => bytes.len() as u64,
            Value::Fork(fork) => fork.size,
        }
    }
}

/// An extended attribute.
#[derive(Debug, Clone)]
pub struct Attribute {
    pub name: Vec<u8>,
    pub value: Value,
}

/// The attributes of a file, in the order of the tree.
pub fn attributes(tree: &Arc<Tree>, file: u32) -> Vec<Result<Attribute, Failure>> {
    let mut found: Vec<Result<Attribute, Failure>> = Vec::new();
    for record in tree.of(file) {
        let attribute = record.and_then(|record| attribute(&record, found.last_mut()));
        found.extend(attribute.transpose());
    }
    found
}

/// The attribute of a record; `None` if it holds further extents of the one before.
fn attribute(
    (key, value): &Record,
    last: Option<&mut Result<Attribute, Failure>>,
) -> Result<Option<Attribute>, Failure> {
    let wrong = || failure(None, "an extended attribute contradicts itself");
    let name = key.get(12..12 + 2 * usize::from(be16(key, 10))).ok_or_else(wrong)?;
    let name = utf16(&name.chunks_exact(2).map(|unit| be16(unit, 0)).collect::<Vec<_>>());
    let first = u64::from(be32(key, 6));
    let value = match be32(value, 0) {
        INLINE if first == 0 && value.len() >= 16 => {
            let bytes = (be32(value, 12) as usize).checked_add(16).and_then(|end| value.get(16..end));
            Value::Inline(bytes.ok_or_else(wrong)?.into())
        }
        FORK if first == 0 && value.len() >= 88 => Value::Fork(Fork::new(&value[8..])),
        EXTENTS if value.len() >= 8 + LIST => match last {
            Some(Ok(Attribute { name: its, value: Value::Fork(fork) })) if *its == name && fork.known() == first => {
                fork.extend(&value[8..]);
                return Ok(None);
            }
            _ => return Err(wrong()),
        },
        _ => return Err(wrong()),
    };
    Ok(Some(Attribute { name, value }))
}

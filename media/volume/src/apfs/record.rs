//! The records of a file system: their keys and values.

use std::sync::Arc;

use super::node::Place;
use pfh_bytes::field::{byte, failure, le16, le32, le64};
use pfh_bytes::node::{Failure, Times};

/// Types of records.
pub struct Kinds {
    pub snapshot: u8,
    pub inode: u8,
    pub attribute: u8,
    pub extent: u8,
    pub name: u8,
}

/// Types of records, by number.
pub const RECORD: Kinds = Kinds { snapshot: 1, inode: 3, attribute: 4, extent: 8, name: 9 };

/// Types of further fields of an inode.
const STREAM: u8 = 8;
/// The stream is in the attribute, or elsewhere.
const ATTRIBUTE_STREAM: u16 = 1;
const ATTRIBUTE_EMBEDDED: u16 = 2;

/// Flags of an inode.
const SPARSE: u64 = 0x200;
const COMPRESSED: u32 = 0x20;
const DATALESS: u32 = 0x4000_0000;

/// The number of a key's object, and the type of the record.
pub fn number_and_kind(key: &[u8]) -> (u64, u8) {
    let raw = le64(key, 0);
    (raw & (u64::MAX >> 4), (raw >> 60) as u8)
}

/// The place of a key in the tree of files or of snapshots.
pub fn place(key: &[u8]) -> Option<Place> {
    if key.len() < 8 {
        return None;
    }
    let (number, kind) = number_and_kind(key);
    let within = if kind == RECORD.extent { le64(key, 8) } else { 0 };
    Some((number, kind, within))
}

/// The place of a key in a tree of extents alone.
pub fn extent_place(key: &[u8]) -> Option<Place> {
    (key.len() >= 16).then(|| (le64(key, 0), RECORD.extent, le64(key, 8)))
}

/// An inode.
#[derive(Debug, Clone)]
pub struct Inode {
    pub number: u64,
    /// The number that its extents are found by.
    pub stream: u64,
    pub mode: u16,
    /// Size of its content; `None` if it has none.
    pub size: Option<u64>,
    pub is_sparse: bool,
    pub is_compressed: bool,
    /// Whether its content is not on the medium.
    pub is_elsewhere: bool,
    pub times: Times,
}

impl Inode {
    /// The inode with this number, from the value of its record.
    pub fn new(number: u64, value: &[u8]) -> Result<Inode, Failure> {
        let wrong = || failure(None, format!("inode {number} contradicts itself"));
        if value.len() < 92 {
            return Err(wrong());
        }
        let time = |at: usize| {
            let nanoseconds = le64(value, at).cast_signed();
            (nanoseconds != 0).then_some(i128::from(nanoseconds))
        };
        let times = Times { born: time(16), modified: time(24), changed: time(32), accessed: time(40), deleted: None };
        let size = field(&value[92..], STREAM).ok_or_else(wrong)?.map(|stream| le64(stream, 0));
        Ok(Inode {
            number,
            stream: le64(value, 8),
            mode: le16(value, 80),
            size,
            is_sparse: le64(value, 48) & SPARSE != 0,
            is_compressed: le32(value, 68) & COMPRESSED != 0,
            is_elsewhere: le32(value, 68) & DATALESS != 0,
            times,
        })
    }

    /// The type of its mode.
    pub fn kind(&self) -> u16 {
        self.mode & 0xf000
    }
}

/// The extended field of this type, `Some(None)` if there is none; `None` if the fields contradict
/// themselves.
fn field(raw: &[u8], kind: u8) -> Option<Option<&[u8]>> {
    if raw.is_empty() {
        return Some(None);
    }
    let count = usize::from(le16(raw, 0));
    let table = raw.get(4..4 + 4 * count)?;
    let mut at = 4 + 4 * count;
    let mut found = None;
    for row in table.chunks_exact(4) {
        let size = usize::from(le16(row, 2));
        let value = raw.get(at..at + size)?;
        at += size.next_multiple_of(8);
        if byte(row, 0) == kind {
            if found.is_some() || kind == STREAM && size < 40 {
                return None;
            }
            found = Some(value);
        }
    }
    Some(found)
}

/// A name in a directory.
pub struct Name {
    pub name: Vec<u8>,
    /// The inode that it leads to.
    pub number: u64,
    /// The type that it says the inode has.
    pub kind: u8,
}

impl Name {
    /// The name of a record; `is_hashed` if its length is kept with a hash.
    pub fn new((key, value): &(Vec<u8>, Vec<u8>), is_hashed: bool) -> Result<Name, Failure> {
        let (length, at) = match is_hashed {
            true => ((le32(key, 8) & 0x3ff) as usize, 12),
            false => (usize::from(le16(key, 8)), 10),
        };
        let name = key.get(at..at + length).and_then(|name| name.strip_suffix(b"\0"));
        match name {
            Some(name) if value.len() >= 18 => {
                Ok(Name { name: name.to_vec(), number: le64(value, 0), kind: byte(value, 16) & 15 })
            }
            _ => Err(failure(None, "a name of the directory contradicts itself")),
        }
    }
}

/// Where the value of an attribute is.
#[derive(Debug, Clone)]
pub enum Value {
    /// With the attribute.
    Embedded(Arc<[u8]>),
    /// In extents of this number, with this size.
    Stream(u64, u64),
}

/// An extended attribute.
#[derive(Debug, Clone)]
pub struct Attribute {
    pub name: Vec<u8>,
    pub value: Value,
}

impl Attribute {
    /// The attribute of a record.
    pub fn new((key, value): &(Vec<u8>, Vec<u8>)) -> Result<Attribute, Failure> {
        let wrong = || failure(None, "an extended attribute contradicts itself");
        let name = key.get(10..10 + usize::from(le16(key, 8))).and_then(|name| name.strip_suffix(b"\0"));
        let (flags, length) = (le16(value, 0), usize::from(le16(value, 2)));
        let name = name.filter(|_| value.len() >= 4).ok_or_else(wrong)?;
        let held = value.get(4..4 + length).ok_or_else(wrong)?;
        let value = match flags & (ATTRIBUTE_STREAM | ATTRIBUTE_EMBEDDED) {
            ATTRIBUTE_EMBEDDED => Value::Embedded(held.into()),
            ATTRIBUTE_STREAM if held.len() >= 48 => Value::Stream(le64(held, 0), le64(held, 8)),
            _ => return Err(wrong()),
        };
        Ok(Attribute { name: name.to_vec(), value })
    }
}

/// A range of a file.
#[derive(Debug, Clone, Copy)]
pub struct Extent {
    /// Where in the file.
    pub at: u64,
    /// Its bytes.
    pub length: u64,
    /// The block where it lies, 0 for a hole.
    pub block: u64,
    /// The block that its cipher counts from.
    pub tweak: u64,
}

impl Extent {
    /// The extent of a record; `None` for one that is too short.
    pub fn new((key, value): &(Vec<u8>, Vec<u8>)) -> Option<Extent> {
        let length = le64(value, 0) & (u64::MAX >> 8);
        let extent = Extent { at: le64(key, 8), length, block: le64(value, 8), tweak: le64(value, 16) };
        (key.len() >= 16 && value.len() >= 16).then_some(extent)
    }
}

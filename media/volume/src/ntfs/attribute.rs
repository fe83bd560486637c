//! Attributes: all that NTFS stores about a file.

use pfh_bytes::field::{byte, failure, le16, le32, le64};
use pfh_bytes::node::{Failure, Times};
use pfh_bytes::text::{units, utf16};
use pfh_bytes::time::windows;

pub const STANDARD_INFORMATION: u32 = 0x10;
pub const ATTRIBUTE_LIST: u32 = 0x20;
pub const FILE_NAME: u32 = 0x30;
pub const VOLUME_NAME: u32 = 0x60;
pub const VOLUME_INFORMATION: u32 = 0x70;
pub const DATA: u32 = 0x80;
pub const INDEX_ROOT: u32 = 0x90;
pub const INDEX_ALLOCATION: u32 = 0xa0;
pub const BITMAP: u32 = 0xb0;
pub const REPARSE_POINT: u32 = 0xc0;

/// An attribute, or the part of one that a record holds.
#[derive(Debug, Clone)]
pub struct Attribute {
    pub kind: u32,
    pub name: Vec<u16>,
    pub flags: u16,
    pub body: Body,
}

/// Where the value of an attribute is.
#[derive(Debug, Clone)]
pub enum Body {
    /// In the record.
    Resident(Vec<u8>),
    /// In clusters.
    Clusters {
        /// The first cluster of the value that this part places.
        first: u64,
        /// Logarithm of the clusters that are compressed together.
        unit: u16,
        size: u64,
        /// Bytes that were written; those behind them read as zeros.
        initialised: u64,
        /// The coded runs.
        pairs: Vec<u8>,
    },
}

/// The attributes in the used bytes of a record, from `at` on.
pub fn attributes(raw: &[u8], mut at: usize) -> Result<Vec<Attribute>, Failure> {
    let mut found = Vec::new();
    let wrong = |at: usize| failure(None, format!("the attribute at byte {at} of the record contradicts itself"));
    while at + 4 <= raw.len() && le32(raw, at) != u32::MAX {
        let length = usize::try_from(le32(raw, at + 4)).unwrap_or(usize::MAX);
        let whole = at.checked_add(length).and_then(|end| raw.get(at..end)).filter(|whole| whole.len() >= 24);
        let whole = whole.ok_or_else(|| wrong(at))?;
        found.push(attribute(whole).ok_or_else(|| wrong(at))?);
        at += length;
    }
    Ok(found)
}

fn attribute(raw: &[u8]) -> Option<Attribute> {
    let name_at = usize::from(le16(raw, 10));
    let name = units(raw.get(name_at..name_at + 2 * usize::from(byte(raw, 9)))?);
    let body = if byte(raw, 8) == 0 {
        let (length, start) = (usize::try_from(le32(raw, 16)).ok()?, usize::from(le16(raw, 20)));
        Body::Resident(raw.get(start..start.checked_add(length)?)?.to_vec())
    } else {
        if raw.len() < 64 {
            return None;
        }
        let (size, initialised) = (le64(raw, 48), le64(raw, 56));
        let pairs = raw.get(usize::from(le16(raw, 32))..)?.to_vec();
        Body::Clusters { first: le64(raw, 16), unit: le16(raw, 34), size, initialised, pairs }
    };
    Some(Attribute { kind: le32(raw, 0), name, flags: le16(raw, 12), body })
}

impl Attribute {
    /// The value, if it is in the record.
    pub fn resident(&self) -> Option<&[u8]> {
        match &self.body {
            Body::Resident(value) => Some(value),
            Body::Clusters { .. } => None,
        }
    }
}

/// A name of a file.
#[derive(Debug, Clone)]
pub struct FileName {
    /// Reference of the directory.
    pub parent: u64,
    pub name: Vec<u8>,
    /// Whether it is only the short form for DOS.
    pub is_short: bool,
}

impl FileName {
    /// Reads the value of an attribute `$FILE_NAME`, which index entries hold too.
    pub fn read(raw: &[u8]) -> Option<Self> {
        let length = usize::from(byte(raw, 64));
        let name = raw.get(66..66 + 2 * length)?;
        Some(FileName { parent: le64(raw, 0), name: utf16(&units(name)), is_short: byte(raw, 65) == 2 })
    }
}

/// The times of a file.
pub fn times(attributes: &[Attribute]) -> Times {
    let standard = attributes.iter().find(|attribute| attribute.kind == STANDARD_INFORMATION);
    let Some(raw) = standard.and_then(Attribute::resident) else { return Times::default() };
    Times {
        born: windows(le64(raw, 0)),
        modified: windows(le64(raw, 8)),
        changed: windows(le64(raw, 16)),
        accessed: windows(le64(raw, 24)),
        deleted: None,
    }
}

//! The binary form of the arrivals of a file: written beside it, so that an interrupted transfer
//! goes on; `docs/spec/tree.md` lists every byte.

use std::collections::BTreeMap;
use std::fmt;
use std::ops::Range;

use crate::arrivals::Arrivals;
use crate::tree_kind::{Edge, TreeKind};
use crate::wire::{Reader, WireError};

const MAGIC: &[u8; 8] = b"pfh rcpt";
const VERSION: u8 = 1;
/// BLAKE3's context string for the checksum.
const CONTEXT: &str = "pfh receipt 1 checksum";
/// Bytes of a receipt beside its values at most: those of some hundred thousand parts of leaves.
const BESIDE: u64 = 16 << 20;

/// Why a receipt is of no use for a transfer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Unfit {
    /// It is none, or damaged.
    Malformed(WireError),
    /// It is of a file of this length, in bytes.
    Length(u64),
    /// It is of another tree: its algorithm, and bytes of a leaf.
    Tree(String, u64),
}

impl From<WireError> for Unfit {
    fn from(malformed: WireError) -> Unfit {
        Unfit::Malformed(malformed)
    }
}

impl fmt::Display for Unfit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Unfit::Malformed(malformed) => malformed.fmt(f),
            Unfit::Length(length) => write!(f, "of a file of {length} bytes"),
            Unfit::Tree(name, leaf) => write!(f, "of a tree by {name} with leaves of {leaf} bytes"),
        }
    }
}

impl std::error::Error for Unfit {}

impl TreeKind {
    /// Bytes of a receipt of a file of `length` bytes at most.
    pub fn longest_receipt(&self, length: u64) -> u64 {
        let each = self.width() as u64 + 16;
        BESIDE.saturating_add(self.leaves(length).saturating_mul(each))
    }
}

impl Arrivals {
    /// The receipt: the ranges that have come, with their values.
    pub fn receipt(&self) -> Vec<u8> {
        self.receipt_of(&self.whole)
    }

    /// The same, but for the last leaf of a file that is complete: it is to come again.
    pub fn receipt_before_the_end(&self) -> Vec<u8> {
        let mut whole = self.whole.clone();
        if self.is_complete() {
            whole.retain(|_, behind| *behind > 1);
            whole.values_mut().for_each(|behind| *behind -= 1);
        }
        self.receipt_of(&whole)
    }

    fn receipt_of(&self, whole: &BTreeMap<u64, u64>) -> Vec<u8> {
        let (name, width) = (self.kind.name(), self.kind.width());
        let mut bytes = Vec::with_capacity(256 + self.values.len());
        bytes.extend(MAGIC);
        bytes.extend([VERSION, name.len() as u8]);
        bytes.extend(name.as_bytes());
        bytes.extend((self.kind.leaf() as u64).to_le_bytes());
        bytes.extend(self.length.to_le_bytes());
        bytes.extend((whole.len() as u64).to_le_bytes());
        for (first, behind) in whole {
            bytes.extend(first.to_le_bytes());
            bytes.extend((behind - first).to_le_bytes());
            bytes.extend(&self.values[*first as usize * width..*behind as usize * width]);
        }
        bytes.extend((self.edges.len() as u64).to_le_bytes());
        for edge in self.edges.values() {
            bytes.extend(edge.range.start.to_le_bytes());
            bytes.extend((edge.range.end - edge.range.start).to_le_bytes());
            bytes.extend(&edge.value);
        }
        let checksum = blake3::derive_key(CONTEXT, &bytes);
        bytes.extend(checksum);
        bytes
    }

    /// The arrivals of a file of `length` bytes, by its receipt. That the bytes are still there is
    /// to be [compared](Arrivals::compare).
    ///
    /// # Errors
    /// If the bytes are not a receipt, any bit of it has been changed, or it is of another file or
    /// tree.
    pub fn resume(kind: TreeKind, length: u64, receipt: &[u8]) -> Result<Arrivals, Unfit> {
        let (body, checksum) = receipt.split_last_chunk::<32>().ok_or(WireError::Truncated)?;
        let mut reader = Reader::open(body, MAGIC, VERSION)?;
        if *checksum != blake3::derive_key(CONTEXT, body) {
            return Err(WireError::Checksum.into());
        }
        let name = reader.byte()?;
        let name = str::from_utf8(reader.bytes(name.into())?).map_err(|_| WireError::Field("algorithm"))?;
        let leaf = reader.u64()?;
        if (name, leaf) != (&*kind.name(), kind.leaf() as u64) {
            return Err(Unfit::Tree(name.chars().filter(char::is_ascii_graphic).collect(), leaf));
        }
        let stated = reader.u64()?;
        if stated != length {
            return Err(Unfit::Length(stated));
        }
        let mut arrivals = Arrivals::new(kind, length);
        let (width, leaves) = (kind.width(), kind.leaves(length));
        let mut behind = None;
        for _ in 0..reader.u64()? {
            let run = stretch(&mut reader, leaves).ok_or(WireError::Field("leaves"))?;
            // Runs that touch are one.
            if behind.is_some_and(|behind| run.start <= behind) {
                return Err(WireError::Field("leaves").into());
            }
            let place = run.start as usize * width..run.end as usize * width;
            arrivals.values[place.clone()].copy_from_slice(reader.bytes(place.len())?);
            behind = Some(run.end);
            arrivals.whole.insert(run.start, run.end);
        }
        let mut end = 0;
        for _ in 0..reader.u64()? {
            let range = stretch(&mut reader, length).ok_or(WireError::Field("part of a leaf"))?;
            let index = range.start / leaf;
            let is_part = range.start >= end && range.end <= kind.range(index, length).end;
            if !is_part || arrivals.whole.range(..=index).next_back().is_some_and(|(_, behind)| *behind > index) {
                return Err(WireError::Field("part of a leaf").into());
            }
            end = range.end;
            arrivals.edges.insert(range.start, Edge { range, value: reader.bytes(width)?.to_vec() });
        }
        reader.close()?;
        Ok(arrivals)
    }
}

/// A start and a length, which is not 0; up to `end`.
fn stretch(reader: &mut Reader<'_>, end: u64) -> Option<Range<u64>> {
    let (start, length) = (reader.u64().ok()?, reader.u64().ok()?);
    let behind = start.checked_add(length).filter(|behind| *behind <= end && length > 0)?;
    Some(start..behind)
}

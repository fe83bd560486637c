//! The `table` section and its copy `table2`: where chunks are.

use super::{EwfFault, is_sealed, seal, u32_at, u64_at};
use crate::Unit;

/// Most entries of a table: more are not read by every tool (EWF specification, "Table header").
pub const MOST_ENTRIES: usize = 16_375;
/// Most entries that are accepted from others: as many as fit a section of 256 KiB.
const MOST_ACCEPTED: usize = 65_535;

/// Where the chunks of one `sectors` section start.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Table {
    /// Added to every entry, in bytes from the start of the segment: so EnCase 6.7 and later
    /// address more than 2 GiB.
    pub base: u64,
    /// Offset from the base; the topmost bit says that the chunk is compressed.
    pub entries: Vec<u32>,
}

/// The bit of an entry that says "compressed".
pub(crate) const COMPRESSED: u32 = 1 << 31;

impl Unit for Table {
    fn memory(&self) -> usize {
        4 * self.entries.len()
    }
}

impl Table {
    /// Bytes of the largest table that is accepted, without the section descriptor.
    pub(crate) const MOST: u64 = Self::length(MOST_ACCEPTED);

    /// Bytes that a table of that many entries takes, without the section descriptor.
    pub const fn length(entries: usize) -> u64 {
        24 + 4 * entries as u64 + 4
    }

    /// As bytes.
    pub fn encode(&self) -> Vec<u8> {
        let mut bytes = Vec::with_capacity(Self::length(self.entries.len()) as usize);
        bytes.extend_from_slice(&(self.entries.len() as u32).to_le_bytes());
        bytes.extend_from_slice(&[0; 4]);
        bytes.extend_from_slice(&self.base.to_le_bytes());
        bytes.extend_from_slice(&[0; 4]);
        seal(&mut bytes, 0);
        self.entries.iter().for_each(|e| bytes.extend_from_slice(&e.to_le_bytes()));
        seal(&mut bytes, 24);
        bytes
    }

    /// How many entries follow a table header (its first 24 bytes), whose section has `payload`
    /// bytes.
    ///
    /// # Errors
    /// When the checksum is wrong or the section has another length than that many entries take.
    pub fn entries_in(header: &[u8], payload: u64) -> Result<usize, EwfFault> {
        if header.len() != 24 || !is_sealed(header) {
            return Err(EwfFault::new("checksum of a table header"));
        }
        let entries = u32_at(header, 0) as usize;
        if entries > MOST_ACCEPTED || entries == 0 {
            return Err(EwfFault::new("a table without entries, or with more than 65,535"));
        }
        if payload < Self::length(entries) {
            return Err(EwfFault::new("a table longer than its section"));
        }
        Ok(entries)
    }

    /// Reads it.
    ///
    /// # Errors
    /// When a checksum is wrong, or lengths contradict each other.
    pub fn decode(bytes: &[u8]) -> Result<Self, EwfFault> {
        let header = bytes.get(..24).unwrap_or_default();
        let entries = Self::entries_in(header, bytes.len() as u64)?;
        let body = &bytes[24..24 + 4 * entries + 4];
        if !is_sealed(body) {
            return Err(EwfFault::new("checksum of a table"));
        }
        let entries = body[..4 * entries].chunks_exact(4).map(|e| u32_at(e, 0)).collect();
        Ok(Table { base: u64_at(header, 8), entries })
    }

    /// Where chunk `index` of this table starts, in bytes from the start of the segment, and
    /// whether it is compressed.
    pub fn entry(&self, index: usize) -> Option<(u64, bool)> {
        let entry = *self.entries.get(index)?;
        Some((self.base.checked_add(u64::from(entry & !COMPRESSED))?, entry & COMPRESSED != 0))
    }
}

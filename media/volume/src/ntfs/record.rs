//! Records of the MFT, and the numbers that protect records and index blocks against torn writes.

use super::attribute::{Attribute, attributes};
use pfh_bytes::field::{failure, is_at, le16, le32, le64};
use pfh_bytes::node::Failure;

/// The lower 48 bits of a reference: the number of a record.
pub const NUMBER: u64 = (1 << 48) - 1;

/// A record of the MFT.
#[derive(Debug, Clone)]
pub struct Record {
    pub number: u64,
    pub sequence: u16,
    pub is_used: bool,
    pub is_directory: bool,
    /// The record whose attributes these are too; 0 for one that stands for itself.
    pub base: u64,
    pub attributes: Vec<Attribute>,
}

/// Puts the last bytes of each 512 back that the writer kept apart.
///
/// # Errors
/// If the magic is not there, or the numbers show that only a part was written.
pub fn repair(block: &mut [u8], magic: &[u8; 4]) -> Result<(), Failure> {
    if !is_at(block, 0, magic) {
        return Err(failure(None, format!("not a block of the kind {}", String::from_utf8_lossy(magic))));
    }
    let (at, count) = (usize::from(le16(block, 4)), usize::from(le16(block, 6)));
    let sectors = block.len() / 512;
    if count != sectors + 1 || !at.is_multiple_of(2) || at + 2 * count > block.len() {
        return Err(failure(None, "the numbers against torn writes are not where they can be"));
    }
    let mark = le16(block, at);
    for sector in 0..sectors {
        let end = 512 * sector + 510;
        if le16(block, end) != mark {
            return Err(failure(None, "a block was written in part"));
        }
        let kept = at + 2 + 2 * sector;
        block.copy_within(kept..kept + 2, end);
    }
    Ok(())
}

impl Record {
    /// Reads a record from its bytes.
    pub fn new(number: u64, mut raw: Vec<u8>) -> Result<Self, Failure> {
        repair(&mut raw, b"FILE")?;
        let flags = le16(&raw, 0x16);
        let used = usize::try_from(le32(&raw, 0x18)).unwrap_or(usize::MAX).min(raw.len());
        let first = usize::from(le16(&raw, 0x14));
        Ok(Record {
            number,
            sequence: le16(&raw, 0x10),
            is_used: flags & 1 != 0,
            is_directory: flags & 2 != 0,
            base: le64(&raw, 0x20) & NUMBER,
            attributes: attributes(&raw[..used], first)?,
        })
    }
}

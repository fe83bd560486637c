//! Bags of keys: that of a container, and that of each volume (*Apple File System Reference*,
//! "Encryption").

use crate::failure::Failure;
use crate::field::{array, le16, le32, le64, read};
use crate::mode::Cipher;
use pfh_container::{Bytes, fletcher64};

/// A bag is a few blocks; this is more than any has.
const MOST_BYTES: u64 = 1 << 20;
/// Bytes in front of the entries: the head of an object, and that of the bag.
const HEAD: usize = 48;
/// Bytes in front of an entry's data.
const ENTRY: usize = 24;

/// Types of objects.
pub const OF_CONTAINER: u32 = 0x6b65_7973;
pub const OF_VOLUME: u32 = 0x7265_6373;

/// Tags of entries. `RECORDS` means the place of a volume's bag in a container's bag, and a wrapped
/// key in a volume's bag.
pub const VOLUME_KEY: u16 = 2;
pub const RECORDS: u16 = 3;
pub const HINT: u16 = 4;

/// Where a bag lies.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Place {
    /// Its first block.
    pub block: u64,
    /// How many blocks it has.
    pub count: u64,
}

impl Place {
    /// The place that stands in these bytes.
    pub fn read(raw: &[u8], at: usize) -> Place {
        Place { block: le64(raw, at), count: le64(raw, at + 8) }
    }
}

/// An entry.
pub struct Entry {
    /// The volume or the user that it belongs to.
    pub id: [u8; 16],
    pub tag: u16,
    pub data: Vec<u8>,
}

/// The entries of a bag, which the UUID of its container or volume encrypts.
pub fn entries(
    bytes: &dyn Bytes,
    block_size: u64,
    place: Place,
    (kind, id): (u32, [u8; 16]),
) -> Result<Vec<Entry>, Failure> {
    let offset = place.block.saturating_mul(block_size);
    let wrong = |what: &str| Failure::damaged(offset, format!("an APFS bag of keys {what}"));
    let length = place.count.saturating_mul(block_size);
    if length == 0 || length > MOST_BYTES || offset.checked_add(length).is_none_or(|end| end > bytes.size()) {
        return Err(wrong("that is outside of the container"));
    }
    let mut raw = read(bytes, offset, length as usize)?;
    let is_bag = |raw: &[u8]| le32(raw, 24) == kind && le64(raw, 0) == fletcher64(raw);
    // A bag is plain as long as no volume is encrypted.
    if !is_bag(&raw) {
        let cipher = Cipher::xts(&[id, id].concat(), 512).ok_or_else(|| wrong("without a cipher"))?;
        cipher.decrypt(offset, &mut raw);
        if !is_bag(&raw) {
            return Err(wrong(
                "that the container's own number does not open: the device itself keeps it, or it is damaged",
            ));
        }
    }
    if le16(&raw, 32) != 2 {
        return Err(wrong("of another version"));
    }
    let mut entries = Vec::new();
    let mut at = HEAD;
    for _ in 0..le16(&raw, 34) {
        let length = usize::from(le16(&raw, at + 18));
        let data = raw.get(at + ENTRY..at + ENTRY + length).ok_or_else(|| wrong("whose entries are cut off"))?;
        entries.push(Entry { id: array(&raw, at), tag: le16(&raw, at + 16), data: data.to_vec() });
        at = (at + ENTRY + length).next_multiple_of(16);
    }
    Ok(entries)
}

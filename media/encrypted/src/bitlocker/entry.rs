//! Entries of the metadata, which may hold others.

use crate::failure::Failure;
use crate::field::le16;

/// An entry: its two kinds, and its data.
pub struct Entry<'a> {
    pub kind: u16,
    pub value: u16,
    pub data: &'a [u8],
}

/// The entries of these bytes, which lie at `at`.
pub fn entries(mut bytes: &[u8], mut at: u64) -> Result<Vec<Entry<'_>>, Failure> {
    let mut found = Vec::new();
    while bytes.len() >= 8 {
        let size = usize::from(le16(bytes, 0));
        // Zeros fill up the rest.
        if size == 0 {
            break;
        }
        let Some(data) = bytes.get(8..size) else {
            return Err(Failure::damaged(at, format!("an entry of {size} bytes")));
        };
        found.push(Entry { kind: le16(bytes, 2), value: le16(bytes, 4), data });
        bytes = &bytes[size..];
        at += size as u64;
    }
    Ok(found)
}

//! Extended attributes.

use std::sync::Arc;

use super::volume::Squash;
use pfh_bytes::field::{failure, le16, le32, le64, read};
use pfh_bytes::node::Failure;

/// Bytes of a row of the table, and how many a block of metadata holds.
const ROW: u64 = 16;
const ROWS: u64 = super::metadata::BLOCK as u64 / ROW;
/// The type's bit for a value that is kept elsewhere.
const ELSEWHERE: u16 = 0x100;
/// The longest value, and the most bytes of one file's.
const LONGEST: u32 = 64 << 10;
const MOST: usize = 16 << 20;

/// Names as Linux writes them, each with its value.
pub type Attributes = Vec<(Vec<u8>, Arc<[u8]>)>;

impl Squash {
    /// The attributes of a row.
    pub fn attributes(&self, row: u32) -> Result<Attributes, Failure> {
        let none = || failure(None, "attributes in a volume that has none");
        let table = self.superblock.attribute_table.ok_or_else(none)?;
        let head = read(&*self.bytes, table, 16)?;
        let (start, rows) = (le64(&head, 0), le32(&head, 8));
        if row >= rows {
            return Err(failure(Some(table), format!("attributes {row} of {rows}")));
        }
        let place = table.saturating_add(16 + u64::from(row) / ROWS * 8);
        let block = le64(&read(&*self.bytes, place, 8)?, 0);
        let at = (u64::from(row) % ROWS * ROW) as usize;
        let found = self.metadata.within(0, block, at).take(ROW as usize)?;
        let (reference, count) = (le64(&found, 0), le32(&found, 8));
        let mut cursor = self.metadata.at(start, reference);
        let (mut attributes, mut bytes) = (Attributes::new(), 0);
        for _ in 0..count {
            let entry = cursor.take(4)?;
            let kind = le16(&entry, 0);
            let name = cursor.take(le16(&entry, 2).into())?;
            let space: &[u8] = match kind & 0xff {
                0 => b"user.",
                1 => b"trusted.",
                2 => b"security.",
                other => {
                    let cause = format!("an attribute of the type {other}");
                    return Err(failure(Some(cursor.place()), cause));
                }
            };
            let length = le32(&cursor.take(4)?, 0);
            let value = if kind & ELSEWHERE == 0 {
                cursor.take(bounded(length, cursor.place())?)?
            } else {
                let reference = le64(&cursor.take(8)?, 0);
                let mut there = self.metadata.at(start, reference);
                let length = le32(&there.take(4)?, 0);
                there.take(bounded(length, there.place())?)?
            };
            bytes += value.len() + name.len() + 64;
            if bytes > MOST {
                return Err(failure(Some(cursor.place()), "more than 16 MiB of attributes"));
            }
            attributes.push(([space, &name].concat(), value.into()));
        }
        Ok(attributes)
    }
}

fn bounded(length: u32, place: u64) -> Result<usize, Failure> {
    match length {
        0..=LONGEST => Ok(length as usize),
        _ => Err(failure(Some(place), format!("an attribute of {length} bytes"))),
    }
}

//! Records of a directory.

use super::descriptor::disagree;
use pfh_bytes::field::{be32, byte, le32};
use pfh_bytes::node::Failure;
use pfh_bytes::time::zoned;

/// One record. A file of several extents has one for each.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Record {
    /// First block, extended attributes left out, and bytes.
    pub block: u32,
    pub size: u32,
    pub name: Vec<u8>,
    pub is_directory: bool,
    /// A further stream of the file before (Apple's resource forks).
    pub is_associated: bool,
    /// Whether another record of the same file follows.
    pub continues: bool,
    pub is_interleaved: bool,
    pub recorded: Option<i128>,
    /// The bytes behind the name: Rock Ridge.
    pub system: Vec<u8>,
    /// Where it stands, in bytes.
    pub offset: u64,
    /// A contradiction between the two byte orders of block and size.
    pub contradiction: Option<Failure>,
}

/// The records in a sector that stands at `offset`, up to the first that contradicts itself, and
/// where that is.
pub fn records(sector: &[u8], offset: u64) -> (Vec<Record>, Option<u64>) {
    let mut found = Vec::new();
    let mut at = 0;
    while byte(sector, at) != 0 {
        let place = offset + at as u64;
        let length = usize::from(byte(sector, at));
        let Some(record) = sector.get(at..at + length).and_then(|raw| record(raw, place)) else {
            return (found, Some(place));
        };
        found.push(record);
        at += length;
    }
    (found, None)
}

fn record(raw: &[u8], offset: u64) -> Option<Record> {
    let length = usize::from(byte(raw, 32));
    let name = raw.get(33..33 + length).filter(|name| !name.is_empty())?.to_vec();
    let flags = byte(raw, 25);
    let start = 33 + length + usize::from(length.is_multiple_of(2));
    Some(Record {
        block: le32(raw, 2).checked_add(u32::from(byte(raw, 1)))?,
        size: le32(raw, 10),
        name,
        is_directory: flags & 2 != 0,
        is_associated: flags & 4 != 0,
        continues: flags & 0x80 != 0,
        is_interleaved: byte(raw, 26) != 0 || byte(raw, 27) != 0,
        recorded: zoned(raw.get(18..25)?),
        system: raw.get(start..).unwrap_or_default().to_vec(),
        offset,
        contradiction: [(2, "the place of the file"), (10, "the size of the file")]
            .into_iter()
            .find(|(at, _)| le32(raw, *at) != be32(raw, at + 4))
            .map(|(at, what)| disagree(offset + at as u64, what, le32(raw, at), be32(raw, at + 4))),
    })
}

impl Record {
    /// Whether it stands for the directory itself, or for the one above.
    pub fn is_dots(&self) -> bool {
        self.name == [0] || self.name == [1]
    }
}

//! Inodes.

use std::sync::Arc;

use super::metadata::{Cursor, Metadata};
use pfh_bytes::field::{failure, le16, le32, le64};
use pfh_bytes::node::Failure;

/// The longest target of a link.
const LONGEST_LINK: u32 = 64 << 10;
/// No fragment, no attributes.
const NONE: u32 = u32::MAX;

/// The kind and the content of an inode.
pub enum Of {
    Directory {
        /// The block of its list from the table's start, the place in it, and how many bytes.
        block: u32,
        at: u16,
        size: u32,
    },
    File(Lies),
    Link(Vec<u8>),
    /// A pipe, socket or device, by its name in output.
    Special(&'static str),
}

/// Where a file lies.
#[derive(Clone)]
pub struct Lies {
    pub size: u64,
    /// Where its blocks begin on the medium.
    pub start: u64,
    /// The fragment that holds its end, and the place in it.
    pub fragment: Option<(u32, u32)>,
    /// The lengths of its blocks.
    pub lengths: Cursor,
}

/// An inode.
pub struct Inode {
    pub number: u32,
    /// Seconds since 1970.
    pub modified: u32,
    pub of: Of,
    /// Its row in the table of attributes.
    pub attributes: Option<u32>,
}

impl Inode {
    /// Reads the inode at a reference.
    pub fn read(metadata: &Arc<Metadata>, table: u64, reference: u64) -> Result<Inode, Failure> {
        let mut cursor = metadata.at(table, reference);
        let place = cursor.place();
        let head = cursor.take(16)?;
        let kind = le16(&head, 0);
        let row = |number: u32| (number != NONE).then_some(number);
        let (of, attributes) = match kind {
            1 => {
                let raw = cursor.take(16)?;
                let size = u32::from(le16(&raw, 8));
                (Of::Directory { block: le32(&raw, 0), at: le16(&raw, 10), size }, None)
            }
            8 => {
                let raw = cursor.take(24)?;
                let of = Of::Directory { block: le32(&raw, 8), at: le16(&raw, 18), size: le32(&raw, 4) };
                (of, row(le32(&raw, 20)))
            }
            2 => {
                let raw = cursor.take(16)?;
                let fragment = row(le32(&raw, 4)).map(|fragment| (fragment, le32(&raw, 8)));
                let (start, size) = (le32(&raw, 0).into(), le32(&raw, 12).into());
                (Of::File(Lies { size, start, fragment, lengths: cursor }), None)
            }
            9 => {
                let raw = cursor.take(40)?;
                let fragment = row(le32(&raw, 28)).map(|fragment| (fragment, le32(&raw, 32)));
                let (start, size) = (le64(&raw, 0), le64(&raw, 8));
                (Of::File(Lies { size, start, fragment, lengths: cursor }), row(le32(&raw, 36)))
            }
            3 | 10 => {
                let length = le32(&cursor.take(8)?, 4);
                if length > LONGEST_LINK {
                    return Err(failure(Some(place), format!("a link with a target of {length} bytes")));
                }
                let target = cursor.take(length as usize)?;
                (Of::Link(target), if kind == 10 { row(le32(&cursor.take(4)?, 0)) } else { None })
            }
            4 | 5 | 6 | 7 | 11..=14 => {
                let (name, bytes) = match kind {
                    4 | 11 => ("block device", 8),
                    5 | 12 => ("character device", 8),
                    6 | 13 => ("fifo", 4),
                    _ => ("socket", 4),
                };
                cursor.take(bytes)?;
                (Of::Special(name), if kind > 10 { row(le32(&cursor.take(4)?, 0)) } else { None })
            }
            other => return Err(failure(Some(place), format!("an inode of the type {other}"))),
        };
        Ok(Inode { number: le32(&head, 12), modified: le32(&head, 8), of, attributes })
    }
}

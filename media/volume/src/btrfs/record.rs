//! The items of a subvolume and their contents.

use std::sync::Arc;

use super::node::Key;
use pfh_bytes::field::{byte, failure, le16, le32, le64};
use pfh_bytes::node::{Failure, Times};

/// Types of items.
pub mod kind {
    pub const INODE: u8 = 1;
    pub const NAME_OF_INODE: u8 = 12;
    pub const ATTRIBUTE: u8 = 24;
    pub const ORPHAN: u8 = 48;
    pub const NAME_BY_HASH: u8 = 84;
    pub const NAME: u8 = 96;
    pub const EXTENT: u8 = 108;
    pub const CHECKSUMS: u8 = 128;
    pub const ROOT: u8 = 132;
    pub const PARENT_OF_ROOT: u8 = 144;
    pub const USED: u8 = 168;
    pub const USED_NODE: u8 = 169;
    pub const DEVICE: u8 = 216;
    pub const CHUNK: u8 = 228;
}

/// The object whose items are orphans.
pub const ORPHANS: u64 = 5_u64.wrapping_neg();
/// The object whose items are checksums.
pub const CHECKSUMS: u64 = 10_u64.wrapping_neg();
/// Numbers of files and of subvolumes.
pub const NUMBERS: std::ops::RangeInclusive<u64> = 256..=256_u64.wrapping_neg();

/// Bytes of the items, or of the fields before a name in them.
const INODE_SIZE: usize = 160;
const ENTRY_SIZE: usize = 30;
const EXTENT_HEAD: usize = 21;
const EXTENT_SIZE: usize = 53;

/// The flag of an inode whose data have no checksums.
const NO_CHECKSUMS: u64 = 1;

/// An inode.
#[derive(Debug, Clone, Copy)]
pub struct Inode {
    pub number: u64,
    pub mode: u32,
    pub size: u64,
    pub links: u32,
    pub has_checksums: bool,
    pub times: Times,
}

impl Inode {
    /// The inode with this number, from the item.
    pub fn new(number: u64, raw: &[u8]) -> Result<Inode, Failure> {
        if raw.len() < INODE_SIZE {
            return Err(failure(None, format!("inode {number} is cut off")));
        }
        let time = |at: usize| {
            let seconds = i128::from(le64(raw, at).cast_signed());
            seconds * 1_000_000_000 + i128::from(le32(raw, at + 8))
        };
        let (accessed, changed, modified) = (Some(time(112)), Some(time(124)), Some(time(136)));
        // Inodes of old kernels have none.
        let born = Some(time(148)).filter(|&time| time != 0);
        Ok(Inode {
            number,
            mode: le32(raw, 52),
            size: le64(raw, 16),
            links: le32(raw, 40),
            has_checksums: le64(raw, 64) & NO_CHECKSUMS == 0,
            times: Times { modified, accessed, changed, born, deleted: None },
        })
    }

    /// The type of its mode.
    pub fn kind(&self) -> u32 {
        self.mode & 0xf000
    }
}

/// A name in a directory, or an attribute.
#[derive(Debug, Clone)]
pub struct Entry {
    /// The item that the name leads to.
    pub to: Key,
    /// The type that it says this has.
    pub kind: u8,
    pub name: Vec<u8>,
    pub value: Vec<u8>,
}

/// The entries of an item: one, or several whose names have one hash.
pub fn entries(raw: &[u8]) -> Result<Vec<Entry>, Failure> {
    let (mut found, mut rest) = (Vec::new(), raw);
    while !rest.is_empty() {
        let (value, name) = (usize::from(le16(rest, 25)), usize::from(le16(rest, 27)));
        let end = ENTRY_SIZE + name + value;
        let held = rest.get(ENTRY_SIZE..end).ok_or_else(|| failure(None, "an entry of a directory is cut off"))?;
        let (name, value) = held.split_at(name);
        // The highest bit says that the name is encrypted.
        found.push(Entry { to: Key::read(rest, 0), kind: byte(rest, 29), name: name.to_vec(), value: value.to_vec() });
        rest = &rest[end..];
    }
    Ok(found)
}

/// A name that an inode has in its parent: the parent's entry of that number.
pub fn name_of_inode(raw: &[u8]) -> Option<(u64, &[u8])> {
    Some((le64(raw, 0), raw.get(10..10 + usize::from(le16(raw, 8)))?))
}

/// How bytes are compressed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Method {
    Plain,
    Zlib,
    Lzo,
    Zstd,
}

/// Where bytes of a file are.
#[derive(Debug, Clone)]
pub enum ExtentPlace {
    /// Nowhere: they are zero.
    Hole,
    /// In the item.
    Inline(Arc<[u8]>),
    /// At a logical place.
    Stored {
        /// Where the whole extent begins, and its bytes there.
        logical: u64,
        stored: u64,
        /// Where in it, once it is unpacked, these bytes begin.
        from: u64,
    },
}

/// A range of a file.
#[derive(Debug, Clone)]
pub struct Extent {
    pub at: u64,
    pub length: u64,
    /// Bytes of the whole once it is unpacked.
    pub unpacked: u64,
    pub method: Method,
    pub place: ExtentPlace,
}

/// The most bytes that are compressed as one.
pub const MOST_PACKED: u64 = 128 << 10;

impl Extent {
    /// The range of an item that begins at `at` in the file.
    pub fn new(at: u64, raw: &[u8]) -> Result<Extent, String> {
        if raw.len() < EXTENT_HEAD {
            return Err("an extent that is cut off".to_owned());
        }
        if le16(raw, 17) != 0 || byte(raw, 18) | byte(raw, 19) != 0 {
            return Err("an extent that is encrypted or coded in an unknown way".to_owned());
        }
        let unpacked = le64(raw, 8);
        let method = match byte(raw, 16) {
            0 => Method::Plain,
            1 => Method::Zlib,
            2 => Method::Lzo,
            3 => Method::Zstd,
            other => return Err(format!("an extent that is compressed in the unknown way {other}")),
        };
        let is_packed = method != Method::Plain;
        if is_packed && unpacked > MOST_PACKED {
            return Err(format!("a compressed extent of {unpacked} bytes"));
        }
        if byte(raw, 20) == 0 {
            let held = &raw[EXTENT_HEAD..];
            if at != 0 || !is_packed && held.len() as u64 != unpacked {
                return Err("an extent in the metadata that contradicts itself".to_owned());
            }
            return Ok(Extent { at, length: unpacked, unpacked, method, place: ExtentPlace::Inline(held.into()) });
        }
        if raw.len() < EXTENT_SIZE {
            return Err("an extent that is cut off".to_owned());
        }
        let (logical, stored, from, length) = (le64(raw, 21), le64(raw, 29), le64(raw, 37), le64(raw, 45));
        if length == 0 || at.checked_add(length).is_none() {
            return Err("an extent without bytes".to_owned());
        }
        let place = match byte(raw, 20) {
            1 if logical != 0 => {
                let is_within = from.checked_add(length).is_some_and(|end| end <= unpacked);
                if !is_within || is_packed && stored > MOST_PACKED || !is_packed && stored < unpacked {
                    return Err("an extent that is longer than its data".to_owned());
                }
                ExtentPlace::Stored { logical, stored, from }
            }
            // Room that was set aside, and nothing written to it.
            1 | 2 => ExtentPlace::Hole,
            other => return Err(format!("an extent of the unknown type {other}")),
        };
        Ok(Extent { at, length, unpacked, method, place })
    }

    /// Where it ends in the file.
    pub fn end(&self) -> u64 {
        self.at.saturating_add(self.length)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn extents_that_contradict_themselves() {
        let good = |change: &[(usize, u64)]| {
            let mut raw = vec![0; 53];
            for &(at, value) in
                [(8, 8192), (20, 1), (21, 1 << 20), (29, 8192), (37, 4096), (45, 4096)].iter().chain(change)
            {
                let size = if at == 20 || at == 16 || at == 17 { 1 } else { 8 };
                raw[at..at + size].copy_from_slice(&value.to_le_bytes()[..size]);
            }
            Extent::new(4096, &raw)
        };
        let found = good(&[]).unwrap();
        assert_eq!((found.end(), found.method), (8192, Method::Plain));
        assert!(matches!(good(&[(20, 2)]).unwrap().place, ExtentPlace::Hole));
        assert!(matches!(good(&[(21, 0)]).unwrap().place, ExtentPlace::Hole));
        let wrong: [&[(usize, u64)]; 9] = [
            &[(16, 9)],
            &[(17, 1)],
            &[(20, 0)],
            &[(20, 7)],
            &[(45, 0)],
            &[(45, u64::MAX)],
            &[(37, 8192)],
            &[(29, 4096)],
            &[(16, 1), (8, 1 << 20), (29, 8192)],
        ];
        for change in wrong {
            good(change).unwrap_err();
        }
        Extent::new(0, &[0; 20]).unwrap_err();
        assert!(entries(&[1; 40]).is_err() && entries(&[]).unwrap().is_empty());
    }
}

//! Extended attributes.

use std::sync::Arc;

use super::inode::Inode;
use super::volume::Erofs;
use pfh_bytes::field::{byte, failure, le16, le32, read};
use pfh_bytes::node::Failure;

/// The most bytes of one file's attributes.
const MOST: usize = 16 << 20;
/// The bit of a name's index for a prefix of the table.
const LONG: u8 = 0x80;

/// Names as Linux writes them, each with its value.
pub type Attributes = Vec<(Vec<u8>, Arc<[u8]>)>;

/// The prefix that an index of a name stands for.
fn space(index: u8) -> Option<&'static [u8]> {
    Some(match index {
        0 => b"",
        1 => b"user.",
        2 => b"system.posix_acl_access",
        3 => b"system.posix_acl_default",
        4 => b"trusted.",
        5 => b"lustre.",
        6 => b"security.",
        _ => return None,
    })
}

impl Erofs {
    /// The attributes of an inode: those that stand behind it, and those that it shares.
    pub fn attributes(self: &Arc<Self>, inode: &Inode) -> Result<Attributes, Failure> {
        let (start, length) = inode.attributes;
        let mut attributes = Attributes::new();
        if length == 0 {
            return Ok(attributes);
        }
        // 256 KiB at the most.
        let raw = read(&*self.bytes, start, length as usize)?;
        let shared = usize::from(byte(&raw, 4));
        let mut at = 12 + 4 * shared;
        if at > raw.len() {
            return Err(failure(Some(start), format!("{shared} shared attributes, where there is no room for them")));
        }
        let mut bytes = 0;
        let mut add = |found: (Vec<u8>, Vec<u8>), place: u64| {
            bytes += found.0.len() + found.1.len() + 64;
            if bytes > MOST {
                return Err(failure(Some(place), "more than 16 MiB of attributes"));
            }
            attributes.push((found.0, found.1.into()));
            Ok(())
        };
        while at < raw.len() {
            let entry = &raw[at..];
            let place = start + at as u64;
            let size = size_of(entry);
            // The rest may be too short for one.
            if entry.len() < 4 || entry[..4] == [0; 4] {
                break;
            }
            let entry = entry.get(..size).ok_or_else(|| failure(Some(place), "an attribute that is cut off"))?;
            add(self.attribute(entry, place)?, place)?;
            at += size.next_multiple_of(4);
        }
        for index in 0..shared {
            let place = self.block(self.superblock.attributes) + 4 * u64::from(le32(&raw, 12 + 4 * index));
            let size = size_of(&read(&*self.bytes, place, 4)?);
            let entry = read(&*self.bytes, place, size)?;
            add(self.attribute(&entry, place)?, place)?;
        }
        Ok(attributes)
    }

    /// The name and the value of an entry.
    fn attribute(self: &Arc<Self>, entry: &[u8], place: u64) -> Result<(Vec<u8>, Vec<u8>), Failure> {
        let (length, index) = (usize::from(byte(entry, 0)), byte(entry, 1));
        let (name, value) = entry[4..].split_at(length);
        let unknown = || failure(Some(place), format!("an attribute of the type {index}"));
        let prefix = if index & LONG == 0 {
            space(index).ok_or_else(unknown)?.to_vec()
        } else {
            let prefixes = self.prefixes.get_or_init(|| self.read_prefixes()).clone()?;
            prefixes.get(usize::from(index & !LONG)).ok_or_else(unknown)?.clone()
        };
        Ok(([&prefix, name].concat(), value.to_vec()))
    }

    fn read_prefixes(self: &Arc<Self>) -> Result<Vec<Vec<u8>>, Failure> {
        let (count, mut at, in_packed) = self.superblock.prefixes;
        let range = |at: u64, length: usize| match in_packed {
            true => self.end(at, length),
            false => read(&*self.bytes, at, length),
        };
        let mut prefixes = Vec::new();
        for _ in 0..count {
            let length = usize::from(le16(&range(at, 2)?, 0));
            let raw = range(at + 2, length)?;
            let base = raw.first().and_then(|&index| space(index));
            let base = base.ok_or_else(|| failure(Some(at), "a prefix of names of an unknown type"))?;
            prefixes.push([base, &raw[1..]].concat());
            at = (at + 2 + length as u64).next_multiple_of(4);
        }
        Ok(prefixes)
    }
}

/// Bytes of an entry.
fn size_of(entry: &[u8]) -> usize {
    4 + usize::from(byte(entry, 0)) + usize::from(le16(entry, 2))
}

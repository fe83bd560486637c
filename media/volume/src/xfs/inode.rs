//! Inodes.

use std::sync::Arc;

use super::seal::{Owner, Seal};
use super::volume::Xfs;
use pfh_bytes::field::{be16, be32, be64, byte, failure, is_at, read};
use pfh_bytes::node::{Failure, Times};

/// The content is on the realtime device.
const REALTIME: u16 = 1;
/// Blocks may be shared with others, or with other places of the same file.
const SHARED: u64 = 1 << 1;
/// Times are nanoseconds in 64 bits.
const LONG_TIMES: u64 = 1 << 3;
/// Counts of extents have 64 and 32 bits.
const LONG_COUNTS: u64 = 1 << 4;
/// It belongs to the file system itself.
const OWN: u64 = 1 << 5;

/// Seconds from the first time of 64 bits to 1970.
const EPOCH: i128 = 1 << 31;

const SEAL: Seal = Seal { what: "inode", sum: 100, place: None, uuid: 160, owner: Some((152, Owner::Inode)) };

/// Where a fork has its content.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Format {
    /// The numbers of a device, or nothing.
    Device,
    /// The bytes themselves.
    Local,
    /// A list of extents.
    Extents,
    /// The root of a tree of extents.
    Tree,
    /// Another number, which no system writes here.
    Other(u8),
}

impl Format {
    fn new(number: u8) -> Format {
        match number {
            0 => Format::Device,
            1 => Format::Local,
            2 => Format::Extents,
            3 => Format::Tree,
            other => Format::Other(other),
        }
    }
}

/// Content or attributes of an inode.
#[derive(Debug, Clone)]
pub struct Fork {
    pub format: Format,
    /// How many extents it states.
    pub extents: u64,
    /// Its room in the inode.
    pub raw: Arc<[u8]>,
    /// Where that stands on the medium.
    pub offset: u64,
}

/// The fields of an inode.
#[derive(Debug, Clone)]
pub struct Inode {
    pub number: u64,
    /// Where it stands on the medium.
    pub offset: u64,
    pub mode: u16,
    pub links: u32,
    pub size: u64,
    pub times: Times,
    pub is_realtime: bool,
    pub is_shared: bool,
    /// Whether it belongs to the file system itself.
    pub is_own: bool,
    pub content: Fork,
    pub attributes: Option<Fork>,
}

impl Inode {
    /// The type: the upper four bits of the mode.
    pub fn kind(&self) -> u16 {
        self.mode & 0xf000
    }

    pub fn is_directory(&self) -> bool {
        self.kind() == 0x4000
    }

    /// Whether a free inode was ever in use: one that never was has no times, in either form.
    pub fn was_used(&self) -> bool {
        let is_none = |time: Option<i128>| time.is_none_or(|time| time == 0 || time == -EPOCH * 1_000_000_000);
        !(is_none(self.times.changed) && is_none(self.times.modified))
    }
}

/// A time of 64 bits: of nanoseconds, or of seconds and nanoseconds.
fn time(raw: u64, is_long: bool) -> i128 {
    match is_long {
        true => i128::from(raw) - EPOCH * 1_000_000_000,
        false => i128::from(((raw >> 32) as u32).cast_signed()) * 1_000_000_000 + i128::from(raw as u32),
    }
}

impl Xfs {
    /// Where an inode stands.
    pub fn inode_offset(&self, number: u64) -> Option<u64> {
        let superblock = &self.superblock;
        let (group, block) = superblock.split(number >> superblock.inode_log)?;
        let index = number & ((1 << superblock.inode_log) - 1);
        let is_there = block < superblock.blocks_of(group);
        is_there.then(|| superblock.place(group, block) + index * u64::from(superblock.inode_size))
    }

    /// Reads an inode.
    pub fn inode(&self, number: u64) -> Result<Inode, Failure> {
        let outside = || failure(None, format!("inode {number} is not in the volume"));
        let offset = self.inode_offset(number).ok_or_else(outside)?;
        let raw = read(&*self.bytes, offset, usize::from(self.superblock.inode_size))?;
        let wrong = |cause: &str| failure(Some(offset), format!("inode: {cause}"));
        if !is_at(&raw, 0, b"IN") {
            return Err(wrong("it has no magic"));
        }
        let version = byte(&raw, 4);
        if (version == 3) != self.superblock.is_sealed || !(1..=3).contains(&version) {
            return Err(wrong("of a version that its volume has not"));
        }
        self.verify(&raw, offset, SEAL, number)?;
        let flags = if version == 3 { be64(&raw, 120) } else { 0 };
        let core = if version == 3 { 176 } else { 100 };
        let at = |place: usize| Some(time(be64(&raw, place), flags & LONG_TIMES != 0));
        let (extents, of_attributes) = match flags & LONG_COUNTS {
            0 => (u64::from(be32(&raw, 76)), u64::from(be16(&raw, 80))),
            _ => (be64(&raw, 24), u64::from(be32(&raw, 76))),
        };
        let links = if version == 1 { u32::from(be16(&raw, 6)) } else { be32(&raw, 16) };
        let room = &raw[core..];
        let split = match usize::from(byte(&raw, 82)) * 8 {
            0 => room.len(),
            split if split < room.len() => split,
            _ => return Err(wrong("its attributes lie behind it")),
        };
        let fork = |format: u8, extents: u64, from: usize, end: usize| Fork {
            format: Format::new(format),
            extents,
            raw: room[from..end].into(),
            offset: offset + (core + from) as u64,
        };
        Ok(Inode {
            number,
            offset,
            mode: be16(&raw, 2),
            links,
            size: be64(&raw, 56),
            times: Times {
                accessed: at(32),
                modified: at(40),
                changed: at(48),
                born: if version == 3 { at(144) } else { None },
                deleted: None,
            },
            is_realtime: be16(&raw, 90) & REALTIME != 0,
            is_shared: flags & SHARED != 0 && be16(&raw, 2) & 0xf000 == 0x8000,
            is_own: flags & OWN != 0,
            content: fork(byte(&raw, 5), extents, 0, split),
            attributes: (split < room.len()).then(|| fork(byte(&raw, 83), of_attributes, split, room.len())),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_of_both_kinds() {
        assert_eq!(time(1 << 32 | 5, false), 1_000_000_005);
        assert_eq!(time(0xffff_ffff_0000_0005, false), -999_999_995);
        assert_eq!(time(0, true), -(1_i128 << 31) * 1_000_000_000);
        assert_eq!(time(u64::MAX, true), (1_i128 << 64) - 1 - (1_i128 << 31) * 1_000_000_000);
    }
}

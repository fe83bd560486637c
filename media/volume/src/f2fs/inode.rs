//! Inodes.

use std::sync::Arc;

use super::superblock::{BLOCK, BORN, FLEXIBLE};
use super::volume::F2fs;
use pfh_bytes::field::{byte, failure, le16, le32, le64};
use pfh_bytes::node::{Failure, Times};

/// Where places begin in an inode, how many there are, and where the nodes behind them stand.
pub const PLACES: usize = 360;
const COUNT: usize = 923;
pub const NODES: usize = PLACES + 4 * COUNT;
/// The places that attributes take in an inode that does not state their number.
const USUAL: usize = 50;
/// Flags of `i_inline`.
const INLINE_ATTRIBUTES: u8 = 1;
const INLINE_DATA: u8 = 2;
const INLINE_NAMES: u8 = 4;
const HAS_DATA: u8 = 8;
const EXTRA: u8 = 0x20;
/// Flags of `i_advise` and `i_flags`.
const ENCRYPTED: u8 = 4;
const COMPRESSED: u32 = 4;

/// How clusters of a file are compressed.
#[derive(Debug, Clone, Copy)]
pub struct Compression {
    pub method: u8,
    /// Blocks of a cluster.
    pub blocks: usize,
    pub has_sum: bool,
}

/// An inode.
#[derive(Clone)]
pub struct Inode {
    pub number: u32,
    /// Where its block begins on the medium.
    pub offset: u64,
    pub mode: u16,
    pub links: u32,
    pub size: u64,
    pub times: Times,
    pub parent: u32,
    pub name: Vec<u8>,
    pub attribute_node: u32,
    pub is_encrypted: bool,
    pub compression: Option<Compression>,
    /// Content or names that stand in the inode: where, and how many bytes there is room for.
    pub inline: Option<(usize, usize)>,
    pub has_data: bool,
    /// Where its attributes stand, and their bytes.
    pub attributes: (usize, usize),
    /// Where the places of its blocks begin, and how many there are.
    pub places: (usize, usize),
    pub raw: Arc<[u8]>,
}

impl Inode {
    /// The type in the mode.
    pub fn kind(&self) -> u16 {
        self.mode & 0xf000
    }

    /// Whether it is a directory.
    pub fn is_directory(&self) -> bool {
        self.kind() == 0x4000
    }

    /// Places in a node behind the inode.
    pub fn places_of_node(&self) -> usize {
        self.compression.map_or(1018, |compression| 1018 / compression.blocks * compression.blocks)
    }
}

impl F2fs {
    /// The inode of this number.
    pub fn inode(&self, number: u32) -> Result<Inode, Failure> {
        let place = self.place(number)?;
        if place.block == 0 {
            return Err(failure(None, format!("inode {number} is not in use")));
        }
        self.inode_at(place.block, number)
    }

    /// The inode at this block.
    pub fn inode_at(&self, block: u32, number: u32) -> Result<Inode, Failure> {
        let raw = self.node_at(block, number, number)?;
        let offset = u64::from(block) * BLOCK;
        let wrong = |at: usize, cause: &str| Err(failure(Some(offset + at as u64), cause));
        let (inline, advise) = (byte(&raw, 3), byte(&raw, 2));
        let extra = if inline & EXTRA != 0 { usize::from(le16(&raw, PLACES)) } else { 0 };
        if extra % 4 != 0 || extra > 4 * (COUNT - 1) {
            return wrong(PLACES, "an inode with more fields than it has room for");
        }
        let attributes = match () {
            () if self.superblock.has(FLEXIBLE) && extra >= 4 => usize::from(le16(&raw, PLACES + 2)),
            () if inline & (INLINE_ATTRIBUTES | INLINE_NAMES) != 0 => USUAL,
            () => 0,
        };
        let Some(count) = (COUNT - extra / 4).checked_sub(attributes).filter(|count| *count > 1) else {
            return wrong(PLACES + 2, "attributes that take more room than the inode has");
        };
        let mode = le16(&raw, 0);
        let is_file = mode & 0xf000 == 0x8000;
        let mut compression = None;
        if is_file && le32(&raw, 80) & COMPRESSED != 0 && extra >= 36 {
            let log = byte(&raw, 393);
            if !(2..=8).contains(&log) {
                return wrong(393, "clusters of a size that they cannot have");
            }
            let has_sum = le16(&raw, 394) & 1 != 0;
            compression = Some(Compression { method: byte(&raw, 392), blocks: 1 << log, has_sum });
        }
        let places = compression.map_or(count, |compression| count / compression.blocks * compression.blocks);
        let is_inline = match mode & 0xf000 {
            0x4000 => inline & INLINE_NAMES != 0,
            _ => inline & INLINE_DATA != 0,
        };
        let time = |seconds: usize, rest: usize| {
            Some(i128::from(le64(&raw, seconds).cast_signed()) * 1_000_000_000 + i128::from(le32(&raw, rest)))
        };
        let is_born = self.superblock.has(BORN) && extra >= 24;
        let times = Times {
            accessed: time(32, 56),
            changed: time(40, 60),
            modified: time(48, 64),
            born: if is_born { time(372, 380) } else { None },
            deleted: None,
        };
        let name = &raw[92..92 + (le32(&raw, 88) as usize).min(255)];
        Ok(Inode {
            number,
            offset,
            mode,
            links: le32(&raw, 12),
            size: le64(&raw, 16),
            times,
            parent: le32(&raw, 84),
            name: name.to_vec(),
            attribute_node: le32(&raw, 76),
            is_encrypted: advise & ENCRYPTED != 0,
            compression,
            inline: is_inline.then_some((PLACES + extra + 4, 4 * (count - 1))),
            has_data: inline & HAS_DATA != 0,
            attributes: (
                PLACES + 4 * (COUNT - attributes),
                if inline & INLINE_ATTRIBUTES != 0 { 4 * attributes } else { 0 },
            ),
            places: (PLACES + extra, places),
            raw: raw.into(),
        })
    }
}

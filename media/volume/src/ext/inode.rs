//! Inodes.

use super::group::Ext;
use super::superblock::LARGE_DIRECTORIES;
use pfh_bytes::field::{array, failure, le16, le32, read};
use pfh_bytes::node::{Failure, Times};
use pfh_container::crc32c;

/// The file's names and content are encrypted.
pub const ENCRYPTED: u32 = 0x800;
/// The directory has an index.
pub const INDEXED: u32 = 0x1000;
/// The place of the file is stated in extents.
pub const EXTENTS: u32 = 0x8_0000;
/// The inode holds the value of an extended attribute.
pub const ATTRIBUTE: u32 = 0x20_0000;
/// The file's content is in the inode.
pub const INLINE: u32 = 0x1000_0000;

/// The fields of an inode.
#[derive(Debug, Clone)]
pub struct Inode {
    pub number: u32,
    pub mode: u16,
    pub size: u64,
    pub links: u16,
    pub flags: u32,
    /// Extents, pointers to blocks, a short target or the first bytes of the content.
    pub block: [u8; 60],
    pub times: Times,
    /// When it was deleted, in seconds; of one that was deleted while it was open, the next such
    /// inode.
    pub deleted: u32,
    /// Blocks of 512 bytes as the inode counts them.
    pub sectors: u32,
    /// The block of extended attributes, which `sectors` counts too; 0 if it has none.
    pub attributes: u64,
    /// The bytes behind the fixed fields: extended attributes.
    pub rest: Vec<u8>,
    /// Where the checksums of its blocks of metadata begin, if they have any.
    pub seed: Option<u32>,
}

impl Inode {
    /// The type: the upper four bits of the mode.
    pub fn kind(&self) -> u16 {
        self.mode & 0xf000
    }

    pub fn is_directory(&self) -> bool {
        self.kind() == 0x4000
    }
}

/// Seconds with two more bits, and nanoseconds.
fn time(seconds: u32, extra: u32) -> Option<i128> {
    let seconds = i128::from(seconds.cast_signed()) + (i128::from(extra & 3) << 32);
    (seconds != 0 || extra != 0).then_some(seconds * 1_000_000_000 + i128::from(extra >> 2))
}

/// Compares an inode with its checksum, which has 16 or 32 bits.
fn check(seed: u32, mut raw: Vec<u8>, is_wide: bool) -> Result<(), &'static str> {
    let (low, high) = (le16(&raw, 0x7c), le16(&raw, 0x82));
    raw[0x7c..0x7e].fill(0);
    if is_wide && raw.len() > 128 {
        raw[0x82..0x84].fill(0);
    }
    let sum = crc32c(seed, &raw);
    let is_right = sum as u16 == low && (!is_wide || (sum >> 16) as u16 == high);
    if is_right { Ok(()) } else { Err("the checksum of the inode is wrong") }
}

impl Ext {
    /// Reads an inode.
    pub fn inode(&self, number: u32) -> Result<Inode, Failure> {
        let offset = self.inode_offset(number)?;
        let raw = read(&*self.bytes, offset, usize::from(self.superblock.inode_size))?;
        let more = if raw.len() > 128 { usize::from(le16(&raw, 128)) } else { 0 };
        // A field behind the first 128 bytes is there if the inode says that it reaches so far.
        let extra = |at: usize| if at + 4 <= 128 + more { le32(&raw, at) } else { 0 };
        let mode = le16(&raw, 0);
        let seed = self.superblock.seed.map(|seed| crc32c(crc32c(seed, &number.to_le_bytes()), &raw[0x64..0x68]));
        // One that was never in use is all zeros.
        if let Some(seed) = seed.filter(|_| mode != 0) {
            check(seed, raw.clone(), more >= 4).map_err(|cause| failure(Some(offset), cause))?;
        }
        let is_large = mode & 0xf000 != 0x4000 || self.superblock.incompatible & LARGE_DIRECTORIES != 0;
        let high = if is_large { u64::from(le32(&raw, 0x6c)) << 32 } else { 0 };
        Ok(Inode {
            number,
            mode,
            size: u64::from(le32(&raw, 4)) | high,
            links: le16(&raw, 0x1a),
            flags: le32(&raw, 0x20),
            block: array(&raw, 0x28),
            times: Times {
                accessed: time(le32(&raw, 8), extra(0x8c)),
                changed: time(le32(&raw, 0xc), extra(0x84)),
                modified: time(le32(&raw, 0x10), extra(0x88)),
                born: time(extra(0x90), extra(0x94)),
                deleted: time(le32(&raw, 0x14), 0),
            },
            deleted: le32(&raw, 0x14),
            sectors: le32(&raw, 0x1c),
            attributes: u64::from(le32(&raw, 0x68)) | u64::from(le16(&raw, 0x76)) << 32,
            seed,
            rest: raw.get(128 + more..).unwrap_or_default().to_vec(),
        })
    }
}

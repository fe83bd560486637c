//! The superblock, and the table of devices.

use std::ops::RangeInclusive;

use pfh_bytes::bytes::Bytes;
use pfh_bytes::field::{array, byte, failure, is_at, le16, le32, le64, read, read_some, uuid};
use pfh_bytes::node::Failure;

/// Where it stands, and its bytes.
pub const PLACE: u64 = 1024;
const SIZE: usize = 128;
/// Logarithms of the sizes of blocks that the kernel allows.
const BLOCKS: RangeInclusive<u8> = 9..=16;
/// Bytes of a row in the table of devices, and of the name in it.
const DEVICE: u64 = 128;
const TAG: usize = 64;
/// Compatible features: a checksum, prefixes of names outside of the packed inode.
const CHECKSUM: u32 = 1;
const PLAIN_PREFIXES: u32 = 0x10;
/// Incompatible features: zeros in front of compressed bytes, a table of devices, one inode for
/// the ends of files, prefixes of names.
const PADDED: u32 = 1;
const DEVICES: u32 = 8;
const FRAGMENTS: u32 = 0x20;
const PREFIXES: u32 = 0x40;
const KNOWN: u32 = 0x7f;

/// A device beside the first.
pub struct Device {
    /// Its name in the image: mostly a digest.
    pub tag: Vec<u8>,
    pub blocks: u32,
    /// Its first block in the numbers of the image; 0 if it has none there.
    pub mapped: u32,
}

/// A superblock.
pub struct Superblock {
    pub block_log: u8,
    pub root: u64,
    /// Seconds and nanoseconds of all inodes that have no time of their own.
    pub time: (u64, u32),
    /// Blocks of the first device.
    pub blocks: u32,
    /// The first blocks of inodes and of attributes that several share.
    pub inodes: u32,
    pub attributes: u32,
    pub id: String,
    pub label: Vec<u8>,
    /// Whether zeros stand in front of compressed bytes.
    pub is_padded: bool,
    pub devices: Vec<Device>,
    /// The inode that holds the ends of files.
    pub packed: Option<u64>,
    /// How many prefixes of names there are, where they begin, whether that is in the packed inode.
    pub prefixes: (u8, u64, bool),
    pub warnings: Vec<Failure>,
}

/// The result of looking for a superblock at the start of a volume.
pub enum SuperblockSearch {
    /// Another file system.
    Other,
    /// One with features that are not read.
    Unread(String),
    /// One that is read.
    Superblock(Box<Superblock>),
}

impl Superblock {
    /// Reads the superblock.
    pub fn read(bytes: &dyn Bytes) -> Result<SuperblockSearch, Failure> {
        let raw = read_some(bytes, PLACE, SIZE)?;
        if !is_at(&raw, 0, b"\xe2\xe1\xf5\xe0") {
            return Ok(SuperblockSearch::Other);
        }
        let wrong = |offset: u64, cause: &str| failure(Some(PLACE + offset), format!("EROFS: {cause}"));
        if raw.len() < SIZE {
            return Err(wrong(raw.len() as u64, "the volume is cut off here"));
        }
        let (compatible, features, block_log) = (le32(&raw, 8), le32(&raw, 80), byte(&raw, 12));
        if features & !KNOWN != 0 {
            return Ok(SuperblockSearch::Unread(format!("EROFS with unknown features ({:#x})", features & !KNOWN)));
        }
        if !BLOCKS.contains(&block_log) {
            return Err(wrong(12, "a size of blocks that it cannot have"));
        }
        if byte(&raw, 90) != 0 {
            return Ok(SuperblockSearch::Unread("EROFS with directories in larger blocks".to_owned()));
        }
        let mut warnings = Vec::new();
        if compatible & CHECKSUM != 0 {
            let size = 1 << block_log;
            let summed = if size > PLACE { size - PLACE } else { size };
            let mut all = read(bytes, PLACE, summed as usize)?;
            all[4..8].fill(0);
            if pfh_container::crc32c(!0, &all) != le32(&raw, 4) {
                warnings.push(wrong(4, "the checksum of the superblock is wrong"));
            }
        }
        let mut devices = Vec::new();
        if features & DEVICES != 0 {
            for row in 0..u64::from(le16(&raw, 86)) {
                let place = (u64::from(le16(&raw, 88)) + row) * DEVICE;
                let raw = read(bytes, place, DEVICE as usize)?;
                let tag = raw[..TAG].split(|&byte| byte == 0).next().unwrap_or_default().to_vec();
                devices.push(Device { tag, blocks: le32(&raw, TAG), mapped: le32(&raw, TAG + 4) });
            }
        }
        let packed = le64(&raw, 96);
        let packed = (features & FRAGMENTS != 0 && packed != 0).then_some(packed);
        let count = if features & PREFIXES != 0 { byte(&raw, 91) } else { 0 };
        let in_packed = packed.is_some() && compatible & PLAIN_PREFIXES == 0;
        let label = raw[64..80].split(|&byte| byte == 0).next().unwrap_or_default().to_vec();
        Ok(SuperblockSearch::Superblock(Box::new(Superblock {
            block_log,
            root: le16(&raw, 14).into(),
            time: (le64(&raw, 24), le32(&raw, 32)),
            blocks: le32(&raw, 36),
            inodes: le32(&raw, 40),
            attributes: le32(&raw, 44),
            id: uuid(array(&raw, 48)),
            label,
            is_padded: features & PADDED != 0,
            devices,
            packed,
            prefixes: (count, u64::from(le32(&raw, 92)) * 4, in_packed),
            warnings,
        })))
    }

    /// Bytes of a block.
    pub fn block_size(&self) -> u64 {
        1 << self.block_log
    }

    /// Bytes of the first device.
    pub fn size(&self) -> u64 {
        u64::from(self.blocks) << self.block_log
    }
}

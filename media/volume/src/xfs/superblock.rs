//! The superblock: how the volume is laid out, and which features it uses.

use super::log;
use super::sum::sum;
use pfh_bytes::bytes::Bytes;
use pfh_bytes::field::{array, be16, be32, be64, byte, failure, is_at, le32, read_some, uuid};
use pfh_bytes::node::Failure;

/// Its first bytes.
pub const MAGIC: &[u8; 4] = b"XFSB";
/// The largest sector.
const MOST_SECTOR: u32 = 32 << 10;

/// Features of version 4, by their bits in `versionnum` and `features2`.
const UNWRITTEN: u16 = 0x1000;
const DIRECTORIES_2: u16 = 0x2000;
const MORE: u16 = 0x8000;
const TYPES_4: u32 = 0x200;

/// Features of version 5 without which a volume cannot be read; those that this crate reads.
const TYPES: u32 = 0x1;
const SPARSE: u32 = 0x2;
const OTHER_UUID: u32 = 0x4;
const REPAIR: u32 = 0x10;
const OWN_TREE: u32 = 0x100;
const ZONED: u32 = 0x200;
/// Also times of 64 bits, counts of extents of 64 bits, exchanged ranges, parent pointers.
const READ: u32 = TYPES | SPARSE | OTHER_UUID | 0x8 | REPAIR | 0x20 | 0x40 | 0x80 | OWN_TREE | ZONED | 0x400;

/// The fields of the superblock.
#[derive(Debug, Clone)]
pub struct Superblock {
    /// In bytes.
    pub block_size: u32,
    pub block_log: u8,
    pub blocks: u64,
    /// Blocks of a group, and the bits of their numbers.
    pub group_blocks: u32,
    pub group_log: u8,
    pub groups: u32,
    pub sector_size: u16,
    pub inode_size: u16,
    /// Bits of the number of an inode in its block.
    pub inode_log: u8,
    /// Bytes of a block of a directory.
    pub directory_block: u32,
    /// The root; `None` in copies that do not know it.
    pub root: Option<u64>,
    /// The inodes of the file system itself.
    pub own: Vec<u64>,
    /// Whether those of the realtime device are not among them, as in copies: they follow the root.
    pub lacks_own: bool,
    /// Whether structures have checksums (version 5).
    pub is_sealed: bool,
    /// Whether directories state the types of their entries.
    pub has_types: bool,
    /// Whether chunks of inodes may have holes.
    pub is_sparse: bool,
    /// Whether extents may be allocated and not written yet.
    pub has_unwritten: bool,
    /// The UUID that structures of version 5 repeat.
    pub uuid: [u8; 16],
    pub label: Vec<u8>,
    pub id: String,
    pub warnings: Vec<Failure>,
}

/// The result of looking for a superblock.
pub enum SuperblockSearch {
    Superblock(Box<Superblock>),
    /// A volume that cannot be read, with the reason.
    Unread(String),
    Nothing,
}

impl Superblock {
    /// Reads the superblock of a volume.
    ///
    /// # Errors
    /// If it contradicts itself.
    pub fn read(bytes: &dyn Bytes) -> Result<SuperblockSearch, Failure> {
        let raw = read_some(bytes, 0, 512)?;
        if !is_at(&raw, 0, MAGIC) || raw.len() < 512 {
            return Ok(SuperblockSearch::Nothing);
        }
        let wrong = |cause: &str| Err(failure(Some(0), format!("XFS superblock: {cause}")));
        let version = be16(&raw, 100);
        let more = if version & MORE != 0 { be32(&raw, 200) } else { 0 };
        let is_sealed = match version & 15 {
            4 => false,
            5 => true,
            old @ 1..4 => return Ok(SuperblockSearch::Unread(format!("XFS of version {old}"))),
            _ => return wrong("a version that there is not"),
        };
        let feature = |at: usize| if is_sealed { be32(&raw, at) } else { 0 };
        let incompatible = feature(216);
        if incompatible & !READ != 0 {
            return Ok(SuperblockSearch::Unread(format!("XFS with the unknown features {:#x}", incompatible & !READ)));
        }
        if version & DIRECTORIES_2 == 0 {
            return Ok(SuperblockSearch::Unread("XFS with directories of version 1".to_owned()));
        }
        let sector_size = be16(&raw, 102);
        if !sector_size.is_power_of_two() || !(512..=MOST_SECTOR).contains(&u32::from(sector_size)) {
            return wrong("a size of sectors that no system writes");
        }
        if is_sealed {
            let sector = read_some(bytes, 0, usize::from(sector_size))?;
            if sector.len() < usize::from(sector_size) || sum(&sector, 224) != le32(&sector, 224) {
                return wrong("the checksum is wrong");
            }
        }
        let number = |at: usize| Some(be64(&raw, at)).filter(|&number| number != u64::MAX && number != 0);
        let mut own: Vec<u64> = [64, 72, 160, 168].into_iter().filter_map(number).collect();
        own.extend(number(232).filter(|_| is_sealed));
        let (block_log, inode_log) = (byte(&raw, 120), byte(&raw, 123));
        let meta = if incompatible & OTHER_UUID != 0 { 248 } else { 32 };
        let mut superblock = Superblock {
            block_size: be32(&raw, 4),
            block_log,
            blocks: be64(&raw, 8),
            group_blocks: be32(&raw, 84),
            group_log: byte(&raw, 124),
            groups: be32(&raw, 88),
            sector_size,
            inode_size: be16(&raw, 104),
            inode_log,
            directory_block: be32(&raw, 4).checked_shl(byte(&raw, 192).into()).unwrap_or(0),
            root: number(56),
            own,
            lacks_own: number(64).is_none() && incompatible & OWN_TREE == 0,
            is_sealed,
            has_types: if is_sealed { incompatible & TYPES != 0 } else { more & TYPES_4 != 0 },
            is_sparse: incompatible & SPARSE != 0,
            has_unwritten: is_sealed || version & UNWRITTEN != 0,
            uuid: array(&raw, meta),
            label: array::<12>(&raw, 108).into_iter().take_while(|&byte| byte != 0).collect(),
            id: uuid(array(&raw, 32)),
            warnings: Vec::new(),
        };
        superblock.check(byte(&raw, 122))?;
        superblock.warn(bytes, &raw, incompatible);
        Ok(SuperblockSearch::Superblock(Box::new(superblock)))
    }

    /// Whether its numbers can be those of a volume, so that no later sum overflows.
    fn check(&self, inode_log: u8) -> Result<(), Failure> {
        let wrong = |cause: &str| Err(failure(Some(0), format!("XFS superblock: {cause}")));
        let is_block = (512..=1 << 16).contains(&self.block_size) && self.block_log < 17;
        if !is_block || self.block_size != 1 << self.block_log {
            return wrong("a size of blocks that no system writes");
        }
        let inode = u32::from(self.inode_size);
        if !(256..=2048).contains(&inode) || inode_log > 11 || inode != 1 << inode_log || inode > self.block_size {
            return wrong("a size of inodes that no system writes");
        }
        if self.inode_log != self.block_log - inode_log {
            return wrong("another number of inodes in a block than there is room for");
        }
        if !(self.block_size..=1 << 16).contains(&self.directory_block) {
            return wrong("a size of blocks of directories that no system writes");
        }
        let blocks = u64::from(self.group_blocks);
        if blocks < 16 || self.group_log > 31 || blocks > 1 << self.group_log || blocks <= 1 << self.group_log >> 1 {
            return wrong("groups of a size that no system writes");
        }
        if self.groups == 0 || self.blocks.div_ceil(blocks) != u64::from(self.groups) {
            return wrong("another number of groups than the volume has room for");
        }
        if self.blocks >= 1 << 54 || self.blocks << self.block_log >= 1 << 63 {
            return wrong("a number of blocks that no volume has");
        }
        Ok(())
    }

    /// Notes faults and states that an examiner must know.
    fn warn(&mut self, bytes: &dyn Bytes, raw: &[u8], incompatible: u32) {
        let mut warnings = Vec::new();
        let mut say = |cause: String| warnings.push(failure(Some(0), cause));
        if byte(raw, 126) != 0 {
            say("the volume was not made to its end, or is a copy of one that was in use".to_owned());
        }
        if incompatible & REPAIR != 0 {
            say("the file system notes that it needs a repair".to_owned());
        }
        let stated = self.blocks << self.block_log;
        if stated > bytes.size() {
            say(format!("the file system has {stated} bytes, the volume only {}", bytes.size()));
        }
        if be64(raw, 16) != 0 {
            let size = be64(raw, 16).saturating_mul(u64::from(self.block_size));
            say(format!("files on its realtime device of {size} bytes are not read"));
        }
        let (start, length) = (be64(raw, 48), u64::from(be32(raw, 96)) << self.block_log);
        if start == 0 {
            say("the log is on another device: whether it was replayed is not known".to_owned());
        } else {
            match self.offset(start, length >> self.block_log) {
                Some(start) => warnings.extend(log::remark(bytes, start, length)),
                None => say("the log leads out of the volume".to_owned()),
            }
        }
        self.warnings = warnings;
    }

    /// How many blocks a group has: the last may be shorter.
    pub fn blocks_of(&self, group: u32) -> u32 {
        let before = u64::from(group) * u64::from(self.group_blocks);
        let blocks = self.blocks.saturating_sub(before).min(u64::from(self.group_blocks));
        if group < self.groups { u32::try_from(blocks).unwrap_or(0) } else { 0 }
    }

    /// Where a block of a group stands, in bytes. The caller bounds it.
    pub fn place(&self, group: u32, block: u32) -> u64 {
        (u64::from(group) * u64::from(self.group_blocks) + u64::from(block)) << self.block_log
    }

    /// The group of a block, and its number there.
    pub fn split(&self, block: u64) -> Option<(u32, u32)> {
        let group = u32::try_from(block >> self.group_log).ok()?;
        Some((group, u32::try_from(block & ((1 << self.group_log) - 1)).ok()?))
    }

    /// Where `count` blocks from this one on stand, in bytes; `None` if they are not in one group.
    pub fn offset(&self, block: u64, count: u64) -> Option<u64> {
        let (group, within) = self.split(block)?;
        let end = u64::from(within).checked_add(count)?;
        (count > 0 && end <= u64::from(self.blocks_of(group))).then(|| self.place(group, within))
    }
}

/// Copies of the superblock at the start of the second group, with their places. It is looked for
/// where it stands on volumes of as many groups as `mkfs.xfs` makes.
pub fn spares(bytes: &dyn Bytes) -> Vec<(u64, Vec<u8>)> {
    let mut found = Vec::new();
    for block in [4096, 1024, 2048, 512, 8192, 16_384, 65_536] {
        for groups in [4, 2, 8, 16, 32, 1] {
            // Groups of a terabyte are the largest.
            let from = if groups == 1 { (1 << 40) - block } else { (bytes.size() / block).div_ceil(groups) * block };
            let Ok(raw) = read_some(bytes, from, 512) else { continue };
            let stated = u64::from(be32(&raw, 84)) * u64::from(be32(&raw, 4));
            if !is_at(&raw, 0, MAGIC) || stated != from || found.iter().any(|(at, _)| *at == from) {
                continue;
            }
            let Ok(sector) = read_some(bytes, from, usize::from(be16(&raw, 102)).clamp(512, 32 << 10)) else {
                continue;
            };
            found.push((from, sector));
        }
    }
    found
}

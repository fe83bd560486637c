//! The superblock: how the volume is laid out, and which features it uses.

use pfh_bytes::bytes::Bytes;
use pfh_bytes::field::{array, byte, failure, le16, le32, le64, read_some, uuid};
use pfh_bytes::node::Failure;
use pfh_container::crc32c;

/// Where it stands.
pub const OFFSET: u64 = 1024;

/// Features without which a volume cannot be read, by their bits; those that this crate reads.
pub const FILETYPE: u32 = 0x2;
const RECOVER: u32 = 0x4;
const JOURNAL_DEVICE: u32 = 0x8;
const META_BG: u32 = 0x10;
const EXTENTS: u32 = 0x40;
const BITS_64: u32 = 0x80;
/// Directories may be larger than 4 GiB.
pub const LARGE_DIRECTORIES: u32 = 0x4000;
/// The features that are read, also flex_bg, ea_inode, csum_seed, inline data, encryption of single
/// directories, and names that are compared without case.
const READ: u32 = FILETYPE
    | RECOVER
    | META_BG
    | EXTENTS
    | BITS_64
    | 0x100
    | 0x200
    | 0x400
    | 0x2000
    | LARGE_DIRECTORIES
    | 0x8000
    | 0x1_0000
    | 0x2_0000;

/// The fields of the superblock.
#[derive(Debug, Clone)]
pub struct Superblock {
    /// `ext2`, `ext3` or `ext4`.
    pub kind: &'static str,
    pub inodes: u32,
    pub blocks: u64,
    /// In bytes.
    pub block_size: u32,
    /// The block of the first group: 1 with blocks of a kilobyte.
    pub first_block: u64,
    pub blocks_per_group: u32,
    /// Blocks for each bit of the block bitmap.
    pub blocks_per_cluster: u32,
    pub inodes_per_group: u32,
    /// The first inode that a file may have; those before are the file system's.
    pub first_inode: u32,
    /// Further inodes of the file system itself: journal, quotas, its list of orphans.
    pub own: [u32; 6],
    /// In bytes.
    pub inode_size: u16,
    pub incompatible: u32,
    /// Bytes of a group's descriptor.
    pub descriptor_size: u16,
    /// The block by which hosts keep each other from mounting; 0 without one.
    pub protection: u64,
    /// Blocks behind the descriptors into which these may grow.
    pub reserved_descriptors: u16,
    /// From this block of descriptors on, each stands in the groups that it describes.
    pub first_meta: u32,
    /// Groups that have copies of the superblock.
    copies: Copies,
    /// Where the checksums of metadata begin, if it has any.
    pub seed: Option<u32>,
    pub label: Vec<u8>,
    pub id: String,
    pub warnings: Vec<Failure>,
}

/// Which groups begin with a copy of the superblock.
#[derive(Debug, Clone, Copy)]
enum Copies {
    All,
    Sparse,
    Two([u32; 2]),
}

/// The result of looking for a superblock.
pub enum SuperblockSearch {
    Superblock(Box<Superblock>),
    /// A superblock of a volume that cannot be read, with the reason.
    Unread(String),
    Nothing,
}

fn is_power_of(mut number: u32, base: u32) -> bool {
    while number > 1 && number.is_multiple_of(base) {
        number /= base;
    }
    number == 1
}

impl Superblock {
    /// Reads the superblock of a volume.
    ///
    /// # Errors
    /// If it contradicts itself.
    pub fn read(bytes: &dyn Bytes) -> Result<SuperblockSearch, Failure> {
        let raw = read_some(bytes, OFFSET, 1024)?;
        if raw.len() < 1024 || le16(&raw, 56) != 0xef53 {
            return Ok(SuperblockSearch::Nothing);
        }
        let wrong = |cause: &str| Err(failure(Some(OFFSET), format!("ext superblock: {cause}")));
        let dynamic = le32(&raw, 76) >= 1;
        let feature = |at: usize| if dynamic { le32(&raw, at) } else { 0 };
        let (compatible, incompatible, read_only) = (feature(92), feature(96), feature(100));
        if incompatible & JOURNAL_DEVICE != 0 {
            return Ok(SuperblockSearch::Unread("ext journal device".to_owned()));
        }
        if incompatible & !READ != 0 {
            return Ok(SuperblockSearch::Unread(format!("ext with the unknown features {:#x}", incompatible & !READ)));
        }
        let log = le32(&raw, 24);
        if log > 6 {
            return wrong("blocks of more than 64 KiB");
        }
        let block_size = 1024 << log;
        let wide = incompatible & BITS_64 != 0;
        let high = if wide { u64::from(le32(&raw, 336)) << 32 } else { 0 };
        let has_clusters = read_only & 0x200 != 0;
        let cluster_log = if has_clusters { le32(&raw, 28) } else { log };
        let modern = incompatible & (EXTENTS | BITS_64 | 0x200 | 0x8000) != 0 || read_only & 0x78 != 0;
        let mut superblock = Superblock {
            kind: if modern {
                "ext4"
            } else if compatible & 4 != 0 {
                "ext3"
            } else {
                "ext2"
            },
            inodes: le32(&raw, 0),
            blocks: u64::from(le32(&raw, 4)) | high,
            block_size,
            first_block: u64::from(le32(&raw, 20)),
            blocks_per_group: le32(&raw, 32),
            blocks_per_cluster: 1_u32.checked_shl(cluster_log.wrapping_sub(log)).unwrap_or(0),
            inodes_per_group: le32(&raw, 40),
            first_inode: if dynamic { le32(&raw, 84).max(3) } else { 11 },
            own: [0xe0, 0x180, 0x240, 0x244, 0x26c, 0x280].map(|at| le32(&raw, at)),
            inode_size: if dynamic { le16(&raw, 88) } else { 128 },
            incompatible,
            descriptor_size: if wide { le16(&raw, 254) } else { 32 },
            protection: if incompatible & 0x100 != 0 { le64(&raw, 0x168) } else { 0 },
            reserved_descriptors: if compatible & 0x10 != 0 { le16(&raw, 0xce) } else { 0 },
            first_meta: if incompatible & META_BG != 0 { le32(&raw, 260) } else { u32::MAX },
            copies: match (compatible & 0x200 != 0, read_only & 1 != 0) {
                (true, _) => Copies::Two([le32(&raw, 588), le32(&raw, 592)]),
                (false, true) => Copies::Sparse,
                (false, false) => Copies::All,
            },
            seed: (read_only & 0x400 != 0).then(|| match incompatible & 0x2000 {
                0 => crc32c(!0, &raw[104..120]),
                _ => le32(&raw, 0x270),
            }),
            label: array::<16>(&raw, 120).into_iter().take_while(|&byte| byte != 0).collect(),
            id: uuid(array(&raw, 104)),
            warnings: Vec::new(),
        };
        superblock.check()?;
        superblock.warn(bytes.size(), &raw);
        Ok(SuperblockSearch::Superblock(Box::new(superblock)))
    }

    /// Whether its numbers can be those of a volume, so that no later sum overflows.
    fn check(&self) -> Result<(), Failure> {
        let wrong = |cause: &str| Err(failure(Some(OFFSET), format!("ext superblock: {cause}")));
        let bits = self.block_size * 8;
        if self.inode_size < 128 || !self.inode_size.is_power_of_two() || u32::from(self.inode_size) > self.block_size {
            return wrong("a size of inodes that no system writes");
        }
        if self.inodes_per_group == 0 || self.inodes_per_group > bits || self.blocks_per_cluster == 0 {
            return wrong("groups with more inodes than a bitmap has bits, or none");
        }
        let per_group = u64::from(self.blocks_per_group);
        if per_group == 0 || per_group > u64::from(bits) * u64::from(self.blocks_per_cluster) {
            return wrong("groups with more blocks than a bitmap has bits, or none");
        }
        if self.descriptor_size < 32 || !self.descriptor_size.is_power_of_two() || self.descriptor_size > 1024 {
            return wrong("a size of descriptors that no system writes");
        }
        if self.first_block > 1 || self.blocks <= self.first_block || self.blocks >= 1 << 47 {
            return wrong("a number of blocks that no volume has");
        }
        if u64::from(self.inodes) > self.groups() * u64::from(self.inodes_per_group) {
            return wrong("more inodes than its groups have");
        }
        Ok(())
    }

    /// Notes faults and states that an examiner must know.
    fn warn(&mut self, size: u64, raw: &[u8]) {
        let mut say = |cause: String| self.warnings.push(failure(Some(OFFSET), cause));
        if self.incompatible & RECOVER != 0 {
            say("the journal was not replayed: the state without it is read".to_owned());
        }
        let state = le16(raw, 58);
        if state & 1 == 0 {
            say("the volume was not unmounted".to_owned());
        }
        if state & 2 != 0 {
            say("the file system notes that it has errors".to_owned());
        }
        let stated = self.blocks * u64::from(self.block_size);
        if stated > size {
            say(format!("the file system has {stated} bytes, the volume only {size}"));
        }
        if byte(raw, 375) != 0 && le32(raw, 404) != 0 {
            say(format!("the file system counts {} errors", le32(raw, 404)));
        }
    }

    /// How many groups there are.
    pub fn groups(&self) -> u64 {
        (self.blocks - self.first_block).div_ceil(u64::from(self.blocks_per_group))
    }

    /// The first block of a group.
    pub fn group_start(&self, group: u64) -> u64 {
        self.first_block + group * u64::from(self.blocks_per_group)
    }

    /// Where the descriptor of a group stands, in bytes.
    pub fn descriptor(&self, group: u64) -> u64 {
        let block_size = u64::from(self.block_size);
        let each = block_size / u64::from(self.descriptor_size);
        let (index, within) = (group / each, group % each * u64::from(self.descriptor_size));
        let block = if index < u64::from(self.first_meta) {
            OFFSET / block_size + 1 + index
        } else {
            let first = index * each;
            // With blocks of a kilobyte that begin with block 0, the boot sector stands before.
            let shifted = block_size == 1024 && first == 0 && self.first_block == 0;
            self.group_start(first) + u64::from(self.has_copy(first)) + u64::from(shifted)
        };
        block * block_size + within
    }

    /// Whether a group begins with a copy of the superblock.
    pub fn has_copy(&self, group: u64) -> bool {
        let group = u32::try_from(group).unwrap_or(u32::MAX);
        match self.copies {
            _ if group == 0 => true,
            Copies::All => true,
            Copies::Two(groups) => groups.contains(&group),
            Copies::Sparse => group == 1 || [3, 5, 7].into_iter().any(|base| is_power_of(group, base)),
        }
    }
}

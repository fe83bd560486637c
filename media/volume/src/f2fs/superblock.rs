//! The superblock, and the copy in the second block.

use pfh_bytes::bytes::Bytes;
use pfh_bytes::field::{array, failure, le32, le64, read_some, uuid};
use pfh_bytes::node::Failure;
use pfh_bytes::text::{units, utf16};

/// Bytes of a block, and its logarithm: other sizes are named.
pub const BLOCK: u64 = 4096;
const BLOCK_LOG: u32 = 12;
/// Blocks of a segment.
pub const SEGMENT: u64 = 512;
/// Where superblocks stand, their bytes, and the checksum's place.
const PLACES: [u64; 2] = [1024, 1024 + BLOCK];
const SIZE: usize = 3072;
const SUM: usize = SIZE - 4;
/// The magic number, which is the seed of all checksums as well.
pub const MAGIC: u32 = 0xf2f5_2010;
/// Features: sizes of attributes in each inode, times of creation, a checksum here.
pub const FLEXIBLE: u32 = 0x40;
pub const BORN: u32 = 0x100;
const HAS_SUM: u32 = 0x800;
const KNOWN: u32 = 0x7fff;
/// Devices: the path of one, and the bytes of a row.
const PATH: usize = 64;
const DEVICE: usize = 68;

/// A superblock.
pub struct Superblock {
    pub blocks: u64,
    pub checkpoints: u64,
    pub sit: u64,
    pub sit_segments: u64,
    pub nat: u64,
    pub nat_segments: u64,
    pub main: u64,
    pub main_segments: u64,
    pub root: u32,
    /// Inodes of the file system itself: of nodes, of metadata, of quotas.
    pub own: Vec<u32>,
    pub payload: u64,
    pub features: u32,
    pub id: String,
    pub label: Vec<u8>,
    /// Further devices, and blocks of the first one if there are any.
    pub devices: Vec<String>,
    pub first: u64,
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

/// The checksum of the format.
pub fn checksum(bytes: &[u8], seed: u32) -> u32 {
    let mut hasher = crc32fast::Hasher::new_with_initial(!seed);
    hasher.update(bytes);
    !hasher.finalize()
}

impl Superblock {
    /// Reads the superblock: the first, or else its copy.
    pub fn read(bytes: &dyn Bytes) -> Result<SuperblockSearch, Failure> {
        let mut failed = None;
        for place in PLACES {
            let raw = match read_some(bytes, place, SIZE) {
                Ok(raw) if le32(&raw, 0) == MAGIC => raw,
                Ok(_) => continue,
                Err(error) => {
                    failed = Some(error);
                    continue;
                }
            };
            match Self::parse(&raw, place, bytes.size()) {
                Ok(SuperblockSearch::Superblock(mut found)) => {
                    if place != PLACES[0] {
                        let why =
                            failed.map_or("is lost".to_owned(), |failed| format!("is damaged ({})", failed.cause));
                        let cause = format!("F2FS: the superblock {why}: its copy is used");
                        found.warnings.insert(0, failure(Some(place), cause));
                    }
                    return Ok(SuperblockSearch::Superblock(found));
                }
                Ok(found) => return Ok(found),
                Err(error) => failed = failed.or(Some(error)),
            }
        }
        failed.map_or(Ok(SuperblockSearch::Other), Err)
    }

    fn parse(raw: &[u8], place: u64, there: u64) -> Result<SuperblockSearch, Failure> {
        let wrong = |at: usize, cause: &str| failure(Some(place + at as u64), format!("F2FS: {cause}"));
        if raw.len() < SIZE {
            return Err(wrong(raw.len(), "the volume is cut off here"));
        }
        let number = |at: usize| u64::from(le32(raw, at));
        let features = le32(raw, 2180);
        if features & HAS_SUM != 0 && checksum(&raw[..SUM], MAGIC) != le32(raw, SUM) {
            return Err(wrong(SUM, "the checksum of the superblock is wrong"));
        }
        if features & !KNOWN != 0 {
            return Ok(SuperblockSearch::Unread(format!("F2FS with unknown features ({:#x})", features & !KNOWN)));
        }
        if le32(raw, 16) != BLOCK_LOG {
            return Ok(SuperblockSearch::Unread(format!("F2FS with blocks of 2^{} bytes", le32(raw, 16))));
        }
        if number(20) != 9 {
            return Err(wrong(20, "a size of segments that it cannot have"));
        }
        let blocks = le64(raw, 36);
        let [checkpoints, sit, nat, main] = [76, 80, 84, 92].map(number);
        let [sit_segments, nat_segments, main_segments] = [56, 60, 68].map(number);
        let end = main.saturating_add(main_segments * SEGMENT);
        let in_order = checkpoints < sit && sit < nat && nat < main && end <= blocks && blocks <= 1 << 32;
        let fits = sit + sit_segments * SEGMENT <= nat && nat + nat_segments * SEGMENT <= main;
        if !in_order || !fits || checkpoints == 0 || main_segments == 0 {
            return Err(wrong(76, "areas that lie over one another, or outside of the volume"));
        }
        let mut devices = Vec::new();
        let mut first = blocks;
        for index in 0..8 {
            let row = &raw[2201 + DEVICE * index..][..DEVICE];
            let path = row[..PATH].split(|&byte| byte == 0).next().unwrap_or_default();
            if path.is_empty() {
                break;
            }
            match index {
                0 => first = u64::from(le32(row, PATH)) * SEGMENT + u64::from(le32(raw, 72)),
                _ => devices.push(String::from_utf8_lossy(path).into_owned()),
            }
        }
        let first = if devices.is_empty() { blocks } else { first.min(blocks) };
        let mut warnings = Vec::new();
        let size = first * BLOCK;
        if size > there {
            let cause = format!("F2FS has {size} bytes, and the medium ends at {there}: the rest is missing");
            warnings.push(failure(Some(there), cause));
        }
        for device in &devices {
            warnings.push(failure(None, format!("F2FS: the device {device} is not here")));
        }
        let label = &raw[124..1148];
        let length = label.chunks_exact(2).position(|unit| unit == [0, 0]).map_or(label.len(), |at| at * 2);
        let own = [100, 104, 2745, 2749, 2753].map(|at| le32(raw, at));
        Ok(SuperblockSearch::Superblock(Box::new(Superblock {
            blocks,
            checkpoints,
            sit,
            sit_segments,
            nat,
            nat_segments,
            main,
            main_segments,
            root: le32(raw, 96),
            own: own.into_iter().filter(|&number| number != 0).collect(),
            payload: number(1664),
            features,
            id: uuid(array(raw, 108)),
            label: utf16(&units(&label[..length])),
            devices,
            first,
            warnings,
        })))
    }

    /// Bytes of the first device.
    pub fn size(&self) -> u64 {
        self.first * BLOCK
    }

    /// Whether the features have this one.
    pub fn has(&self, feature: u32) -> bool {
        self.features & feature != 0
    }
}

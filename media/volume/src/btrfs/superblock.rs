//! The superblock, which stands at several places of each device.

use super::checksum::Checksum;
use pfh_bytes::bytes::Bytes;
use pfh_bytes::field::{array, byte, failure, is_at, le16, le32, le64, read_some};
use pfh_bytes::node::Failure;

/// Where superblocks stand on a device.
pub const PLACES: [u64; 3] = [64 << 10, 64 << 20, 256 << 30];
/// Bytes of one.
pub const SIZE: usize = 4096;
const MAGIC: &[u8] = b"_BHRfS_M";

/// Where the array of system chunks begins, and its most bytes.
const ARRAY: usize = 0x32b;
const LONGEST_ARRAY: usize = 2048;
/// Where older roots begin, and their bytes.
const OLDER: usize = 0xb2b;
const OLDER_SIZE: usize = 168;

/// Features that change how a volume is read: all that are known.
pub const RAID_STRIPE_TREE: u64 = 0x4000;
const NO_HOLES: u64 = 0x200;
const METADATA_UUID: u64 = 0x400;
const KNOWN: u64 = 0x1fff | 0x1_0000;

/// Flags: a restored dump of metadata, in two forms.
const DUMP: u64 = 1 << 33 | 1 << 34;

/// The root of a tree.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Root {
    /// Its logical place.
    pub logical: u64,
    /// The transaction that wrote it.
    pub generation: u64,
    /// Its height over the leaves.
    pub level: u8,
}

/// The fields of a superblock about its own device.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct OwnDevice {
    pub id: u64,
    pub size: u64,
    pub uuid: [u8; 16],
}

/// A superblock whose checksum is right.
#[derive(Debug, Clone)]
pub struct Superblock {
    /// Where it stands.
    pub offset: u64,
    pub fsid: [u8; 16],
    /// The identifier in the headers of nodes.
    pub metadata: [u8; 16],
    pub checksum: Checksum,
    pub generation: u64,
    pub root: Root,
    pub chunks: Root,
    pub log: u64,
    /// Roots of the tree of roots in transactions before, newest first.
    pub older: Vec<Root>,
    /// How many devices there are.
    pub devices: u64,
    pub sector_size: u32,
    pub node_size: u32,
    pub unknown: u64,
    pub has_no_holes: bool,
    pub is_dump: bool,
    pub own: OwnDevice,
    pub label: Vec<u8>,
    /// The chunks that the tree of chunks lies in.
    pub array: Vec<u8>,
}

/// Whether a superblock of any state stands at this place.
pub fn is_one(bytes: &dyn Bytes, at: u64) -> bool {
    read_some(bytes, at.saturating_add(0x40), MAGIC.len()).is_ok_and(|found| found == MAGIC)
}

/// The superblock at a place of the device that begins at `base`.
pub fn read(bytes: &dyn Bytes, base: u64, place: u64) -> Result<Superblock, Failure> {
    let offset = base.saturating_add(place);
    let wrong = |at: u64, cause: &str| failure(Some(offset + at), format!("superblock: {cause}"));
    let raw = read_some(bytes, offset, SIZE)?;
    if raw.len() < SIZE || !is_at(&raw, 0x40, MAGIC) {
        return Err(wrong(0x40, "without its magic"));
    }
    let checksum = Checksum::of(le16(&raw, 0xc4)).ok_or_else(|| wrong(0xc4, "a checksum of an unknown kind"))?;
    if !checksum.is_of(&raw[32..], &raw[..32]) {
        return Err(wrong(0, "its checksum is wrong"));
    }
    // A copy may stand in for the first one.
    if !PLACES.contains(&le64(&raw, 0x30)) {
        return Err(wrong(0x30, "it says that it stands elsewhere"));
    }
    let (sector_size, node_size) = (le32(&raw, 0x90), le32(&raw, 0x94));
    let is_size = |size: u32, least: u32| size.is_power_of_two() && (least..=65_536).contains(&size);
    if !is_size(sector_size, 512) || !is_size(node_size, sector_size.max(4096)) {
        return Err(wrong(0x90, &format!("blocks of {sector_size} bytes and nodes of {node_size}")));
    }
    let length = le32(&raw, 0xa0) as usize;
    let array = raw.get(ARRAY..ARRAY + length).filter(|_| length <= LONGEST_ARRAY);
    let array = array.ok_or_else(|| wrong(0xa0, "an array of chunks that is too long"))?.to_vec();
    let older = (0..4).map(|index| {
        let row = &raw[OLDER + index * OLDER_SIZE..];
        Root { logical: le64(row, 0), generation: le64(row, 8), level: byte(row, 152) }
    });
    let features = le64(&raw, 0xbc);
    let mut older: Vec<Root> = older.filter(|root| root.logical != 0).collect();
    older.sort_by_key(|root| std::cmp::Reverse(root.generation));
    let fsid = array_of(&raw, 0x20);
    let has_other = features & METADATA_UUID != 0;
    let generation = le64(&raw, 0x48);
    Ok(Superblock {
        offset,
        fsid,
        metadata: if has_other { array_of(&raw, 0x23b) } else { fsid },
        checksum,
        generation,
        root: Root { logical: le64(&raw, 0x50), generation, level: byte(&raw, 0xc6) },
        chunks: Root { logical: le64(&raw, 0x58), generation: le64(&raw, 0xa4), level: byte(&raw, 0xc7) },
        log: le64(&raw, 0x60),
        older,
        devices: le64(&raw, 0x88),
        sector_size,
        node_size,
        unknown: features & !KNOWN,
        has_no_holes: features & NO_HOLES != 0,
        is_dump: le64(&raw, 0x38) & DUMP != 0,
        own: OwnDevice { id: le64(&raw, 0xc9), size: le64(&raw, 0xd1), uuid: array_of(&raw, 0x10b) },
        label: raw[0x12b..0x22b].iter().copied().take_while(|&byte| byte != 0).collect(),
        array,
    })
}

fn array_of(raw: &[u8], at: usize) -> [u8; 16] {
    array(raw, at)
}

/// The newest superblock of the device that begins at `base`, and the faults of the others; `None`
/// if the first is not there.
pub fn newest(bytes: &dyn Bytes, base: u64) -> Result<Option<(Superblock, Vec<Failure>)>, Failure> {
    if !is_one(bytes, base.saturating_add(PLACES[0])) {
        return Ok(None);
    }
    let (mut best, mut warnings): (Option<Superblock>, Vec<Failure>) = (None, Vec::new());
    let mut size = u64::MAX;
    for place in PLACES {
        // Behind the device may be another one.
        let is_within = place.saturating_add(SIZE as u64) <= size;
        if !is_within || place != PLACES[0] && !is_one(bytes, base.saturating_add(place)) {
            continue;
        }
        match read(bytes, base, place) {
            Ok(found) if best.as_ref().is_some_and(|best| best.fsid != found.fsid) => {}
            Ok(found) => {
                size = found.own.size;
                if best.as_ref().is_none_or(|best| found.generation > best.generation) {
                    best = Some(found);
                }
            }
            Err(failed) => warnings.push(failed),
        }
    }
    match best {
        Some(best) => {
            if best.offset != base + PLACES[0] {
                let cause = format!("superblock: the copy of transaction {} is used", best.generation);
                warnings.push(failure(Some(best.offset), cause));
            }
            Ok(Some((best, warnings)))
        }
        None => Err(warnings.swap_remove(0)),
    }
}

/// A copy of a superblock that is lost: where it stands, and its bytes.
pub fn spares(bytes: &dyn Bytes) -> Vec<(u64, Vec<u8>)> {
    let copy = |&place: &u64| {
        let found = is_one(bytes, place) && read(bytes, 0, place).is_ok();
        found.then(|| read_some(bytes, place, SIZE).ok()).flatten().map(|raw| (place, raw))
    };
    PLACES[1..].iter().filter_map(copy).collect()
}

//! The three copies of the metadata: header, entries, checksum.

use super::entry::entries;
use super::protector::Protector;
use super::wrapped::WrappedKey;
use crate::failure::Failure;
use crate::field::{array, le16, le32, le64, read, read_some};
use crate::key::Secret;
use pfh_container::Bytes;
use sha2::{Digest, Sha256};

/// How each copy begins.
pub const SIGNATURE: &[u8; 8] = b"-FVE-FS-";

/// Which layout.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Version {
    /// Windows Vista.
    One,
    /// Windows 7 and later.
    Two,
}

/// Most bytes of one copy: a size of 16 bits, in units of 16.
const LONGEST: usize = 16 << 16;
/// The header of the block, and that of the entries behind it.
const HEADER: usize = 64;
const ENTRIES: usize = 48;

/// The metadata of a volume.
pub struct Metadata {
    /// Where the copy lies that was read.
    pub at: u64,
    /// Bytes of it that its checksum covers.
    pub length: usize,
    pub version: Version,
    /// Where all copies lie.
    pub blocks: [u64; 3],
    /// Bytes that the volume keeps for each.
    pub room: u64,
    /// Up to where the volume is encrypted.
    pub encrypted: u64,
    /// Where the first sectors of the plain volume lie: from, to.
    pub header: Option<(u64, u64)>,
    /// The cluster of NTFS's mirror of the file table (version 1).
    pub mirror: u64,
    /// The protectors of the volume's key.
    pub protectors: Vec<Protector>,
    /// The key of the data, wrapped by the volume's key.
    pub data_key: Option<WrappedKey>,
}

/// The first whole copy, and the faults of those before it.
///
/// # Errors
/// If none is whole: the fault of the first.
pub fn find(bytes: &dyn Bytes, places: [u64; 3], version: Version) -> Result<(Metadata, Vec<Failure>), Failure> {
    let mut failures = Vec::new();
    let mut others = places.to_vec();
    let mut next = 0;
    while next < others.len() {
        let at = others[next];
        next += 1;
        if at == 0 {
            continue;
        }
        match copy(bytes, at, version) {
            Ok(metadata) => return Ok((metadata, failures)),
            Err((failure, blocks)) => {
                failures.push(failure);
                // Version 1 names its copies in each of them alone.
                for block in blocks.into_iter().flatten().filter(|block| *block != 0) {
                    if !others.contains(&block) && others.len() < 6 {
                        others.push(block);
                    }
                }
            }
        }
    }
    Err(failures.into_iter().next().unwrap_or_else(|| Failure::damaged(0, "BitLocker without a place of its metadata")))
}

/// One copy; with its failure the places of the others, where its header was read.
fn copy(bytes: &dyn Bytes, at: u64, version: Version) -> Result<Metadata, (Failure, Option<[u64; 3]>)> {
    let head = read(bytes, at, HEADER + ENTRIES).map_err(|failure| (failure, None))?;
    let damaged = |what: &str| Failure::damaged(at, format!("BitLocker's metadata {what}"));
    if !head.starts_with(SIGNATURE) {
        return Err((damaged("do not begin there"), None));
    }
    let blocks = [32, 40, 48].map(|field| le64(&head, field));
    let fail = |failure| (failure, Some(blocks));
    let (size, unit) = match (le16(&head, 10), version) {
        (1, Version::One) => (usize::from(le16(&head, 8)), 1),
        (2, Version::Two) => (usize::from(le16(&head, 8)), 16),
        (other, _) => return Err(fail(damaged(&format!("are of version {other}, which is not that of the volume")))),
    };
    let length = size * unit;
    let of_entries = le32(&head, HEADER) as usize;
    if !(HEADER + ENTRIES..=LONGEST).contains(&length) || !(ENTRIES..=length - HEADER).contains(&of_entries) {
        return Err(fail(damaged("have an impossible size")));
    }
    let whole = read(bytes, at, length + 8).map_err(fail)?;
    if crc32(&whole[..length]) != le32(&whole, length + 4) {
        return Err(fail(damaged("have another checksum")));
    }
    parse(&whole[..length], at, version, of_entries).map_err(fail)
}

/// CRC-32 of zlib.
fn crc32(bytes: &[u8]) -> u32 {
    crc32fast::hash(bytes)
}

fn parse(whole: &[u8], at: u64, version: Version, of_entries: usize) -> Result<Metadata, Failure> {
    let blocks = [32, 40, 48].map(|field| le64(whole, field));
    let sectors = u64::from(le32(whole, 28));
    let mut metadata = Metadata {
        at,
        length: whole.len(),
        version,
        blocks,
        room: if version == Version::One { 16 << 10 } else { 64 << 10 },
        encrypted: if version == Version::One { u64::MAX } else { le64(whole, 16) },
        header: None,
        mirror: le64(whole, 56),
        protectors: Vec::new(),
        data_key: None,
    };
    if version == Version::Two && sectors > 0 {
        let from = le64(whole, 56);
        metadata.header = Some((from, from.saturating_add(sectors.saturating_mul(512))));
    }
    let behind = HEADER + ENTRIES;
    for entry in entries(&whole[behind..HEADER + of_entries], at + behind as u64)? {
        match (entry.kind, entry.value) {
            (2, 8) => metadata.protectors.push(Protector::parse(entry.data, at)?),
            (3, 5) => metadata.data_key = WrappedKey::parse(entry.data),
            // Where the first sectors lie, and their length in bytes.
            (0xf, 0xf) if version == Version::Two => {
                let (from, length) = (le64(entry.data, 0), le64(entry.data, 8));
                metadata.header = Some((from, from.saturating_add(length)));
            }
            _ => {}
        }
    }
    Ok(metadata)
}

/// The failure of metadata whose digest differs from the stored one: behind the checksum stands
/// their SHA-256, wrapped with the volume's key (version 2).
pub fn authentic(bytes: &dyn Bytes, metadata: &Metadata, key: &Secret) -> Option<Failure> {
    let behind = metadata.at + metadata.length as u64 + 8;
    let found = read_some(bytes, behind, 256).ok()?;
    let entry = entries(found.get(..usize::from(le16(&found, 0)))?, behind).ok()?.into_iter().next()?;
    let wrapped = WrappedKey::parse(entry.data).filter(|_| entry.value == 5)?;
    let whole = read(bytes, metadata.at, metadata.length).ok()?;
    let plain = wrapped.open(key);
    let says: Option<[u8; 32]> = plain.as_ref().filter(|plain| plain.len() >= 44).map(|plain| array(plain, 12));
    match says {
        Some(digest) if digest == <[u8; 32]>::from(Sha256::digest(&whole)) => None,
        _ => Some(Failure::damaged(metadata.at, "BitLocker's metadata do not have the digest that is kept with them")),
    }
}

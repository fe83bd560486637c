//! The volume: anchors, the sequence of descriptors, and the partitions and root in them.

use pfh_bytes::bytes::Bytes;
use pfh_bytes::field::{failure, le16, le32, read_some};
use pfh_bytes::node::Failure;

use super::tag::{descriptor, fixed, identifier};

/// Sizes of sectors that are tried: discs, then disks.
const SECTORS: [u64; 4] = [2048, 512, 4096, 1024];
/// The most descriptors of a sequence.
const MOST: u64 = 256;

const ANCHOR: u16 = 2;
const PARTITION: u16 = 5;
const LOGICAL: u16 = 6;
const END: u16 = 8;
const INTEGRITY: u16 = 9;

/// A place in a partition: which, and which block of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Place {
    /// By the number of its map.
    pub partition: u16,
    /// Its block.
    pub block: u32,
}

impl Place {
    /// The place in the 16 bytes of an allocation descriptor.
    pub fn read(raw: &[u8]) -> Place {
        Place { partition: le16(raw, 8), block: le32(raw, 4) }
    }
}

/// The content of a volume's descriptors.
pub struct Descriptors {
    /// Bytes of a block.
    pub block: u64,
    /// The label.
    pub label: Vec<u8>,
    /// Where the set of files is described.
    pub files: Place,
    /// The maps of partitions, not decoded.
    pub maps: Vec<Vec<u8>>,
    /// Number, first block and blocks of each partition.
    pub partitions: Vec<(u16, u32, u32)>,
    /// Remarks on the volume.
    pub warnings: Vec<Failure>,
}

/// Whether the sequence at sector 16 of a disc, or behind 32 KiB, says that there is UDF.
pub fn is_announced(bytes: &dyn Bytes) -> bool {
    let step = |at: u64| read_some(bytes, at, 6).unwrap_or_default();
    let found = |sector: u64| {
        (0..64).any(|number| matches!(step(32_768 + number * sector).get(1..6), Some(b"NSR02" | b"NSR03")))
    };
    found(2048) || found(4096)
}

/// The anchor: size of a sector, and the two places of the sequence.
fn anchor(bytes: &dyn Bytes) -> Option<(u64, [(u32, u32); 2])> {
    for sector in SECTORS {
        let last = bytes.size() / sector;
        for at in [256, last.saturating_sub(257), last.saturating_sub(1), 512] {
            let Ok(raw) = read_some(bytes, at.checked_mul(sector)?, 512) else { continue };
            if identifier(&raw) == Some(ANCHOR) && u64::from(le32(&raw, 12)) == at {
                let extent = |place: usize| (le32(&raw, place), le32(&raw, place + 4));
                return Some((sector, [extent(16), extent(24)]));
            }
        }
    }
    None
}

impl Descriptors {
    /// Reads them; `None` if there is no anchor.
    pub fn read(bytes: &dyn Bytes) -> Result<Option<Descriptors>, Failure> {
        let Some((sector, sequences)) = anchor(bytes) else { return Ok(None) };
        let mut failed = None;
        for (at, (length, first)) in sequences.into_iter().enumerate() {
            match sequence(bytes, sector, length, first) {
                Ok(mut found) => {
                    if at > 0 {
                        let cause = "the first sequence of descriptors is damaged: the reserve is used";
                        found.warnings.push(failure(Some(u64::from(first) * sector), cause));
                    }
                    return Ok(Some(found));
                }
                Err(failure) => failed = failed.or(Some(failure)),
            }
        }
        Err(failed.unwrap_or_else(|| failure(None, "UDF without a sequence of descriptors")))
    }
}

fn sequence(bytes: &dyn Bytes, sector: u64, length: u32, first: u32) -> Result<Descriptors, Failure> {
    let (mut logical, mut partitions) = (None::<Vec<u8>>, Vec::<(u32, (u16, u32, u32))>::new());
    for index in 0..(u64::from(length) / sector).min(MOST) {
        let location = u32::try_from(u64::from(first) + index).map_err(|_| failure(None, "UDF beyond 2^32 sectors"))?;
        let (found, raw) = descriptor(bytes, u64::from(location) * sector, sector as usize, location)?;
        // Of several of one kind the one with the highest number counts.
        match found {
            LOGICAL if logical.as_ref().is_none_or(|held| le32(held, 16) <= le32(&raw, 16)) => logical = Some(raw),
            PARTITION => {
                let number = le16(&raw, 22);
                partitions.retain(|held| held.1.0 != number || held.0 > le32(&raw, 16));
                if partitions.iter().all(|held| held.1.0 != number) {
                    partitions.push((le32(&raw, 16), (number, le32(&raw, 188), le32(&raw, 192))));
                }
            }
            END => break,
            _ => {}
        }
    }
    let wrong = |cause: &str| failure(Some(u64::from(first) * sector), cause);
    let logical = logical.ok_or_else(|| wrong("UDF without a logical volume"))?;
    let block = u64::from(le32(&logical, 212));
    if block != sector {
        return Err(wrong("UDF whose blocks are not sectors"));
    }
    let (length, count) = (le32(&logical, 264) as usize, le32(&logical, 268));
    let mut table = logical
        .get(440..440 + length.min(4096))
        .ok_or_else(|| wrong("UDF with a table of partitions beyond its block"))?;
    let mut maps = Vec::new();
    for _ in 0..count {
        let length = table.get(1).map_or(0, |&length| usize::from(length));
        let map = table.get(..length).filter(|map| map.len() >= 6);
        maps.push(map.ok_or_else(|| wrong("UDF with a table of partitions that ends too early"))?.to_vec());
        table = &table[length..];
    }
    let mut warnings = Vec::new();
    let (integrity, at) = (le32(&logical, 432), le32(&logical, 436));
    if integrity > 0 {
        let found = descriptor(bytes, u64::from(at) * sector, sector as usize, at);
        if let Ok((INTEGRITY, raw)) = found
            && le32(&raw, 28) == 0
        {
            warnings.push(failure(
                Some(u64::from(at) * sector),
                "the volume was not unmounted: the last writes may be missing",
            ));
        }
    }
    let partitions = partitions.into_iter().map(|(_, partition)| partition).collect();
    let (label, files) = (fixed(&logical[84..212]), Place::read(&logical[248..264]));
    Ok(Descriptors { block, label, files, maps, partitions, warnings })
}

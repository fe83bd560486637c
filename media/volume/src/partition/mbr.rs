//! The master boot record, with extended partitions.

use std::collections::HashSet;
use std::sync::Arc;

use super::table::{Partition, PartitionTable, SECTORS, Scheme, Usage};
use crate::detect::file_system;
use crate::file_system::VolumeContent;
use pfh_bytes::bytes::{Bytes, Slice};
use pfh_bytes::field::{self, byte, failure, le16, le32};

/// The type that says that there is a GPT.
pub const PROTECTIVE: u8 = 0xee;

/// More logical partitions than any system makes.
const MOST_LOGICAL: u32 = 4096;

/// One of the four written entries.
#[derive(Debug, Clone, Copy)]
pub struct Entry {
    /// From 1.
    number: u32,
    /// Type of the partition.
    pub kind: u8,
    /// In sectors; in an extended boot record relative to a place that depends on the type.
    start: u32,
    /// In sectors.
    sectors: u32,
}

/// The used entries of a boot record; `None` if the sector is not one, or has no entry.
pub fn entries(sector: &[u8]) -> Option<Vec<Entry>> {
    let found: Vec<Entry> = all(sector)?.into_iter().filter(|entry| entry.kind != 0 && entry.sectors != 0).collect();
    (!found.is_empty()).then_some(found)
}

/// The four entries of a boot record; `None` if the sector is not one.
fn all(sector: &[u8]) -> Option<[Entry; 4]> {
    if sector.len() < 512 || le16(sector, 510) != 0xaa55 {
        return None;
    }
    // Boot code of a file system has other bytes there, and is not a table.
    let is_table = (0..4).all(|slot| matches!(byte(sector, 446 + 16 * slot), 0 | 0x80));
    is_table.then(|| written(sector))
}

/// The bytes of four entries, sound or not.
fn written(sector: &[u8]) -> [Entry; 4] {
    [0, 1, 2, 3].map(|slot| {
        let at = 446 + 16 * slot;
        Entry {
            number: slot as u32 + 1,
            kind: byte(sector, at + 4),
            start: le32(sector, at + 8),
            sectors: le32(sector, at + 12),
        }
    })
}

/// The table of a boot record without its signature, or with states of partitions that are none: it
/// counts if its entries lie within the medium, apart from each other, and a known volume begins at
/// each, while the medium itself begins with none.
pub fn unsigned(bytes: &Arc<dyn Bytes>) -> Option<PartitionTable> {
    let head = field::read_some(&**bytes, 0, 512).ok()?;
    let mut used = written(&head).to_vec();
    used.retain(|entry| entry.kind != 0 || entry.start != 0 || entry.sectors != 0);
    used.sort_by_key(|entry| entry.start);
    let sectors = bytes.size() / u64::from(SECTORS[0]);
    let mut end = 1;
    for entry in &used {
        let (start, length) = (u64::from(entry.start), u64::from(entry.sectors));
        if entry.kind == 0 || length == 0 || start < end || start + length > sectors {
            return None;
        }
        end = start + length;
    }
    let mut table = read_table(bytes, &used, SECTORS[0]);
    let mut parts = table.partitions.iter().filter(|part| part.usage == Usage::Partition).peekable();
    let is_sound = parts.peek().is_some() && parts.all(|part| is_known(bytes, part));
    if !is_sound || !matches!(file_system(bytes.clone()), Ok(VolumeContent::Unknown)) {
        return None;
    }
    let is_signed = le16(&head, 510) == 0xaa55;
    let fault = if is_signed { "partitions in a state that is none" } else { "no signature (55 AA)" };
    table.warnings.push(failure(Some(if is_signed { 446 } else { 510 }), format!("the boot record has {fault}")));
    Some(table)
}

fn is_extended(kind: u8) -> bool {
    matches!(kind, 0x05 | 0x0f | 0x85)
}

fn partition(entry: Entry, number: u32, base: u64, sector_size: u32) -> Partition {
    Partition {
        number: Some(number),
        usage: if is_extended(entry.kind) { Usage::Extended } else { Usage::Partition },
        kind: format!("{:#04x}", entry.kind),
        name: Vec::new(),
        start: (base + u64::from(entry.start)) * u64::from(sector_size),
        length: u64::from(entry.sectors) * u64::from(sector_size),
    }
}

/// The table whose primary entries are given.
pub fn read_table(bytes: &Arc<dyn Bytes>, primary: &[Entry], sector_size: u32) -> PartitionTable {
    let mut table = PartitionTable {
        scheme: Scheme::Mbr,
        sector_size,
        id: String::new(),
        partitions: Vec::new(),
        warnings: Vec::new(),
        structures: Vec::new(),
    };
    if let Ok(head) = field::read(&**bytes, 440, 4) {
        table.id = format!("{:08x}", le32(&head, 0));
    }
    let mut next = 5;
    for &entry in primary {
        table.partitions.push(partition(entry, entry.number, 0, sector_size));
    }
    for entry in primary.iter().filter(|entry| is_extended(entry.kind)) {
        logical(bytes, u64::from(entry.start), &mut next, &mut table);
    }
    table
}

/// The chain of boot records of an extended partition that begins at sector `base`.
fn logical(bytes: &Arc<dyn Bytes>, base: u64, next: &mut u32, table: &mut PartitionTable) {
    let sector_size = table.sector_size;
    let mut seen = HashSet::new();
    let mut at = base;
    loop {
        let offset = at * u64::from(sector_size);
        if !seen.insert(at) || *next > MOST_LOGICAL {
            table.warnings.push(failure(Some(offset), "the chain of logical partitions leads to itself"));
            return;
        }
        let sector = match field::read(&**bytes, offset, 512) {
            Ok(sector) => sector,
            Err(failed) => {
                table.warnings.push(failure(failed.offset, format!("extended boot record: {}", failed.cause)));
                return;
            }
        };
        if le16(&sector, 510) != 0xaa55 {
            table.warnings.push(failure(Some(offset), "an extended boot record has no signature: the chain ends here"));
            return;
        }
        table.structures.push((offset..offset + 512, "extended boot record"));
        let mut link = None;
        for entry in entries(&sector).unwrap_or_default() {
            if is_extended(entry.kind) {
                link.get_or_insert(base + u64::from(entry.start));
            } else {
                table.partitions.push(partition(entry, *next, at, sector_size));
                *next += 1;
            }
        }
        let Some(following) = link else { return };
        at = following;
    }
}

/// Whether a partition begins with a known volume.
pub fn is_known(bytes: &Arc<dyn Bytes>, part: &Partition) -> bool {
    let left = bytes.size().checked_sub(part.start).filter(|&left| left > 0);
    let slice = left.and_then(|left| Slice::new(bytes.clone(), part.start, part.length.min(left)));
    slice.is_some_and(|slice| file_system(Arc::new(slice)).is_ok_and(|what| !matches!(what, VolumeContent::Unknown)))
}

/// How many partitions begin with a known volume.
fn known(bytes: &Arc<dyn Bytes>, table: &PartitionTable) -> usize {
    table.partitions.iter().filter(|part| part.usage == Usage::Partition && is_known(bytes, part)).count()
}

/// Adds the entries of type 0 that lead to a known volume: the type says that they are not in use,
/// and Linux has them all the same.
pub fn untyped(bytes: &Arc<dyn Bytes>, sector: &[u8], table: &mut PartitionTable) {
    for entry in all(sector).into_iter().flatten() {
        let part = partition(entry, entry.number, 0, table.sector_size);
        let is_new = table.partitions.iter().all(|other| other.start != part.start);
        if entry.kind == 0 && entry.start != 0 && entry.sectors != 0 && is_new && is_known(bytes, &part) {
            table.partitions.push(part);
        }
    }
}

/// Reads the entries that say that they hold no volume, and lead to a known one: those without a
/// length, up to the next partition, and extended ones without a logical partition.
pub fn mistaken(bytes: &Arc<dyn Bytes>, sector: &[u8], table: &mut PartitionTable) {
    for entry in all(sector).into_iter().flatten() {
        let mut part = Partition { usage: Usage::Partition, ..partition(entry, entry.number, 0, table.sector_size) };
        let is_used = entry.kind != 0 && entry.kind != PROTECTIVE && entry.start != 0;
        let logical = |other: &Partition| other.number > Some(4) && other.start > part.start;
        let why = if entry.sectors == 0 {
            let others = table.partitions.iter().map(|other| other.start).filter(|start| *start > part.start);
            part.length = others.min().unwrap_or(bytes.size()).saturating_sub(part.start);
            "states no length"
        } else if is_extended(entry.kind) && !table.partitions.iter().any(logical) {
            "calls itself extended"
        } else {
            continue;
        };
        if is_used && is_known(bytes, &part) {
            let cause = format!("partition {} {why}, and a volume begins there: it is read", entry.number);
            table.warnings.push(failure(Some(part.start), cause));
            table.partitions.retain(|other| other.number != part.number);
            table.partitions.push(part);
        }
    }
}

/// Adds the partitions that the MBR beside a GPT has and the GPT has not. Each keeps its number if
/// the GPT has none of it.
pub fn beside(bytes: &Arc<dyn Bytes>, primary: &[Entry], table: &mut PartitionTable) {
    let others: Vec<Entry> = primary.iter().copied().filter(|entry| entry.kind != PROTECTIVE).collect();
    let mut hybrid = read_table(bytes, &others, table.sector_size);
    hybrid.partitions.retain(|part| part.usage == Usage::Partition);
    table.warnings.append(&mut hybrid.warnings);
    for part in hybrid.partitions {
        if table.partitions.iter().any(|other| other.start == part.start) {
            continue;
        }
        let taken = |number: u32| table.partitions.iter().any(|other| other.number == Some(number));
        let last = table.partitions.iter().filter_map(|other| other.number).max().unwrap_or(0);
        let number = part.number.filter(|&number| !taken(number)).unwrap_or(last + 1);
        let cause = format!(
            "the MBR has a partition of {} bytes (type {}) that the GPT has not: read as p{number}",
            part.length, part.kind
        );
        table.warnings.push(failure(Some(part.start), cause));
        table.partitions.push(Partition { number: Some(number), ..part });
    }
}

/// The table whose primary entries are given. An MBR does not say how long a sector is: it is the
/// length with which most partitions begin with a known volume, 512 if none does.
pub fn read(bytes: &Arc<dyn Bytes>, primary: &[Entry]) -> PartitionTable {
    let mut best = read_table(bytes, primary, SECTORS[0]);
    let mut most = known(bytes, &best);
    for &sector_size in &SECTORS[1..] {
        let table = read_table(bytes, primary, sector_size);
        let score = known(bytes, &table);
        if score > most {
            (best, most) = (table, score);
        }
    }
    best
}

//! The GUID partition table (UEFI 2.10, chapter 5), with the backup header where the first is bad.

use super::mbr::is_known;
use super::table::{Partition, PartitionTable, SECTORS, Scheme, Usage};
use pfh_bytes::bytes::Bytes;
use pfh_bytes::field::{array, failure, guid, is_at, le16, le32, le64, read_some};
use pfh_bytes::node::Failure;
use pfh_bytes::text::utf16;
use std::sync::Arc;

/// More bytes of entries than any system writes: 4096 entries of a kilobyte.
const MOST_BYTES: u64 = 4 << 20;

/// The type of an entry that is not in use.
const UNUSED: &str = "00000000-0000-0000-0000-000000000000";

/// Where a table stands.
type Structures = Vec<(std::ops::Range<u64>, &'static str)>;

/// A header that is whole.
struct Header {
    disk: String,
    entries_at: u64,
    count: u32,
    size: u32,
    crc: u32,
}

/// The table of `bytes`; `None` if neither header has the signature.
pub fn read(medium: &Arc<dyn Bytes>) -> Result<Option<PartitionTable>, Failure> {
    let bytes = &**medium;
    let mut warnings = Vec::new();
    let mut found = false;
    for sector_size in SECTORS {
        let backup = bytes.size().checked_sub(u64::from(sector_size)).map(|at| at / u64::from(sector_size));
        let places = [Some(1), backup.filter(|&at| at > 1)];
        for (which, lba) in places.into_iter().flatten().enumerate() {
            let is_backup = which == 1;
            let name = if is_backup { "backup GPT" } else { "GPT" };
            match table(bytes, lba, sector_size) {
                Ok(None) if is_backup && found => {
                    warnings.push(failure(None, "the backup GPT is not at the end of the medium"));
                }
                Ok(None) => {}
                Ok(Some(mut table)) => {
                    if is_backup {
                        let cause = "the first GPT is damaged or missing: the backup is used";
                        warnings.push(failure(Some(u64::from(sector_size)), cause));
                    } else if let Some(at) = backup {
                        let (structures, differs) = second(bytes, at, &table);
                        table.structures.extend(structures);
                        warnings.extend(differs);
                    }
                    // Entries of type 0 are not in use, but one may lead to a volume.
                    table.partitions.retain(|part| part.kind != UNUSED || is_known(medium, part));
                    table.warnings = warnings;
                    return Ok(Some(table));
                }
                Err(failed) => {
                    found = true;
                    warnings.push(failure(failed.offset, format!("{name}: {}", failed.cause)));
                }
            }
        }
    }
    match warnings.into_iter().next() {
        Some(first) => Err(first),
        None => Ok(None),
    }
}

/// Where the backup of a table that is whole stands, and a remark on it.
fn second(bytes: &dyn Bytes, at: u64, first: &PartitionTable) -> (Structures, Option<Failure>) {
    let offset = Some(at * u64::from(first.sector_size));
    match table(bytes, at, first.sector_size) {
        Ok(Some(second)) if second.partitions == first.partitions => (second.structures, None),
        Ok(Some(second)) => (second.structures, Some(failure(offset, "the backup GPT lists other partitions"))),
        Ok(None) => (Vec::new(), Some(failure(offset, "there is no backup GPT at the end of the medium"))),
        Err(failed) => (Vec::new(), Some(failure(failed.offset, format!("backup GPT: {}", failed.cause)))),
    }
}

fn table(bytes: &dyn Bytes, lba: u64, sector_size: u32) -> Result<Option<PartitionTable>, Failure> {
    let Some(header) = header(bytes, lba, sector_size)? else { return Ok(None) };
    let length = u64::from(header.count) * u64::from(header.size);
    if header.size < 128 || length > MOST_BYTES {
        let cause = format!("{} entries of {} bytes are not a table", header.count, header.size);
        return Err(failure(Some(lba * u64::from(sector_size)), cause));
    }
    let at = header.entries_at.checked_mul(u64::from(sector_size));
    let at = at.ok_or_else(|| failure(None, "the entries are beyond any medium"))?;
    let entries = pfh_bytes::field::read(bytes, at, usize::try_from(length).unwrap_or(0))?;
    if crc32fast::hash(&entries) != header.crc {
        return Err(failure(Some(at), "the CRC of the entries is wrong"));
    }
    let mut partitions = Vec::new();
    for (index, entry) in entries.chunks_exact(header.size as usize).enumerate() {
        let (first, last) = (le64(entry, 32), le64(entry, 40));
        let is_unused = array::<16>(entry, 0) == [0; 16];
        if is_unused && (first == 0 || last <= first) {
            continue;
        }
        let sectors = last.checked_sub(first).and_then(|sectors| sectors.checked_add(1));
        let range = sectors.and_then(|sectors| {
            let unit = u64::from(sector_size);
            Some((first.checked_mul(unit)?, sectors.checked_mul(unit)?))
        });
        let Some((start, length)) = range else {
            if is_unused {
                continue;
            }
            let cause = format!("partition {} ends before it begins", index + 1);
            return Err(failure(Some(at), cause));
        };
        let units: Vec<u16> = (0..36).map(|unit| le16(entry, 56 + 2 * unit)).take_while(|&unit| unit != 0).collect();
        partitions.push(Partition {
            number: u32::try_from(index + 1).ok(),
            usage: Usage::Partition,
            kind: guid(array(entry, 0)),
            name: utf16(&units),
            start,
            length,
        });
    }
    partitions.sort_by_key(|part| (part.start, part.number));
    let (place, unit) = (lba * u64::from(sector_size), u64::from(sector_size));
    let structures = vec![(place..place + unit, "GPT header"), (at..at + length.next_multiple_of(unit), "GPT entries")];
    let (scheme, warnings) = (Scheme::Gpt, Vec::new());
    Ok(Some(PartitionTable { scheme, sector_size, id: header.disk, partitions, warnings, structures }))
}

/// The header at a sector; `None` if its signature is not there.
fn header(bytes: &dyn Bytes, lba: u64, sector_size: u32) -> Result<Option<Header>, Failure> {
    let offset = lba * u64::from(sector_size);
    let mut sector = read_some(bytes, offset, 512)?;
    if sector.len() < 512 || !is_at(&sector, 0, b"EFI PART") {
        return Ok(None);
    }
    let length = le32(&sector, 12) as usize;
    let stated = le32(&sector, 16);
    if !(92..=512).contains(&length) {
        return Err(failure(Some(offset), format!("a header of {length} bytes")));
    }
    sector[16..20].fill(0);
    if crc32fast::hash(&sector[..length]) != stated {
        return Err(failure(Some(offset), "the CRC of the header is wrong"));
    }
    if le64(&sector, 24) != lba {
        return Err(failure(Some(offset), format!("the header says that it is sector {}", le64(&sector, 24))));
    }
    Ok(Some(Header {
        disk: guid(array(&sector, 56)),
        entries_at: le64(&sector, 72),
        count: le32(&sector, 80),
        size: le32(&sector, 84),
        crc: le32(&sector, 88),
    }))
}

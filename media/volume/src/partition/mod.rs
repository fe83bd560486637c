//! Partition tables: how a medium is divided. Own code over [`Bytes`]: `gpt` 4 and `mbrman` 0.6
//! want `Read + Seek`, and give up a table for one bad field, where an examiner needs the rest.

pub mod apm;
mod disc;
mod gap;
mod gpt;
mod mbr;
mod table;

use std::sync::Arc;

use pfh_container::sfx;

use pfh_bytes::bytes::Bytes;
use pfh_bytes::field::{failure, is_at, read_some};
use pfh_bytes::node::Failure;

pub use table::{Partition, PartitionTable, Scheme, Usage};

/// Finds out how `bytes` are divided. A medium without a table is one partition of all bytes, with
/// [`Scheme::None`]; its file system may still be unknown.
///
/// # Errors
/// If the first sector cannot be read, or a table is damaged beyond its backup.
pub fn partitions(bytes: &Arc<dyn Bytes>) -> Result<PartitionTable, Failure> {
    let mut table = find(bytes)?;
    table.bound(bytes.size());
    table.warnings.extend(behind(&table, &**bytes));
    gap::fill(&mut table, bytes.size());
    Ok(table)
}

/// An archive behind the last partition and the tables, perhaps with zeros between: no table lists
/// it.
fn behind(table: &PartitionTable, bytes: &dyn Bytes) -> Option<Failure> {
    if table.scheme == Scheme::None {
        return None;
    }
    let partitions = table.partitions.iter().map(|part| part.start.saturating_add(part.length));
    let structures = table.structures.iter().map(|(range, _)| range.end);
    let found = sfx::behind_end(partitions.chain(structures).max()?, bytes)?;
    Some(failure(Some(found.offset), format!("{} behind the partitions: not read there", found.format)))
}

/// The written table, without the gaps.
fn find(bytes: &Arc<dyn Bytes>) -> Result<PartitionTable, Failure> {
    let head = read_some(&**bytes, 0, 512)?;
    let mbr = mbr::entries(&head);
    // An ISO image for USB sticks has tables that lead to itself. A boot sector of a file system
    // has code where a table would be.
    if is_iso(&**bytes) || is_boot_sector(&head) {
        let mut whole = PartitionTable::whole(bytes.size());
        if is_iso(&**bytes)
            && let Some(table) = disc::beside(bytes, mbr.as_deref())?
        {
            return Ok(table);
        }
        if mbr.is_some() {
            let cause = "a partition table stands beside a file system that begins at the first byte; it is not used";
            whole.warnings.push(failure(Some(446), cause));
        }
        return Ok(whole);
    }
    if let Some(mut table) = gpt::read(bytes)? {
        if let Some(entries) = mbr {
            mbr::beside(bytes, &entries, &mut table);
        }
        return Ok(table);
    }
    let map = apm::read(&**bytes)?;
    // An old map stays on a disk that got an MBR later; the first block of a Mac's disk begins with
    // `ER`.
    if let Some(mut map) = map {
        if mbr.is_none() || is_at(&head, 0, b"ER") {
            if mbr.is_some() {
                let cause = "a partition table of an MBR stands beside the Apple partition map; it is not used";
                map.warnings.push(failure(Some(446), cause));
            }
            return Ok(map);
        }
        let mut table = mbr_table(bytes, mbr)?;
        let cause = "an Apple partition map stands beside the partition table of an MBR; it is not used";
        table.warnings.push(failure(Some(u64::from(map.sector_size)), cause));
        return Ok(table);
    }
    mbr_table(bytes, mbr)
}

/// The table of an MBR with these entries; the whole medium without any.
fn mbr_table(bytes: &Arc<dyn Bytes>, entries: Option<Vec<mbr::Entry>>) -> Result<PartitionTable, Failure> {
    let Some(mut entries) = entries else {
        return Ok(mbr::unsigned(bytes).unwrap_or_else(|| PartitionTable::whole(bytes.size())));
    };
    let cause = "the MBR says that there is a GPT, and neither header of one is whole";
    let lost = entries.iter().any(|entry| entry.kind == mbr::PROTECTIVE).then(|| failure(Some(446), cause));
    // A hybrid table repeats partitions of the lost GPT.
    entries.retain(|entry| entry.kind != mbr::PROTECTIVE);
    let mut table = match lost {
        Some(lost) if entries.is_empty() => return Err(lost),
        Some(lost) => {
            let mut table = mbr::read(bytes, &entries);
            table.warnings.push(lost);
            table
        }
        None => mbr::read(bytes, &entries),
    };
    let head = read_some(&**bytes, 0, 512)?;
    mbr::untyped(bytes, &head, &mut table);
    mbr::mistaken(bytes, &head, &mut table);
    Ok(table)
}

fn is_iso(bytes: &dyn Bytes) -> bool {
    read_some(bytes, 0x8000, 6).is_ok_and(|found| is_at(&found, 1, b"CD001"))
}

/// Whether the first sector is that of FAT, exFAT, NTFS or an encrypted volume.
fn is_boot_sector(head: &[u8]) -> bool {
    let named = [&b"NTFS    "[..], b"EXFAT   ", b"-FVE-FS-"].iter().any(|name| is_at(head, 3, name));
    let jumps = matches!(head.first(), Some(0xeb | 0xe9));
    let typed = is_at(head, 54, b"FAT1") || is_at(head, 82, b"FAT32   ");
    named || jumps && typed || is_at(head, 0, b"LUKS\xba\xbe")
}

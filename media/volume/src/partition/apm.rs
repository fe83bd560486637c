//! The Apple partition map: entries of one block each, from block 1 on, the first of them the map's
//! own.

use super::table::{Partition, PartitionTable, Scheme, Usage};
use pfh_bytes::bytes::Bytes;
use pfh_bytes::field::{be16, be32, failure, is_at, read_some};
use pfh_bytes::node::Failure;

/// The most entries that are read; a map has 63 blocks on most disks.
const MOST: u32 = 1024;

/// Types of entries without a volume: the map itself, and free space.
const MAP: &[u8] = b"Apple_partition_map";
const FREE: [&[u8]; 4] = [b"Apple_Free", b"Apple_Void", b"Apple_Scratch", b"Apple_Extra"];

/// The map of `bytes`; `None` if there is none.
///
/// # Errors
/// If the map contradicts itself.
pub fn read(bytes: &dyn Bytes) -> Result<Option<PartitionTable>, Failure> {
    let head = read_some(bytes, 0, 4)?;
    // A disc has blocks of 2048 bytes by its first block, and may have its map in steps of 512.
    let stated = if is_at(&head, 0, b"ER") { u64::from(be16(&head, 2)) } else { 0 };
    let mut sizes: Vec<u64> = vec![512, 2048, 1024, 4096];
    if let Some(at) = sizes.iter().position(|&size| size == stated) {
        sizes.swap(0, at);
    }
    for block_size in sizes {
        let first = entry(bytes, block_size, 1)?;
        if first.as_ref().is_some_and(|first| be32(first, 4) > 0 && be16(first, 2) == 0) {
            return table(bytes, block_size, be32(first.as_deref().unwrap_or_default(), 4)).map(Some);
        }
    }
    Ok(None)
}

/// The entry with this number; `None` if there is none.
fn entry(bytes: &dyn Bytes, block_size: u64, number: u32) -> Result<Option<Vec<u8>>, Failure> {
    let raw = read_some(bytes, u64::from(number) * block_size, 512)?;
    Ok(Some(raw).filter(|raw| raw.len() == 512 && is_at(raw, 0, b"PM")))
}

/// Text that ends with a zero or its field.
fn text(raw: &[u8]) -> &[u8] {
    raw.split(|&byte| byte == 0).next().unwrap_or_default()
}

fn table(bytes: &dyn Bytes, block_size: u64, count: u32) -> Result<PartitionTable, Failure> {
    let (mut partitions, mut warnings) = (Vec::new(), Vec::new());
    for number in 1..=count.min(MOST) {
        let offset = Some(u64::from(number) * block_size);
        let Some(raw) = entry(bytes, block_size, number)? else {
            let cause = format!("Apple partition map: {count} entries are stated, and entry {number} is none");
            warnings.push(failure(offset, cause));
            continue;
        };
        if be32(&raw, 4) != count {
            let cause =
                format!("Apple partition map: entry {number} states {} entries, the first {count}", be32(&raw, 4));
            warnings.push(failure(offset, cause));
        }
        let (name, kind) = (text(&raw[16..48]), text(&raw[48..80]));
        if FREE.contains(&kind) || kind == MAP {
            continue;
        }
        let unit = |at: usize| u64::from(be32(&raw, at)) * block_size;
        partitions.push(Partition {
            number: Some(number),
            usage: Usage::Partition,
            kind: String::from_utf8_lossy(kind).into_owned(),
            name: name.to_vec(),
            start: unit(8),
            length: unit(12),
        });
    }
    if count > MOST {
        let cause = format!("Apple partition map: {count} entries, the rest behind {MOST} is not listed");
        warnings.push(failure(Some(block_size), cause));
    }
    let sector_size = u32::try_from(block_size).unwrap_or(512);
    let blocks = partitions.iter().filter_map(|part| part.number).max().unwrap_or(0);
    let end = u64::from(sector_size) * (1 + u64::from(blocks));
    let structures = vec![(u64::from(sector_size)..end, "partition map")];
    Ok(PartitionTable { scheme: Scheme::Apm, sector_size, id: String::new(), partitions, warnings, structures })
}

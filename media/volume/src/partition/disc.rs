//! Partitions beside the tree of a disc, which has no file with their bytes: those for firmware.

use super::table::{Partition, PartitionTable, Scheme, Usage};
use super::{gpt, mbr};
use crate::detect::file_system;
use crate::file_system::{Options, VolumeContent};
use pfh_bytes::bytes::Bytes;
use pfh_bytes::node::Failure;
use std::sync::Arc;

/// A disc as one volume, with the partitions beside it: those that begin with a known volume, and
/// where no file of the disc begins. `None` if there is none of these.
///
/// # Errors
/// If the medium cannot be read.
pub fn beside(bytes: &Arc<dyn Bytes>, entries: Option<&[mbr::Entry]>) -> Result<Option<PartitionTable>, Failure> {
    let mut stated = match gpt::read(bytes) {
        Ok(found) => found.map(|table| (Scheme::Gpt, table)),
        // The tables of a disc that was cut or grown on a stick say little.
        Err(_) => None,
    };
    if let (None, Some(entries)) = (&stated, entries) {
        stated = Some((Scheme::Mbr, mbr::read_table(bytes, entries, 512)));
    }
    let Some((scheme, mut table)) = stated else { return Ok(None) };
    // The first entry stands for the disc itself.
    table.partitions.retain(|part| part.usage == Usage::Partition && part.start > 0 && is_other(bytes, part));
    if table.partitions.is_empty() {
        return Ok(None);
    }
    let Ok(VolumeContent::FileSystem(disc)) = file_system(bytes.clone()) else { return Ok(None) };
    for node in disc.nodes(Options::default()).flatten() {
        let start = node.content.and_then(|content| content.runs()?.first()?.medium_offset);
        table.partitions.retain(|part| Some(part.start) != start);
    }
    if table.partitions.is_empty() {
        return Ok(None);
    }
    let mut whole = PartitionTable::whole(bytes.size());
    whole.partitions.append(&mut table.partitions);
    let PartitionTable { sector_size, id, structures, .. } = table;
    Ok(Some(PartitionTable { scheme, sector_size, id, structures, ..whole }))
}

/// Whether a partition begins with a volume that is neither the disc once more nor one for Macs,
/// which their own map has.
fn is_other(bytes: &Arc<dyn Bytes>, part: &Partition) -> bool {
    let Ok(volume) = part.open(bytes) else { return false };
    match file_system(volume) {
        Ok(VolumeContent::FileSystem(system)) => !["ISO 9660", "UDF", "HFS+", "HFSX"].contains(&system.kind),
        Ok(VolumeContent::Unknown) | Err(_) => false,
        Ok(_) => true,
    }
}

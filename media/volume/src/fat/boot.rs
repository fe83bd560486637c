//! The boot sector of FAT12, FAT16 and FAT32.

use std::sync::{Arc, Mutex};

use super::chain::{Clusters, Width};
use pfh_bytes::bytes::Bytes;
use pfh_bytes::field::{byte, failure, is_at, le16, le32, read_some};
use pfh_bytes::layout::Layout;
use pfh_bytes::node::Failure;

/// The fields of the boot sector.
pub struct Boot {
    pub kind: &'static str,
    pub clusters: Clusters,
    /// The root of FAT12 and FAT16, which lies before the clusters.
    pub root: Option<Layout>,
    /// The root of FAT32.
    pub root_cluster: u32,
    pub label: Vec<u8>,
    pub id: String,
    pub size: u64,
    pub warnings: Vec<Failure>,
}

/// Reads the boot sector; `None` if it is not one of FAT.
pub fn read(bytes: &Arc<dyn Bytes>) -> Result<Option<Boot>, Failure> {
    let raw = read_some(&**bytes, 0, 512)?;
    let sector = u64::from(le16(&raw, 11));
    let per_cluster = u64::from(byte(&raw, 13));
    let reserved = u64::from(le16(&raw, 14));
    let tables = u64::from(byte(&raw, 16));
    let jumps = byte(&raw, 0) == 0xe9 || byte(&raw, 0) == 0xeb;
    let looks_like_one = raw.len() == 512
        && jumps
        && matches!(sector, 512 | 1024 | 2048 | 4096)
        && per_cluster.is_power_of_two()
        && reserved > 0
        && (1..=4).contains(&tables)
        && byte(&raw, 21) >= 0xf0
        && !is_at(&raw, 3, b"NTFS");
    let is_signed = le16(&raw, 510) == 0xaa55;
    // Without the signature the first entry of the table must repeat the medium's byte.
    let has_table =
        || read_some(&**bytes, reserved * sector, 3).is_ok_and(|found| found == [byte(&raw, 21), 0xff, 0xff]);
    if !looks_like_one || !is_signed && !has_table() {
        return Ok(None);
    }
    let root_entries = u64::from(le16(&raw, 17));
    let either = |short: usize, long: usize| match le16(&raw, short) {
        0 => u64::from(le32(&raw, long)),
        value => u64::from(value),
    };
    let (sectors, table_sectors) = (either(19, 32), either(22, 36));
    let root_sectors = (root_entries * 32).div_ceil(sector);
    let before = reserved + tables * table_sectors + root_sectors;
    let data_sectors = sectors.checked_sub(before).filter(|&left| left >= per_cluster && table_sectors > 0);
    let data_sectors = data_sectors.ok_or_else(|| failure(Some(11), "FAT boot sector: no room for data"))?;
    let counted = u32::try_from(data_sectors / per_cluster).unwrap_or(u32::MAX);
    let (kind, width, bits) = match counted {
        _ if le16(&raw, 22) == 0 && root_entries == 0 => ("FAT32", Width::ThirtyTwo, 32),
        0..4085 => ("FAT12", Width::Twelve, 12),
        4085..65525 => ("FAT16", Width::Sixteen, 16),
        _ => ("FAT32", Width::ThirtyTwo, 32),
    };
    let mut warnings = Vec::new();
    if !is_signed {
        warnings.push(failure(Some(510), "the boot sector has no signature (55 AA)"));
    }
    let listed = (table_sectors * sector * 8 / bits).saturating_sub(2);
    let count = counted.min(u32::try_from(listed).unwrap_or(u32::MAX)).min(0x0fff_fff5);
    if count < counted {
        warnings.push(failure(Some(22), format!("the table is too short: {count} of {counted} clusters are in it")));
    }
    let size = sectors * sector;
    if size > bytes.size() {
        let cause = format!("the file system has {size} bytes, the volume only {}", bytes.size());
        warnings.push(failure(Some(19), cause));
    }
    let clusters = Clusters {
        bytes: bytes.clone(),
        width,
        table: reserved * sector,
        data: before * sector,
        cluster_size: per_cluster * sector,
        count,
        bitmap: None,
        held: [Mutex::default(), Mutex::default()],
        free: Mutex::default(),
    };
    warnings.extend(state(&raw, &clusters));
    let is_32 = width == Width::ThirtyTwo;
    let root = (!is_32).then(|| {
        let mut root = Layout::new(clusters.data);
        root.push(Some((reserved + tables * table_sectors) * sector), root_entries * 32).map(|()| root)
    });
    let at = if is_32 { 64 } else { 36 };
    let has_more = matches!(byte(&raw, at + 2), 0x28 | 0x29);
    let serial = le32(&raw, at + 3);
    let label = raw[at + 7..at + 18].trim_ascii_end();
    let label = if has_more && label != b"NO NAME" { label.to_vec() } else { Vec::new() };
    let id = if has_more { format!("{:04X}-{:04X}", serial >> 16, serial & 0xffff) } else { String::new() };
    Ok(Some(Boot { kind, clusters, root: root.transpose()?, root_cluster: le32(&raw, 44), label, id, size, warnings }))
}

/// The state that the volume notes of itself.
fn state(raw: &[u8], clusters: &Clusters) -> Vec<Failure> {
    let mut found = Vec::new();
    let is_32 = clusters.width == Width::ThirtyTwo;
    let noted = byte(raw, if is_32 { 65 } else { 37 }) & 1 == 1;
    let flags = read_some(&*clusters.bytes, clusters.table, 8).unwrap_or_default();
    let is_clean = match clusters.width {
        Width::Sixteen => le16(&flags, 2) & 0x8000 != 0,
        Width::ThirtyTwo => le32(&flags, 4) & 0x0800_0000 != 0,
        _ => true,
    };
    if noted || !is_clean {
        found.push(failure(Some(clusters.table), "the volume was not unmounted"));
    }
    found
}

//! The boot sector of exFAT.

use std::sync::{Arc, Mutex};

use super::chain::{Clusters, Width};
use pfh_bytes::bytes::Bytes;
use pfh_bytes::field::{byte, failure, is_at, le16, le32, le64, read_some};
use pfh_bytes::node::Failure;

/// The fields of the boot sector.
pub struct ExfatBoot {
    pub clusters: Clusters,
    pub root_cluster: u32,
    pub id: String,
    pub size: u64,
    pub warnings: Vec<Failure>,
}

/// Reads the boot sector; `None` if it is not one of exFAT.
pub fn read(bytes: &Arc<dyn Bytes>) -> Result<Option<ExfatBoot>, Failure> {
    let raw = read_some(&**bytes, 0, 512)?;
    if raw.len() < 512 || !is_at(&raw, 3, b"EXFAT   ") {
        return Ok(None);
    }
    let wrong = |cause: &str| Err(failure(Some(64), format!("exFAT boot sector: {cause}")));
    let (sector_log, cluster_log) = (byte(&raw, 108), byte(&raw, 109));
    if !(9..=12).contains(&sector_log) || cluster_log > 25 - sector_log {
        return wrong("sectors or clusters of a size that no system writes");
    }
    let sector = 1_u64 << sector_log;
    let Some(size) = le64(&raw, 72).checked_mul(sector) else { return wrong("a volume beyond 2^64 bytes") };
    let table = u64::from(le32(&raw, 80)) * sector;
    let (data, count) = (u64::from(le32(&raw, 88)) * sector, le32(&raw, 92));
    if table < 24 * sector || data < table + u64::from(le32(&raw, 84)) * sector || count > 0xffff_fff5 {
        return wrong("its parts overlap");
    }
    if u64::from(count) + 2 > u64::from(le32(&raw, 84)) * sector / 4 {
        return wrong("the table is shorter than the volume");
    }
    if data + (u64::from(count) << (sector_log + cluster_log)) > size {
        return wrong("more clusters than the volume has room for");
    }
    let mut warnings = Vec::new();
    let flags = le16(&raw, 106);
    if flags & 2 != 0 {
        warnings.push(failure(Some(106), "the volume was not unmounted"));
    }
    if size > bytes.size() {
        let cause = format!("the file system has {size} bytes, the volume only {}", bytes.size());
        warnings.push(failure(Some(72), cause));
    }
    if !is_whole(&**bytes, sector)? {
        warnings.push(failure(Some(11 * sector), "the checksum of the boot sectors is wrong"));
    }
    // Volumes with two tables say which is in force.
    let active = u64::from(flags & 1 != 0 && byte(&raw, 110) == 2) * u64::from(le32(&raw, 84)) * sector;
    let serial = le32(&raw, 100);
    let clusters = Clusters {
        bytes: bytes.clone(),
        width: Width::Exfat,
        table: table + active,
        data,
        cluster_size: sector << cluster_log,
        count,
        bitmap: None,
        held: [Mutex::default(), Mutex::default()],
        free: Mutex::default(),
    };
    let id = format!("{:04X}-{:04X}", serial >> 16, serial & 0xffff);
    Ok(Some(ExfatBoot { clusters, root_cluster: le32(&raw, 96), id, size, warnings }))
}

/// Whether the first eleven sectors have the checksum that stands in the twelfth.
fn is_whole(bytes: &dyn Bytes, sector: u64) -> Result<bool, Failure> {
    let raw = read_some(bytes, 0, 12 * sector as usize)?;
    let (sectors, stated) = raw.split_at((11 * sector as usize).min(raw.len()));
    let mut sum = 0_u32;
    for (at, &byte) in sectors.iter().enumerate() {
        if !matches!(at, 106 | 107 | 112) {
            sum = sum.rotate_right(1).wrapping_add(u32::from(byte));
        }
    }
    Ok(le32(stated, 0) == sum)
}

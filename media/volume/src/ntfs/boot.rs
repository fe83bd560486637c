//! The boot sector.

use pfh_bytes::bytes::Bytes;
use pfh_bytes::field::{byte, failure, is_at, le16, le64, read_some};
use pfh_bytes::node::Failure;

/// The fields of the boot sector; sizes in bytes.
pub struct Boot {
    pub cluster_size: u64,
    pub clusters: u64,
    pub record_size: usize,
    pub index_size: usize,
    /// First clusters of the MFT and of the copy of its first records.
    pub mft: u64,
    pub mirror: u64,
    pub id: String,
}

/// A count of clusters, or the logarithm of a count of bytes as a negative number.
fn size(raw: u8, cluster_size: u64) -> Option<u64> {
    match raw.cast_signed() {
        count @ 1.. => cluster_size.checked_mul(count.unsigned_abs().into()),
        0 => None,
        log => 1_u64.checked_shl(u32::from(log.unsigned_abs())),
    }
}

/// Reads the boot sector; `None` if it is not one of NTFS.
pub fn read(bytes: &dyn Bytes) -> Result<Option<Boot>, Failure> {
    let raw = read_some(bytes, 0, 512)?;
    if raw.len() < 512 || !is_at(&raw, 3, b"NTFS    ") {
        return Ok(None);
    }
    let wrong = |cause: &str| failure(Some(11), format!("NTFS boot sector: {cause}"));
    let sector = u64::from(le16(&raw, 11));
    let per_cluster = match byte(&raw, 13) {
        count @ ..=0x80 => u64::from(count),
        log => 1_u64.checked_shl(256 - u32::from(log)).unwrap_or(0),
    };
    let cluster_size = sector * per_cluster.min(1 << 20);
    if !matches!(sector, 256..=4096) || !cluster_size.is_power_of_two() || cluster_size > 2 << 20 {
        return Err(wrong("sectors or clusters of a size that no system writes"));
    }
    let of_size = |at: usize, most: u64| {
        let size =
            size(byte(&raw, at), cluster_size).filter(|size| (256..=most).contains(size) && size.is_power_of_two());
        size.and_then(|size| usize::try_from(size).ok())
    };
    let (record_size, index_size) = (of_size(0x40, 1 << 16), of_size(0x44, 2 << 20));
    let record_size = record_size.ok_or_else(|| wrong("records of a size that no system writes"))?;
    let index_size = index_size.ok_or_else(|| wrong("index blocks of a size that no system writes"))?;
    let clusters = le64(&raw, 0x28) / per_cluster;
    if clusters == 0 || clusters >= 1 << 47 {
        return Err(wrong("a number of clusters that no volume has"));
    }
    let id = format!("{:016X}", le64(&raw, 0x48));
    let (mft, mirror) = (le64(&raw, 0x30), le64(&raw, 0x38));
    Ok(Some(Boot { cluster_size, clusters, record_size, index_size, mft, mirror, id }))
}

//! Volumes behind some sectors of something else.

use crate::detect::{file_system, may_begin};
use crate::file_system::VolumeContent;
use pfh_bytes::bytes::{Bytes, Slice};
use pfh_bytes::field::read_some;
use std::sync::Arc;

const SECTOR: usize = 512;
/// Sectors that may stand in front.
const MOST: usize = 128;
/// Where programs begin the first partition.
const FIRST: u64 = 1 << 20;
/// Bytes of a volume that are looked at.
const HEAD: usize = 2048;

/// Where a file system begins behind up to 128 sectors that are not known as anything, or where the
/// first partition of a disk does whose table is lost; `None` if none does.
pub fn shifted(bytes: &Arc<dyn Bytes>) -> Option<u64> {
    let head = read_some(&**bytes, 0, MOST * SECTOR + HEAD).ok()?;
    let is_there = |start: &[u8], at: u64| {
        let left = bytes.size().saturating_sub(at);
        let slice = may_begin(start, left).then(|| Slice::new(bytes.clone(), at, left)).flatten();
        let opened = slice.map(|slice| file_system(Arc::new(slice)));
        matches!(opened, Some(Ok(VolumeContent::FileSystem(_))))
    };
    let near = (1..=MOST).map(|sector| sector * SECTOR).find(|at| {
        let start = head.get(*at..).unwrap_or_default();
        is_there(&start[..start.len().min(HEAD)], *at as u64)
    });
    let far = || is_there(&read_some(&**bytes, FIRST, HEAD).ok()?, FIRST).then_some(FIRST);
    near.map(|at| at as u64).or_else(far)
}

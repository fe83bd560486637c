//! Volumes behind some sectors of something else.

use crate::bytes::{Bytes, Slice};
use crate::detect::{file_system, may_begin};
use crate::field::read_some;
use crate::file_system::Recognised;
use std::sync::Arc;

const SECTOR: usize = 512;
/// Sectors that may stand in front.
const MOST: usize = 128;
/// Bytes of a volume that are looked at.
const HEAD: usize = 2048;

/// Where a file system begins behind up to 128 sectors that are not known as anything; `None` if
/// none does.
pub fn shifted(bytes: &Arc<dyn Bytes>) -> Option<u64> {
    let head = read_some(&**bytes, 0, MOST * SECTOR + HEAD).ok()?;
    (1..=MOST).map(|sector| sector * SECTOR).find_map(|at| {
        let (start, left) = (head.get(at..)?, bytes.size() - at as u64);
        let slice = may_begin(&start[..start.len().min(HEAD)], left)
            .then(|| Slice::new(bytes.clone(), at as u64, left))
            .flatten()?;
        matches!(file_system(Arc::new(slice)), Ok(Recognised::FileSystem(_))).then_some(at as u64)
    })
}

//! The places of a volume on disks.

use super::answer::{MOST, whole};
use super::bytes::{length_at, u32_at};
use super::{Asks, Fault, code};

/// Bytes of DISK_EXTENT, and of what stands before the first one.
const EACH: usize = 24;
const HEAD: usize = 8;

/// A part of a volume on a disk (DISK_EXTENT).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Extent {
    /// The N of `PhysicalDriveN`.
    pub disk: u32,
    /// Where it begins on the disk, in bytes.
    pub start: u64,
    /// Its length in bytes.
    pub length: u64,
}

impl Extent {
    /// Where it ends on the disk, in bytes.
    pub fn end(&self) -> u64 {
        self.start.saturating_add(self.length)
    }
}

/// The extents of a volume, in the order in which they were made: several where it spans partitions
/// or disks.
///
/// # Errors
/// The system's: ERROR_INVALID_FUNCTION of disks and shadow copies.
pub fn extents(asks: &dyn Asks) -> Result<Vec<Extent>, Fault> {
    let answer = whole(asks, code::VOLUME_GET_VOLUME_DISK_EXTENTS, &[], HEAD + EACH)?;
    let count = u32_at(&answer, 0, "the number of extents")? as usize;
    if count > (MOST - HEAD) / EACH {
        return Err(Fault::Answer("the number of extents"));
    }
    let extent = |at: usize| {
        let from = HEAD + at * EACH;
        let (start, length) = (length_at(&answer, from + 8, "an extent")?, length_at(&answer, from + 16, "an extent")?);
        start.checked_add(length).ok_or(Fault::Answer("an extent"))?;
        Ok(Extent { disk: u32_at(&answer, from, "an extent")?, start, length })
    };
    (0..count).map(extent).collect()
}

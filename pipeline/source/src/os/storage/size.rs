//! Sizes of devices and of their sectors, in bytes.

use super::answer::{property, whole};
use super::bytes::{length_at, u32_at};
use super::number::{Number, number};
use super::{Asks, Fault, code, error};

/// StorageAccessAlignmentProperty.
const ALIGNMENT: u32 = 6;

/// Size of a disk, volume or partition in bytes, as its driver states it; 0 of a drive without a
/// medium.
///
/// Without the right to read, and from drivers without that answer, the geometry of a whole disk
/// or the table of partitions states it.
///
/// # Errors
/// When nothing states it.
pub fn length(asks: &dyn Asks) -> Result<u64, Fault> {
    let asked = whole(asks, code::DISK_GET_LENGTH_INFO, &[], 8);
    let fault = match asked.and_then(|answer| length_at(&answer, 0, "the length of a device")) {
        Ok(length) => return Ok(length),
        Err(Fault::System(error::NOT_READY | error::NO_MEDIA_IN_DRIVE)) => return Ok(0),
        Err(fault) => fault,
    };
    match number(asks) {
        // The geometry of a volume is that of its disk.
        Ok(Number { partition: 0, .. }) => geometry(asks).map(|found| found.1).map_err(|_| fault),
        Ok(Number { partition: 1.., .. }) => {
            let answer = whole(asks, code::DISK_GET_PARTITION_INFO_EX, &[], 144).map_err(|_| fault)?;
            length_at(&answer, 16, "the length of a partition")
        }
        Err(_) => Err(fault),
    }
}

/// Bytes of a sector, and of the disk (DISK_GEOMETRY_EX).
fn geometry(asks: &dyn Asks) -> Result<(u32, u64), Fault> {
    // 24 bytes of geometry, the size, and partitions and BIOS data behind it.
    let answer = whole(asks, code::DISK_GET_DRIVE_GEOMETRY_EX, &[], 256)?;
    let sector = sector(u32_at(&answer, 20, "the sectors of a geometry")?)?;
    let size = length_at(&answer, 24, "the size of a geometry")?;
    if size % u64::from(sector) != 0 {
        return Err(Fault::Answer("a geometry whose size is not whole sectors"));
    }
    Ok((sector, size))
}

fn sector(bytes: u32) -> Result<u32, Fault> {
    let is_one = bytes.is_power_of_two() && (512..=1 << 20).contains(&bytes);
    if is_one { Ok(bytes) } else { Err(Fault::Answer("the size of a sector")) }
}

/// Logical and physical sector in bytes. Both are equal where only the geometry states them.
///
/// # Errors
/// When nothing states them.
pub fn sectors(asks: &dyn Asks) -> Result<(u32, u32), Fault> {
    let stated = || {
        let answer = property(asks, ALIGNMENT)?;
        let logical = sector(u32_at(&answer, 16, "the logical sector")?)?;
        // Bridges state 0 or less than the logical one.
        let physical = sector(u32_at(&answer, 20, "the physical sector")?).unwrap_or(logical);
        Ok((logical, physical.max(logical)))
    };
    stated().or_else(|_: Fault| geometry(asks).map(|(sector, _)| (sector, sector)))
}

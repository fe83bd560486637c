//! Media: that they are files. Devices (`\\.\PhysicalDrive0`) are not read yet.

use super::errno::Errno;
use super::handle::{self, DATA, Last};
use super::paths::native;
use crate::os::handles::{AsFd, BorrowedFd, OwnedFd};
use std::path::Path;

/// Opens for reading only. Direct input is refused: it is not built yet.
pub fn open_medium(path: &[u8], direct: bool) -> Result<OwnedFd, Errno> {
    if direct {
        return Err(Errno::INVAL);
    }
    handle::open(&native(path)?, DATA, Last::Follow).map(OwnedFd::from)
}

/// Opens a file of an image.
///
/// # Errors
/// The system's.
pub fn open_evidence(path: &Path) -> std::io::Result<std::fs::File> {
    Ok(handle::open(path, DATA, Last::Follow)?)
}

/// The number of the device that an open file is: 0, since devices are not read yet.
pub fn device_number(_: impl AsFd) -> u64 {
    0
}

/// ATA commands to a disk: not built yet.
pub fn ata(_: BorrowedFd<'_>, _: super::super::Command) -> Result<super::super::Reply, Errno> {
    Err(Errno::OPNOTSUPP)
}

/// Size of a block device in bytes: not built yet.
pub fn device_size(_: impl AsFd) -> Result<u64, Errno> {
    Err(Errno::OPNOTSUPP)
}

/// Logical and physical sector size of a block device in bytes: not built yet.
pub fn sector_sizes(_: BorrowedFd<'_>) -> Result<(u32, u32), Errno> {
    Err(Errno::OPNOTSUPP)
}

/// To how many bytes offsets and lengths must be aligned for direct input: not built yet.
pub fn direct_alignment(_: impl AsFd) -> Option<u32> {
    None
}

/// Where the data begin at or behind an offset: not asked yet, so holes are read as the zeros that
/// they are.
pub fn data_from(_: impl AsFd, _: u64) -> Result<u64, Errno> {
    Err(Errno::INVAL)
}

/// The parts of a device number, by which Linux lists devices: nothing is listed by them here.
pub fn split_device(_: u64) -> (u32, u32) {
    (0, 0)
}

/// The device number of a major and a minor part: see [`split_device`].
pub fn device_of(_: u32, _: u32) -> u64 {
    0
}

/// Would empty what the system has cached of a file: there is no way, as
/// [`EVICTS`](super::EVICTS) says.
pub fn evict(_: BorrowedFd<'_>) -> Result<(), Errno> {
    Ok(())
}

/// Empties what the system has cached of a part of a file: there is no way.
pub fn evict_range(_: impl AsFd, _: u64, _: u64) -> Result<(), Errno> {
    Err(Errno::OPNOTSUPP)
}

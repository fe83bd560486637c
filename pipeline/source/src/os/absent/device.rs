//! Calls for devices, holes and the page cache, which only Linux has.

use crate::os::handles::{AsFd, BorrowedFd};
use crate::os::{Command, Errno, Reply};

/// ATA commands to a disk: they take calls of the platform.
pub fn ata(_: BorrowedFd<'_>, _: Command) -> Result<Reply, Errno> {
    Err(Errno::OPNOTSUPP)
}

/// Where the data begin at or behind an offset: not known, so holes are read as the zeros that they
/// are.
pub fn data_from(_: impl AsFd, _: u64) -> Result<u64, Errno> {
    Err(Errno::INVAL)
}

/// The parts of a device number, by which Linux lists devices: nothing is listed by them elsewhere.
pub fn split_device(_: u64) -> (u32, u32) {
    (0, 0)
}

/// The device number of a major and a minor part: see [`split_device`].
pub fn device_of(_: u32, _: u32) -> u64 {
    0
}

/// Would empty the system's cache of a file: there is no portable way, as
/// [`EVICTS`](crate::os::EVICTS) says.
pub fn evict(_: BorrowedFd<'_>) -> Result<(), Errno> {
    Ok(())
}

/// Empties the system's cache of a part of a file: there is no portable way.
pub fn evict_range(_: impl AsFd, _: u64, _: u64) -> Result<(), Errno> {
    Err(Errno::OPNOTSUPP)
}

/// Makes reads of an open file go past the system's cache: there is no portable way.
pub fn set_direct(_: BorrowedFd<'_>, _: bool) -> Result<(), Errno> {
    Err(Errno::OPNOTSUPP)
}

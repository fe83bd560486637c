//! Media: all of them are files. Devices (`\\.\PhysicalDrive0`) are not read yet.

use super::errno::Errno;
use super::handle::{self, DATA, Last};
use super::paths::native;
use crate::os::handles::{AsFd, OwnedFd};
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

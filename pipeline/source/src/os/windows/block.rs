//! Media: files and devices.

use super::device;
use super::errno::Errno;
use super::handle::{self, DATA, Last};
use super::paths::native;
use crate::os::handles::OwnedFd;
use std::path::Path;

/// Opens for reading only. Direct input is for devices, and refused of files.
pub fn open_medium(path: &[u8], direct: bool) -> Result<OwnedFd, Errno> {
    if direct {
        return device::open_direct(&native(path)?);
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

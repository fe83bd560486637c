//! Functions of Windows that no Unix has.

use super::handles::{AsFd, BorrowedFd};
use super::hold::VolumeLocks;
use std::io;
use std::path::Path;

/// Whether a reader can keep writers out.
pub const HOLDS: bool = false;

/// Whether a file can take the place of one that is open.
pub const REPLACES_OPEN: bool = true;

/// The number of a file's last change in the journal of its volume: Unix has none.
pub fn usn(_: BorrowedFd<'_>) -> Option<i64> {
    None
}

/// Takes a device that is open for writing for this process alone: on Linux it was opened so.
///
/// # Errors
/// None.
pub fn hold(_: impl AsFd, _: &Path) -> io::Result<VolumeLocks> {
    Ok(VolumeLocks::default())
}

/// The volume of a drive that is named by its letter: Unix has no drives.
pub fn volume_of_drive(_: &Path) -> Option<String> {
    None
}

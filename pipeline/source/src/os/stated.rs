//! Facts about devices that Windows and macOS state by calls: other systems state them in files, or
//! not at all.

use super::handles::AsFd;
use super::hold::Held;
#[cfg(not(target_os = "macos"))]
use super::storage::{Listed, Volume};
use std::io;
use std::path::Path;

/// The facts about a device for the record of an acquisition: Linux has them in `/sys`.
#[cfg(not(target_os = "macos"))]
pub fn device_words(_: impl AsFd) -> Vec<(&'static str, String)> {
    Vec::new()
}

/// Where a device is mounted: Linux has that in `/proc`.
#[cfg(not(target_os = "macos"))]
pub fn device_mounts(_: u64) -> Vec<(String, bool)> {
    Vec::new()
}

/// The ranges of disks below a path: Linux has them in `/sys`.
#[cfg(not(target_os = "macos"))]
pub fn disk_extents(_: &Path) -> Vec<(u64, u64, u64)> {
    Vec::new()
}

/// The disks of this machine: Linux has them in `/sys`, as [`LISTS_DISKS`] says.
#[cfg(not(target_os = "macos"))]
pub fn disks() -> Vec<Listed> {
    Vec::new()
}

/// The mounted volumes, as [`disks`].
#[cfg(not(target_os = "macos"))]
pub fn disk_volumes() -> Vec<Volume> {
    Vec::new()
}

/// The volume of a drive that is named by its letter: Unix has no drives.
pub fn volume_of_drive(_: &Path) -> Option<String> {
    None
}

/// Whether [`disks`] is how this system lists its disks.
#[cfg(not(target_os = "macos"))]
pub const LISTS_DISKS: bool = false;

/// Takes a device that is open for writing for this process alone: on Linux it was opened so.
///
/// # Errors
/// None.
pub fn hold(_: impl AsFd, _: &Path) -> io::Result<Held> {
    Ok(Held::default())
}

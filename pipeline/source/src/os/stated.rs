//! Facts that Windows and macOS state by calls: Linux states them in files, other systems not at
//! all.

use super::handles::AsFd;
use super::storage::{StorageEntry, Volume};
use super::{Errno, SideStream};
use crate::base::Base;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

/// The facts about a device for the record of an acquisition: Linux has them in `/sys`.
pub fn device_words(_: impl AsFd) -> Vec<(&'static str, String)> {
    Vec::new()
}

/// Where a device is mounted: Linux has that in `/proc`.
pub fn device_mounts(_: u64) -> Vec<(String, bool)> {
    Vec::new()
}

/// The ranges of disks below a path: Linux has them in `/sys`.
pub fn disk_extents(_: &Path) -> Vec<(u64, u64, u64)> {
    Vec::new()
}

/// The disks of this machine: Linux has them in `/sys`, as [`LISTS_DISKS`] says.
pub fn disks() -> Vec<StorageEntry> {
    Vec::new()
}

/// The mounted volumes, as [`disks`].
pub fn disk_volumes() -> Vec<Volume> {
    Vec::new()
}

/// Whether [`disks`] is how this system lists its disks.
pub const LISTS_DISKS: bool = false;

/// The machine's name, where Linux says it.
pub fn host_name() -> Option<String> {
    std::fs::read_to_string("/proc/sys/kernel/hostname").ok().map(|name| name.trim().to_owned())
}

/// The effective user, by number and name.
pub fn user() -> Option<String> {
    let number = std::fs::metadata("/proc/self").ok()?.uid();
    let passwd = std::fs::read_to_string("/etc/passwd").unwrap_or_default();
    let is_it = |line: &&str| line.split(':').nth(2).and_then(|n| n.parse().ok()) == Some(number);
    let name = passwd.lines().find(is_it).and_then(|line| line.split(':').next()).unwrap_or("no name");
    Some(format!("{number} ({name})"))
}

/// The file behind standard output, where the kernel says it: else that is not left out of a run's
/// input.
pub fn standard_output_path() -> Option<PathBuf> {
    std::fs::read_link("/proc/self/fd/1").ok().filter(|path| path.is_file())
}

/// Whether files have [`streams`] beside their content.
pub const STREAMS: bool = false;

/// The streams of a file beside its content: none here.
pub fn streams(_: &Base, _: &[u8]) -> Result<Vec<SideStream>, Errno> {
    Ok(Vec::new())
}

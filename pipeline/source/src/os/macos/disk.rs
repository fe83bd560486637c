//! One disk: `/dev/diskN`, and `/dev/rdiskN`, which is read past the cache in whole blocks.

use super::calls::{Disk, path_of, uncached};
use crate::os::dkio::{self, Facts};
use crate::os::{Errno, portable};
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

/// Opens for reading only; `direct` turns the data cache off for the open file.
pub fn open_medium(path: &[u8], direct: bool) -> Result<OwnedFd, Errno> {
    let opened = portable::open_medium(path, false)?;
    if direct {
        uncached(opened.as_fd())?;
    }
    Ok(opened)
}

/// Opens a file of an image as [`open_medium`] does, and reads it blocking.
///
/// # Errors
/// The system's.
pub fn open_evidence(path: &Path) -> std::io::Result<std::fs::File> {
    portable::open_evidence(path)
}

/// Whether an open file is the raw form of a disk.
pub(super) fn is_raw(fd: BorrowedFd<'_>) -> bool {
    path_of(fd).is_some_and(|path| dkio::is_raw(path.as_os_str().as_bytes()))
}

pub(super) fn facts(fd: BorrowedFd<'_>) -> Result<Facts, Errno> {
    dkio::facts(&Disk(fd)).ok_or(Errno::NOTTY)
}

/// The number of the device that an open file is (`st_rdev`); 0 for other files, or if it cannot be
/// asked.
pub fn device_number(fd: impl AsFd) -> u64 {
    portable::device_number(fd)
}

/// Size of a disk or partition in bytes; 0 of a drive without a medium.
pub fn device_size(fd: impl AsFd) -> Result<u64, Errno> {
    facts(fd.as_fd()).map(|found| found.size)
}

/// Logical and physical block of a disk in bytes.
pub fn sector_sizes(fd: BorrowedFd<'_>) -> Result<(u32, u32), Errno> {
    facts(fd).map(|found| found.blocks)
}

/// To how many bytes offsets, lengths and memory must be aligned for reads past the cache: a block
/// of a disk; a page of the largest that Macs have for files, whose other reads go through the
/// cache.
pub fn direct_alignment(fd: impl AsFd) -> Option<u32> {
    const PAGE: u32 = 16 << 10;
    Some(facts(fd.as_fd()).map_or(PAGE, |found| found.blocks.0))
}

/// The facts about a disk for the record of an acquisition, under the names that Linux's facts have
/// there. Maker, model and serial number take IOKit.
pub fn device_words(fd: impl AsFd) -> Vec<(&'static str, String)> {
    let fd = fd.as_fd();
    let Ok(found) = facts(fd) else { return Vec::new() };
    let flag = |set: bool| u8::from(set).to_string();
    let name = path_of(fd).and_then(|path| Some(path.file_name()?.to_string_lossy().into_owned()));
    let words = [
        ("name", name),
        ("read-only", found.write_blocked.map(flag)),
        ("location", found.external.map(|outside| if outside { "external" } else { "internal" }.to_owned())),
    ];
    words.into_iter().filter_map(|(word, text)| Some((word, text?))).collect()
}

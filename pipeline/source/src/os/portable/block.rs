//! Media without the calls of a platform: all of them are files.

use super::errno::Errno;
use super::files::{DATA, open, view};
use std::ffi::OsStr;
use std::os::fd::{AsFd, AsRawFd, BorrowedFd, OwnedFd};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::MetadataExt;
use std::path::Path;

/// Opens for reading only. Direct input is refused: there is no portable form of it.
pub fn open_medium(path: &[u8], direct: bool) -> Result<OwnedFd, Errno> {
    if direct {
        return Err(Errno::INVAL);
    }
    open(Path::new(OsStr::from_bytes(path)), DATA).map(OwnedFd::from)
}

/// Opens a file of an image as [`open_medium`] does, and reads it blocking.
pub fn open_evidence(path: &Path) -> std::io::Result<std::fs::File> {
    let fd = open_medium(path.as_os_str().as_bytes(), false)?;
    set_blocking(fd.as_fd())?;
    Ok(fd.into())
}

/// The number of the device that an open file is (`st_rdev`); 0 for other files, or if it cannot be
/// asked.
pub fn device_number(fd: impl AsFd) -> u64 {
    view(fd.as_fd()).metadata().map_or(0, |found| found.rdev())
}

/// Size of a block device in bytes: it takes calls of the platform.
pub fn device_size(_: impl AsFd) -> Result<u64, Errno> {
    Err(Errno::OPNOTSUPP)
}

/// Logical and physical sector size of a block device in bytes: they take calls of the platform.
pub fn sector_sizes(_: BorrowedFd<'_>) -> Result<(u32, u32), Errno> {
    Err(Errno::OPNOTSUPP)
}

/// To how many bytes offsets and lengths must be aligned for direct input: there is none.
pub fn direct_alignment(_: impl AsFd) -> Option<u32> {
    None
}

/// Clears O_NONBLOCK.
pub fn set_blocking(fd: BorrowedFd<'_>) -> Result<(), Errno> {
    let raw = fd.as_raw_fd();
    // SAFETY: asks for the flags of an open descriptor; no memory is touched.
    let flags = unsafe { libc::fcntl(raw, libc::F_GETFL) };
    if flags < 0 {
        return Err(Errno::last());
    }
    // SAFETY: sets the flags of an open descriptor; no memory is touched.
    if unsafe { libc::fcntl(raw, libc::F_SETFL, flags & !libc::O_NONBLOCK) } < 0 { Err(Errno::last()) } else { Ok(()) }
}

//! Files that are written: past the cache, renamed without taking a place, synced.

use super::calls::{free, last, uncached};
use crate::os::{Errno, OpenMode, portable};
use std::ffi::CString;
use std::os::fd::{AsFd, AsRawFd, OwnedFd};
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

/// Opens for writing only; `direct` turns the data cache off for the open file. A disk with a
/// mounted volume is refused by the system (EBUSY).
pub fn open_to_write(path: &Path, how: OpenMode, direct: bool) -> Result<OwnedFd, Errno> {
    let opened = portable::open_to_write(path, how, false)?;
    if direct {
        uncached(opened.as_fd())?;
    }
    Ok(opened)
}

/// Gives a file a name that nothing had when it was begun, in one step where the file system can
/// (APFS, HFS+).
pub fn rename_new(from: &Path, to: &Path) -> Result<(), Errno> {
    let name = |path: &Path| CString::new(path.as_os_str().as_bytes()).map_err(|_| Errno::INVAL);
    let (old, new) = (name(from)?, name(to)?);
    // SAFETY: two strings that end in a zero byte and live as long as the call.
    if unsafe { libc::renamex_np(old.as_ptr(), new.as_ptr(), libc::RENAME_EXCL) } == 0 {
        return Ok(());
    }
    match last() {
        Errno::NOTSUP | Errno::OPNOTSUPP | Errno::INVAL => portable::rename_new(from, to),
        failed => Err(failed),
    }
}

/// Waits until the written bytes are on the medium: F_FULLFSYNC, by the standard library; where the
/// file system or device has none (network, raw disks), fsync.
pub fn sync(fd: impl AsFd) -> Result<(), Errno> {
    let fd = fd.as_fd();
    match portable::sync(fd) {
        Err(Errno::NOTTY | Errno::NOTSUP | Errno::OPNOTSUPP | Errno::INVAL) => {
            // SAFETY: takes an open descriptor; no memory is touched.
            if unsafe { libc::fsync(fd.as_raw_fd()) } < 0 { Err(last()) } else { Ok(()) }
        }
        done => done,
    }
}

/// Bytes that the file system of an open file has left for us.
pub fn free_bytes(fd: impl AsFd) -> Result<Option<u64>, Errno> {
    free(fd.as_fd()).map(Some)
}

//! Calls of macOS that have no safe form in the standard library.

use crate::os::Errno;
use crate::os::dkio::DiskQuery;
use std::ffi::{CStr, OsString};
use std::os::fd::{AsRawFd, BorrowedFd};
use std::os::unix::ffi::OsStringExt;
use std::path::PathBuf;

/// The errno of the last call.
pub(super) fn last() -> Errno {
    Errno::from_raw_os_error(std::io::Error::last_os_error().raw_os_error().unwrap_or(libc::EIO))
}

/// Turns the data cache off for this open file (F_NOCACHE).
pub(super) fn uncached(fd: BorrowedFd<'_>) -> Result<(), Errno> {
    // SAFETY: sets a flag of an open descriptor; no memory is touched.
    if unsafe { libc::fcntl(fd.as_raw_fd(), libc::F_NOCACHE, 1) } < 0 { Err(last()) } else { Ok(()) }
}

/// The path of an open file (F_GETPATH); `None` if it has none, as a pipe.
pub(super) fn path_of(fd: BorrowedFd<'_>) -> Option<PathBuf> {
    let mut room = [0_u8; libc::PATH_MAX as usize];
    // SAFETY: F_GETPATH writes at most MAXPATHLEN bytes, which PATH_MAX equals, with a zero at the
    // end.
    if unsafe { libc::fcntl(fd.as_raw_fd(), libc::F_GETPATH, room.as_mut_ptr()) } < 0 {
        return None;
    }
    let path = CStr::from_bytes_until_nul(&room).ok()?;
    Some(OsString::from_vec(path.to_bytes().to_vec()).into())
}

/// An open disk, to be asked.
pub(super) struct Disk<'a>(pub(super) BorrowedFd<'a>);

impl DiskQuery for Disk<'_> {
    fn word(&self, question: u32) -> Option<u32> {
        let mut answer = 0_u32;
        // SAFETY: the questions of four bytes write one u32, which lives as long as the call.
        let asked = unsafe { libc::ioctl(self.0.as_raw_fd(), question.into(), &raw mut answer) };
        (asked >= 0).then_some(answer)
    }

    fn long(&self, question: u32) -> Option<u64> {
        let mut answer = 0_u64;
        // SAFETY: the questions of eight bytes write one u64, which lives as long as the call.
        let asked = unsafe { libc::ioctl(self.0.as_raw_fd(), question.into(), &raw mut answer) };
        (asked >= 0).then_some(answer)
    }
}

/// A mounted file system.
pub(super) struct Mount {
    /// The device: `/dev/disk3s1`.
    pub(super) from: Vec<u8>,
    /// Where it is mounted.
    pub(super) at: Vec<u8>,
    /// Whether it may be written to.
    pub(super) writable: bool,
}

/// All mounts (getfsstat). Those that come while they are listed may be missing.
pub(super) fn mounts() -> Vec<Mount> {
    // SAFETY: no memory is given; the number of mounts is returned.
    let count = unsafe { libc::getfsstat(std::ptr::null_mut(), 0, libc::MNT_NOWAIT) };
    let Ok(count) = usize::try_from(count) else { return Vec::new() };
    // SAFETY: all fields of a `statfs` are integers, for which zero is a value.
    let zero: libc::statfs = unsafe { std::mem::zeroed() };
    let mut room = vec![zero; count + 8];
    let bytes = i32::try_from(std::mem::size_of_val(&room[..])).unwrap_or(i32::MAX);
    // SAFETY: at most the bytes that are stated are written, whole entries.
    let came = unsafe { libc::getfsstat(room.as_mut_ptr(), bytes, libc::MNT_NOWAIT) };
    room.truncate(usize::try_from(came).unwrap_or(0));
    let text = |units: &[libc::c_char]| -> Vec<u8> {
        units.iter().take_while(|unit| **unit != 0).map(|unit| *unit as u8).collect()
    };
    let mount = |found: &libc::statfs| Mount {
        from: text(&found.f_mntfromname),
        at: text(&found.f_mntonname),
        writable: found.f_flags & libc::MNT_RDONLY as u32 == 0,
    };
    room.iter().map(mount).collect()
}

/// Bytes that the file system of an open file has left for us (fstatfs).
pub(super) fn free(fd: BorrowedFd<'_>) -> Result<u64, Errno> {
    // SAFETY: all fields of a `statfs` are integers, for which zero is a value.
    let mut found: libc::statfs = unsafe { std::mem::zeroed() };
    // SAFETY: writes one `statfs`, which lives as long as the call.
    if unsafe { libc::fstatfs(fd.as_raw_fd(), &raw mut found) } < 0 {
        return Err(last());
    }
    Ok(found.f_bavail.saturating_mul(found.f_bsize.into()))
}

/// The extended attributes of an open file, with the resource fork among them: names, and bytes of
/// each (flistxattr, fgetxattr).
pub(super) fn attributes(fd: BorrowedFd<'_>) -> Result<Vec<(Vec<u8>, u64)>, Errno> {
    let raw = fd.as_raw_fd();
    // SAFETY: no memory is given; the length of the list is returned.
    let length = unsafe { libc::flistxattr(raw, std::ptr::null_mut(), 0, 0) };
    let length = usize::try_from(length).map_err(|_| last())?;
    let mut room = vec![0_u8; length];
    // SAFETY: at most the length that is stated is written.
    let came = unsafe { libc::flistxattr(raw, room.as_mut_ptr().cast(), room.len(), 0) };
    // One that was made since the list was measured is ERANGE.
    room.truncate(usize::try_from(came).map_err(|_| last())?);
    let mut found = Vec::new();
    for name in room.split_inclusive(|byte| *byte == 0) {
        let Ok(text) = CStr::from_bytes_with_nul(name) else { continue };
        // SAFETY: a name that ends in a zero; no memory is given, and the length of the value is
        // returned.
        let bytes = unsafe { libc::fgetxattr(raw, text.as_ptr(), std::ptr::null_mut(), 0, 0, 0) };
        found.push((text.to_bytes().to_vec(), u64::try_from(bytes).unwrap_or(0)));
    }
    Ok(found)
}

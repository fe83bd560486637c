//! Reading and writing open files.

use super::console;
use super::device;
use super::errno::Errno;
use super::handle::view;
use crate::os::handles::{AsFd, BorrowedFd, OwnedFd};
use crate::os::positioned::FileExt;
use std::io::{Read, Seek, SeekFrom, Write};
use std::os::windows::io::IntoRawHandle;
use std::time::Duration;
use windows_sys::Win32::Foundation::{CloseHandle, ERROR_HANDLE_EOF};

fn errno(error: std::io::Error) -> Errno {
    Errno::of(&error)
}

/// Reads at the file position. A pipe whose writers are gone has ended.
pub fn read(fd: BorrowedFd<'_>, buffer: &mut [u8]) -> Result<usize, Errno> {
    match (&*view(fd)).read(buffer).map_err(errno) {
        Err(Errno::PIPE) => Ok(0),
        Err(errno) => {
            let Ok(at) = (&*view(fd)).stream_position() else { return Err(errno) };
            let got = device::read_otherwise(fd, buffer, at, errno)?;
            read_from(fd, at + got as u64)?;
            Ok(got)
        }
        other => other,
    }
}

/// Reads at an offset in bytes.
pub fn read_at(fd: BorrowedFd<'_>, buffer: &mut [u8], offset: u64) -> Result<usize, Errno> {
    match view(fd).read_at(buffer, offset) {
        Err(error) if error.raw_os_error() == Some(ERROR_HANDLE_EOF as i32) => Ok(0),
        other => other.map_err(errno).or_else(|errno| device::read_otherwise(fd, buffer, offset, errno)),
    }
}

/// Where the next [`read`] goes on, in bytes from the beginning.
fn read_from(fd: BorrowedFd<'_>, offset: u64) -> Result<(), Errno> {
    (&*view(fd)).seek(SeekFrom::Start(offset)).map(drop).map_err(errno)
}

/// Waits until there is something to read: reads of Windows wait themselves.
pub fn wait_readable(_: BorrowedFd<'_>) -> Result<(), Errno> {
    Ok(())
}

/// As [`wait_readable`].
pub fn wait_readable_once(_: BorrowedFd<'_>) -> Result<(), Errno> {
    Ok(())
}

/// As [`wait_readable`]: whether something came is found by reading.
pub fn wait_readable_for(_: BorrowedFd<'_>, _: Duration) -> Result<bool, Errno> {
    Ok(true)
}

/// Pipes have the room that the system gives them.
pub fn widen(_: BorrowedFd<'_>) {}

/// Waits until something can be written: writes of Windows wait themselves.
pub fn wait_writable(_: impl AsFd) -> Result<(), Errno> {
    Ok(())
}

/// Writes at the file position, once; to a console as text.
pub fn write_once(fd: impl AsFd, bytes: &[u8]) -> Result<usize, Errno> {
    let fd = fd.as_fd();
    if console::is(fd) {
        return console::write(fd, bytes);
    }
    (&*view(fd)).write(bytes).map_err(errno)
}

/// Writes at an offset in bytes.
pub fn write_at(fd: impl AsFd, bytes: &[u8], offset: u64) -> Result<usize, Errno> {
    let fd = fd.as_fd();
    let wrote = view(fd).write_at(bytes, offset).map_err(errno);
    wrote.or_else(|errno| device::write_otherwise(fd, bytes, offset, errno))
}

/// Closes a handle and says how that went.
pub fn close(fd: OwnedFd) -> Result<(), Errno> {
    // SAFETY: the handle is owned, given up here, and not used afterwards.
    if unsafe { CloseHandle(fd.into_raw_handle()) } == 0 { Err(Errno::last()) } else { Ok(()) }
}

/// Advice that Windows takes only when a file is opened: nothing is done.
pub fn advise_sequential(_: BorrowedFd<'_>) {}

/// As [`advise_sequential`].
pub fn advise_little(_: BorrowedFd<'_>) {}

/// Handles of Windows block, all of them.
pub fn set_blocking(_: BorrowedFd<'_>) -> Result<(), Errno> {
    Ok(())
}

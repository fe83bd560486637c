//! Files that are written: made, given their name when they are whole, synced, locked.

use super::super::OpenMode;
use super::super::patience::retry;
use super::directory::Directory;
use super::errno::Errno;
use super::files::view;
use std::fs::{File, OpenOptions, TryLockError};
use std::io;
use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::{FileExt, OpenOptionsExt};
use std::path::Path;

fn errno(error: io::Error) -> Errno {
    Errno::of(&error)
}

/// Opens for writing only. Direct output is refused: there is no portable form of it.
pub fn open_to_write(path: &Path, how: OpenMode, direct: bool) -> Result<OwnedFd, Errno> {
    if direct {
        return Err(Errno::INVAL);
    }
    let mut options = OpenOptions::new();
    options.write(true).custom_flags(libc::O_NOCTTY);
    match how {
        OpenMode::Existing | OpenMode::Held => {}
        OpenMode::Create => {
            options.create(true).truncate(false);
        }
        OpenMode::CreateOwn => {
            options.create(true).truncate(false).custom_flags(libc::O_NOCTTY | libc::O_NOFOLLOW);
        }
        OpenMode::CreateNew => {
            options.create_new(true);
        }
        OpenMode::Truncate => {
            options.create(true).truncate(true);
        }
    }
    options.open(path).map(OwnedFd::from).map_err(errno)
}

/// Gives a file another name, in the place of any file that has it.
pub fn rename(from: &Path, to: &Path) -> Result<(), Errno> {
    std::fs::rename(from, to).map_err(errno)
}

/// Gives a file a name that nothing had when it was begun. A link, unlike a rename, never takes the
/// place of a file that somebody else made meanwhile; on file systems without links (FAT, exFAT)
/// there is only a look before the rename.
pub fn rename_new(from: &Path, to: &Path) -> Result<(), Errno> {
    match std::fs::hard_link(from, to).map_err(errno) {
        Ok(()) => remove(from),
        Err(Errno::EXIST) => Err(Errno::EXIST),
        Err(_) if is_missing(to) => rename(from, to),
        Err(_) => Err(Errno::EXIST),
    }
}

/// Removes a name.
pub fn remove(path: &Path) -> Result<(), Errno> {
    std::fs::remove_file(path).map_err(errno)
}

/// Whether nothing has this name, not even a dangling link.
pub fn is_missing(path: &Path) -> bool {
    path.symlink_metadata().is_err_and(|error| error.kind() == io::ErrorKind::NotFound)
}

/// Whether a file or directory may be written to, by its rights and those of its file system.
pub fn may_write(path: &Path) -> Result<(), Errno> {
    let name = std::ffi::CString::new(path.as_os_str().as_bytes()).map_err(|_| Errno::INVAL)?;
    // SAFETY: a string that ends in a zero byte and lives as long as the call.
    if unsafe { libc::access(name.as_ptr(), libc::W_OK) } == 0 { Ok(()) } else { Err(Errno::last()) }
}

/// Makes a file in an open directory, which nothing of this name may be in.
pub fn create_in(directory: &Directory, name: &Path) -> Result<OwnedFd, Errno> {
    open_to_write(&directory.path()?.join(name), OpenMode::CreateNew, false)
}

/// As [`rename`], in an open directory. A link of the new name is replaced, never followed.
pub fn rename_in(directory: &Directory, from: &Path, to: &Path) -> Result<(), Errno> {
    let directory = directory.path()?;
    rename(&directory.join(from), &directory.join(to))
}

/// As [`remove`], in an open directory.
pub fn remove_in(directory: &Directory, name: &Path) -> Result<(), Errno> {
    remove(&directory.path()?.join(name))
}

/// Makes a directory in an open directory.
pub fn create_directory_in(directory: &Directory, name: &Path) -> Result<(), Errno> {
    std::fs::create_dir(directory.path()?.join(name)).map_err(errno)
}

/// Opens a file or directory to be synced.
pub fn open_to_sync(path: &Path) -> Result<OwnedFd, Errno> {
    File::open(path).map(OwnedFd::from).map_err(errno)
}

/// Waits until the written bytes are on the medium.
pub fn sync(fd: impl AsFd) -> Result<(), Errno> {
    view(fd.as_fd()).sync_all().map_err(errno)
}

/// Asks the system to write out all bytes that it has not written yet; POSIX does not say when that
/// has ended.
pub fn sync_filesystem(_: impl AsFd) -> Result<(), Errno> {
    // SAFETY: takes nothing, touches no memory of this process and cannot fail.
    unsafe { libc::sync() };
    Ok(())
}

/// Closes a copy of standard output, which itself must survive for messages: close(2) is where NFS
/// and quotas report late. The outer error is that no copy could be made.
pub fn close_standard_output() -> Result<Result<(), Errno>, Errno> {
    io::stdout().as_fd().try_clone_to_owned().map(super::close).map_err(errno)
}

/// Sets a file's length in bytes.
pub fn truncate(fd: impl AsFd, length: u64) -> Result<(), Errno> {
    view(fd.as_fd()).set_len(length).map_err(errno)
}

/// Writes at an offset in bytes; EINTR is retried.
pub fn write_at(fd: impl AsFd, bytes: &[u8], offset: u64) -> Result<usize, Errno> {
    retry(|| view(fd.as_fd()).write_at(bytes, offset).map_err(errno))
}

/// Locks a file for writing, if nobody else has it; `false` when somebody has. File systems without
/// locks give `true`.
pub fn try_lock(file: impl AsFd) -> bool {
    !matches!(view(file.as_fd()).try_lock(), Err(TryLockError::WouldBlock))
}

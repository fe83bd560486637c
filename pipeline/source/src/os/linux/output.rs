//! Files that are written: made, given their name when they are whole, synced, locked.

use super::super::OpenMode;
use super::super::patience::retry;
use super::super::seam::{self, Kind};
use super::Directory;
use rustix::fs::{self, AtFlags, CWD, FallocateFlags, FlockOperation, Mode, OFlags};
use rustix::io::Errno;
use std::os::fd::{AsFd, AsRawFd, OwnedFd};
use std::path::Path;

/// How new files may be used, before the umask.
const MODE: Mode = Mode::from_raw_mode(0o666);
const WRITE: OFlags = OFlags::WRONLY.union(OFlags::CLOEXEC).union(OFlags::NOCTTY);

/// Opens for writing only. `direct` asks for O_DIRECT.
pub fn open_to_write(path: &Path, how: OpenMode, direct: bool) -> Result<OwnedFd, Errno> {
    let how = match how {
        OpenMode::Existing => OFlags::empty(),
        OpenMode::Held => OFlags::EXCL,
        OpenMode::Create => OFlags::CREATE,
        OpenMode::CreateOwn => OFlags::CREATE | OFlags::NOFOLLOW,
        OpenMode::CreateNew => OFlags::CREATE | OFlags::EXCL,
        OpenMode::Truncate => OFlags::CREATE | OFlags::TRUNC,
    };
    let direct = if direct { OFlags::DIRECT } else { OFlags::empty() };
    retry(|| {
        seam::named(Kind::Create, None, bytes(path))?;
        fs::openat(CWD, path, WRITE | how | direct, MODE)
    })
}

/// Makes a file without a name in a directory (O_TMPFILE); `None` on file systems that have none
/// (FUSE, some network ones), and where it could not be given its name in the end: that goes by
/// `/proc`, which a bare root may lack.
pub fn open_unnamed(directory: &Path) -> Result<Option<OwnedFd>, Errno> {
    let flags = OFlags::WRONLY | OFlags::CLOEXEC | OFlags::TMPFILE;
    let open = || {
        seam::named(Kind::Create, None, bytes(directory))?;
        fs::openat(CWD, directory, flags, MODE)
    };
    match retry(open) {
        Err(Errno::OPNOTSUPP | Errno::ISDIR | Errno::INVAL | Errno::NOENT) => Ok(None),
        opened => opened.map(|fd| is_there(&by_number(&fd)).then_some(fd)),
    }
}

fn bytes(path: &Path) -> &[u8] {
    path.as_os_str().as_encoded_bytes()
}

/// The name of an open file in `/proc`.
fn by_number(fd: impl AsFd) -> String {
    format!("/proc/self/fd/{}", fd.as_fd().as_raw_fd())
}

fn is_there(name: &str) -> bool {
    fs::lstat(name).is_ok()
}

/// Gives a file without a name its name. Unlike a rename it never takes the place of a file that
/// somebody else made meanwhile.
pub fn give_name(fd: impl AsFd, name: &Path) -> Result<(), Errno> {
    let here = by_number(fd);
    retry(|| {
        seam::named(Kind::Name, None, bytes(name))?;
        fs::linkat(CWD, here.as_str(), CWD, name, AtFlags::SYMLINK_FOLLOW)
    })
}

/// Gives a file another name, in the place of any file that has it.
pub fn rename(from: &Path, to: &Path) -> Result<(), Errno> {
    retry(|| {
        seam::named(Kind::Rename, None, bytes(to))?;
        fs::renameat(CWD, from, CWD, to)
    })
}

/// Gives a file a name that nothing had when it was begun. File systems without O_TMPFILE, where
/// this is needed, need not have links either.
pub fn rename_new(from: &Path, to: &Path) -> Result<(), Errno> {
    rename(from, to)
}

/// Removes a name.
pub fn remove(path: &Path) -> Result<(), Errno> {
    seam::named(Kind::Remove, None, bytes(path))?;
    fs::unlinkat(CWD, path, AtFlags::empty())
}

/// Whether nothing has this name, not even a dangling link.
pub fn is_missing(path: &Path) -> bool {
    matches!(fs::lstat(path), Err(Errno::NOENT))
}

/// Whether a file or directory may be written to, by its rights and those of its file system: a
/// read-only mount and an immutable file say no here as well.
pub fn may_write(path: &Path) -> Result<(), Errno> {
    fs::accessat(CWD, path, fs::Access::WRITE_OK, AtFlags::EACCESS)
}

/// As [`open_unnamed`], in an open directory.
pub fn open_unnamed_in(directory: &Directory) -> Result<Option<OwnedFd>, Errno> {
    let flags = OFlags::WRONLY | OFlags::CLOEXEC | OFlags::TMPFILE;
    let open = || {
        seam::on(Kind::Create, directory.as_fd())?;
        fs::openat(directory, c".", flags, MODE)
    };
    match retry(open) {
        Err(Errno::OPNOTSUPP | Errno::ISDIR | Errno::INVAL | Errno::NOENT) => Ok(None),
        opened => opened.map(|fd| is_there(&by_number(&fd)).then_some(fd)),
    }
}

/// Makes a file in an open directory, which nothing of this name may be in.
pub fn create_in(directory: &Directory, name: &Path) -> Result<OwnedFd, Errno> {
    retry(|| {
        seam::named(Kind::Create, Some(directory.as_fd()), bytes(name))?;
        fs::openat(directory, name, WRITE | OFlags::CREATE | OFlags::EXCL | OFlags::NOFOLLOW, MODE)
    })
}

/// As [`give_name`], in an open directory.
pub fn give_name_in(fd: impl AsFd, directory: &Directory, name: &Path) -> Result<(), Errno> {
    let here = by_number(fd);
    retry(|| {
        seam::named(Kind::Name, Some(directory.as_fd()), bytes(name))?;
        fs::linkat(CWD, here.as_str(), directory, name, AtFlags::SYMLINK_FOLLOW)
    })
}

/// As [`rename`], in an open directory. A link of the new name is replaced, never followed.
pub fn rename_in(directory: &Directory, from: &Path, to: &Path) -> Result<(), Errno> {
    retry(|| {
        seam::named(Kind::Rename, Some(directory.as_fd()), bytes(to))?;
        fs::renameat(directory, from, directory, to)
    })
}

/// As [`remove`], in an open directory.
pub fn remove_in(directory: &Directory, name: &Path) -> Result<(), Errno> {
    seam::named(Kind::Remove, Some(directory.as_fd()), bytes(name))?;
    fs::unlinkat(directory, name, AtFlags::empty())
}

/// Makes a directory in an open directory.
pub fn create_directory_in(directory: &Directory, name: &Path) -> Result<(), Errno> {
    retry(|| fs::mkdirat(directory, name, Mode::from_raw_mode(0o777)))
}

/// Opens a file or directory to be synced.
pub fn open_to_sync(path: &Path) -> Result<OwnedFd, Errno> {
    retry(|| {
        seam::named(Kind::Open, None, bytes(path))?;
        fs::openat(CWD, path, OFlags::RDONLY | OFlags::CLOEXEC, Mode::empty())
    })
}

/// Waits until the written bytes are on the medium.
pub fn sync(fd: impl AsFd) -> Result<(), Errno> {
    retry(|| {
        seam::on(Kind::Sync, fd.as_fd())?;
        fs::fsync(&fd)
    })
}

/// Writes out everything that the file system of an open file has not written yet.
pub fn sync_filesystem(fd: impl AsFd) -> Result<(), Errno> {
    retry(|| fs::syncfs(&fd))
}

/// Whether an open file lies in memory (tmpfs, ramfs), and on no device that it could be read from.
pub fn is_in_memory(fd: impl AsFd) -> bool {
    // TMPFS_MAGIC and RAMFS_MAGIC of statfs(2).
    fs::fstatfs(fd).is_ok_and(|found| [0x0102_1994, 0x8584_58f6].contains(&(found.f_type as u64 & 0xffff_ffff)))
}

/// Closes a copy of standard output, which itself must survive for messages: close(2) is where NFS
/// and quotas report late. The outer error is that no copy could be made.
pub fn close_standard_output() -> Result<Result<(), Errno>, Errno> {
    retry(|| rustix::io::dup(rustix::stdio::stdout())).map(super::close)
}

/// Sets a file's length in bytes.
pub fn truncate(fd: impl AsFd, length: u64) -> Result<(), Errno> {
    retry(|| {
        seam::on(Kind::Truncate, fd.as_fd())?;
        fs::ftruncate(&fd, length)
    })
}

/// Takes room for `length` bytes from an offset; the size stays, so that unwritten bytes do not
/// look written.
pub fn reserve(fd: impl AsFd, offset: u64, length: u64) -> Result<(), Errno> {
    retry(|| fs::fallocate(&fd, FallocateFlags::KEEP_SIZE, offset, length))
}

/// Bytes that the file system of an open file has left for us; `None` where it says nothing of
/// blocks.
pub fn free_bytes(fd: impl AsFd) -> Result<Option<u64>, Errno> {
    let found = fs::fstatvfs(fd)?;
    Ok((found.f_blocks > 0).then(|| found.f_bavail.saturating_mul(found.f_frsize)))
}

/// Writes at an offset in bytes; EINTR is retried.
pub fn write_at(fd: impl AsFd, bytes: &[u8], offset: u64) -> Result<usize, Errno> {
    retry(|| {
        let most = seam::writes(fd.as_fd(), bytes, Some(offset))?;
        rustix::io::pwrite(&fd, &bytes[..most], offset)
    })
}

/// Locks a file for writing, if nobody else has it; `false` when somebody has. File systems without
/// locks give `true`.
pub fn try_lock(file: impl AsFd) -> bool {
    let lock = seam::on(Kind::Lock, file.as_fd());
    lock.and_then(|()| fs::flock(file, FlockOperation::NonBlockingLockExclusive)) != Err(Errno::WOULDBLOCK)
}

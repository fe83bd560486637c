//! Files and directories by their paths.

use super::super::patience::{Patience, retry};
use super::super::resolve;
use super::super::{ChangeTimes, FileType};
use super::directory::Directory;
use super::errno::Errno;
use crate::base::Base;
use crate::descend::Links;
use crate::stat::Stat;
use std::ffi::OsStr;
use std::fs::{File, Metadata, OpenOptions};
use std::io::{self, Read, Write};
use std::mem::ManuallyDrop;
use std::os::fd::{AsFd, AsRawFd, BorrowedFd, FromRawFd, IntoRawFd, OwnedFd, RawFd};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::{FileExt, FileTypeExt, MetadataExt, OpenOptionsExt};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

/// How long an open that met EMFILE or ENFILE is retried, while other readers close theirs: 200 ×
/// 10 ms.
static DESCRIPTOR_WAITS: AtomicUsize = AtomicUsize::new(200);
/// The same once an open has waited all that time in vain: the limit is too low for the open files
/// of this process, and thousands of files must not wait that long one after the other.
const FEW_WAITS: usize = 5;

/// How data is opened. O_NONBLOCK: a FIFO put in a file's place must not hang the open (fault row
/// B2).
pub(super) const DATA: i32 = libc::O_NONBLOCK | libc::O_NOCTTY;

impl Directory {
    fn open(path: PathBuf, flags: i32) -> Result<Self, Errno> {
        let handle = open(&path, flags | libc::O_DIRECTORY)?;
        let stat = stat(&handle)?;
        Ok(Directory { path, handle, identity: (stat.device, stat.inode) })
    }

    /// The path, if it still leads to this directory.
    pub(super) fn path(&self) -> Result<&Path, Errno> {
        let now = stat_path(&self.path)?.0;
        if (now.device, now.inode) == self.identity { Ok(&self.path) } else { Err(Errno::STALE) }
    }
}

/// A file that is not closed when it goes: of a descriptor that the caller holds for as long as it
/// uses the file.
pub(super) fn view(fd: BorrowedFd<'_>) -> ManuallyDrop<File> {
    let raw: RawFd = fd.as_raw_fd();
    // SAFETY: the descriptor is open while it is borrowed, which all callers here do beyond the use
    // of the file; that is never dropped, so the descriptor is not closed here.
    ManuallyDrop::new(unsafe { File::from_raw_fd(raw) })
}

fn errno(error: io::Error) -> Errno {
    Errno::of(&error)
}

fn reduce(found: &Metadata) -> Stat {
    Stat {
        device: found.dev(),
        inode: found.ino().into(),
        size: found.size(),
        mode: found.mode(),
        mtime: (found.mtime(), found.mtime_nsec() as u32),
        ctime: (found.ctime(), found.ctime_nsec() as u32),
        atime: (found.atime(), found.atime_nsec() as u32),
    }
}

/// Reads metadata of an open file.
pub fn stat(fd: impl AsFd) -> Result<Stat, Errno> {
    view(fd.as_fd()).metadata().map(|found| reduce(&found)).map_err(errno)
}

/// Reads metadata of a name below a directory.
pub fn stat_at(directory: &Directory, path: &[u8], links: Links) -> Result<Stat, Errno> {
    let path = directory.path()?.join(OsStr::from_bytes(path));
    let found = if links == Links::Keep { path.symlink_metadata() } else { path.metadata() };
    found.map(|found| reduce(&found)).map_err(errno)
}

/// Metadata of an operand, links followed.
pub fn stat_operand(path: &[u8]) -> Result<Stat, Errno> {
    stat_path(Path::new(OsStr::from_bytes(path))).map(|(stat, _)| stat)
}

/// Metadata of a path, links followed, and the number of the device that it is (`st_rdev`); 0 for
/// other files.
pub fn stat_path(path: &Path) -> Result<(Stat, u64), Errno> {
    path.metadata().map(|found| (reduce(&found), found.rdev())).map_err(errno)
}

/// Opens for reading; waits where no more files may be open for now.
pub(super) fn open(path: &Path, flags: i32) -> Result<File, Errno> {
    let mut waits = 0;
    let mut patience = Patience::default();
    loop {
        match OpenOptions::new().read(true).custom_flags(flags).open(path).map_err(errno) {
            // O_NONBLOCK, while somebody's lease is broken.
            Err(Errno::AGAIN) => patience.again(Errno::AGAIN)?,
            Err(Errno::MFILE | Errno::NFILE) if waits < DESCRIPTOR_WAITS.load(Ordering::Relaxed) => {
                waits += 1;
                std::thread::sleep(Duration::from_millis(10));
            }
            other => {
                if matches!(other, Err(Errno::MFILE | Errno::NFILE)) {
                    DESCRIPTOR_WAITS.store(FEW_WAITS, Ordering::Relaxed);
                }
                patience.end();
                return other;
            }
        }
    }
}

/// Opens a file below a directory. That nothing on the way is a link is looked at before and after:
/// a link that was put there between the two looks and taken away again is not seen.
fn open_below(root: &Directory, path: &[u8], links: Links, flags: i32) -> Result<(File, PathBuf), Errno> {
    let way = || resolve::below(root.path()?, path, links);
    let full = way()?;
    // A path that was resolved name by name ends in no link.
    let last = if links == Links::Follow { 0 } else { libc::O_NOFOLLOW };
    let file = open(&full, flags | last)?;
    if links != Links::Follow {
        let (opened, now) = (stat(&file)?, stat_path(&way()?)?.0);
        if (opened.device, opened.inode) != (now.device, now.inode) {
            return Err(Errno::STALE);
        }
    }
    Ok((file, full))
}

/// Opens a file below its base for reading.
pub fn open_data(base: &Base, path: &[u8]) -> Result<OwnedFd, Errno> {
    match &base.directory {
        Some(directory) => open_below(directory, path, base.links, DATA).map(|(file, _)| file.into()),
        // An operand: links in it are the user's own words.
        None => open(Path::new(OsStr::from_bytes(path)), DATA).map(OwnedFd::from),
    }
}

/// Opens an operand of the command line as a directory to walk.
pub fn open_operand_directory(path: &[u8]) -> Result<Directory, Errno> {
    Directory::open(PathBuf::from(OsStr::from_bytes(path)), 0)
}

/// Opens a directory below another for listing.
pub fn open_directory(at: &Directory, path: &[u8], links: Links) -> Result<Directory, Errno> {
    let (handle, path) = open_below(at, path, links, libc::O_DIRECTORY)?;
    let stat = stat(&handle)?;
    Ok(Directory { path, handle, identity: (stat.device, stat.inode) })
}

/// Calls `each(name, type)` for every name of a directory but `.` and `..`.
pub fn list(directory: &Directory, mut each: impl FnMut(&[u8], FileType) -> Result<(), Errno>) -> Result<(), Errno> {
    for entry in std::fs::read_dir(directory.path()?).map_err(errno)? {
        let entry = entry.map_err(errno)?;
        let kind = entry.file_type().map_or(FileType::Unknown, of_standard);
        each(entry.file_name().as_bytes(), kind)?;
    }
    Ok(())
}

fn of_standard(kind: std::fs::FileType) -> FileType {
    match kind {
        kind if kind.is_file() => FileType::RegularFile,
        kind if kind.is_dir() => FileType::Directory,
        kind if kind.is_symlink() => FileType::Symlink,
        kind if kind.is_fifo() => FileType::Fifo,
        kind if kind.is_socket() => FileType::Socket,
        kind if kind.is_char_device() => FileType::CharacterDevice,
        kind if kind.is_block_device() => FileType::BlockDevice,
        _ => FileType::Unknown,
    }
}

/// How many files this process may have open at once: the soft limit RLIMIT_NOFILE.
pub fn descriptors() -> usize {
    let mut limit = libc::rlimit { rlim_cur: 0, rlim_max: 0 };
    // SAFETY: the call writes one `rlimit`, which lives as long as the call.
    let failed = unsafe { libc::getrlimit(libc::RLIMIT_NOFILE, &raw mut limit) } != 0;
    // The least that POSIX allows.
    if failed { 20 } else { usize::try_from(limit.rlim_cur).unwrap_or(usize::MAX) }
}

/// Reads at the file position; retries EINTR, waits out EAGAIN of non-blocking pipes.
pub fn read(fd: BorrowedFd<'_>, buffer: &mut [u8]) -> Result<usize, Errno> {
    let mut patience = Patience::default();
    loop {
        match (&*view(fd)).read(buffer).map_err(errno) {
            Err(Errno::INTR) => patience.again(Errno::INTR)?,
            Err(Errno::AGAIN) => patience.again_after(|| wait_readable(fd))?,
            other => {
                patience.end();
                return other;
            }
        }
    }
}

/// Reads at an offset in bytes; retries EINTR and EAGAIN.
pub fn read_at(fd: BorrowedFd<'_>, buffer: &mut [u8], offset: u64) -> Result<usize, Errno> {
    let mut patience = Patience::default();
    loop {
        match view(fd).read_at(buffer, offset).map_err(errno) {
            Err(errno @ (Errno::INTR | Errno::AGAIN)) => patience.again(errno)?,
            other => {
                patience.end();
                return other;
            }
        }
    }
}

/// Waits until there is something to read or nothing more will come.
pub fn wait_readable(fd: BorrowedFd<'_>) -> Result<(), Errno> {
    retry(|| poll(fd, libc::POLLIN))
}

/// Waits once until something can be read: a signal ends the wait.
pub fn wait_readable_once(fd: BorrowedFd<'_>) -> Result<(), Errno> {
    poll(fd, libc::POLLIN)
}

/// Waits until something can be read or nothing more will come, no longer than `most`; whether it
/// came to that.
pub fn wait_readable_for(fd: BorrowedFd<'_>, most: Duration) -> Result<bool, Errno> {
    match poll_for(fd, libc::POLLIN, most.as_millis().try_into().unwrap_or(libc::c_int::MAX)) {
        Err(Errno::INTR) => Ok(false),
        other => other,
    }
}

/// Pipes have the room that the system gives them.
pub fn widen(_: BorrowedFd<'_>) {}

/// Waits once until something can be written.
pub fn wait_writable(fd: impl AsFd) -> Result<(), Errno> {
    poll(fd.as_fd(), libc::POLLOUT)
}

fn poll(fd: BorrowedFd<'_>, events: libc::c_short) -> Result<(), Errno> {
    poll_for(fd, events, -1).map(drop)
}

/// Polls for `most` milliseconds, or without an end; whether something has happened.
fn poll_for(fd: BorrowedFd<'_>, events: libc::c_short, most: libc::c_int) -> Result<bool, Errno> {
    let mut asked = libc::pollfd { fd: fd.as_raw_fd(), events, revents: 0 };
    // SAFETY: one `pollfd`, which lives as long as the call.
    match unsafe { libc::poll(&raw mut asked, 1, most) } {
        ready if ready < 0 => Err(Errno::last()),
        ready => Ok(ready > 0),
    }
}

/// Writes at the file position, once.
pub fn write_once(fd: impl AsFd, bytes: &[u8]) -> Result<usize, Errno> {
    (&*view(fd.as_fd())).write(bytes).map_err(errno)
}

/// Opens a file for reading; of a FIFO no writer is waited for.
pub fn open_once(path: &Path) -> Result<OwnedFd, Errno> {
    open(path, DATA).map(OwnedFd::from)
}

/// Closes a descriptor and says how that went: NFS and quotas report lost writes only here, and
/// dropping swallows it.
pub fn close(fd: OwnedFd) -> Result<(), Errno> {
    // SAFETY: the descriptor is owned, given up here, and not used afterwards.
    match unsafe { libc::close(fd.into_raw_fd()) } {
        0 => Ok(()),
        _ => match Errno::last() {
            // Closed all the same on most systems; where not, it must not be tried again: another
            // thread may have the number by now.
            Errno::INTR => Ok(()),
            errno => Err(errno),
        },
    }
}

/// Advice that POSIX lacks: nothing is done.
pub fn advise_sequential(_: BorrowedFd<'_>) {}

/// Advice that POSIX lacks: nothing is done.
pub fn advise_little(_: BorrowedFd<'_>) {}

/// Whether a file lies on a file system whose sizes and times are made up on the spot. Nobody knows
/// here: such files count as changed.
pub fn is_virtual(_: BorrowedFd<'_>) -> bool {
    false
}

/// How far the change times of a file system can be trusted: not known here.
pub fn change_times(_: &Base, _: &[u8]) -> Option<ChangeTimes> {
    None
}

/// Whether the change time of an open file tells that it was rewritten: taken at its word here.
pub fn is_timed(_: BorrowedFd<'_>, _: &Stat) -> bool {
    true
}

/// Where a file's first byte lies on its medium: not known here.
pub fn first_physical_offset(_: impl AsFd) -> Option<u64> {
    None
}

/// Whether a device is rotational: not known here, so no reader waits for another.
pub fn is_rotational(_: u64) -> bool {
    false
}

/// Waiting for a write that is under way: there is no portable way.
pub fn settle(_: BorrowedFd<'_>, _: &Stat) {}

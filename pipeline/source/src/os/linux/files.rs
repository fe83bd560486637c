//! Files and directories: relative to descriptors, and through no link that was not meant
//! (openat2).

use super::super::patience::{Patience, retry};
use super::super::seam::{self, Kind};
use super::super::{FileType, file_type};
use super::beneath;
use super::directory::Directory;
use crate::base::Base;
use crate::descend::Links;
use crate::stat::Stat;
use rustix::fs::{self, CWD, Mode, OFlags, RawDir, ResolveFlags};
use rustix::io::Errno;
use std::mem::MaybeUninit;
use std::os::fd::{AsFd, BorrowedFd, IntoRawFd, OwnedFd};
use std::path::Path;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::Duration;

/// Longest path piece handed to the kernel at once; PATH_MAX is 4,096 with its NUL.
pub(super) const PIECE: usize = 4000;
/// How long an open that met EMFILE or ENFILE is retried, while other readers close theirs: 200 ×
/// 10 ms.
static DESCRIPTOR_WAITS: AtomicUsize = AtomicUsize::new(200);
/// The same once an open has waited all that time in vain: the limit is too low for the open files
/// of this process, and thousands of files must not wait that long one after the other.
const FEW_WAITS: usize = 5;

/// Reads metadata of an open file.
pub fn stat(fd: impl AsFd) -> Result<Stat, Errno> {
    retry(|| {
        seam::on(Kind::Stat, fd.as_fd())?;
        fs::fstat(&fd)
    })
    .map(reduce)
}

fn reduce(s: fs::Stat) -> Stat {
    Stat {
        device: s.st_dev,
        inode: s.st_ino.into(),
        size: s.st_size.max(0) as u64,
        mode: s.st_mode,
        mtime: (s.st_mtime, s.st_mtime_nsec as u32),
        ctime: (s.st_ctime, s.st_ctime_nsec as u32),
        atime: (s.st_atime, s.st_atime_nsec as u32),
    }
}

/// Reads metadata of a name below a directory.
pub fn stat_at(directory: &Directory, path: &[u8], links: Links) -> Result<Stat, Errno> {
    let flags = match links {
        Links::Follow | Links::Within => fs::AtFlags::empty(),
        Links::Keep => fs::AtFlags::SYMLINK_NOFOLLOW,
    };
    retry(|| {
        seam::named(Kind::Stat, Some(directory.as_fd()), path)?;
        fs::statat(directory, path, flags)
    })
    .map(reduce)
}

pub(super) fn resolve(links: Links) -> ResolveFlags {
    match links {
        // Within the walked directory no component may be a link: a directory that is swapped for
        // one between listing and opening must not lead outside (fault row A15).
        Links::Keep => ResolveFlags::BENEATH | ResolveFlags::NO_SYMLINKS,
        Links::Follow => ResolveFlags::NO_MAGICLINKS,
        // A list of names that came from elsewhere must not lead out of the directory it is checked
        // against.
        Links::Within => ResolveFlags::BENEATH | ResolveFlags::NO_MAGICLINKS,
    }
}

pub(super) static NO_OPENAT2: AtomicBool = AtomicBool::new(false);
pub(super) static NO_NOATIME: AtomicBool = AtomicBool::new(false);

fn open_piece(at: BorrowedFd<'_>, path: &[u8], flags: OFlags, links: Links) -> Result<OwnedFd, Errno> {
    let (mut waits, mut patience) = (0, Patience::default());
    loop {
        let asked = seam::named(Kind::Open, Some(at), path);
        let result = if let Err(errno) = asked {
            Err(errno)
        } else if NO_OPENAT2.load(Ordering::Relaxed) {
            match links {
                Links::Keep | Links::Within => beneath::open(at, path, flags, links),
                Links::Follow => fs::openat(at, path, flags, Mode::empty()),
            }
        } else {
            match fs::openat2(at, path, flags, Mode::empty(), resolve(links)) {
                // Kernels before 5.6.
                Err(Errno::NOSYS) => {
                    NO_OPENAT2.store(true, Ordering::Relaxed);
                    continue;
                }
                // Sandboxes that forbid calls that they do not know; with O_NOATIME it may be that
                // alone which is forbidden.
                Err(Errno::PERM) if !flags.contains(OFlags::NOATIME) => {
                    NO_OPENAT2.store(true, Ordering::Relaxed);
                    continue;
                }
                other => other,
            }
        };
        match result {
            // EAGAIN: RESOLVE_BENEATH gives up when a rename raced with "..", and O_NONBLOCK while
            // somebody's lease is broken.
            Err(errno @ (Errno::INTR | Errno::AGAIN)) => patience.again(errno)?,
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

/// Opens a path of any length: pieces of at most 4,000 bytes, each below the one before.
pub(super) fn open_long(at: BorrowedFd<'_>, path: &[u8], flags: OFlags, links: Links) -> Result<OwnedFd, Errno> {
    if path.len() <= PIECE {
        return open_piece(at, path, flags, links);
    }
    let cut = path[..PIECE].iter().rposition(|&b| b == b'/').filter(|&c| c > 0).ok_or(Errno::NAMETOOLONG)?;
    let next = open_piece(at, &path[..cut], OFlags::PATH | OFlags::DIRECTORY | OFlags::CLOEXEC, links)?;
    let rest = &path[cut..];
    let start = rest.iter().position(|&b| b != b'/').unwrap_or(rest.len());
    open_long(next.as_fd(), if start == rest.len() { b"." } else { &rest[start..] }, flags, links)
}

/// How many files this process may have open at once: the soft limit RLIMIT_NOFILE.
pub fn descriptors() -> usize {
    let limit = rustix::process::getrlimit(rustix::process::Resource::Nofile).current;
    limit.map_or(usize::MAX, |limit| usize::try_from(limit).unwrap_or(usize::MAX))
}

/// How data is opened. O_NONBLOCK: a FIFO put in a file's place must not hang the open (fault row
/// B2).
pub(super) const DATA: OFlags = OFlags::RDONLY.union(OFlags::CLOEXEC).union(OFlags::NONBLOCK).union(OFlags::NOCTTY);

/// The additions of a base to [`DATA`]: where paths start, which links they may hold, and whether
/// the last component may be one.
pub(super) fn below(base: &Base) -> (BorrowedFd<'_>, Links, OFlags) {
    match &base.directory {
        Some(directory) => {
            let last = if base.links == Links::Keep { OFlags::NOFOLLOW } else { OFlags::empty() };
            (directory.as_fd(), base.links, last)
        }
        // An operand: links in it are the user's own words.
        None => (CWD, Links::Follow, OFlags::empty()),
    }
}

/// O_NOATIME keeps the evidence's access times; only the owner and root may ask for it.
fn open_data_at(at: BorrowedFd<'_>, path: &[u8], links: Links, last: OFlags) -> Result<OwnedFd, Errno> {
    let flags = DATA | last;
    if !NO_NOATIME.load(Ordering::Relaxed) {
        match open_long(at, path, flags | OFlags::NOATIME, links) {
            Err(Errno::PERM) => {
                let fd = open_long(at, path, flags, links)?;
                NO_NOATIME.store(true, Ordering::Relaxed);
                return Ok(fd);
            }
            other => return other,
        }
    }
    open_long(at, path, flags, links)
}

/// Opens a file below its base for reading.
pub fn open_data(base: &Base, path: &[u8]) -> Result<OwnedFd, Errno> {
    let (at, links, last) = below(base);
    open_data_at(at, path, links, last)
}

/// Opens an operand of the command line as a directory to walk.
pub fn open_operand_directory(path: &[u8]) -> Result<Directory, Errno> {
    open_long(CWD, path, OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC, Links::Follow)
}

/// Opens a directory below another for listing.
pub fn open_directory(at: &Directory, path: &[u8], links: Links) -> Result<Directory, Errno> {
    let last = if links == Links::Keep { OFlags::NOFOLLOW } else { OFlags::empty() };
    open_long(at.as_fd(), path, OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC | last, links)
}

/// Metadata of an operand, links followed.
pub fn stat_operand(path: &[u8]) -> Result<Stat, Errno> {
    let ask = || {
        seam::named(Kind::Stat, None, path)?;
        fs::statat(CWD, path, fs::AtFlags::empty())
    };
    match retry(ask) {
        Err(Errno::NAMETOOLONG) => stat(open_long(CWD, path, OFlags::PATH | OFlags::CLOEXEC, Links::Follow)?),
        other => other.map(reduce),
    }
}

/// Metadata of a path, links followed, and the number of the device that it is (`st_rdev`); 0 for
/// other files.
pub fn stat_path(path: &Path) -> Result<(Stat, u64), Errno> {
    seam::named(Kind::Stat, None, path.as_os_str().as_encoded_bytes())?;
    fs::stat(path).map(|found| (reduce(found), found.st_rdev))
}

/// The number of the device that an open file is (`st_rdev`); 0 for other files, or if it cannot be
/// asked.
pub fn device_number(fd: impl AsFd) -> u64 {
    fs::fstat(fd).map_or(0, |found| found.st_rdev)
}

/// Calls `each(name, type)` for every name of a directory but `.` and `..`.
pub fn list(directory: impl AsFd, mut each: impl FnMut(&[u8], FileType) -> Result<(), Errno>) -> Result<(), Errno> {
    let mut room = vec![MaybeUninit::<u8>::uninit(); 64 << 10];
    let mut names = RawDir::new(directory.as_fd(), &mut room);
    let mut patience = Patience::default();
    loop {
        let next = match seam::on(Kind::List, directory.as_fd()) {
            Ok(()) => names.next(),
            Err(errno) => Some(Err(errno)),
        };
        let Some(entry) = next else { return Ok(()) };
        let entry = match entry {
            Err(errno @ (Errno::INTR | Errno::AGAIN)) => {
                patience.again(errno)?;
                continue;
            }
            other => other?,
        };
        patience.end();
        patience = Patience::default();
        let name = entry.file_name().to_bytes();
        if name != b"." && name != b".." {
            each(name, file_type(entry.file_type().as_raw_mode()))?;
        }
    }
}

/// Reads at the file position; retries EINTR, waits out EAGAIN of non-blocking pipes.
pub fn read(fd: BorrowedFd<'_>, buffer: &mut [u8]) -> Result<usize, Errno> {
    let mut patience = Patience::default();
    loop {
        match seam::reads(fd, buffer.len(), None).and_then(|most| rustix::io::read(fd, &mut buffer[..most])) {
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
        let asked = seam::reads(fd, buffer.len(), Some(offset));
        match asked.and_then(|most| rustix::io::pread(fd, &mut buffer[..most], offset)) {
            Err(errno @ (Errno::INTR | Errno::AGAIN)) => patience.again(errno)?,
            other => {
                patience.end();
                return other;
            }
        }
    }
}

/// Waits until there is something to read or nothing more will come. A FIFO counts as ended only
/// after a writer has been there (`pipe_poll` of Linux compares the number of writers that it has
/// seen with that at the open).
pub fn wait_readable(fd: BorrowedFd<'_>) -> Result<(), Errno> {
    use rustix::event::{PollFd, PollFlags, poll};
    retry(|| poll(&mut [PollFd::new(&fd, PollFlags::IN)], None)).map(drop)
}

/// Waits once until something can be read: a signal ends the wait.
pub fn wait_readable_once(fd: BorrowedFd<'_>) -> Result<(), Errno> {
    use rustix::event::{PollFd, PollFlags, poll};
    poll(&mut [PollFd::new(&fd, PollFlags::IN)], None).map(drop)
}

/// Waits until something can be read or nothing more will come, no longer than `most`; whether it
/// came to that. Of a FIFO that no writer has opened yet nothing comes: it is waited for.
pub fn wait_readable_for(fd: BorrowedFd<'_>, most: Duration) -> Result<bool, Errno> {
    use rustix::event::{PollFd, PollFlags, Timespec, poll};
    let most = Timespec { tv_sec: most.as_secs() as _, tv_nsec: most.subsec_nanos() as _ };
    match poll(&mut [PollFd::new(&fd, PollFlags::IN)], Some(&most)) {
        Err(Errno::INTR) => Ok(false),
        other => other.map(|ready| ready > 0),
    }
}

/// Gives a pipe the room that every user may have, 1 MiB in place of 64 KiB: its ends wait for one
/// another less often. Of anything else nothing changes.
pub fn widen(fd: BorrowedFd<'_>) {
    let _ = rustix::pipe::fcntl_setpipe_size(fd, 1 << 20);
}

/// Writes at the file position, once.
pub fn write_once(fd: impl AsFd, bytes: &[u8]) -> Result<usize, Errno> {
    let most = seam::writes(fd.as_fd(), bytes, None)?;
    rustix::io::write(fd, &bytes[..most])
}

/// Waits once until something can be written.
pub fn wait_writable(fd: impl AsFd) -> Result<(), Errno> {
    use rustix::event::{PollFd, PollFlags, poll};
    poll(&mut [PollFd::new(&fd, PollFlags::OUT)], None).map(drop)
}

/// Opens a file for reading, once; of a FIFO no writer is waited for.
pub fn open_once(path: &Path) -> Result<OwnedFd, Errno> {
    seam::named(Kind::Open, None, path.as_os_str().as_encoded_bytes())?;
    fs::openat(CWD, path, DATA, Mode::empty())
}

/// Closes a descriptor and says how that went: NFS and quotas report lost writes only here, and
/// dropping swallows it.
pub fn close(fd: OwnedFd) -> Result<(), Errno> {
    // SAFETY: the descriptor is owned, given up here, and not used afterwards.
    match unsafe { rustix::io::try_close(fd.into_raw_fd()) } {
        // On Linux the descriptor is closed all the same.
        Err(Errno::INTR) => Ok(()),
        other => other,
    }
}

/// Tells the kernel that little of the file will be read: it reads nothing ahead. Only advice, as
/// the next.
pub fn advise_little(fd: BorrowedFd<'_>) {
    let _ = fs::fadvise(fd, 0, None, fs::Advice::Random);
}

/// Tells the kernel that the file will be read from front to back. Only advice: a failure is of no
/// account (row A23).
pub fn advise_sequential(fd: BorrowedFd<'_>) {
    let _ = fs::fadvise(fd, 0, None, fs::Advice::Sequential);
}

/// Whether a file lies on a file system whose sizes and times are made up on the spot.
pub fn is_virtual(fd: BorrowedFd<'_>) -> bool {
    // f_type values of linux/magic.h.
    const VIRTUAL: &[u64] = &[
        0x9fa0,      // proc
        0x6265_6572, // sysfs
        0x6462_6720, // debugfs
        0x7472_6163, // tracefs
        0x7363_6673, // securityfs
        0xcafe_4a11, // bpf
        0x27_e0eb,   // cgroup
        0x6367_7270, // cgroup2
        0xde5e_81e4, // efivarfs
        0x6265_6570, // configfs
        0x6165_676c, // pstore
        0xf97c_ff8c, // selinux
    ];
    fs::fstatfs(fd).is_ok_and(|s| VIRTUAL.contains(&(s.f_type as u64 & 0xffff_ffff)))
}

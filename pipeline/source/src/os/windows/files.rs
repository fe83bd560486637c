//! Files and directories.

use super::super::{ChangeTimes, FileType, file_type, resolve};
use super::directory::Directory;
use super::errno::Errno;
use super::facts::{stat, stat_path};
use super::handle::{self, DATA, FACTS, LISTING, Last, SHARE, query};
use super::journal::usn;
use super::paths::native;
use crate::base::Base;
use crate::descend::Links;
use crate::os::answers;
use crate::os::handles::{AsFd, BorrowedFd, OwnedFd};
use crate::os::names::OsStrExt;
use crate::stat::Stat;
use std::fs::File;
use std::io;
use std::os::windows::fs::MetadataExt;
use std::path::{Path, PathBuf};
use windows_sys::Win32::Storage::FileSystem as fs;

fn errno(error: io::Error) -> Errno {
    Errno::of(&error)
}

/// Reads metadata of a name below a directory.
pub fn stat_at(directory: &Directory, path: &[u8], links: Links) -> Result<Stat, Errno> {
    let path = directory.path.join(below_as_native(path)?);
    let last = if links == Links::Keep { Last::Itself } else { Last::Follow };
    stat(handle::open(&path, FACTS, last)?)
}

/// A path below a directory with the system's separators: in the form without limits `/` is a
/// letter.
fn below_as_native(path: &[u8]) -> Result<PathBuf, Errno> {
    if !crate::os::names::is_name(path) {
        return Err(Errno::ILSEQ);
    }
    let names = path.split(|&byte| byte == b'/').filter(|name| !name.is_empty());
    Ok(names.map(|name| Path::new(std::ffi::OsStr::from_bytes(name))).collect())
}

/// Metadata of an operand, links followed.
pub fn stat_operand(path: &[u8]) -> Result<Stat, Errno> {
    stat_path(&native(path)?).map(|(stat, _)| stat)
}

/// Opens below a directory: through no link, through links that stay below it, or through any.
fn open_below(root: &Directory, path: &[u8], links: Links, access: u32, share: u32) -> Result<(File, PathBuf), Errno> {
    let plain = || Ok(root.path.join(below_as_native(path)?));
    match links {
        Links::Keep => Ok((handle::open_below(root.handle.as_fd(), path, access, share)?, plain()?)),
        Links::Follow => {
            let full = plain()?;
            Ok((handle::open_sharing(&full, access, Last::Follow, share)?, full))
        }
        Links::Within => {
            let way = || resolve::below(root.path()?, path, links);
            let full = way()?;
            let file = handle::open_sharing(&full, access, Last::Itself, share)?;
            // That nothing on the way is a link out is looked at before and after.
            if stat(&file)?.identity() != stat_path(&way()?)?.0.identity() {
                return Err(Errno::STALE);
            }
            Ok((file, full))
        }
    }
}

/// Opens a file below its base for reading. Others may write to it meanwhile, unless the base holds
/// its files.
pub fn open_data(base: &Base, path: &[u8]) -> Result<OwnedFd, Errno> {
    let share = if base.hold { fs::FILE_SHARE_READ } else { SHARE };
    open_at(base, path, DATA, share).map(OwnedFd::from)
}

/// Opens a file below its base to look at it, which others may hold alone.
pub(super) fn open_facts(base: &Base, path: &[u8]) -> Result<File, Errno> {
    open_at(base, path, FACTS, SHARE)
}

fn open_at(base: &Base, path: &[u8], access: u32, share: u32) -> Result<File, Errno> {
    match &base.directory {
        Some(directory) => open_below(directory, path, base.links, access, share).map(|(file, _)| file),
        // An operand: links in it are the user's own words.
        None => handle::open_sharing(&native(path)?, access, Last::Follow, share),
    }
}

/// Opens an operand of the command line as a directory to walk.
pub fn open_operand_directory(path: &[u8]) -> Result<Directory, Errno> {
    let path = native(path)?;
    let handle = handle::open(&path, LISTING, Last::Follow)?;
    Directory::of(path, handle)
}

/// Opens a directory below another for listing.
pub fn open_directory(at: &Directory, path: &[u8], links: Links) -> Result<Directory, Errno> {
    let (handle, path) = open_below(at, path, links, LISTING, SHARE)?;
    Directory::of(path, handle)
}

/// Calls `each(name, type)` for every name of a directory but `.` and `..`.
pub fn list(directory: &Directory, mut each: impl FnMut(&[u8], FileType) -> Result<(), Errno>) -> Result<(), Errno> {
    for entry in std::fs::read_dir(directory.path()?).map_err(errno)? {
        let entry = entry.map_err(errno)?;
        let kind = entry.file_type().map_or(FileType::Unknown, |kind| match kind {
            kind if kind.is_symlink() => FileType::Symlink,
            kind if kind.is_dir() => FileType::Directory,
            _ if is_elsewhere(&entry) => FileType::Placeholder,
            kind if kind.is_file() => FileType::RegularFile,
            _ => FileType::Unknown,
        });
        each(entry.file_name().as_bytes(), kind)?;
    }
    Ok(())
}

/// Whether the data of a listed file are elsewhere. The listing has its attributes.
fn is_elsewhere(entry: &std::fs::DirEntry) -> bool {
    entry.metadata().is_ok_and(|found| answers::is_elsewhere(found.file_attributes()))
}

/// Opens a file for reading, once. A directory, which opens here, would fail at the first read, in
/// words that do not name the cause.
pub fn open_once(path: &Path) -> Result<OwnedFd, Errno> {
    let file = handle::open(path, DATA, Last::Follow)?;
    if file_type(stat(&file)?.mode) == FileType::Directory { Err(Errno::ISDIR) } else { Ok(file.into()) }
}

/// How many files this process may have open at once: Windows sets no limit but memory.
pub fn descriptors() -> usize {
    1 << 16
}

/// Whether a file lies on a file system whose sizes and times are made up on the spot: Windows has
/// none.
pub fn is_virtual(_: BorrowedFd<'_>) -> bool {
    false
}

/// How far the change times of a file system can be trusted: a program can set them, unlike on
/// Unix.
pub fn change_times(base: &Base, path: &[u8]) -> Option<ChangeTimes> {
    let file = File::from(open_data(base, path).ok()?);
    Some(times_of(file.as_fd()))
}

fn times_of(fd: BorrowedFd<'_>) -> ChangeTimes {
    match query::<fs::FILE_BASIC_INFO>(fd, fs::FileBasicInfo) {
        // FAT has none.
        Ok(basic) if basic.ChangeTime == 0 => ChangeTimes::Missing,
        _ => ChangeTimes::Doubtful,
    }
}

/// Whether the change time of an open file tells that it was rewritten, or the journal of its
/// volume does.
pub fn is_timed(fd: BorrowedFd<'_>, stat: &Stat) -> bool {
    usn(fd).is_some() || times_of(fd).hold_for(stat)
}

/// Where a file's first byte lies on its medium: not asked yet.
pub fn first_physical_offset(_: impl AsFd) -> Option<u64> {
    None
}

/// Whether a device is rotational: not asked yet, so no reader waits for another.
pub fn is_rotational(_: u64) -> bool {
    false
}

/// Waiting for a write that is under way: there is no way.
pub fn settle(_: BorrowedFd<'_>, _: &Stat) {}

/// User and group of a file: none, since owners have no numbers here.
pub fn owner(_: &Path) -> Option<(u32, u32)> {
    None
}

/// How many names an open file has.
///
/// # Errors
/// The system's.
pub fn count_names(file: impl AsFd) -> io::Result<u64> {
    let standard: fs::FILE_STANDARD_INFO = query(file.as_fd(), fs::FileStandardInfo)?;
    Ok(standard.NumberOfLinks.into())
}

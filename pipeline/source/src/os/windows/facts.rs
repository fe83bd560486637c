//! Metadata of open files.

use super::ask;
use super::errno::Errno;
use super::handle::{self, FACTS, Last, query};
use crate::os::answers;
use crate::os::handles::{AsFd, BorrowedFd};
use crate::stat::Stat;
use std::os::windows::io::AsRawHandle;
use std::path::Path;
use windows_sys::Win32::Storage::FileSystem as fs;

/// 100 nanoseconds since 1601 as seconds and nanoseconds since 1970.
fn time(ticks: i64) -> (i64, u32) {
    let ticks = ticks - 116_444_736_000_000_000;
    (ticks.div_euclid(10_000_000), (ticks.rem_euclid(10_000_000) * 100) as u32)
}

/// Reads metadata of an open file.
pub fn stat(fd: impl AsFd) -> Result<Stat, Errno> {
    let fd = fd.as_fd();
    // SAFETY: the handle is open while it is borrowed; nothing else is touched.
    let mode = match unsafe { fs::GetFileType(fd.as_raw_handle()) } {
        fs::FILE_TYPE_PIPE => 0o010_600,
        fs::FILE_TYPE_CHAR => 0o020_600,
        _ => 0,
    };
    if mode != 0 {
        let none = (0, 0);
        return Ok(Stat { device: 0, inode: 0, size: 0, mode, mtime: none, ctime: none, atime: none });
    }
    // Neither a disk nor a volume has what a file has.
    of_file(fd).or_else(|errno| ask::stat(fd).ok_or(errno))
}

fn of_file(fd: BorrowedFd<'_>) -> Result<Stat, Errno> {
    let basic: fs::FILE_BASIC_INFO = query(fd, fs::FileBasicInfo)?;
    let standard: fs::FILE_STANDARD_INFO = query(fd, fs::FileStandardInfo)?;
    let (device, inode) = handle::identity(fd)?;
    Ok(Stat {
        device,
        inode,
        size: standard.EndOfFile.max(0) as u64,
        mode: mode_of(fd, basic.FileAttributes)?,
        mtime: time(basic.LastWriteTime),
        ctime: time(if basic.ChangeTime == 0 { basic.LastWriteTime } else { basic.ChangeTime }),
        atime: time(basic.LastAccessTime),
    })
}

/// The mode that POSIX would have for these attributes.
fn mode_of(fd: BorrowedFd<'_>, attributes: u32) -> Result<u32, Errno> {
    if attributes & fs::FILE_ATTRIBUTE_REPARSE_POINT == 0 {
        return Ok(answers::mode(attributes, 0));
    }
    let tag: fs::FILE_ATTRIBUTE_TAG_INFO = query(fd, fs::FileAttributeTagInfo)?;
    Ok(answers::mode(attributes, tag.ReparseTag))
}

/// Metadata of a path, links followed, and the number of the device that it is; 0 of a file.
pub fn stat_path(path: &Path) -> Result<(Stat, u64), Errno> {
    let found = stat(handle::open(path, FACTS, Last::Follow)?)?;
    Ok((found, if found.mode & 0o170_000 == 0o060_000 { found.device } else { 0 }))
}

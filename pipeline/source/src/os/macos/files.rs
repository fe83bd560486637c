//! Metadata, reads and writes, where a raw disk is another kind of file than elsewhere.

use super::disk::{facts, is_raw};
use crate::os::storage::{bounced, patched};
use crate::os::{Errno, dkio, portable};
use crate::stat::Stat;
use std::os::fd::{AsFd, BorrowedFd};
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

/// The type of a file in its mode.
const KIND: u32 = libc::S_IFMT as u32;

/// A raw disk is a character device: it is given the kind of the disk that it is.
fn kind(stat: Stat, is_raw: impl FnOnce() -> bool) -> Stat {
    let is_disk = stat.mode & KIND == libc::S_IFCHR as u32 && is_raw();
    Stat { mode: if is_disk { stat.mode & !KIND | libc::S_IFBLK as u32 } else { stat.mode }, ..stat }
}

/// Reads metadata of an open file.
pub fn stat(fd: impl AsFd) -> Result<Stat, Errno> {
    let fd = fd.as_fd();
    Ok(kind(portable::stat(fd)?, || is_raw(fd)))
}

/// Metadata of a path, links followed, and the number of the device that it is (`st_rdev`); 0 for
/// other files.
pub fn stat_path(path: &Path) -> Result<(Stat, u64), Errno> {
    let (found, number) = portable::stat_path(path)?;
    let is_raw = || path.canonicalize().is_ok_and(|path| dkio::is_raw(path.as_os_str().as_bytes()));
    Ok((kind(found, is_raw), number))
}

/// Metadata of an operand, links followed.
pub fn stat_operand(path: &[u8]) -> Result<Stat, Errno> {
    stat_path(Path::new(std::ffi::OsStr::from_bytes(path))).map(|(stat, _)| stat)
}

/// Reads at an offset in bytes; retries EINTR and EAGAIN. A raw disk takes whole blocks only: those
/// around the range are read.
pub fn read_at(fd: BorrowedFd<'_>, buffer: &mut [u8], offset: u64) -> Result<usize, Errno> {
    match portable::read_at(fd, buffer, offset) {
        Err(failed @ (Errno::INVAL | Errno::NXIO)) => {
            let Some((size, block)) = behind(fd) else { return Err(failed) };
            let read = |room: &mut [u8], at| portable::read_at(fd, room, at);
            bounced(buffer, offset, size, block, read).unwrap_or(Err(failed))
        }
        done => done,
    }
}

/// Writes at an offset in bytes; EINTR is retried. Of a raw disk the blocks around the range are
/// read, and written again with it.
pub fn write_at(fd: impl AsFd, bytes: &[u8], offset: u64) -> Result<usize, Errno> {
    let fd = fd.as_fd();
    match portable::write_at(fd, bytes, offset) {
        Err(failed @ Errno::INVAL) => {
            let Some((size, block)) = behind(fd) else { return Err(failed) };
            let read = |room: &mut [u8], at| portable::read_at(fd, room, at);
            let write = |room: &[u8], at| portable::write_at(fd, room, at);
            patched(bytes, offset, size, block, read, write).unwrap_or(Err(failed))
        }
        done => done,
    }
}

/// Size and block of a raw disk, in bytes.
fn behind(fd: BorrowedFd<'_>) -> Option<(u64, u32)> {
    let found = facts(fd).ok().filter(|_| is_raw(fd))?;
    Some((found.size, found.blocks.0))
}

/// The file behind standard output: that is not left out of a run's input else.
pub fn standard_output_path() -> Option<PathBuf> {
    super::calls::path_of(std::io::stdout().as_fd()).filter(|path| path.is_file())
}

//! System calls on block devices and images: sizes, direct input and output, emptying caches.

use rustix::fs::{self, AtFlags, CWD, Mode, OFlags, StatxFlags};
use rustix::io::Errno;
use rustix::ioctl::{Getter, NoArg, Opcode, ioctl, opcode};
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};

/// Opens for reading only, without changing the access time where that is allowed (the owner and
/// root may ask for O_NOATIME; devices ignore it). `direct` asks for O_DIRECT.
pub fn open_medium(path: &[u8], direct: bool) -> Result<OwnedFd, Errno> {
    let flags = OFlags::RDONLY | OFlags::CLOEXEC | OFlags::NOCTTY | OFlags::NONBLOCK;
    let flags = if direct { flags | OFlags::DIRECT } else { flags };
    let open = |flags| super::super::retry(|| fs::openat(CWD, path, flags, Mode::empty()));
    match open(flags | OFlags::NOATIME) {
        Err(Errno::PERM) => open(flags),
        other => other,
    }
}

/// Opens a file of an image as [`open_medium`] does, and reads it blocking.
pub fn open_evidence(path: &std::path::Path) -> std::io::Result<std::fs::File> {
    use std::os::unix::ffi::OsStrExt;
    let fd = open_medium(path.as_os_str().as_bytes(), false)?;
    set_blocking(fd.as_fd())?;
    Ok(fd.into())
}

/// Size of a block device in bytes (BLKGETSIZE64, linux/fs.h).
pub fn device_size(fd: impl AsFd) -> Result<u64, Errno> {
    const BLKGETSIZE64: Opcode = opcode::read::<usize>(0x12, 114);
    // SAFETY: the kernel writes one u64, even though the opcode's size field was defined with
    // size_t.
    unsafe { ioctl(fd, Getter::<BLKGETSIZE64, u64>::new()) }
}

/// Logical and physical sector size of a block device in bytes.
pub fn sector_sizes(fd: BorrowedFd<'_>) -> Result<(u32, u32), Errno> {
    Ok((fs::ioctl_blksszget(fd)?, fs::ioctl_blkpbszget(fd)?))
}

/// To how many bytes offsets and lengths must be aligned for O_DIRECT; `None` where that is not
/// supported.
pub fn direct_alignment(fd: impl AsFd) -> Option<u32> {
    let found = fs::statx(fd, "", AtFlags::EMPTY_PATH, StatxFlags::DIOALIGN).ok()?;
    if !StatxFlags::from_bits_retain(found.stx_mask).contains(StatxFlags::DIOALIGN) {
        return None;
    }
    Some(found.stx_dio_offset_align.max(found.stx_dio_mem_align)).filter(|align| *align > 0)
}

/// Where the data begin at or behind an offset in bytes (SEEK_DATA of lseek(2)); ENXIO where there
/// are none up to the end.
pub fn data_from(fd: impl AsFd, offset: u64) -> Result<u64, Errno> {
    fs::seek(fd, fs::SeekFrom::Data(offset))
}

/// The major and minor part of a device number.
pub fn split_device(device: u64) -> (u32, u32) {
    (fs::major(device), fs::minor(device))
}

/// The device number of a major and a minor part.
pub fn device_of(major: u32, minor: u32) -> u64 {
    fs::makedev(major, minor)
}

/// Empties the kernel's cache of a device (BLKFLSBUF) or a file (POSIX_FADV_DONTNEED), so that the
/// next read comes from the medium. Dirty pages must have been synced before.
pub fn evict(fd: BorrowedFd<'_>) -> Result<(), Errno> {
    const BLKFLSBUF: Opcode = opcode::none(0x12, 97);
    // SAFETY: BLKFLSBUF takes no argument.
    let flushed = unsafe { ioctl(fd, NoArg::<BLKFLSBUF>::new()) };
    fs::fadvise(fd, 0, None, fs::Advice::DontNeed)?;
    match flushed {
        // Not a block device.
        Err(Errno::NOTTY | Errno::INVAL | Errno::OPNOTSUPP) | Ok(()) => Ok(()),
        other => other,
    }
}

/// Empties the kernel's cache of `length` bytes of a file from an offset; 0 is up to the end.
pub fn evict_range(fd: impl AsFd, offset: u64, length: u64) -> Result<(), Errno> {
    fs::fadvise(fd, offset, std::num::NonZeroU64::new(length), fs::Advice::DontNeed)
}

/// Clears O_NONBLOCK, O_DIRECT and the like by setting the status flags again.
pub fn set_blocking(fd: BorrowedFd<'_>) -> Result<(), Errno> {
    let flags = fs::fcntl_getfl(fd)?;
    fs::fcntl_setfl(fd, flags - OFlags::NONBLOCK)
}

/// Makes reads of an open file go past the page cache (O_DIRECT), or through it again. They must be
/// aligned then as [`direct_alignment`] says. EINVAL on file systems that have no such reads.
pub fn set_direct(fd: BorrowedFd<'_>, direct: bool) -> Result<(), Errno> {
    let flags = fs::fcntl_getfl(fd)?;
    fs::fcntl_setfl(fd, if direct { flags | OFlags::DIRECT } else { flags - OFlags::DIRECT })
}

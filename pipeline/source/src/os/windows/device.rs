//! Devices: sizes, numbers, facts, and reads and writes of any range.

use super::ask::{Device, named, opened};
use super::errno::Errno;
use super::handle::{DATA, SHARE, view};
use super::paths::verbatim;
use crate::os::handles::{AsFd, BorrowedFd, OwnedFd};
use crate::os::positioned::FileExt;
use crate::os::storage::error::SECTOR_NOT_FOUND;
use crate::os::storage::{self, BOUNCED, DeviceName, Fault};
use std::fs::OpenOptions;
use std::io;
use std::os::windows::fs::OpenOptionsExt;
use std::path::Path;
use windows_sys::Win32::Storage::FileSystem as fs;

pub(super) fn errno(fault: Fault) -> Errno {
    match fault {
        Fault::System(number) => Errno::of(&io::Error::from_raw_os_error(number as i32)),
        Fault::Answer(_) => Errno::PROTO,
    }
}

/// Opens a device for reading past the system's cache.
pub(super) fn open_direct(path: &Path) -> Result<OwnedFd, Errno> {
    if named(path).is_none() {
        return Err(Errno::INVAL);
    }
    let mut options = OpenOptions::new();
    options.access_mode(DATA).share_mode(SHARE).custom_flags(fs::FILE_FLAG_NO_BUFFERING);
    let file = options.open(verbatim(path)?).map_err(|error| Errno::of(&error))?;
    opened(path, DATA, &file);
    Ok(file.into())
}

/// Opens a device for writing; and for reading, since parts of sectors are written so. A volume is
/// not opened past the cache: its lock belongs to one handle alone.
pub(super) fn open_to_write(path: &Path, direct: bool) -> Result<OwnedFd, Errno> {
    if direct && !matches!(named(path), Some(DeviceName::Disk(_))) {
        return Err(Errno::INVAL);
    }
    let access = DATA | fs::FILE_GENERIC_WRITE;
    let mut options = OpenOptions::new();
    options.access_mode(access).share_mode(SHARE);
    options.custom_flags(if direct { fs::FILE_FLAG_NO_BUFFERING | fs::FILE_FLAG_WRITE_THROUGH } else { 0 });
    let file = options.open(verbatim(path)?).map_err(|error| Errno::of(&error))?;
    opened(path, access, &file);
    Ok(file.into())
}

/// The number of the device that an open file is; 0 for other files.
pub fn device_number(fd: impl AsFd) -> u64 {
    // Files are asked first: a driver may take questions on its disk from their handles.
    match super::facts::stat(fd) {
        Ok(stat) if stat.mode & 0o170_000 == 0o060_000 => stat.device,
        _ => 0,
    }
}

/// Size of a device in bytes; 0 of a drive without a medium.
pub fn device_size(fd: impl AsFd) -> Result<u64, Errno> {
    storage::length(&Device(fd.as_fd())).map_err(errno)
}

/// Logical and physical sector size of a device in bytes.
pub fn sector_sizes(fd: BorrowedFd<'_>) -> Result<(u32, u32), Errno> {
    storage::sectors(&Device(fd)).map_err(errno)
}

/// To how many bytes offsets, lengths and memory must be aligned for reads past the cache: a sector
/// of a device. Files are not read so.
pub fn direct_alignment(fd: impl AsFd) -> Option<u32> {
    let fd = fd.as_fd();
    if device_number(fd) == 0 { None } else { Some(sector_sizes(fd).map_or(4096, |(logical, _)| logical)) }
}

/// The facts about a device for the record of an acquisition.
pub fn device_words(fd: impl AsFd) -> Vec<(&'static str, String)> {
    storage::words(&Device(fd.as_fd()))
}

/// Size and sector of a device whose read or write failed with this error, if another way can
/// help.
fn behind(fd: BorrowedFd<'_>, failed: Errno) -> Option<(u64, u32)> {
    if !BOUNCED.contains(&(failed.raw_os_error() as u32)) {
        return None;
    }
    let size = device_size(fd).ok()?;
    Some((size, sector_sizes(fd).map_or(4096, |(logical, _)| logical)))
}

fn read_sectors(fd: BorrowedFd<'_>, room: &mut [u8], at: u64) -> Result<usize, Errno> {
    view(fd).read_at(room, at).map_err(|error| Errno::of(&error))
}

/// Reads a range of a device that the system refused with this error, if the cause may be that
/// it is not whole sectors, or goes beyond the end.
pub(super) fn read_otherwise(
    fd: BorrowedFd<'_>,
    buffer: &mut [u8],
    offset: u64,
    failed: Errno,
) -> Result<usize, Errno> {
    let Some((size, sector)) = behind(fd, failed) else { return Err(failed) };
    // Inside of the disk a sector that is not found is one that cannot be read.
    let failed = if failed.raw_os_error() as u32 == SECTOR_NOT_FOUND { Errno::IO } else { failed };
    storage::bounced(buffer, offset, size, sector, |room, at| read_sectors(fd, room, at)).unwrap_or(Err(failed))
}

/// Writes a range of a device that the system refused with this error, if the cause may be that it
/// is not whole sectors: the bytes around it are read and written again.
pub(super) fn write_otherwise(fd: BorrowedFd<'_>, bytes: &[u8], offset: u64, failed: Errno) -> Result<usize, Errno> {
    let Some((size, sector)) = behind(fd, failed) else { return Err(failed) };
    let read = |room: &mut [u8], at| read_sectors(fd, room, at);
    let write = |room: &[u8], at| view(fd).write_at(room, at).map_err(|error| Errno::of(&error));
    storage::patched(bytes, offset, size, sector, read, write).unwrap_or(Err(failed))
}

#[cfg(test)]
mod tests {
    use super::super::facts::{stat, stat_path};
    use super::super::handle::{self, Last};
    use super::super::hold::hold;
    use super::super::volumes::{device_mounts, disk_extents, disks, volumes};
    use super::*;
    use std::fs::File;

    #[test]
    fn a_file_is_no_device() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("file");
        std::fs::write(&path, vec![7; 5000]).unwrap();
        let file = File::open(&path).unwrap();
        assert_eq!((device_number(&file), direct_alignment(&file)), (0, None));
        assert!(device_size(&file).is_err() && hold(&file, &path).is_ok());
        assert_eq!(stat_path(&path).unwrap().1, 0);
        assert_eq!(open_direct(&path).unwrap_err(), Errno::INVAL);
        let fd = file.as_fd();
        for failed in [Errno::INVAL, Errno::IO, Errno::ACCESS] {
            assert_eq!(read_otherwise(fd, &mut [0; 8], 3, failed), Err(failed));
            assert_eq!(write_otherwise(fd, &[0; 8], 3, failed), Err(failed));
        }
    }

    #[test]
    fn the_disks_of_the_machine_are_devices() {
        for listed in disks() {
            let (Some(disk), Ok(file)) = (listed.disk, handle::open(Path::new(&listed.path), DATA, Last::Follow))
            else {
                continue;
            };
            let found = stat(&file).unwrap();
            assert_eq!((found.mode & 0o170_000, found.device), (0o060_000, storage::whole_disk(disk)));
            assert_eq!(stat_path(Path::new(&listed.path)).unwrap().1, found.device);
            assert_eq!(device_size(&file).unwrap(), listed.facts.size);
            assert_eq!(sector_sizes(file.as_fd()).unwrap(), listed.facts.sectors);
            assert!(device_words(&file).contains(&("name", listed.name.clone())));
        }
        let missing = handle::open(Path::new(r"\\.\PhysicalDrive77"), DATA, Last::Follow);
        assert_eq!(missing.unwrap_err(), Errno::NOENT);
    }

    #[test]
    fn the_volumes_of_the_machine_are_mounted() {
        let volumes = volumes();
        let system = volumes.iter().find(|found| found.volume.mounts.iter().any(|at| at == r"C:\")).unwrap();
        assert!(
            matches!(storage::named(system.volume.name.as_bytes()), Some(DeviceName::Volume)),
            "{}",
            system.volume.name
        );
        assert_eq!(system.volume.shown(), "C:");
        assert!(device_mounts(system.number).contains(&(r"C:\".to_owned(), !system.volume.write_blocked)));
        // Where a volume states its places, a file on it lies there.
        let below = disk_extents(Path::new(r"C:\windows"));
        assert_eq!(below.len(), system.volume.extents.len());
    }
}

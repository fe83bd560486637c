//! Locks of a device that is written.

use super::ask::{Device, named};
use super::device::{device_number, errno, open_to_write};
use super::errno::Errno;
use super::volumes::{MountedVolume, volumes};
use crate::os::handles::AsFd;
use crate::os::hold::VolumeLocks;
use crate::os::storage::{self, DeviceName};
use std::io;
use std::path::Path;

/// Takes a device that is open for writing for this process alone: the volume that it is, or every
/// volume with a part on the disk is locked and taken off its file system.
///
/// # Errors
/// That a volume is in use, by its letter.
pub fn hold(fd: impl AsFd, path: &Path) -> io::Result<VolumeLocks> {
    let device = Device(fd.as_fd());
    // A volume that is a whole disk without a table of partitions has the disk's number.
    let is_volume = matches!(named(path), Some(DeviceName::Volume | DeviceName::ShadowCopy(_)));
    let number = storage::number(&device).ok();
    let Some(disk) = number.filter(|number| number.is_disk() && !is_volume) else {
        if device_number(device.0) != 0 {
            take(&device, "the volume")?;
        }
        return Ok(VolumeLocks::default());
    };
    let mut locks = Vec::new();
    for MountedVolume { volume, .. } in volumes().into_iter().filter(|found| found.volume.is_on(disk.device)) {
        let lock = open_to_write(Path::new(&volume.name), false).map_err(|errno| in_use(volume.shown(), errno))?;
        take(&Device(lock.as_fd()), volume.shown())?;
        locks.push(lock);
    }
    Ok(VolumeLocks::of(locks))
}

fn take(device: &Device<'_>, shown: &str) -> io::Result<()> {
    let taken = storage::lock(device).and_then(|()| storage::dismount(device));
    taken.map_err(|number| in_use(shown, errno(number.into())))
}

fn in_use(shown: &str, errno: Errno) -> io::Error {
    io::Error::other(match errno {
        Errno::ACCESS => format!("{shown} cannot be locked: a program has a file open on it"),
        errno => format!("{shown} cannot be locked: {errno}"),
    })
}

//! Questions to a device by its handle (DeviceIoControl); they and their answers are in
//! `os/storage`.

use crate::os::handles::{AsFd, BorrowedFd};
use crate::os::names::OsStrExt;
use crate::os::storage::{self, Asks, DeviceName};
use crate::stat::Stat;
use std::fs::File;
use std::os::windows::io::AsRawHandle;
use std::path::Path;
use windows_sys::Win32::Foundation::GetLastError;
use windows_sys::Win32::Storage::FileSystem as fs;
use windows_sys::Win32::System::IO::DeviceIoControl;

/// An open device.
pub(super) struct Device<'a>(pub(super) BorrowedFd<'a>);

impl Asks for Device<'_> {
    fn ask(&self, code: u32, input: &[u8], room: usize) -> Result<Vec<u8>, u32> {
        let (mut answer, mut came) = (vec![0_u8; room], 0);
        let from = if input.is_empty() { std::ptr::null() } else { input.as_ptr() };
        let to = if room == 0 { std::ptr::null_mut() } else { answer.as_mut_ptr() };
        // SAFETY: the handle is open while it is borrowed, and not overlapped; the call reads the
        // input, writes at most `room` bytes of the answer, and one number.
        let done = unsafe {
            DeviceIoControl(
                self.0.as_raw_handle(),
                code,
                from.cast(),
                input.len() as u32,
                to.cast(),
                room as u32,
                &raw mut came,
                std::ptr::null_mut(),
            )
        };
        if done == 0 {
            // SAFETY: takes nothing, touches no memory.
            return Err(unsafe { GetLastError() });
        }
        answer.truncate(came as usize);
        Ok(answer)
    }
}

/// The device that a path names.
pub(super) fn named(path: &Path) -> Option<DeviceName> {
    storage::named(path.as_os_str().as_bytes())
}

/// Prepares a device that was just opened: a volume for reads up to its last sector.
pub(super) fn opened(path: &Path, access: u32, file: &File) {
    if access & fs::FILE_READ_DATA != 0 && matches!(named(path), Some(DeviceName::Volume | DeviceName::ShadowCopy(_))) {
        storage::allow_all_sectors(&Device(file.as_fd()));
    }
}

/// Metadata of a device: a block device that is known by its number, without times. `None` of a
/// handle that is of no device.
pub(super) fn stat(fd: BorrowedFd<'_>) -> Option<Stat> {
    let number = storage::number_of(&Device(fd)).ok()?;
    let none = (0, 0);
    Some(Stat { device: number, inode: number.into(), size: 0, mode: 0o060_600, mtime: none, ctime: none, atime: none })
}

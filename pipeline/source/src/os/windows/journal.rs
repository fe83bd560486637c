//! The journal of a volume, in which NTFS and ReFS number each change of a file.

use crate::os::answers;
use crate::os::handles::BorrowedFd;
use std::os::windows::io::AsRawHandle;
use windows_sys::Win32::System::IO::DeviceIoControl;
use windows_sys::Win32::System::Ioctl::FSCTL_READ_FILE_USN_DATA;

/// The number of a file's last change in the journal of its volume, which no program can set;
/// `None` where the volume keeps none.
pub fn usn(fd: BorrowedFd<'_>) -> Option<i64> {
    /// Room for a record with the longest name.
    const ROOM: usize = 80 + 2 * 255 + 8;
    let mut room = [0u64; ROOM.div_ceil(8)];
    let mut length = 0;
    // SAFETY: the handle is open while it is borrowed; the call reads nothing, and writes at most
    // as many bytes as the room has, and one number.
    let done = unsafe {
        DeviceIoControl(
            fd.as_raw_handle(),
            FSCTL_READ_FILE_USN_DATA,
            std::ptr::null(),
            0,
            room.as_mut_ptr().cast(),
            size_of_val(&room) as u32,
            &raw mut length,
            std::ptr::null_mut(),
        )
    };
    let bytes: Vec<u8> = room.iter().flat_map(|word| word.to_ne_bytes()).take(length as usize).collect();
    if done == 0 { None } else { answers::usn(&bytes) }
}

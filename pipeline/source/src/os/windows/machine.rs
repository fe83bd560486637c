//! This process and its machine.

use super::errno::Errno;
use crate::os::handles::OwnedFd;
use std::ffi::OsString;
use std::os::windows::ffi::OsStringExt;
use std::os::windows::io::{AsHandle, AsRawHandle};
use std::path::{Path, PathBuf};
use std::time::Duration;
use windows_sys::Win32::Foundation::{FILETIME, INVALID_HANDLE_VALUE};
use windows_sys::Win32::Storage::FileSystem::{FILE_NAME_NORMALIZED, GetFinalPathNameByHandleW};
use windows_sys::Win32::System::Console::{GetStdHandle, STD_ERROR_HANDLE, STD_INPUT_HANDLE, STD_OUTPUT_HANDLE};
use windows_sys::Win32::System::Threading::{GetCurrentProcess, GetProcessTimes};

/// A small text file of Linux's kernel: there is none.
pub fn kernel_text(_: impl AsRef<Path>) -> Option<String> {
    None
}

/// The system's name.
pub fn system_name() -> String {
    "Windows".to_owned()
}

/// The machine's name.
pub fn host_name() -> Option<String> {
    std::env::var("COMPUTERNAME").ok()
}

/// The user, by name.
pub fn user() -> Option<String> {
    std::env::var("USERNAME").ok()
}

/// Processor time that all threads of this process have used.
pub fn cpu_time() -> Duration {
    let mut times = [FILETIME::default(); 4];
    let [made, ended, kernel, user] = &mut times;
    // SAFETY: the handle of this process needs no closing; the call writes four times, or nothing
    // when it fails.
    unsafe { GetProcessTimes(GetCurrentProcess(), made, ended, kernel, user) };
    let ticks = |time: &FILETIME| u64::from(time.dwHighDateTime) << 32 | u64::from(time.dwLowDateTime);
    Duration::from_nanos((ticks(kernel) + ticks(user)) * 100)
}

/// The processors' time of processes that this one started: Windows keeps no sum.
pub fn children_time() -> Duration {
    Duration::ZERO
}

/// The file behind standard output, by its path of the form without limits; `None` if it is none.
pub fn standard_output_path() -> Option<PathBuf> {
    let output = std::io::stdout();
    let handle = output.as_handle();
    if super::facts::stat(handle).ok()?.mode & 0o170_000 != 0o100_000 {
        return None;
    }
    let mut room = vec![0u16; 1 << 15];
    // SAFETY: the handle is open while it is borrowed; the call writes at most as many units as the
    // room has.
    let length = unsafe {
        GetFinalPathNameByHandleW(handle.as_raw_handle(), room.as_mut_ptr(), room.len() as u32, FILE_NAME_NORMALIZED)
    };
    let name = room.get(..length as usize).filter(|name| !name.is_empty())?;
    Some(OsString::from_wide(name).into())
}

/// Whether this standard stream, from 0 to 2, was closed when the process started.
pub fn was_closed(number: i32) -> bool {
    let Some(which) =
        [STD_INPUT_HANDLE, STD_OUTPUT_HANDLE, STD_ERROR_HANDLE].get(usize::try_from(number).unwrap_or(usize::MAX))
    else {
        return false;
    };
    // SAFETY: takes a number, touches no memory.
    let handle = unsafe { GetStdHandle(*which) };
    handle.is_null() || handle == INVALID_HANDLE_VALUE
}

/// A copy of a standard stream, from 0 to 2. Windows hands down no other numbers.
///
/// # Errors
/// EBADF for another number, and for a stream that is closed.
pub fn inherited(number: i32) -> Result<OwnedFd, Errno> {
    use std::os::windows::io::AsHandle;
    if was_closed(number) {
        return Err(Errno::BADF);
    }
    let copy = match number {
        0 => std::io::stdin().as_handle().try_clone_to_owned(),
        1 => std::io::stdout().as_handle().try_clone_to_owned(),
        2 => std::io::stderr().as_handle().try_clone_to_owned(),
        _ => return Err(Errno::BADF),
    };
    copy.map_err(|error| Errno::of(&error))
}

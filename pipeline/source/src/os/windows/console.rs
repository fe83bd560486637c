//! The console: text for people, and a word that is typed on it and not shown.

use super::errno::Errno;
use crate::os::handles::{AsFd, BorrowedFd, OwnedFd};
use std::fs::{File, OpenOptions};
use std::io;
use std::os::windows::io::AsRawHandle;
use windows_sys::Win32::System::Console as api;

fn mode(fd: BorrowedFd<'_>) -> Option<u32> {
    let mut mode = 0;
    // SAFETY: the handle is open while it is borrowed; the call writes one number.
    let done = unsafe { api::GetConsoleMode(fd.as_raw_handle(), &raw mut mode) };
    (done != 0).then_some(mode)
}

/// Whether a handle is of a console.
pub(super) fn is(fd: BorrowedFd<'_>) -> bool {
    mode(fd).is_some()
}

/// Writes UTF-8 to a console, which takes UTF-16; as many of the bytes as were taken. Other bytes
/// are shown as U+FFFD.
pub(super) fn write(fd: BorrowedFd<'_>, bytes: &[u8]) -> Result<usize, Errno> {
    /// A console takes 64 KiB at once at most.
    const MOST: usize = 8 << 10;
    let bytes = &bytes[..bytes.len().min(MOST)];
    let valid = match std::str::from_utf8(bytes) {
        Ok(text) => text,
        Err(error) if error.valid_up_to() > 0 => std::str::from_utf8(&bytes[..error.valid_up_to()]).unwrap_or_default(),
        Err(_) => "",
    };
    let (units, taken): (Vec<u16>, usize) = if valid.is_empty() {
        (vec![0xfffd], bytes.len().min(1))
    } else {
        (valid.encode_utf16().collect(), valid.len())
    };
    let mut from = 0;
    while from < units.len() && taken > 0 {
        let (rest, mut written) = (&units[from..], 0);
        // SAFETY: the handle is open while it is borrowed; the call reads `rest` and writes one
        // number.
        let done = unsafe {
            api::WriteConsoleW(fd.as_raw_handle(), rest.as_ptr(), rest.len() as u32, &raw mut written, std::ptr::null())
        };
        if done == 0 || written == 0 {
            return Err(Errno::last());
        }
        from += written as usize;
    }
    Ok(taken)
}

/// The console of this process, to read from and to write to.
pub fn terminal() -> io::Result<(File, File)> {
    let open = |name| OpenOptions::new().read(true).write(true).open(name);
    Ok((open("CONIN$")?, open("CONOUT$")?))
}

/// A console that shows no typed key, hands over each key, and makes no signals; as before when
/// this is dropped.
pub struct Quiet {
    console: OwnedFd,
    before: u32,
}

impl Quiet {
    /// Sets it.
    ///
    /// # Errors
    /// When it is not a console.
    pub fn begin(console: BorrowedFd<'_>) -> Result<Self, Errno> {
        let before = mode(console).ok_or(Errno::NOTTY)?;
        let console = console.try_clone_to_owned().map_err(|error| Errno::of(&error))?;
        let quiet = before & !(api::ENABLE_ECHO_INPUT | api::ENABLE_LINE_INPUT | api::ENABLE_PROCESSED_INPUT);
        set(console.as_fd(), quiet)?;
        Ok(Quiet { console, before })
    }
}

fn set(console: BorrowedFd<'_>, mode: u32) -> Result<(), Errno> {
    // SAFETY: the handle is open while it is borrowed; a number is set.
    if unsafe { api::SetConsoleMode(console.as_raw_handle(), mode) } == 0 { Err(Errno::last()) } else { Ok(()) }
}

impl Drop for Quiet {
    fn drop(&mut self) {
        let _ = set(self.console.as_fd(), self.before);
    }
}

//! Streams of files beside their content.

use super::errno::Errno;
use super::files::open_facts;
use crate::base::Base;
use crate::os::handles::{AsFd, BorrowedFd};
use crate::os::names::OsStringExt as _;
use crate::os::{SideStream, answers};
use std::ffi::OsString;
use std::os::windows::ffi::OsStringExt as _;
use std::os::windows::io::AsRawHandle;
use windows_sys::Win32::Foundation::{ERROR_HANDLE_EOF, ERROR_INSUFFICIENT_BUFFER, ERROR_MORE_DATA};
use windows_sys::Win32::Storage::FileSystem as fs;
use windows_sys::Win32::System::SystemServices::FILE_NAMED_STREAMS;

/// Whether files have [`streams`] beside their content.
pub const STREAMS: bool = true;

/// Longest answer that is taken: some hundred thousand streams of one file.
const LONGEST: usize = 64 << 20;

/// The streams of a file or directory beside its content. None on volumes that keep no streams.
///
/// # Errors
/// The system's; UCLEAN for an answer that contradicts itself.
pub fn streams(base: &Base, path: &[u8]) -> Result<Vec<SideStream>, Errno> {
    let file = open_facts(base, path)?;
    let answer = match answer(file.as_fd()) {
        Ok(answer) => answer,
        Err(_) if !has_streams(file.as_fd()) => return Ok(Vec::new()),
        Err(errno) => return Err(errno),
    };
    let found = answers::streams(&answer).ok_or(Errno::UCLEAN)?;
    let beside = |(name, size): (Vec<u16>, u64)| {
        let name = [b":", &OsString::from_wide(&name).into_vec()[..]].concat();
        SideStream { name, size, is_file: true }
    };
    Ok(found.into_iter().map(beside).collect())
}

/// The system's answer, of any length.
fn answer(fd: BorrowedFd<'_>) -> Result<Vec<u8>, Errno> {
    let more = [ERROR_MORE_DATA, ERROR_INSUFFICIENT_BUFFER].map(|number| Errno::from_raw_os_error(number as i32));
    let mut room: Vec<u64> = vec![0; 512];
    loop {
        let bytes = size_of_val(&room[..]);
        // SAFETY: the handle is open while it is borrowed; the call writes at most `bytes` bytes to
        // the room, which is aligned as the structures there must be.
        let done = unsafe {
            fs::GetFileInformationByHandleEx(
                fd.as_raw_handle(),
                fs::FileStreamInfo,
                room.as_mut_ptr().cast(),
                bytes as u32,
            )
        };
        if done != 0 {
            return Ok(room.iter().flat_map(|word| word.to_ne_bytes()).collect());
        }
        match Errno::last() {
            // A directory without any.
            errno if errno.raw_os_error() == ERROR_HANDLE_EOF as i32 => return Ok(Vec::new()),
            errno if more.contains(&errno) && bytes < LONGEST => room.resize(room.len() * 4, 0),
            errno => return Err(errno),
        }
    }
}

/// Whether the volume of a file keeps streams; also where it does not say.
fn has_streams(fd: BorrowedFd<'_>) -> bool {
    let mut flags = 0;
    // SAFETY: the handle is open while it is borrowed; the call writes one number, and nothing else
    // is asked for.
    let done = unsafe {
        fs::GetVolumeInformationByHandleW(
            fd.as_raw_handle(),
            std::ptr::null_mut(),
            0,
            std::ptr::null_mut(),
            std::ptr::null_mut(),
            &raw mut flags,
            std::ptr::null_mut(),
            0,
        )
    };
    done == 0 || flags & FILE_NAMED_STREAMS != 0
}

//! Names in an open directory, changed by its handle: no path is walked again, which somebody may
//! have changed meanwhile.

use super::errno::Errno;
use super::handle::{Below, SHARE, open_name, single_name};
use crate::os::handles::BorrowedFd;
use std::mem::offset_of;
use std::os::windows::io::AsRawHandle;
use windows_sys::Wdk::Storage::FileSystem as native;
use windows_sys::Win32::Storage::FileSystem as fs;
use windows_sys::Win32::System::IO::IO_STATUS_BLOCK;

/// Gives a file of a directory another name there, in the place of any file that has it. A link of
/// the new name is replaced, never followed.
pub(super) fn rename(directory: BorrowedFd<'_>, from: &[u8], to: &[u8]) -> Result<(), Errno> {
    let name = single_name(to)?;
    let how = Below {
        access: fs::DELETE | fs::SYNCHRONIZE,
        share: SHARE,
        disposition: native::FILE_OPEN,
        options: native::FILE_OPEN_REPARSE_POINT,
    };
    let file = open_name(directory, from, &how)?;
    let replace = native::FILE_RENAME_REPLACE_IF_EXISTS;
    // As on Unix, also in the place of a file that somebody has open; since Windows 10 of 2017.
    let posix = replace | native::FILE_RENAME_POSIX_SEMANTICS;
    let set = |class, flags| {
        let bytes = offset_of!(native::FILE_RENAME_INFORMATION, FileName) + name.len() * 2;
        let mut room = vec![0u64; (bytes.max(size_of::<native::FILE_RENAME_INFORMATION>())).div_ceil(8)];
        let request = room.as_mut_ptr().cast::<native::FILE_RENAME_INFORMATION>();
        let mut answer = IO_STATUS_BLOCK::default();
        // SAFETY: the room is aligned for the structure and as long as it and the name behind it.
        // Both handles are open while they are borrowed; the call reads `bytes` bytes, and writes
        // one status block.
        let status = unsafe {
            (*request).Anonymous.Flags = flags;
            (*request).RootDirectory = directory.as_raw_handle();
            (*request).FileNameLength = (name.len() * 2) as u32;
            (&raw mut (*request).FileName).cast::<u16>().copy_from_nonoverlapping(name.as_ptr(), name.len());
            native::NtSetInformationFile(file.as_raw_handle(), &raw mut answer, request.cast(), bytes as u32, class)
        };
        if status < 0 { Err(Errno::of_status(status)) } else { Ok(()) }
    };
    match set(native::FileRenameInformationEx, posix) {
        Err(Errno::INVAL | Errno::OPNOTSUPP | Errno::NOSYS) => set(native::FileRenameInformation, replace),
        done => done,
    }
}

/// Removes a name of a directory that is not itself one.
pub(super) fn remove(directory: BorrowedFd<'_>, name: &[u8]) -> Result<(), Errno> {
    let how = Below {
        access: fs::DELETE | fs::SYNCHRONIZE,
        share: SHARE,
        disposition: native::FILE_OPEN,
        options: native::FILE_OPEN_REPARSE_POINT | native::FILE_NON_DIRECTORY_FILE | native::FILE_DELETE_ON_CLOSE,
    };
    open_name(directory, name, &how).map(drop)
}

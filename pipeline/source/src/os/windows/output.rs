//! Files that are written: made, given their name when they are whole, synced, locked.

use super::super::OpenMode;
use super::device;
use super::directory::Directory;
use super::errno::Errno;
use super::facts;
use super::handle::{self, Below, FACTS, Last, SHARE, open_name, view};
use super::named;
use super::paths::{verbatim, wide};
use crate::os::handles::{AsFd, OwnedFd};
use crate::os::names::{OsStrExt, stream_of};
use std::fs::{File, OpenOptions, TryLockError};
use std::io;
use std::os::windows::fs::OpenOptionsExt;
use std::os::windows::io::FromRawHandle;
use std::path::Path;
use std::time::Duration;
use windows_sys::Wdk::Storage::FileSystem as native;
use windows_sys::Win32::Foundation::{INVALID_HANDLE_VALUE, LocalFree};
use windows_sys::Win32::Security::Authorization::ConvertStringSecurityDescriptorToSecurityDescriptorW;
use windows_sys::Win32::Security::SECURITY_ATTRIBUTES;
use windows_sys::Win32::Storage::FileSystem as fs;

fn errno(error: io::Error) -> Errno {
    Errno::of(&error)
}

/// Opens for writing only, and no stream of another file; a device for reading too. Direct output
/// is for disks, and refused of files.
pub fn open_to_write(path: &Path, how: OpenMode, direct: bool) -> Result<OwnedFd, Errno> {
    if direct || how == OpenMode::Held {
        return device::open_to_write(path, direct);
    }
    let path = verbatim(path)?;
    if stream_of(path.as_os_str().as_bytes()).is_some() {
        return Err(Errno::ILSEQ);
    }
    let mut options = OpenOptions::new();
    options.write(true).share_mode(SHARE);
    match how {
        OpenMode::Existing | OpenMode::Held => &mut options,
        OpenMode::Create => options.create(true).truncate(false),
        OpenMode::CreateOwn => options.create(true).truncate(false).custom_flags(fs::FILE_FLAG_OPEN_REPARSE_POINT),
        OpenMode::CreateNew => options.create_new(true),
        OpenMode::Truncate => options.create(true).truncate(true),
    };
    let file = options.open(&path).map_err(errno)?;
    if how == OpenMode::CreateOwn && facts::stat(&file)?.mode & 0o170_000 == 0o120_000 {
        return Err(Errno::LOOP);
    }
    Ok(file.into())
}

/// Gives a file another name, in the place of any file that has it.
pub fn rename(from: &Path, to: &Path) -> Result<(), Errno> {
    let (from, to) = (verbatim(from)?, verbatim(to)?);
    while_open_elsewhere(|| std::fs::rename(&from, &to).map_err(errno))
}

/// How often, and in which distance, a file is replaced that somebody has open: an indexer or a
/// virus scanner for a moment.
const TRIES: u32 = 20;
const PAUSE: Duration = Duration::from_millis(50);

fn while_open_elsewhere(mut call: impl FnMut() -> Result<(), Errno>) -> Result<(), Errno> {
    for _ in 1..TRIES {
        match call() {
            Err(Errno::ACCESS | Errno::BUSY) => std::thread::sleep(PAUSE),
            done => return done,
        }
    }
    call()
}

/// Gives a file a name that nothing had when it was begun, and never takes the place of a file that
/// somebody else made meanwhile.
pub fn rename_new(from: &Path, to: &Path) -> Result<(), Errno> {
    let (from, to) = (wide(&verbatim(from)?), wide(&verbatim(to)?));
    // SAFETY: two strings that end in a zero and live as long as the call.
    let done = unsafe { fs::MoveFileExW(from.as_ptr(), to.as_ptr(), fs::MOVEFILE_WRITE_THROUGH) };
    if done == 0 { Err(Errno::last()) } else { Ok(()) }
}

/// Removes a name.
pub fn remove(path: &Path) -> Result<(), Errno> {
    std::fs::remove_file(verbatim(path)?).map_err(errno)
}

/// Whether nothing has this name, not even a dangling link.
pub fn is_missing(path: &Path) -> bool {
    handle::open(path, FACTS, Last::Itself).err() == Some(Errno::NOENT)
}

/// Whether a file or directory may be written to: by opening it so, without writing.
pub fn may_write(path: &Path) -> Result<(), Errno> {
    handle::open(path, fs::FILE_WRITE_DATA | FACTS, Last::Follow).map(drop)
}

fn name_of(name: &Path) -> &[u8] {
    name.as_os_str().as_bytes()
}

/// Makes a file in an open directory, which nothing of this name may be in.
pub fn create_in(directory: &Directory, name: &Path) -> Result<OwnedFd, Errno> {
    let how = Below {
        access: fs::FILE_GENERIC_WRITE | fs::DELETE,
        share: SHARE,
        disposition: native::FILE_CREATE,
        options: native::FILE_NON_DIRECTORY_FILE | native::FILE_OPEN_REPARSE_POINT,
    };
    open_name(directory.as_fd(), name_of(name), &how).map(OwnedFd::from)
}

/// As [`rename`], in a directory that is held open. A link of the new name is replaced, never
/// followed.
pub fn rename_in(directory: &Directory, from: &Path, to: &Path) -> Result<(), Errno> {
    while_open_elsewhere(|| named::rename(directory.as_fd(), name_of(from), name_of(to)))
}

/// As [`remove`], in a directory that is held open.
pub fn remove_in(directory: &Directory, name: &Path) -> Result<(), Errno> {
    named::remove(directory.as_fd(), name_of(name))
}

/// Makes a directory in an open directory.
pub fn create_directory_in(directory: &Directory, name: &Path) -> Result<(), Errno> {
    let how = Below {
        access: FACTS,
        share: SHARE,
        disposition: native::FILE_CREATE,
        options: native::FILE_DIRECTORY_FILE | native::FILE_OPEN_REPARSE_POINT,
    };
    open_name(directory.as_fd(), name_of(name), &how).map(drop)
}

/// Opens a file or directory to be synced.
pub fn open_to_sync(path: &Path) -> Result<OwnedFd, Errno> {
    let is_directory = facts::stat_path(path)?.0.mode & 0o170_000 == 0o040_000;
    let access = if is_directory { FACTS } else { fs::FILE_GENERIC_WRITE };
    handle::open(path, access, Last::Follow).map(OwnedFd::from)
}

/// Waits until the written bytes are on the medium. A directory has no flush: NTFS logs its
/// changes.
pub fn sync(fd: impl AsFd) -> Result<(), Errno> {
    let fd = fd.as_fd();
    if facts::stat(fd)?.mode & 0o170_000 == 0o040_000 {
        return Ok(());
    }
    view(fd).sync_all().map_err(errno)
}

/// Would write out everything that the file system has not written yet: that takes the volume and
/// an administrator. The open file alone is written out.
pub fn sync_filesystem(fd: impl AsFd) -> Result<(), Errno> {
    sync(fd)
}

/// Closes a copy of standard output, which itself must survive for messages. The outer error is
/// that no copy could be made.
pub fn close_standard_output() -> Result<Result<(), Errno>, Errno> {
    use std::os::windows::io::AsHandle;
    io::stdout().as_handle().try_clone_to_owned().map(super::close).map_err(errno)
}

/// Sets a file's length in bytes.
pub fn truncate(fd: impl AsFd, length: u64) -> Result<(), Errno> {
    view(fd.as_fd()).set_len(length).map_err(errno)
}

/// Locks a file for writing, if nobody else has it; `false` when somebody has. File systems without
/// locks give `true`.
pub fn try_lock(file: impl AsFd) -> bool {
    !matches!(view(file.as_fd()).try_lock(), Err(TryLockError::WouldBlock))
}

/// Makes a file that only its owner may read, and that is not there yet.
///
/// # Errors
/// The system's.
pub fn create_private(path: &Path) -> io::Result<File> {
    /// Nothing inherited; all rights to the owner, and to nobody else.
    const OWNER: &str = "D:P(A;;FA;;;OW)";
    let path = wide(&verbatim(path)?);
    let text: Vec<u16> = OWNER.encode_utf16().chain([0]).collect();
    let mut descriptor = std::ptr::null_mut();
    // SAFETY: a string that ends in a zero and lives as long as the call, which writes a pointer to
    // memory that is freed below; the size is not asked for.
    let made = unsafe {
        let (revision, size) = (1, std::ptr::null_mut());
        ConvertStringSecurityDescriptorToSecurityDescriptorW(text.as_ptr(), revision, &raw mut descriptor, size)
    };
    if made == 0 {
        return Err(io::Error::last_os_error());
    }
    let rights = SECURITY_ATTRIBUTES {
        nLength: size_of::<SECURITY_ATTRIBUTES>() as u32,
        lpSecurityDescriptor: descriptor,
        bInheritHandle: 0,
    };
    // SAFETY: the path ends in a zero; it, the rights and their descriptor live as long as the
    // call.
    let handle = unsafe {
        fs::CreateFileW(
            path.as_ptr(),
            fs::FILE_GENERIC_WRITE,
            SHARE,
            &raw const rights,
            fs::CREATE_NEW,
            fs::FILE_ATTRIBUTE_NORMAL,
            std::ptr::null_mut(),
        )
    };
    let failed = io::Error::last_os_error();
    // SAFETY: made above by the system, which asks for it to be freed so.
    unsafe { LocalFree(descriptor) };
    // SAFETY: the call succeeded and gave a handle that nobody else has.
    if handle == INVALID_HANDLE_VALUE { Err(failed) } else { Ok(unsafe { File::from_raw_handle(handle) }) }
}

/// Whether others than its owner may read a file: the lists of rights are not read yet, so that
/// nobody is warned.
pub fn others_may_read(_: &Path) -> bool {
    false
}

/// As [`others_may_read`], of writing.
pub fn others_may_write(_: &Path) -> bool {
    false
}

/// Makes a symbolic link to a file. It takes the right to do so, or developer mode.
///
/// # Errors
/// The system's.
pub fn link_to_file(file: &Path, link: &Path) -> io::Result<()> {
    std::os::windows::fs::symlink_file(file, verbatim(link)?)
}

//! Opening, by path and below an open directory, and the metadata of an open file.

use super::ask;
use super::errno::Errno;
use super::paths::verbatim;
use crate::os::answers;
use crate::os::names::OsStrExt as _;
use crate::os::{Patience, handles::BorrowedFd};
use std::ffi::OsStr;
use std::fs::{File, OpenOptions};
use std::mem::ManuallyDrop;
use std::os::windows::ffi::OsStrExt as _;
use std::os::windows::fs::OpenOptionsExt;
use std::os::windows::io::{AsRawHandle, FromRawHandle};
use std::path::Path;
use windows_sys::Wdk::Foundation::OBJECT_ATTRIBUTES;
use windows_sys::Wdk::Storage::FileSystem as native;
use windows_sys::Win32::Foundation::{HANDLE, OBJ_CASE_INSENSITIVE, UNICODE_STRING};
use windows_sys::Win32::Storage::FileSystem as fs;
use windows_sys::Win32::System::IO::IO_STATUS_BLOCK;

/// The rights of others to a file that is open here: everything, as on Unix. Nobody is disturbed.
pub(super) const SHARE: u32 = fs::FILE_SHARE_READ | fs::FILE_SHARE_WRITE | fs::FILE_SHARE_DELETE;

/// Rights to read the data of a file.
pub(super) const DATA: u32 = fs::FILE_GENERIC_READ;
/// Rights to look at a file, which others may hold alone.
pub(super) const FACTS: u32 = fs::FILE_READ_ATTRIBUTES | fs::SYNCHRONIZE;
/// Rights to list a directory and to open below it.
pub(super) const LISTING: u32 = fs::FILE_LIST_DIRECTORY | fs::FILE_TRAVERSE | FACTS;

/// Whether the last component of a path may be a link.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Last {
    /// It is followed.
    Follow,
    /// It is opened itself.
    Itself,
}

/// Opens a path that exists, a directory as well.
pub(super) fn open(path: &Path, access: u32, last: Last) -> Result<File, Errno> {
    open_sharing(path, access, last, SHARE)
}

/// The same, with these rights of others.
pub(super) fn open_sharing(path: &Path, access: u32, last: Last, share: u32) -> Result<File, Errno> {
    let path = verbatim(path)?;
    let link = if last == Last::Itself { fs::FILE_FLAG_OPEN_REPARSE_POINT } else { 0 };
    let mut options = OpenOptions::new();
    options.access_mode(access).share_mode(share).custom_flags(fs::FILE_FLAG_BACKUP_SEMANTICS | link);
    let file = patiently(|| options.open(&path).map_err(|error| Errno::of(&error)))?;
    ask::opened(&path, access, &file);
    Ok(file)
}

/// Opens again for as long as somebody is expected to let go: a virus scanner opens files that have
/// just been written, for some milliseconds.
fn patiently(mut open: impl FnMut() -> Result<File, Errno>) -> Result<File, Errno> {
    let mut patience = Patience::within(std::time::Duration::from_millis(250));
    loop {
        match open() {
            Err(Errno::BUSY) => patience.again(Errno::BUSY)?,
            other => return other,
        }
    }
}

/// How a name below a directory is opened.
pub(super) struct Below {
    /// Rights.
    pub access: u32,
    /// Rights of others.
    pub share: u32,
    /// `FILE_OPEN` or another of the native interface.
    pub disposition: u32,
    /// `FILE_DIRECTORY_FILE` and the like.
    pub options: u32,
}

/// Opens or makes one name in an open directory. It is a single name: characters that would make a
/// path of it are refused, and so is a stream of a file where one is made.
pub(super) fn open_name(directory: BorrowedFd<'_>, name: &[u8], how: &Below) -> Result<File, Errno> {
    let is_stream = how.disposition == native::FILE_OPEN && is_stream(name);
    let mut units = if is_stream { units_of(name)? } else { single_name(name)? };
    let bytes = u16::try_from(units.len() * 2).map_err(|_| Errno::NAMETOOLONG)?;
    let text = UNICODE_STRING { Length: bytes, MaximumLength: bytes, Buffer: units.as_mut_ptr() };
    let object = OBJECT_ATTRIBUTES {
        Length: size_of::<OBJECT_ATTRIBUTES>() as u32,
        RootDirectory: directory.as_raw_handle(),
        ObjectName: &raw const text,
        Attributes: OBJ_CASE_INSENSITIVE,
        SecurityDescriptor: std::ptr::null(),
        SecurityQualityOfService: std::ptr::null(),
    };
    let options = how.options | native::FILE_SYNCHRONOUS_IO_NONALERT | native::FILE_OPEN_FOR_BACKUP_INTENT;
    patiently(|| {
        let (mut handle, mut answer): (HANDLE, _) = (std::ptr::null_mut(), IO_STATUS_BLOCK::default());
        // SAFETY: `object`, the name that it points to and the directory's handle live as long as
        // the call, which writes one handle and one status block.
        let status = unsafe {
            native::NtCreateFile(
                &raw mut handle,
                how.access,
                &raw const object,
                &raw mut answer,
                std::ptr::null(),
                fs::FILE_ATTRIBUTE_NORMAL,
                how.share,
                how.disposition,
                options,
                std::ptr::null(),
                0,
            )
        };
        if status < 0 {
            return Err(Errno::of_status(status));
        }
        // SAFETY: the call succeeded and gave a handle that nobody else has.
        Ok(unsafe { File::from_raw_handle(handle) })
    })
}

/// The units of a single name in a directory, which is not a stream.
///
/// # Errors
/// ILSEQ for all others.
pub(super) fn single_name(name: &[u8]) -> Result<Vec<u16>, Errno> {
    if name.contains(&b':') { Err(Errno::ILSEQ) } else { units_of(name) }
}

fn units_of(name: &[u8]) -> Result<Vec<u16>, Errno> {
    let is_path = matches!(name, b"" | b"." | b"..") || name.iter().any(|byte| b"\\/".contains(byte));
    if is_path || !crate::os::names::is_name(name) {
        return Err(Errno::ILSEQ);
    }
    Ok(OsStr::from_bytes(name).encode_wide().collect())
}

/// Whether a name is `file:stream`. Other types than data, and a file's own content under a further
/// name (`file::$DATA`), are not.
fn is_stream(name: &[u8]) -> bool {
    let mut parts = name.split(|&byte| byte == b':');
    matches!((parts.next(), parts.next(), parts.next()), (Some(file), Some(stream), None) if !file.is_empty() && !stream.is_empty())
}

/// Opens an existing file below a directory, through no link: each name in the directory before it.
/// A reparse point other than a link (deduplicated, compressed, of a cloud) is opened as the file
/// that it stands for.
///
/// # Errors
/// LOOP for a link, XDEV for a way out.
pub(super) fn open_below(directory: BorrowedFd<'_>, path: &[u8], access: u32, share: u32) -> Result<File, Errno> {
    let mut names: Vec<&[u8]> = Vec::new();
    for name in path.split(|&byte| byte == b'/') {
        match name {
            b"" | b"." => {}
            b".." => drop(names.pop().ok_or(Errno::XDEV)?),
            name => names.push(name),
        }
    }
    if path.first() == Some(&b'/') {
        return Err(Errno::XDEV);
    }
    let Some((last, above)) = names.split_last() else {
        let again = directory.try_clone_to_owned().map_err(|error| Errno::of(&error))?;
        return Ok(again.into());
    };
    let mut here: Option<File> = None;
    for name in above {
        let (disposition, options) = (native::FILE_OPEN, native::FILE_DIRECTORY_FILE);
        let how = Below { access: LISTING, share: SHARE, disposition, options };
        here = Some(no_link(parent(&here, directory), name, how)?);
    }
    no_link(parent(&here, directory), last, Below { access, share, disposition: native::FILE_OPEN, options: 0 })
}

fn parent<'a>(here: &'a Option<File>, directory: BorrowedFd<'a>) -> BorrowedFd<'a> {
    use crate::os::handles::AsFd;
    here.as_ref().map_or(directory, |file| file.as_fd())
}

fn no_link(directory: BorrowedFd<'_>, name: &[u8], mut how: Below) -> Result<File, Errno> {
    use crate::os::handles::AsFd;
    let plain = how.options;
    how.options = plain | native::FILE_OPEN_REPARSE_POINT;
    let file = open_name(directory, name, &how)?;
    let tag: fs::FILE_ATTRIBUTE_TAG_INFO = query(file.as_fd(), fs::FileAttributeTagInfo)?;
    if tag.FileAttributes & fs::FILE_ATTRIBUTE_REPARSE_POINT == 0 {
        return Ok(file);
    }
    if answers::is_surrogate(tag.ReparseTag) {
        return Err(Errno::LOOP);
    }
    how.options = plain;
    let behind = open_name(directory, name, &how)?;
    if identity(file.as_fd())? == identity(behind.as_fd())? { Ok(behind) } else { Err(Errno::LOOP) }
}

/// Metadata of an open file, of the given class.
pub(super) fn query<T: Default>(fd: BorrowedFd<'_>, class: fs::FILE_INFO_BY_HANDLE_CLASS) -> Result<T, Errno> {
    let mut answer = T::default();
    // SAFETY: the handle is open while it is borrowed; the call writes at most one `T`, a structure
    // of numbers that the class stands for at each place of use.
    let done = unsafe {
        fs::GetFileInformationByHandleEx(fd.as_raw_handle(), class, (&raw mut answer).cast(), size_of::<T>() as u32)
    };
    if done == 0 { Err(Errno::last()) } else { Ok(answer) }
}

/// The volume's serial number and the file's id: of 128 bits where the file system says them.
pub(super) fn identity(fd: BorrowedFd<'_>) -> Result<(u64, u128), Errno> {
    if let Ok(found) = query::<fs::FILE_ID_INFO>(fd, fs::FileIdInfo) {
        return Ok((found.VolumeSerialNumber, u128::from_le_bytes(found.FileId.Identifier)));
    }
    let mut found = fs::BY_HANDLE_FILE_INFORMATION::default();
    // SAFETY: the handle is open while it is borrowed; the call writes one structure of numbers.
    if unsafe { fs::GetFileInformationByHandle(fd.as_raw_handle(), &raw mut found) } == 0 {
        return Err(Errno::last());
    }
    let id = u64::from(found.nFileIndexHigh) << 32 | u64::from(found.nFileIndexLow);
    Ok((found.dwVolumeSerialNumber.into(), id.into()))
}

/// A file that is not closed when it goes: of a handle that the caller holds for as long as it uses
/// the file.
pub(super) fn view(fd: BorrowedFd<'_>) -> ManuallyDrop<File> {
    // SAFETY: the handle is open while it is borrowed, which all callers do beyond the use of the
    // file; that is never dropped, so the handle is not closed here.
    ManuallyDrop::new(unsafe { File::from_raw_handle(fd.as_raw_handle()) })
}

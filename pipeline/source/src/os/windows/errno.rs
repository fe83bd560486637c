//! The number by which Windows says why a call failed, under the names of errno.h.

use crate::os::storage::error::LOCKED_VOLUME;
use std::{fmt, io};
use windows_sys::Win32::Foundation as win32;

/// The number by which a system says why a call failed: an error of Win32, as the standard library
/// reports it (`raw_os_error`). Errors of errno.h that Windows has not are application-defined
/// (bit 29), which no call of the system gives.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Errno(i32);

/// Names of errno.h with the error of Win32 that says the same.
macro_rules! named {
    ($($name:ident = $value:ident),* $(,)?) => {
        #[allow(missing_docs, reason = "the names are those of errno.h")]
        impl Errno {
            $(pub const $name: Errno = Errno(win32::$value as i32);)*
        }
    };
}

/// Names of errno.h for which Win32 has no error that a call on files gives, and their text.
macro_rules! own {
    ($($name:ident = $number:literal $text:literal),* $(,)?) => {
        #[allow(missing_docs, reason = "the names are those of errno.h")]
        impl Errno {
            $(pub const $name: Errno = Errno(1 << 29 | $number);)*
        }

        const OWN: &[(Errno, &str)] = &[$((Errno::$name, $text)),*];
    };
}

named! {
    ACCESS = ERROR_ACCESS_DENIED, BADF = ERROR_INVALID_HANDLE, BADMSG = ERROR_CRC, BUSY = ERROR_SHARING_VIOLATION,
    CONNRESET = ERROR_NETNAME_DELETED, DQUOT = ERROR_DISK_QUOTA_EXCEEDED, EXIST = ERROR_FILE_EXISTS,
    FAULT = ERROR_NOACCESS, FBIG = ERROR_FILE_TOO_LARGE, ILSEQ = ERROR_NO_UNICODE_TRANSLATION,
    INVAL = ERROR_INVALID_PARAMETER, IO = ERROR_IO_DEVICE, LOOP = ERROR_CANT_RESOLVE_FILENAME,
    MFILE = ERROR_TOO_MANY_OPEN_FILES, NAMETOOLONG = ERROR_FILENAME_EXCED_RANGE, NFILE = ERROR_NO_SYSTEM_RESOURCES,
    NODEV = ERROR_DEV_NOT_EXIST, NOENT = ERROR_FILE_NOT_FOUND, NOMEDIUM = ERROR_NOT_READY,
    NOMEM = ERROR_NOT_ENOUGH_MEMORY, NOSPC = ERROR_DISK_FULL, NOSYS = ERROR_CALL_NOT_IMPLEMENTED,
    NOTDIR = ERROR_DIRECTORY, OPNOTSUPP = ERROR_NOT_SUPPORTED, OVERFLOW = ERROR_ARITHMETIC_OVERFLOW,
    PERM = ERROR_PRIVILEGE_NOT_HELD, PIPE = ERROR_BROKEN_PIPE, ROFS = ERROR_WRITE_PROTECT, SPIPE = ERROR_SEEK_ON_DEVICE,
    TIMEDOUT = ERROR_TIMEOUT, TXTBSY = ERROR_LOCK_VIOLATION, UCLEAN = ERROR_FILE_CORRUPT, XDEV = ERROR_NOT_SAME_DEVICE,
}

own! {
    AGAIN = 1 "not ready", INTR = 2 "interrupted", ISDIR = 3 "is a directory", NODATA = 4 "no data",
    NOKEY = 5 "no key", NOTCONN = 6 "not connected", NOTTY = 7 "not a terminal", NXIO = 8 "no such device",
    PROTO = 9 "protocol error", REMOTEIO = 10 "the device reports an error", SHUTDOWN = 11 "ended",
    STALE = 12 "another file has its name now", TIME = 13 "timer expired",
}

#[allow(missing_docs, reason = "the name is that of errno.h")]
impl Errno {
    pub const NOTSUP: Errno = Errno::OPNOTSUPP;
}

/// Errors that say the same as another one, which takes their place.
const SAME: &[(u32, Errno)] = &[
    (win32::ERROR_PATH_NOT_FOUND, Errno::NOENT),
    (win32::ERROR_INVALID_NAME, Errno::NOENT),
    (win32::ERROR_BAD_NETPATH, Errno::NOENT),
    (win32::ERROR_BAD_NET_NAME, Errno::NOENT),
    (win32::ERROR_INVALID_DRIVE, Errno::NOENT),
    (win32::ERROR_ALREADY_EXISTS, Errno::EXIST),
    (win32::ERROR_OUTOFMEMORY, Errno::NOMEM),
    (win32::ERROR_HANDLE_DISK_FULL, Errno::NOSPC),
    (win32::ERROR_NO_DATA, Errno::PIPE),
    (win32::ERROR_SEM_TIMEOUT, Errno::TIMEDOUT),
    (win32::ERROR_INVALID_FUNCTION, Errno::OPNOTSUPP),
    (win32::ERROR_NO_MEDIA_IN_DRIVE, Errno::NOMEDIUM),
    (win32::ERROR_SEEK, Errno::IO),
    (win32::ERROR_READ_FAULT, Errno::IO),
    (win32::ERROR_DISK_OPERATION_FAILED, Errno::IO),
    (win32::ERROR_GEN_FAILURE, Errno::REMOTEIO),
    (win32::ERROR_NO_SUCH_DEVICE, Errno::NODEV),
    (win32::ERROR_DEVICE_NOT_CONNECTED, Errno::NODEV),
    (win32::ERROR_DEVICE_REMOVED, Errno::NODEV),
    (win32::ERROR_DISK_CORRUPT, Errno::UCLEAN),
];

impl Errno {
    /// By the system's number.
    pub const fn from_raw_os_error(number: i32) -> Self {
        Errno(number)
    }

    /// The system's number.
    pub const fn raw_os_error(self) -> i32 {
        self.0
    }

    /// That of an error of the standard library. It makes errors without a number of its own for
    /// names that it refuses (NUL).
    pub(super) fn of(error: &io::Error) -> Self {
        let Some(number) = error.raw_os_error() else {
            return if error.kind() == io::ErrorKind::InvalidInput { Errno::ILSEQ } else { Errno::IO };
        };
        let same = SAME.iter().find(|(other, _)| *other as i32 == number);
        same.map_or(Errno(number), |(_, errno)| *errno)
    }

    /// That of the last call of this thread.
    pub(super) fn last() -> Self {
        Errno::of(&io::Error::last_os_error())
    }

    /// Of a status of the kernel's native interface.
    pub(super) fn of_status(status: win32::NTSTATUS) -> Self {
        // SAFETY: takes a number, touches no memory.
        let number = unsafe { win32::RtlNtStatusToDosError(status) };
        Errno::of(&io::Error::from_raw_os_error(number as i32))
    }
}

/// The number of an error of the standard library; that of EIO where it has none.
pub fn errno_of(error: &io::Error) -> Errno {
    Errno::of(error)
}

/// The words for an error's number.
pub fn errno_text(number: i32) -> String {
    match Errno(number) {
        Errno::BUSY | Errno::TXTBSY => "in use by another program".to_owned(),
        Errno(number) if number as u32 == LOCKED_VOLUME => "locked by BitLocker".to_owned(),
        errno => match OWN.iter().find(|(own, _)| *own == errno) {
            Some((_, text)) => (*text).to_owned(),
            None => {
                let text = io::Error::from_raw_os_error(number).to_string();
                text.split(" (os error").next().unwrap_or("").trim_end_matches('.').to_owned()
            }
        },
    }
}

impl From<Errno> for io::Error {
    fn from(errno: Errno) -> Self {
        io::Error::from_raw_os_error(errno.0)
    }
}

impl fmt::Display for Errno {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&errno_text(self.0))
    }
}

impl fmt::Debug for Errno {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} ({})", errno_text(self.0), self.0)
    }
}

impl std::error::Error for Errno {}

//! The number by which a system says why a call failed.

use std::{fmt, io};

/// The number by which a system says why a call failed, as the standard library reports it
/// (`raw_os_error`).
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Errno(i32);

/// Names of errno.h, with the values that they have on the system at hand.
macro_rules! named {
    ($($name:ident = $value:ident),* $(,)?) => {
        #[allow(missing_docs, reason = "the names are those of errno.h")]
        impl Errno {
            $(pub const $name: Errno = Errno(libc::$value);)*
        }
    };
}

named! {
    ACCESS = EACCES, AGAIN = EAGAIN, BADF = EBADF, BADMSG = EBADMSG, BUSY = EBUSY, CONNRESET = ECONNRESET,
    DQUOT = EDQUOT, EXIST = EEXIST, FAULT = EFAULT, FBIG = EFBIG, ILSEQ = EILSEQ, INTR = EINTR, INVAL = EINVAL,
    IO = EIO, ISDIR = EISDIR, LOOP = ELOOP, MFILE = EMFILE, NAMETOOLONG = ENAMETOOLONG, NFILE = ENFILE,
    NODATA = ENODATA, NODEV = ENODEV, NOENT = ENOENT, NOMEM = ENOMEM, NOSPC = ENOSPC, NOSYS = ENOSYS,
    NOTCONN = ENOTCONN, NOTDIR = ENOTDIR, NOTSUP = ENOTSUP, NOTTY = ENOTTY, NXIO = ENXIO, OPNOTSUPP = EOPNOTSUPP,
    OVERFLOW = EOVERFLOW, PERM = EPERM, PIPE = EPIPE, PROTO = EPROTO, ROFS = EROFS, SHUTDOWN = ESHUTDOWN,
    SPIPE = ESPIPE, STALE = ESTALE, TIME = ETIME, TIMEDOUT = ETIMEDOUT, TXTBSY = ETXTBSY, XDEV = EXDEV,
}

#[cfg(target_os = "linux")]
named! { NOKEY = ENOKEY, NOMEDIUM = ENOMEDIUM, REMOTEIO = EREMOTEIO, UCLEAN = EUCLEAN }

/// Only Linux has these: elsewhere no call fails with such a number.
#[cfg(not(target_os = "linux"))]
#[allow(missing_docs, reason = "the names are those of Linux's errno.h")]
impl Errno {
    pub const NOKEY: Errno = Errno(-1);
    pub const NOMEDIUM: Errno = Errno(-2);
    pub const REMOTEIO: Errno = Errno(-3);
    pub const UCLEAN: Errno = Errno(-4);
}

impl Errno {
    /// By the system's number.
    pub const fn from_raw_os_error(number: i32) -> Self {
        Errno(number)
    }

    /// The system's number.
    pub const fn raw_os_error(self) -> i32 {
        self.0
    }

    /// That of an error of the standard library; EIO where it has none.
    pub(super) fn of(error: &io::Error) -> Self {
        error.raw_os_error().map_or(Errno::IO, Errno)
    }

    /// That of the last call of this thread.
    pub(super) fn last() -> Self {
        Errno::of(&io::Error::last_os_error())
    }
}

impl From<Errno> for io::Error {
    fn from(errno: Errno) -> Self {
        io::Error::from_raw_os_error(errno.0)
    }
}

impl fmt::Display for Errno {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        io::Error::from(*self).fmt(f)
    }
}

impl fmt::Debug for Errno {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        io::Error::from(*self).fmt(f)
    }
}

impl std::error::Error for Errno {}

//! Problems with one entry, typed: stage, offset, cause.

use crate::finding::{FindingId, Level};
use crate::os::{self, Errno};
use pfh_container::disk::Damage;
use std::{fmt, io};

/// Where in an entry's life a problem arose.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Stage {
    /// Listing a directory or following a name.
    Walk,
    /// Opening the entry.
    Open,
    /// Reading its bytes.
    Read,
    /// Proving after the read that the bytes are one consistent state.
    Check,
    /// Computing digests.
    Hash,
}

impl Stage {
    /// The stage's name in output: `walk`, `open`, `read`, `check` or `hash`.
    pub fn name(self) -> &'static str {
        match self {
            Stage::Walk => "walk",
            Stage::Open => "open",
            Stage::Read => "read",
            Stage::Check => "check",
            Stage::Hash => "hash",
        }
    }
}

/// Why no digest can be given.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Cause {
    /// The operating system said no; the number is its errno.
    Os(i32),
    /// Metadata before and after the read differ: the file was written, truncated, grown or
    /// replaced meanwhile.
    Changed(&'static str),
    /// Fewer or more bytes came than the (unchanged) size promises, on a file system where sizes
    /// are meant to be true.
    Size {
        /// The size that the file system states, in bytes.
        stated: u64,
        /// The bytes that were read before the end of the file.
        read: u64,
    },
    /// A directory was named without asking for recursion.
    IsDirectory,
    /// A directory contains itself, through a link or a mount.
    Loop,
    /// The entry is not of the type that the directory listing stated (a FIFO in place of a file,
    /// say).
    Replaced,
    /// A list says that this is a file, and it is something else.
    NoFile(&'static str),
    /// A special file was named, and reading special files was not asked for.
    Special(&'static str),
    /// The content of a file is elsewhere, in a cloud or on a tape: to read it would fetch it.
    Elsewhere,
    /// A read did not come back within the time allowed (seconds).
    Stalled(u64),
    /// The same call was broken off at once (EINTR, EAGAIN; the number is the errno), again and
    /// again for as long as is allowed.
    Unending {
        /// The errno.
        errno: i32,
        /// For how long, in seconds.
        seconds: u64,
    },
    /// A list of names holds something that cannot be a path.
    BadName(&'static str),
    /// The name leads out of the directory in which all names must stay.
    Outside,
    /// A device of this kind is read as a medium by the system layer for Linux only.
    NeedsLinux(&'static str),
    /// A disk or volume that the system lets only an administrator open.
    NeedsAdministrator,
    /// An image that is not read as one: of another format, or with a damaged description.
    Image(Box<str>),
    /// The content of an image or an archive cannot be read, or contradicts itself: the finding,
    /// and the cause in words.
    Inside(FindingId, Box<str>),
    /// A container is recognised, and is not opened: of a format that is not read, encrypted, or
    /// with a damaged start.
    Unopened(Box<str>),
    /// An object store or web server gives an error, or a wrong answer.
    Store {
        /// The kind of answer.
        answer: StoreAnswer,
        /// In words.
        what: Box<str>,
    },
}

/// The kind of answer that a store gave.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum StoreAnswer {
    /// There is no such object.
    NotFound,
    /// It may not be read.
    Denied,
    /// It is another object than the one that was listed.
    Changed,
    /// Fewer or more bytes came than were promised.
    Truncated,
    /// The store cannot have an object of this name.
    BadName,
    /// Anything else.
    Other,
}

impl StoreAnswer {
    /// The answer as a word that machines can match on.
    pub fn name(self) -> &'static str {
        match self {
            StoreAnswer::NotFound => "not-found",
            StoreAnswer::Denied => "denied",
            StoreAnswer::Changed => "changed",
            StoreAnswer::Truncated => "truncated",
            StoreAnswer::BadName => "bad-name",
            StoreAnswer::Other => "store",
        }
    }
}

/// One entry's problem: stage, offset (bytes, where it has one), length of the unreadable range
/// where it is known.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Problem {
    /// Where it arose.
    pub stage: Stage,
    /// The offset in bytes at which reading failed.
    pub offset: Option<u64>,
    /// How many bytes from `offset` on are known to be unreadable.
    pub length: Option<u64>,
    /// The cause.
    pub cause: Cause,
    /// How much it counts: the level of its finding, unless the run gives it another.
    pub level: Level,
}

impl Problem {
    /// A problem with no offset.
    pub fn new(stage: Stage, cause: Cause) -> Self {
        let level = cause.finding().level();
        Problem { stage, offset: None, length: None, cause, level }
    }

    /// An operating-system error. EINTR and EAGAIN come out of [`os`](crate::os) only when patience
    /// has run out.
    pub fn os(stage: Stage, errno: Errno) -> Self {
        let number = errno.raw_os_error();
        Self::new(
            stage,
            match errno {
                Errno::INTR | Errno::AGAIN => {
                    Cause::Unending { errno: number, seconds: crate::os::patience().as_secs() }
                }
                Errno::ILSEQ if cfg!(windows) => Cause::BadName("no file of Windows can have this name"),
                _ => Cause::Os(number),
            },
        )
    }

    /// An error of opening a path: a device that Windows denies takes an administrator.
    pub(crate) fn opening(path: &[u8], errno: Errno) -> Self {
        match errno {
            Errno::ACCESS if cfg!(windows) && crate::os::storage::named(path).is_some() => {
                Self::new(Stage::Open, Cause::NeedsAdministrator)
            }
            errno => Self::os(Stage::Open, errno),
        }
    }

    /// An `std::io` error; one without an errno is reported as EIO, an interrupted call that did
    /// not end as `stalled`, and damage of an image as such.
    pub fn io(stage: Stage, error: &std::io::Error) -> Self {
        if let Some(damage) = error.get_ref().and_then(|inner| inner.downcast_ref::<Damage>()) {
            return Self::new(stage, Cause::Image(damage.to_string().into()));
        }
        if error.kind() == std::io::ErrorKind::TimedOut && error.raw_os_error().is_none() {
            return Self::os(stage, Errno::INTR);
        }
        match crate::os::errno_of(error) {
            Errno::ILSEQ if cfg!(windows) => Self::os(stage, Errno::ILSEQ),
            errno => Self::new(stage, Cause::Os(errno.raw_os_error())),
        }
    }

    /// An error of an object's read at `offset`. One that holds a problem is that problem.
    pub(crate) fn object(error: &std::io::Error, offset: u64) -> Self {
        match error.get_ref().and_then(|inner| inner.downcast_ref::<Problem>()) {
            Some(problem) => problem.clone(),
            None => Self::io(Stage::Read, error).at(offset),
        }
    }

    /// The same problem, at an offset in bytes.
    pub fn at(mut self, offset: u64) -> Self {
        self.offset = Some(offset);
        self
    }

    /// The errno behind it, where there is one.
    pub fn errno(&self) -> Option<i32> {
        if let Cause::Os(n) = self.cause { Some(n) } else { None }
    }

    /// Whether another program holds the file, or a part of it.
    fn is_busy(&self) -> bool {
        let busy = [Errno::BUSY, Errno::TXTBSY].map(Errno::raw_os_error);
        self.errno().is_some_and(|errno| busy.contains(&errno))
    }

    /// The cause as a word that machines can match on.
    pub fn code(&self) -> &'static str {
        match self.cause {
            Cause::Os(n) => errno_name(n),
            Cause::Changed(_) => "changed",
            Cause::Size { .. } => "truncated",
            Cause::IsDirectory => "is-directory",
            Cause::Loop => "loop",
            Cause::Replaced => "replaced",
            Cause::NoFile(_) => "no-file",
            Cause::Special(_) => "special",
            Cause::Elsewhere => "elsewhere",
            Cause::Stalled(_) | Cause::Unending { .. } => "stalled",
            Cause::BadName(_) => "bad-name",
            Cause::Outside => "outside",
            Cause::NeedsLinux(_) => "needs-linux",
            Cause::NeedsAdministrator => "EACCES",
            Cause::Image(_) => "image",
            // One word for all that is wrong inside; the count of containers is in the summaries.
            Cause::Inside(..) | Cause::Unopened(_) => "inside",
            Cause::Store { answer, .. } => answer.name(),
        }
    }
}

impl Problem {
    /// The finding that it is.
    pub fn finding(&self) -> FindingId {
        self.cause.finding()
    }
}

impl Cause {
    /// The finding that it is.
    pub fn finding(&self) -> FindingId {
        use FindingId as Id;
        match self {
            Cause::Os(errno) => match errno_name(*errno) {
                "ENOENT" | "ENOTDIR" => Id::FileMissing,
                "EACCES" | "EPERM" => Id::FileDenied,
                _ => Id::FileUnreadable,
            },
            Cause::Changed(_) => Id::FileChanged,
            Cause::Size { .. } => Id::FileSize,
            Cause::IsDirectory => Id::FileDirectory,
            Cause::Loop => Id::FileLoop,
            Cause::Replaced => Id::FileReplaced,
            Cause::NoFile(_) => Id::FileKind,
            Cause::Special(_) => Id::FileSpecial,
            Cause::Elsewhere => Id::FileElsewhere,
            Cause::Stalled(_) | Cause::Unending { .. } => Id::FileStalled,
            Cause::BadName(_) => Id::FileName,
            Cause::Outside => Id::FileOutside,
            Cause::NeedsLinux(_) => Id::FileSystem,
            Cause::NeedsAdministrator => Id::FileAdministrator,
            Cause::Image(_) => Id::ImageDamaged,
            Cause::Inside(finding, _) => *finding,
            Cause::Unopened(_) => Id::InsideUnopened,
            Cause::Store { answer, .. } => match answer {
                StoreAnswer::NotFound => Id::StoreMissing,
                StoreAnswer::Denied => Id::StoreDenied,
                StoreAnswer::Changed => Id::StoreChanged,
                StoreAnswer::Truncated => Id::StoreTruncated,
                StoreAnswer::BadName => Id::StoreName,
                StoreAnswer::Other => Id::StoreFailed,
            },
        }
    }
}

impl fmt::Display for Cause {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Cause::Os(n) => {
                write!(f, "{} ({})", crate::os::errno_text(*n), errno_name(*n))
            }
            Cause::Changed(what) => write!(
                f,
                "changed while it was read ({what} differs before and after): hash it again when it is at rest"
            ),
            Cause::Size { stated, read } => write!(f, "{read} bytes came where the file system states {stated}"),
            Cause::IsDirectory => write!(f, "is a directory, and recursion was not asked for"),
            Cause::Loop => write!(f, "directory loop: this directory contains itself"),
            Cause::Replaced => write!(f, "is no longer the kind of file that the directory listed"),
            Cause::NoFile(kind) => write!(f, "is a {kind}, not a file"),
            Cause::Special(kind) => write!(f, "is a {kind}, and reading special files was not asked for"),
            Cause::Elsewhere => write!(f, "the content is in a cloud or on a tape, and reading it would fetch it"),
            Cause::Stalled(seconds) => write!(f, "no answer to a read within {seconds} s"),
            Cause::Unending { errno, seconds } => {
                write!(f, "the call failed with {} again and again for {seconds} s", errno_name(*errno))
            }
            Cause::BadName(why) => write!(f, "not a path: {why}"),
            Cause::Image(what) | Cause::Inside(_, what) | Cause::Unopened(what) | Cause::Store { what, .. } => {
                f.write_str(what)
            }
            Cause::NeedsLinux(kind) => write!(
                f,
                "is a {kind}: to read it as a medium takes pfh's system layer for Linux, and this build has the portable one"
            ),
            Cause::NeedsAdministrator => write!(f, "access to this device is denied to this user (EACCES)"),
            Cause::Outside => write!(f, "leads out of the directory in which all names must stay"),
        }
    }
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (self.stage, self.offset, self.length) {
            (Stage::Check | Stage::Walk, None, _) if !matches!(self.cause, Cause::Unending { .. }) => {}
            (stage, None, _) => write!(f, "{}: ", stage.name())?,
            (stage, Some(o), None) => write!(f, "{} at offset {o}: ", stage.name())?,
            (stage, Some(o), Some(l)) => write!(f, "{} at offset {o}, {l} bytes: ", stage.name())?,
        }
        self.cause.fmt(f)?;
        if cfg!(windows) && matches!(self.stage, Stage::Open | Stage::Read) && self.is_busy() {
            f.write_str(": read it from a shadow copy of the volume")?;
        }
        Ok(())
    }
}

impl std::error::Error for Problem {}

/// The symbolic name of an errno (`EIO`), or `E?` for one that this table lacks.
pub fn errno_name(errno: i32) -> &'static str {
    use Errno as E;
    const NAMES: &[(E, &str)] = &[
        (E::PERM, "EPERM"),
        (E::NOENT, "ENOENT"),
        (E::INTR, "EINTR"),
        (E::IO, "EIO"),
        (E::NXIO, "ENXIO"),
        (E::BADF, "EBADF"),
        (E::AGAIN, "EAGAIN"),
        (E::NOMEM, "ENOMEM"),
        (E::ACCESS, "EACCES"),
        (E::FAULT, "EFAULT"),
        (E::BUSY, "EBUSY"),
        (E::EXIST, "EEXIST"),
        (E::XDEV, "EXDEV"),
        (E::NODEV, "ENODEV"),
        (E::NOTDIR, "ENOTDIR"),
        (E::ISDIR, "EISDIR"),
        (E::INVAL, "EINVAL"),
        (E::NFILE, "ENFILE"),
        (E::MFILE, "EMFILE"),
        (E::NOTTY, "ENOTTY"),
        (E::TXTBSY, "ETXTBSY"),
        (E::FBIG, "EFBIG"),
        (E::NOSPC, "ENOSPC"),
        (E::SPIPE, "ESPIPE"),
        (E::ROFS, "EROFS"),
        (E::PIPE, "EPIPE"),
        (E::NAMETOOLONG, "ENAMETOOLONG"),
        (E::NOSYS, "ENOSYS"),
        (E::LOOP, "ELOOP"),
        (E::NODATA, "ENODATA"),
        (E::TIME, "ETIME"),
        (E::PROTO, "EPROTO"),
        (E::OVERFLOW, "EOVERFLOW"),
        (E::ILSEQ, "EILSEQ"),
        (E::OPNOTSUPP, "EOPNOTSUPP"),
        (E::CONNRESET, "ECONNRESET"),
        (E::NOTCONN, "ENOTCONN"),
        (E::TIMEDOUT, "ETIMEDOUT"),
        (E::STALE, "ESTALE"),
        (E::UCLEAN, "EUCLEAN"),
        (E::REMOTEIO, "EREMOTEIO"),
        (E::DQUOT, "EDQUOT"),
        (E::NOMEDIUM, "ENOMEDIUM"),
        (E::NOKEY, "ENOKEY"),
    ];
    // Windows has several numbers for one cause.
    let errno = if cfg!(windows) { os::errno_of(&io::Error::from_raw_os_error(errno)).raw_os_error() } else { errno };
    NAMES.iter().find(|(e, _)| e.raw_os_error() == errno).map_or("E?", |(_, name)| name)
}

//! Why a disk image is not read.

use std::fmt;
use std::io;

/// Why a disk image, or a range of it, cannot be read.
#[derive(Debug)]
pub enum Failure {
    /// Its bytes contradict the format or themselves.
    Malformed {
        /// Where in the file, in bytes, where that is known.
        offset: Option<u64>,
        /// The fault, in words.
        what: String,
    },
    /// It is sound as far as it was read, but of a kind that is not read: encrypted, a difference
    /// to a parent, a method of compression.
    Refused(String),
    /// A file of it could not be read.
    Io(io::Error),
}

impl Failure {
    /// A contradiction whose place is not known.
    pub fn malformed(what: impl Into<String>) -> Failure {
        Failure::Malformed { offset: None, what: what.into() }
    }

    /// A contradiction at an offset of the file, in bytes.
    pub fn at(offset: u64, what: impl Into<String>) -> Failure {
        Failure::Malformed { offset: Some(offset), what: what.into() }
    }

    /// A kind that is not read.
    pub fn refused(what: impl Into<String>) -> Failure {
        Failure::Refused(what.into())
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Failure::Malformed { offset: Some(offset), what } => write!(f, "offset {offset}: {what}"),
            Failure::Malformed { offset: None, what } => f.write_str(what),
            Failure::Refused(what) => f.write_str(what),
            Failure::Io(error) => error.fmt(f),
        }
    }
}

impl std::error::Error for Failure {}

impl From<io::Error> for Failure {
    /// A file that ends too early is damaged; all else is the system's word.
    fn from(error: io::Error) -> Failure {
        match error.kind() {
            io::ErrorKind::UnexpectedEof => Failure::malformed("the file ends before its references"),
            _ => Failure::Io(error),
        }
    }
}

/// Why an image's content cannot be read in a place: the inner error of an [`io::Error`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Damage {
    /// It contradicts itself there.
    Damaged(String),
    /// It is sound there, as far as is known, and of a kind that is not read.
    Unread(String),
}

impl fmt::Display for Damage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Damage::Damaged(what) => write!(f, "damaged image: {what}"),
            Damage::Unread(what) => f.write_str(what),
        }
    }
}

impl std::error::Error for Damage {}

impl From<Failure> for io::Error {
    /// The error of a read: [`Damage`], or the system's.
    fn from(failure: Failure) -> io::Error {
        match failure {
            Failure::Io(error) => error,
            Failure::Refused(what) => io::Error::other(Damage::Unread(what)),
            other => io::Error::other(Damage::Damaged(other.to_string())),
        }
    }
}

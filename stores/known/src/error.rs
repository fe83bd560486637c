//! Errors of a whole set. The fault of one of its records is a
//! [`Fault`](pfh_manifest::Fault) instead.

use std::fmt;
use std::io;
use std::path::{Path, PathBuf};

/// Why a set could not be built, opened or asked.
#[derive(Debug)]
pub enum Error {
    /// The system refused; the path says where.
    Io(PathBuf, io::Error),
    /// A file is not as it must be: not a known-set file, of a later version, cut off, or changed
    /// since it was written.
    Damaged(PathBuf, String),
    /// A database cannot be read as a set: no such tables, not a database, corrupt, or it asks for
    /// too much.
    Database(PathBuf, String),
    /// More of something than the file can hold.
    TooMany(&'static str),
    /// Another process builds in the same work directory.
    Busy(PathBuf),
    /// Stopped by the caller; finished work is kept, and the next run continues there.
    Cancelled,
}

impl Error {
    pub(crate) fn io(path: impl AsRef<Path>) -> impl FnOnce(io::Error) -> Error {
        let path = path.as_ref().to_owned();
        move |error| Error::Io(path, error)
    }

    pub(crate) fn damaged(path: impl AsRef<Path>, what: impl Into<String>) -> Error {
        Error::Damaged(path.as_ref().to_owned(), what.into())
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name = |path: &Path| pfh_source::terminal::shown(path);
        match self {
            Error::Io(path, error) => write!(f, "{}: {error}", name(path)),
            Error::Damaged(path, what) | Error::Database(path, what) => write!(f, "{}: {what}", name(path)),
            Error::TooMany(what) => write!(f, "too many {what}"),
            Error::Busy(path) => write!(f, "{}: another process is building there", name(path)),
            Error::Cancelled => f.write_str("interrupted; the same command goes on from here"),
        }
    }
}

impl std::error::Error for Error {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Error::Io(_, error) => Some(error),
            _ => None,
        }
    }
}

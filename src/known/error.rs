//! Why sets are not built, described or asked.

use super::SetError;
use crate::destination::OpenError;
use crate::failure::{JobError, Kind};
use crate::input::InputError;
use crate::matching::SetsError;
use crate::outputs::Refused;
use crate::shown;
use std::io;
use std::path::PathBuf;

/// Why sets are not built, described or asked. A place of a list that holds no record is an event,
/// and no error.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// An output is a file that is read, or one that somebody else made.
    #[error(transparent)]
    Refused(#[from] Refused),
    /// Nothing would be in the file.
    #[error("no set was named: give --good, --bad, --notable, --no-change, --class or --sets")]
    NoSet,
    /// A delta is of one database.
    #[error("--delta belongs to one database, and {0} were named: say which with \"deltas\" in --sets")]
    Deltas(usize),
    /// Blocks have no such size.
    #[error("blocks of {0} bytes: a size is a power of two from 512 to 1048576")]
    BlockSize(u32),
    /// Blocks are known by one digest that identifies them.
    #[error("blocks are known by one digest of 16 to 64 bytes, and of their bytes: give one such algorithm with -a")]
    BlockAlgorithm,
    /// The file would be one of those that are read.
    #[error("{}: lies in {}, whose files are read: name another place", shown(.0), shown(.1))]
    Within(PathBuf, PathBuf),
    /// The files of a set of blocks cannot be listed.
    #[error(transparent)]
    Files(InputError),
    /// The file cannot be written there.
    #[error("{}: no such directory", shown(.0))]
    Directory(PathBuf),
    /// A list of sets cannot be read.
    #[error("{}: {error}", shown(path))]
    List {
        /// The list.
        path: PathBuf,
        /// Why.
        error: io::Error,
    },
    /// A line of a list of sets describes none.
    #[error("{}:{line}: {why}", shown(path))]
    Described {
        /// The list.
        path: PathBuf,
        /// The line, from 1.
        line: usize,
        /// Why.
        why: String,
    },
    /// A set cannot be built, opened or asked; or the control cancelled the build.
    #[error(transparent)]
    Set(#[from] pfh_known::Error),
    /// The file is not what it states of itself.
    #[error(transparent)]
    Damaged(pfh_known::Error),
    /// The sets to look up in cannot be opened.
    #[error(transparent)]
    Sets(#[from] SetsError),
    /// There is no directory for lists of what is in sets.
    #[error("a temporary directory: {0}")]
    Room(#[source] io::Error),
    /// What is in a set cannot be hashed.
    #[error(transparent)]
    Hash(Box<crate::hash::Error>),
    /// What is asked for cannot be made of that set.
    #[error("{0}")]
    Export(String),
    /// Nothing of a set can be exported so: no file was written.
    #[error("{}: nothing of it can be exported so; no file was written", shown(.0))]
    NothingToExport(PathBuf),
    /// The control cancelled the hashing of what is in a set, or an export.
    #[error("interrupted: no file was written")]
    Interrupted,
    /// There are no sets to look up in.
    #[error("there is nothing to look up in: give --known FILE")]
    Nowhere,
    /// Digests have answers of one kind.
    #[error("lookup writes text or jsonl")]
    Format,
    /// A stream is named twice.
    #[error(transparent)]
    Twice(#[from] pfh_source::NamedTwice),
    /// Standard input cannot be read.
    #[error("standard input: {0}")]
    Input(io::Error),
    /// The output cannot be opened.
    #[error(transparent)]
    Open(#[from] OpenError),
    /// The output failed, or a set is damaged.
    #[error("the output failed: {0}")]
    Sink(#[source] io::Error),
}

impl JobError for Error {
    fn kind(&self) -> Kind<'_> {
        match self {
            Error::Sink(error) => Kind::Output(error),
            Error::Set(SetError::Cancelled) | Error::Interrupted => Kind::Cancelled,
            Error::Damaged(_) => Kind::Negative,
            Error::Sets(error) => error.kind(),
            Error::Files(error) => error.kind(),
            Error::Input(_) | Error::List { .. } | Error::NothingToExport(_) => Kind::Open,
            Error::Set(_) | Error::Open(_) | Error::Room(_) => Kind::Aborted,
            _ => Kind::Request,
        }
    }
}

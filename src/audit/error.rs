//! Why a step of an audit has no result.

use super::Wrong;
use crate::destination::OpenError;
use crate::failure::{JobError, Kind};
use crate::key::KeyError;
use crate::outputs::Refused;
use crate::{rendered, shown};
use std::io;
use std::path::PathBuf;

/// Why a step of an audit has no result. That an answer proves nothing is a
/// [`AuditVerdict`](super::AuditVerdict), and no error.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// An output is a file that is read, or one that somebody else made.
    #[error(transparent)]
    Refused(#[from] Refused),
    /// The key.
    #[error(transparent)]
    Key(#[from] KeyError),
    /// The step itself.
    #[error(transparent)]
    Step(#[from] Wrong),
    /// The step itself, over this file.
    #[error("{}: {error}", shown(path))]
    StepOver {
        /// The file.
        path: PathBuf,
        /// Why.
        error: Wrong,
    },
    /// A file does not hold what it is to hold.
    #[error("{}: {why}", shown(path))]
    Malformed {
        /// The file.
        path: PathBuf,
        /// Why.
        why: String,
    },
    /// No line is of the file that is meant.
    #[error("no file of this identity is kept")]
    NotKept,
    /// There are several lines.
    #[error("several files are kept: state one with --identity")]
    Several,
    /// Several files cannot have one name or tree.
    #[error("--identity and --outboard are for one file")]
    OneFile,
    /// An identity is too short or too long.
    #[error("an identity has 1 to 4,096 bytes: state one with --identity")]
    Identity,
    /// The file has another length than its tree.
    #[error("{}: has {found} bytes, its tree is of {stated}", shown(file))]
    Length {
        /// The file.
        file: PathBuf,
        /// Bytes that it has.
        found: u64,
        /// Bytes that its tree states.
        stated: u64,
    },
    /// The update does not lead from the root that is kept to another one. Nothing was written.
    #[error("{}: REJECTED: {why}; nothing was written", rendered(identity))]
    Rejected {
        /// The file.
        identity: Vec<u8>,
        /// Why.
        why: String,
    },
    /// A catalogue is too long.
    #[error("{}: a catalogue has at most {most} bytes", rendered(identity))]
    LongCatalogue {
        /// The catalogue.
        identity: Vec<u8>,
        /// Bytes that it may have.
        most: u64,
    },
    /// What the server proved to hold lists no files.
    #[error("{}: {why}", rendered(identity))]
    Catalogue {
        /// The catalogue.
        identity: Vec<u8>,
        /// Why.
        why: String,
    },
    /// There is nothing to serve.
    #[error("{}: no file below it has a tree beside it: `pfh tree build` makes one", shown(.0))]
    Empty(PathBuf),
    /// A file cannot be read.
    #[error("{}: {why}", shown(path))]
    Read {
        /// The file.
        path: PathBuf,
        /// Why.
        why: String,
    },
    /// The file of tokens cannot be written.
    #[error("{}: {error}", shown(path))]
    Write {
        /// The file.
        path: PathBuf,
        /// Why.
        error: io::Error,
    },
    /// The server cannot listen or start a thread.
    #[error("{what}: {error}")]
    Server {
        /// The address, or what could not be had.
        what: String,
        /// Why.
        error: io::Error,
    },
    /// A thread of the server panicked. What it answers cannot be relied on.
    #[error("a thread of the server panicked")]
    Panicked,
    /// The output cannot be opened or written, or the sink refused an event.
    #[error("the output failed: {0}")]
    Sink(#[source] io::Error),
    /// The control cancelled the rounds.
    #[error("cancelled")]
    Cancelled,
}

impl Error {
    /// Whether nothing was found out, and a later try may: a file or the server could not be read.
    pub fn is_open(&self) -> bool {
        matches!(self.kind(), Kind::Open)
    }
}

impl From<OpenError> for Error {
    fn from(failed: OpenError) -> Self {
        Error::Sink(failed.error)
    }
}

impl From<pfh_outboard::Failure> for Error {
    fn from(failure: pfh_outboard::Failure) -> Self {
        Error::Step(failure.into())
    }
}

impl JobError for Error {
    fn kind(&self) -> Kind<'_> {
        match self {
            Error::Step(error) | Error::StepOver { error, .. } => match error {
                error if error.is_verdict() => Kind::Negative,
                Wrong::Kept { .. }
                | Wrong::Tokens { .. }
                | Wrong::Sample(_)
                | Wrong::Challenge(_)
                | Wrong::TooLarge { .. } => Kind::Request,
                Wrong::Random(_) | Wrong::Evidence(_) => Kind::Aborted,
                // Nothing was found out.
                _ => Kind::Open,
            },
            Error::Length { .. } | Error::Rejected { .. } => Kind::Negative,
            Error::Catalogue { .. } | Error::Read { .. } => Kind::Open,
            Error::Write { .. } | Error::Server { .. } | Error::Panicked => Kind::Aborted,
            Error::Sink(error) => Kind::Output(error),
            Error::Cancelled => Kind::Cancelled,
            _ => Kind::Request,
        }
    }
}

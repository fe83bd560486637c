//! Why a step of an audit has no result.

use crate::job::Error;
use pfh_source::terminal::{render, shown};
use std::io;
use std::path::PathBuf;

/// Why a step of an audit has no result. That an answer proves nothing is a
/// [`AuditVerdict`](super::AuditVerdict), and no error.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Problem {
    /// A file does not hold the expected kind of data.
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
    #[error("several files are kept, and the request states none of them")]
    Several,
    /// The key of a tree is missing, another, or none.
    #[error("{}: {why}", shown(path))]
    Locked {
        /// The file of the commitments.
        path: PathBuf,
        /// Why.
        why: pfh_tree::outboard::TreeKeyError,
    },
    /// Several files cannot have one name or tree.
    #[error("an identity and a tree are for one file")]
    OneFile,
    /// An identity is too short or too long.
    #[error("an identity has 1 to 4,096 bytes")]
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
    #[error("{}: REJECTED: {why}; nothing was written", render(identity))]
    Rejected {
        /// The file.
        identity: Vec<u8>,
        /// Why.
        why: String,
    },
    /// A catalogue is too long.
    #[error("{}: a catalogue has at most {most} bytes", render(identity))]
    LongCatalogue {
        /// The catalogue.
        identity: Vec<u8>,
        /// Bytes that it may have.
        most: u64,
    },
    /// The file that the server proved to hold lists no files.
    #[error("{}: {why}", render(identity))]
    Catalogue {
        /// The catalogue.
        identity: Vec<u8>,
        /// Why.
        why: String,
    },
    /// There is nothing to serve.
    #[error("{}: no file below it has a tree beside it", shown(.0))]
    Empty(PathBuf),
    /// A file cannot be read.
    #[error("{}: {why}", shown(path))]
    Read {
        /// The file.
        path: PathBuf,
        /// Why.
        why: String,
    },
    /// The file on the stage has no such length.
    #[error("the file has a whole number of blocks of {0} bytes, and at least one")]
    Staged(u64),
    /// An answer that shows no leaves cannot be judged without the data.
    #[error("{}: a keyed answer, which needs a copy of the data", shown(.0))]
    Keyed(PathBuf),
    /// The server cannot listen or start a thread.
    #[error("{what}: {error}")]
    Server {
        /// The address, or what could not be had.
        what: String,
        /// Why.
        error: io::Error,
    },
    /// A thread of the server panicked. Its answers cannot be relied on.
    #[error("a thread of the server panicked")]
    Panicked,
    /// The control cancelled the rounds.
    #[error("cancelled")]
    Cancelled,
}

impl From<Problem> for Error {
    fn from(problem: Problem) -> Error {
        match problem {
            Problem::Length { .. } | Problem::Rejected { .. } => Error::negative(problem),
            Problem::Catalogue { .. } | Problem::Read { .. } | Problem::Keyed(_) => Error::input(problem),
            Problem::Server { .. } | Problem::Panicked => Error::aborted(problem),
            Problem::Cancelled => Error::cancelled(problem),
            _ => Error::request(problem),
        }
    }
}

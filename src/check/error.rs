//! Why a check has no result.

use super::{Counts, ReadError};
use crate::failure::{JobError, Kind};
use crate::pass::ends_a_pass;
use crate::shown;
use pfh_custody::seal;
use pfh_source::{Problem, terminal};
use std::io;
use std::path::PathBuf;

/// Why a check has no result.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The seal does not hold, or could not be compared.
    #[error(transparent)]
    Seal(#[from] seal::FileError),
    /// The manifest cannot be opened.
    #[error("{}: {problem}", shown(manifest))]
    Open {
        /// The manifest.
        manifest: PathBuf,
        /// What is wrong with it.
        #[source]
        problem: Problem,
    },
    /// The manifest cannot be read to its end.
    #[error("{}: {problem}", shown(manifest))]
    Read {
        /// The manifest.
        manifest: PathBuf,
        /// What is wrong with it.
        #[source]
        problem: Problem,
    },
    /// The pieces of the manifest are of different lengths.
    #[error("{}: {}", shown(.0), ReadError::Pieces)]
    Pieces(PathBuf),
    /// The directory in which names start cannot be opened.
    #[error("{}: {problem}", terminal::render(root))]
    Root {
        /// The directory.
        root: Vec<u8>,
        /// What is wrong with it.
        #[source]
        problem: Problem,
    },
    /// An audit without a root whose names have nothing in common: the whole system would be
    /// walked.
    #[error(
        "{}: its names lie in different directories of /, or in one that no list chooses by itself: name the directory, ROOT, that is audited",
        shown(.0)
    )]
    NoRoot(PathBuf),
    /// A stream is named twice.
    #[error(transparent)]
    Twice(#[from] pfh_source::NamedTwice),
    /// The caller ended the check; how many files were compared.
    #[error("interrupted: {0} files have a verdict, the rest has none")]
    Interrupted(u64),
    /// The caller ended the check while other algorithms were tried; how many files have no
    /// verdict.
    #[error("interrupted: {0} files have no verdict")]
    InterruptedTrying(usize),
    /// The caller ended an audit, which says nothing before its end.
    #[error("interrupted: the audit is not complete, and says nothing")]
    InterruptedAudit,
    /// The counts of an audit do not add up: a defect of the program.
    #[error("the counts do not add up: {0:?}")]
    Counts(Box<Counts>),
    /// The sink refused an event.
    #[error("the output failed: {0}")]
    Sink(#[source] io::Error),
    /// The key is none of the manifest's algorithms.
    #[error(transparent)]
    Secret(#[from] crate::algorithms::SecretError),
    /// The files could not be read at all.
    #[error(transparent)]
    Run(pfh_engine::Error),
}

ends_a_pass!(Error);

impl Error {
    /// Whether the caller ended the check.
    pub fn is_interrupted(&self) -> bool {
        matches!(self, Error::Interrupted(_) | Error::InterruptedTrying(_) | Error::InterruptedAudit)
    }
}

impl JobError for Error {
    fn kind(&self) -> Kind<'_> {
        match self {
            Error::Sink(error) => Kind::Output(error),
            error if error.is_interrupted() => Kind::Cancelled,
            Error::Seal(wrong) if wrong.is_verdict() => Kind::Negative,
            Error::Seal(wrong) if wrong.is_unsigned() => Kind::Open,
            Error::Seal(seal::FileError::Read { .. } | seal::FileError::NoManifest { .. }) => Kind::Open,
            #[cfg(any(feature = "audit", feature = "image"))]
            Error::Seal(seal::FileError::Key(error)) => error.kind(),
            Error::Seal(_) | Error::NoRoot(_) | Error::Twice(_) => Kind::Request,
            Error::Open { .. } | Error::Read { .. } | Error::Pieces(_) | Error::Root { .. } => Kind::Open,
            Error::Secret(error) => error.kind(),
            _ => Kind::Aborted,
        }
    }
}

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
    /// The caller ended the check; how many files were compared.
    #[error("interrupted: {0} files were looked at, the rest was not")]
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
            Error::Seal(seal::FileError::Read { .. }) => Kind::Open,
            Error::Seal(_) | Error::Open { .. } | Error::Root { .. } | Error::Secret(_) => Kind::Request,
            _ => Kind::Aborted,
        }
    }
}

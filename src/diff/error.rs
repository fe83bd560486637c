//! Why a comparison has no result.

use crate::check;
use crate::failure::{JobError, Kind};
use crate::hash::CacheError;
use crate::outputs::Refused;
use crate::pass::ends_a_pass;
use crate::shown;
use std::io;
use std::path::PathBuf;

/// Why a comparison has no result.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The cache is a file that is read, or one that somebody else made.
    #[error(transparent)]
    Refused(#[from] Refused),
    /// A list cannot be read, or its seal does not hold.
    #[error(transparent)]
    List(check::Error),
    /// The cache cannot be used.
    #[error("{}: {error}", shown(path))]
    Cache {
        /// The cache.
        path: PathBuf,
        /// Why.
        error: CacheError,
    },
    /// A cache keeps no digests of pieces, which the list has.
    #[error("--cache keeps no digests of pieces, which the list has")]
    Pieces,
    /// Both sides are standard input, or another stream.
    #[error(transparent)]
    Twice(#[from] pfh_source::NamedTwice),
    /// The caller ended the comparison, which says nothing before its end.
    #[error("interrupted: the comparison is not complete, and says nothing")]
    Interrupted,
    /// The counts do not add up: a defect of the program.
    #[error("the counts do not add up: {0:?}")]
    Counts(Box<check::Counts>),
    /// The sink refused an event.
    #[error("the output failed: {0}")]
    Sink(#[source] io::Error),
    /// The files could not be read at all.
    #[error(transparent)]
    Run(pfh_engine::Error),
}

ends_a_pass!(Error);

impl JobError for Error {
    fn kind(&self) -> Kind<'_> {
        match self {
            Error::Sink(error) => Kind::Output(error),
            Error::List(error) => error.kind(),
            Error::Interrupted => Kind::Cancelled,
            Error::Refused(_) | Error::Cache { .. } | Error::Pieces | Error::Twice(_) => Kind::Request,
            Error::Counts(_) | Error::Run(_) => Kind::Aborted,
        }
    }
}

//! Why there are no pairs, or not all.

use super::{EvidenceError, Failure, Refused};
use crate::destination::OpenError;
use crate::failure::{JobError, Kind};
use crate::input::InputError;
use crate::pass::ends_a_pass;
use pfh_source::terminal;
use std::io;
use std::path::PathBuf;

/// Why there are no pairs, or not all.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// An output is a file that is read, or one that somebody else made.
    #[error(transparent)]
    Refused(#[from] crate::outputs::Refused),
    /// Nothing is named.
    #[error("nothing is named: give a PATH, or --files-from FILE")]
    Nothing,
    /// The input.
    #[error(transparent)]
    Input(#[from] InputError),
    /// Evidence cannot be had.
    #[error(transparent)]
    Evidence(#[from] EvidenceError),
    /// A given digest cannot be compared.
    #[error(transparent)]
    Given(Refused),
    /// The output cannot be opened.
    #[error(transparent)]
    Open(#[from] OpenError),
    /// The caller ended the run before anything was compared; how many files were read.
    #[error("interrupted: {0} files were read, nothing was compared")]
    InterruptedReading(u64),
    /// The caller ended the search.
    #[error("interrupted: the pairs are not complete")]
    Interrupted,
    /// A temporary file failed.
    #[error("temporary file: {0}")]
    Spill(#[source] io::Error),
    /// The page cannot be written.
    #[error("{}: {error}", terminal::render(path.as_os_str().as_encoded_bytes()))]
    Page {
        /// The page.
        path: PathBuf,
        /// Why.
        error: io::Error,
    },
    /// The output failed, or the sink refused an event.
    #[error("the output failed: {0}")]
    Sink(#[source] io::Error),
    /// The files could not be read at all.
    #[error(transparent)]
    Run(pfh_engine::Error),
}

impl Error {
    /// Whether the caller ended the comparison.
    pub fn is_interrupted(&self) -> bool {
        matches!(self, Error::Interrupted | Error::InterruptedReading(_))
    }
}

ends_a_pass!(Error);

impl From<Failure> for Error {
    fn from(failure: Failure) -> Self {
        match failure {
            Failure::Interrupted => Error::Interrupted,
            Failure::Spill(error) => Error::Spill(error),
            Failure::Output(error) => Error::Sink(error),
        }
    }
}

impl JobError for Error {
    fn kind(&self) -> Kind<'_> {
        match self {
            Error::Sink(error) => Kind::Output(error),
            error if error.is_interrupted() => Kind::Cancelled,
            Error::Input(error) => error.kind(),
            Error::Refused(_) | Error::Nothing | Error::Evidence(_) | Error::Given(_) => Kind::Request,
            _ => Kind::Aborted,
        }
    }
}

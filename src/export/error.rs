//! Why a result was not exported.

use crate::destination::OpenError;
use crate::failure::{JobError, Kind};
use crate::outputs::Refused;
use crate::shown;
use std::io;
use std::path::PathBuf;

/// Why a result was not exported. Nothing was written, unless the output failed.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The output is in the way of something.
    #[error(transparent)]
    Refused(#[from] Refused),
    /// The form cannot be written.
    #[error("{0}")]
    Form(String),
    /// The result cannot be read.
    #[error("{}: {}", shown(path), crate::with_names(&error.to_string()))]
    Read {
        /// The result.
        path: PathBuf,
        /// Why.
        error: io::Error,
    },
    /// Nothing in the result has a place in this form.
    #[error("{}: {why}; nothing was written", shown(path))]
    Nothing {
        /// The result.
        path: PathBuf,
        /// What it has.
        why: String,
    },
    /// The output cannot be made.
    #[error(transparent)]
    Open(#[from] OpenError),
    /// The output failed.
    #[error("the output failed: {0}")]
    Sink(#[source] io::Error),
    /// The control cancelled the job.
    #[error("interrupted: the export is not whole")]
    Interrupted,
}

impl JobError for Error {
    fn kind(&self) -> Kind<'_> {
        match self {
            Error::Refused(_) | Error::Form(_) => Kind::Request,
            Error::Read { .. } | Error::Nothing { .. } => Kind::Open,
            Error::Open(_) => Kind::Aborted,
            Error::Sink(error) => Kind::Output(error),
            Error::Interrupted => Kind::Cancelled,
        }
    }
}

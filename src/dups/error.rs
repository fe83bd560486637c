//! Why a search for duplicates has no result.

use crate::failure::{JobError, Kind};
use crate::input::InputError;
use crate::outputs::Refused;
use crate::pass::ends_a_pass;
use crate::shown;
use std::io;
use std::path::PathBuf;

/// Why a search for duplicates has no result.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The input.
    #[error(transparent)]
    Input(#[from] InputError),
    /// The script would be a file that is read, or that somebody else made.
    #[error(transparent)]
    Refused(#[from] Refused),
    /// Files with one digest of this algorithm need not be equal.
    #[error("{0} does not prove that files are equal: use a cryptographic algorithm, sha256 or blake3")]
    Weak(String),
    /// Standard input has no size before it ends, and what is inside of images and archives is no
    /// file that could go.
    #[error("duplicates are looked for among files: standard input, --image and --inside are not for this command")]
    Standard,
    /// What is inside of containers cannot be linked or removed.
    #[error("duplicates are looked for among files: what is inside of images and archives is not compared")]
    Inside,
    /// The script cannot be written.
    #[error("{}: {error}", shown(path))]
    Script {
        /// The script.
        path: PathBuf,
        /// Why.
        error: io::Error,
    },
    /// The caller ended the search, which says nothing before its end.
    #[error("interrupted: the search is not complete, and says nothing")]
    Interrupted,
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
            Error::Interrupted => Kind::Cancelled,
            Error::Input(error) => error.kind(),
            Error::Refused(_) | Error::Weak(_) | Error::Standard | Error::Inside => Kind::Request,
            Error::Script { .. } | Error::Run(_) => Kind::Aborted,
        }
    }
}

//! Why there is no page.

use crate::failure::{JobError, Kind};
use crate::input::InputError;
use crate::outputs::Refused;
use crate::shown;
use std::io;
use std::path::PathBuf;

/// Why there is no page.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// Nothing is named.
    #[error(transparent)]
    Input(#[from] InputError),
    /// The page is in the way of something.
    #[error(transparent)]
    Refused(#[from] Refused),
    /// There is no such key.
    #[error("{}: {why}", shown(path))]
    Key {
        /// The key.
        path: PathBuf,
        /// Why it is none.
        why: String,
    },
    /// Nothing that was named is there: no page was written.
    #[error("nothing that was named could be opened: no page was written")]
    Nothing,
    /// The page cannot be written.
    #[error("{}: {error}", shown(path))]
    Page {
        /// The page.
        path: PathBuf,
        /// Why.
        error: io::Error,
    },
    /// The control cancelled the job: no page was written.
    #[error("interrupted: no page was written")]
    Interrupted,
}

impl JobError for Error {
    fn kind(&self) -> Kind<'_> {
        match self {
            Error::Input(error) => error.kind(),
            Error::Refused(_) | Error::Key { .. } => Kind::Request,
            Error::Nothing => Kind::Open,
            Error::Page { .. } => Kind::Aborted,
            Error::Interrupted => Kind::Cancelled,
        }
    }
}

//! Why nothing was verified.

use crate::failure::{JobError, Kind};
use crate::shown;
use pfh_custody::key::KeyError;
use pfh_source::device::Stop;
use pfh_source::image::OpenError;
use std::io;
use std::path::PathBuf;

/// Why nothing was verified. What is wrong with an image or its evidence is a
/// [`Finding`](super::Finding) and no error.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// There is no such image.
    #[error(transparent)]
    Image(OpenError),
    /// Its format is not read.
    #[error("{0}; --raw takes its bytes as they are")]
    Unread(OpenError),
    /// [`Request::raw`](super::Request::raw) is for an image in one file.
    #[error("--raw is for an image in one file")]
    Pieces,
    /// What the image is to be compared with is not there.
    #[error("{}: there is no such file", shown(path))]
    Against {
        /// Its name.
        path: PathBuf,
    },
    /// The log that was named cannot be opened.
    #[error("{}: {error}", shown(path))]
    Log {
        /// Its name.
        path: PathBuf,
        /// What the system reported.
        error: io::Error,
    },
    /// There is no such key.
    #[error(transparent)]
    Key(#[from] KeyError),
    /// The control cancelled it while the image was read.
    #[error("stopped after {bytes} bytes: {cause}")]
    Stopped {
        /// Bytes that were read.
        bytes: u64,
        /// Why it stopped.
        cause: Stop,
    },
    /// The control cancelled it when the image had been read.
    #[error("cancelled")]
    Cancelled,
}

impl JobError for Error {
    fn kind(&self) -> Kind<'_> {
        match self {
            Error::Cancelled | Error::Stopped { .. } => Kind::Cancelled,
            Error::Image(OpenError::Io { .. }) | Error::Against { .. } | Error::Log { .. } => Kind::Open,
            Error::Key(error) => error.kind(),
            _ => Kind::Request,
        }
    }
}

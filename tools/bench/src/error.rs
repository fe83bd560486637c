//! Errors of a benchmark.

use std::io;
use std::path::{Path, PathBuf};

/// Why a benchmark could not be done.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// A file or directory could not be used.
    #[error("{}: {cause}", path.display())]
    File {
        /// The file or directory.
        path: PathBuf,
        /// The system's error.
        cause: io::Error,
    },
    /// A file has another content than it should.
    #[error("{}: {reason}", path.display())]
    Malformed {
        /// The file.
        path: PathBuf,
        /// The fault.
        reason: String,
    },
    /// The results could not be written out.
    #[error("the output is incomplete: {0}")]
    Output(io::Error),
    /// The arguments are refused.
    #[error("{0}")]
    Usage(String),
    /// A measurement could not be made.
    #[error("{0}")]
    Failed(String),
    /// A signal asked for the end.
    #[error("interrupted: nothing was measured to the end")]
    Interrupted,
    /// A measurement was made, and its answer is wrong: nothing is said about its speed.
    #[error("wrong answer: {0}")]
    Wrong(String),
}

impl Error {
    /// Makes the error of a failed operation on `path`.
    pub(crate) fn file(path: &Path) -> impl FnOnce(io::Error) -> Error {
        let path = path.to_owned();
        move |cause| Error::File { path, cause }
    }
}

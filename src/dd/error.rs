//! Why nothing was copied, or not all.

use crate::acquire;
use crate::failure::{JobError, Kind};
use std::io;

/// Why nothing was copied, or not all.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// An operand is not supported or makes no sense.
    #[error("{0}")]
    Operand(String),
    /// The acquisition failed.
    #[error(transparent)]
    Acquire(#[from] acquire::Error),
    /// What came of it cannot be written into the logs that the operands name.
    #[error("a log cannot be written: {0}")]
    Log(#[source] io::Error),
}

impl From<String> for Error {
    fn from(what: String) -> Self {
        Error::Operand(what)
    }
}

impl From<&str> for Error {
    fn from(what: &str) -> Self {
        Error::Operand(what.to_owned())
    }
}

impl JobError for Error {
    fn kind(&self) -> Kind<'_> {
        match self {
            Error::Acquire(error) => error.kind(),
            Error::Log(_) => Kind::Aborted,
            Error::Operand(_) => Kind::Request,
        }
    }
}

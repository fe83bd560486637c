//! Why nothing was copied, or not all.

use pfh_digest::UnknownAlgorithm;
use std::io;

/// Why nothing was copied, or not all, beside the reasons of the acquisition, in the
/// [`job::Error`](crate::job::Error).
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Problem {
    /// An operand is not supported or makes no sense.
    #[error("{0}")]
    Operand(String),
    /// An algorithm is not known.
    #[error(transparent)]
    Algorithm(#[from] UnknownAlgorithm),
    /// The digests or the losses cannot be written into the logs that the operands name.
    #[error("a log cannot be written: {0}")]
    Log(#[source] io::Error),
}

impl From<String> for Problem {
    fn from(what: String) -> Self {
        Problem::Operand(what)
    }
}

impl From<&str> for Problem {
    fn from(what: &str) -> Self {
        Problem::Operand(what.to_owned())
    }
}

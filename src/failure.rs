//! What the error of a job means to whoever asked for the job.

use std::io;

/// What the error of a job means. A caller decides by it whether to ask again, and the program's
/// exit code is made from it.
#[derive(Debug, Clone, Copy)]
#[non_exhaustive]
pub enum Kind<'a> {
    /// The request makes no sense or is refused: nothing was done.
    Request,
    /// The error is an answer: what was to be compared differs.
    Negative,
    /// Something could not be read: nothing was found out, and a later try may succeed.
    Open,
    /// The output failed with this error: it is incomplete.
    Output(&'a io::Error),
    /// The job ended before its time: its output is incomplete.
    Aborted,
    /// The control cancelled the job.
    Cancelled,
}

/// The error of a key: its file is missing, or holds something else.
#[cfg(any(feature = "audit", feature = "image"))]
impl JobError for pfh_custody::key::KeyError {
    fn kind(&self) -> Kind<'_> {
        match self {
            pfh_custody::key::KeyError::Read { .. } => Kind::Open,
            _ => Kind::Request,
        }
    }
}

impl JobError for crate::algorithms::SecretError {
    fn kind(&self) -> Kind<'_> {
        match self {
            crate::algorithms::SecretError::Read { .. } => Kind::Open,
            _ => Kind::Request,
        }
    }
}

/// The error of a job.
pub trait JobError: std::error::Error {
    /// What it means.
    fn kind(&self) -> Kind<'_>;
}

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

/// The error of a job.
pub trait JobError: std::error::Error {
    /// What it means.
    fn kind(&self) -> Kind<'_>;
}

#[cfg(feature = "audit")]
impl JobError for crate::tree::Error {
    fn kind(&self) -> Kind<'_> {
        use crate::tree::{Error, Failure};
        use pfh_tree::range::NoRange;
        match self {
            Error::Tree(Failure::Length { .. } | Failure::Range { .. } | Failure::Change(_)) => Kind::Request,
            Error::Tree(Failure::Read { .. } | Failure::Tree { .. }) => Kind::Open,
            Error::Tree(Failure::Write { .. }) => Kind::Aborted,
            Error::Tree(Failure::Cancelled) => Kind::Cancelled,
            Error::Tree(Failure::OtherTree { .. }) => Kind::Negative,
            Error::OtherRoot { .. } | Error::Unproved { why: NoRange::Differs, .. } => Kind::Negative,
            Error::Unproved { why: NoRange::Range, .. } => Kind::Request,
            Error::Missing(_) => Kind::Open,
            Error::Incomparable | Error::Unproved { .. } | Error::Read { .. } => Kind::Open,
            Error::Sink(error) => Kind::Output(error),
            _ => Kind::Request,
        }
    }
}

impl JobError for crate::hash::Error {
    fn kind(&self) -> Kind<'_> {
        use crate::hash::Error;
        match self {
            Error::Sink(error) => Kind::Output(error),
            Error::Refused(_) | Error::Input(_) | Error::Cache { .. } | Error::Pieces(_) | Error::Format { .. } => {
                Kind::Request
            }
            _ => Kind::Aborted,
        }
    }
}

impl JobError for crate::check::Error {
    fn kind(&self) -> Kind<'_> {
        use crate::check::Error;
        use crate::seal::FileError;
        match self {
            Error::Sink(error) => Kind::Output(error),
            error if error.is_interrupted() => Kind::Cancelled,
            Error::Seal(wrong) if wrong.is_verdict() => Kind::Negative,
            Error::Seal(FileError::Read { .. }) => Kind::Open,
            Error::Seal(_) | Error::Open { .. } | Error::Root { .. } => Kind::Request,
            _ => Kind::Aborted,
        }
    }
}

#[cfg(feature = "known")]
impl JobError for crate::matching::Error {
    fn kind(&self) -> Kind<'_> {
        use crate::matching::Error;
        match self {
            Error::Sink(error) => Kind::Output(error),
            Error::Refused(_) | Error::Input(_) | Error::Sets(_) | Error::Format { .. } => Kind::Request,
            _ => Kind::Aborted,
        }
    }
}

#[cfg(feature = "known")]
impl JobError for crate::matching::similar::Error {
    fn kind(&self) -> Kind<'_> {
        use crate::matching::similar::Error;
        match self {
            Error::Sink(error) => Kind::Output(error),
            Error::List { .. } | Error::Open(_) | Error::Run(_) => Kind::Aborted,
            _ => Kind::Request,
        }
    }
}

impl JobError for crate::compare::Error {
    fn kind(&self) -> Kind<'_> {
        use crate::compare::Error;
        match self {
            Error::Sink(error) => Kind::Output(error),
            error if error.is_interrupted() => Kind::Cancelled,
            Error::Refused(_) | Error::Nothing | Error::Input(_) | Error::Evidence(_) | Error::Given(_) => {
                Kind::Request
            }
            _ => Kind::Aborted,
        }
    }
}

#[cfg(feature = "image")]
impl JobError for crate::acquire::Error {
    fn kind(&self) -> Kind<'_> {
        use crate::acquire::Error;
        use pfh_source::device::Stop;
        use pfh_source::image::OpenError;
        match self {
            Error::Stopped { cause: Stop::Cancelled, .. } | Error::NotCompared(Stop::Cancelled) => Kind::Cancelled,
            Error::Usage(_)
            | Error::Refused(_)
            | Error::Key(_)
            | Error::LogRefused(_)
            | Error::CaseRefused { .. }
            | Error::Image(OpenError::Unread { .. } | OpenError::Mismatch { .. }) => Kind::Request,
            Error::Changed { .. } | Error::ChangedSince { .. } => Kind::Negative,
            _ => Kind::Aborted,
        }
    }
}

#[cfg(feature = "image")]
impl JobError for crate::dd::Error {
    fn kind(&self) -> Kind<'_> {
        use crate::dd::Error;
        match self {
            Error::Acquire(error) => error.kind(),
            Error::Log(_) => Kind::Aborted,
            Error::Operand(_) => Kind::Request,
        }
    }
}

#[cfg(feature = "image")]
impl JobError for crate::verify::Error {
    fn kind(&self) -> Kind<'_> {
        use crate::verify::Error;
        match self {
            Error::Cancelled | Error::Stopped { .. } => Kind::Cancelled,
            _ => Kind::Request,
        }
    }
}

#[cfg(feature = "known")]
impl JobError for crate::known::Error {
    fn kind(&self) -> Kind<'_> {
        use crate::known::{Error, SetError};
        match self {
            Error::Sink(error) => Kind::Output(error),
            Error::Set(SetError::Cancelled) => Kind::Cancelled,
            Error::Damaged(_) => Kind::Negative,
            Error::Set(_) | Error::Input(_) | Error::Open(_) => Kind::Aborted,
            _ => Kind::Request,
        }
    }
}

#[cfg(feature = "audit")]
impl JobError for crate::audit::Error {
    fn kind(&self) -> Kind<'_> {
        use crate::audit::{Error, Wrong};
        match self {
            Error::Step(error) | Error::StepOver { error, .. } => match error {
                error if error.is_verdict() => Kind::Negative,
                Wrong::Kept { .. }
                | Wrong::Tokens { .. }
                | Wrong::Sample(_)
                | Wrong::Challenge(_)
                | Wrong::TooLarge { .. } => Kind::Request,
                Wrong::Random(_) | Wrong::Evidence(_) => Kind::Aborted,
                // Nothing was found out.
                _ => Kind::Open,
            },
            Error::Length { .. } | Error::Rejected { .. } => Kind::Negative,
            Error::Catalogue { .. } | Error::Read { .. } => Kind::Open,
            Error::Write { .. } | Error::Server { .. } => Kind::Aborted,
            Error::Sink(error) => Kind::Output(error),
            Error::Cancelled => Kind::Cancelled,
            _ => Kind::Request,
        }
    }
}

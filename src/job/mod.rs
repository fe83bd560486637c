//! The one shape of jobs, and their one error.
//!
//! A job is a module with a `Request`, which its run never changes, and
//! `run(&Request, &mut Events, &Control) -> Result<Summary, job::Error>`. Its events carry the
//! result rows and the complaints; it prints and formats nothing.

mod causes;

use crate::outputs::OutputRefusal;
use pfh_source::{Problem, terminal};
use std::error::Error as StdError;
use std::fmt;
use std::io;
use std::path::{Path, PathBuf};

/// A typed cause. Its sentence names facts and no option of the command line.
pub type Reason = Box<dyn StdError + Send + Sync + 'static>;

/// Why a job has no summary. That a file differs or cannot be read is an event or a finding in the
/// summary, and no error.
#[derive(Debug)]
#[non_exhaustive]
pub enum Error {
    /// The request makes no sense: nothing was done.
    Request(Reason),
    /// An output is a file that is read, or one that somebody else made: nothing was done.
    Refused(OutputRefusal),
    /// Something that the request names is not there, cannot be read or holds nothing to compare
    /// with.
    Input(Reason),
    /// The error is an answer: two things that were compared differ.
    Negative(Reason),
    /// An output cannot be opened or written: it is incomplete.
    Output(Reason),
    /// Standard output failed, or the events of the job were refused with this error.
    Sink(io::Error),
    /// The job ended before its time: its output is incomplete.
    Aborted(Reason),
    /// The control cancelled the job.
    Cancelled(Reason),
}

/// The kind of an [`Error`]. The exit code of the program and the exception of the Python package
/// follow from it alone.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Kind {
    /// The request makes no sense or is refused: nothing was done.
    Request,
    /// The error is an answer: two things that were compared differ.
    Negative,
    /// Something could not be read: nothing was found out, and a later try may succeed.
    Input,
    /// The output failed: it is incomplete.
    Output,
    /// The job ended before its time: its output is incomplete.
    Aborted,
    /// The control cancelled the job.
    Cancelled,
}

impl Error {
    /// A request that makes no sense.
    pub fn request(why: impl Into<Reason>) -> Error {
        Error::Request(why.into())
    }

    /// An input that is not there, cannot be read or holds nothing to compare with.
    pub fn input(why: impl Into<Reason>) -> Error {
        Error::Input(why.into())
    }

    /// Two things that were compared differ.
    pub fn negative(why: impl Into<Reason>) -> Error {
        Error::Negative(why.into())
    }

    /// An output that cannot be opened or written.
    pub fn output(why: impl Into<Reason>) -> Error {
        Error::Output(why.into())
    }

    /// A job that ended before its time.
    pub fn aborted(why: impl Into<Reason>) -> Error {
        Error::Aborted(why.into())
    }

    /// A job that was cancelled, with the state of its results.
    pub fn cancelled(why: impl Into<Reason>) -> Error {
        Error::Cancelled(why.into())
    }

    /// An error of this kind.
    pub fn of(kind: Kind, why: impl Into<Reason>) -> Error {
        match kind {
            Kind::Request => Error::request(why),
            Kind::Negative => Error::negative(why),
            Kind::Input => Error::input(why),
            Kind::Output => Error::output(why),
            Kind::Aborted => Error::aborted(why),
            Kind::Cancelled => Error::cancelled(why),
        }
    }

    /// The kind of the error.
    pub fn kind(&self) -> Kind {
        match self {
            Error::Request(_) | Error::Refused(_) => Kind::Request,
            Error::Input(_) => Kind::Input,
            Error::Negative(_) => Kind::Negative,
            Error::Output(_) | Error::Sink(_) => Kind::Output,
            Error::Aborted(_) => Kind::Aborted,
            Error::Cancelled(_) => Kind::Cancelled,
        }
    }

    /// The first cause of this type: that of the error itself, or one below it.
    pub fn find<T: StdError + 'static>(&self) -> Option<&T> {
        self.causes().find_map(|error| error.downcast_ref())
    }

    /// The system's number of the error, if it is one of the system.
    pub fn errno(&self) -> Option<i32> {
        self.causes().find_map(|error| error.downcast_ref::<io::Error>()?.raw_os_error())
    }

    fn causes(&self) -> impl Iterator<Item = &(dyn StdError + 'static)> {
        std::iter::successors(Some(self.cause()), |&error| error.source())
    }

    /// The input or output that the error is about, if its cause is [`PathError`] one.
    pub fn path(&self) -> Option<&Path> {
        self.find::<PathError>().map(|about| &*about.path)
    }

    /// The fault of an input, if that is the cause.
    pub fn problem(&self) -> Option<&Problem> {
        self.find()
    }

    fn cause(&self) -> &(dyn StdError + 'static) {
        match self {
            Error::Refused(refused) => refused,
            Error::Sink(error) => error,
            Error::Request(why)
            | Error::Input(why)
            | Error::Negative(why)
            | Error::Output(why)
            | Error::Aborted(why)
            | Error::Cancelled(why) => &**why,
        }
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Error::Sink(error) => write!(f, "the output failed: {error}"),
            error => write!(f, "{}", error.cause()),
        }
    }
}

impl StdError for Error {
    fn source(&self) -> Option<&(dyn StdError + 'static)> {
        match self {
            Error::Sink(error) => Some(error),
            error => error.cause().source(),
        }
    }
}

/// A cause with the file, directory or device that it is about: `PATH: CAUSE`.
#[derive(Debug)]
pub struct PathError {
    /// The file.
    pub path: PathBuf,
    /// The fault.
    pub why: Reason,
}

impl PathError {
    /// Something wrong with this file.
    pub fn new(path: impl Into<PathBuf>, why: impl Into<Reason>) -> PathError {
        PathError { path: path.into(), why: why.into() }
    }
}

impl fmt::Display for PathError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", terminal::shown(&self.path), self.why)
    }
}

impl StdError for PathError {
    fn source(&self) -> Option<&(dyn StdError + 'static)> {
        Some(&*self.why)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use pfh_source::{Cause, Stage};

    #[test]
    fn an_error_has_one_kind_its_cause_and_its_path() {
        let problem = Problem::new(Stage::Open, Cause::Outside);
        let error = Error::input(PathError::new("a/b", problem));
        assert_eq!(error.kind(), Kind::Input);
        assert_eq!(error.path(), Some(Path::new("a/b")));
        assert!(matches!(error.problem(), Some(Problem { cause: Cause::Outside, .. })));
        assert!(error.to_string().starts_with("a/b: "), "{error}");
        assert!(error.find::<OutputRefusal>().is_none());
        let failed = Error::Sink(io::Error::other("full"));
        assert_eq!((failed.kind(), failed.to_string().as_str()), (Kind::Output, "the output failed: full"));
        assert_eq!((failed.errno(), Error::Sink(io::Error::from_raw_os_error(28)).errno()), (None, Some(28)));
    }
}

//! Errors of jobs as exceptions with path, offset and cause.
//!
//! The classes are in `pfh/_errors.py`; which one it is follows from the job's [`Kind`].

use pfh::Problem;
use pfh::job::{Error, Kind};
use pfh::outboard::Failure;
use pyo3::prelude::*;
use std::path::Path;

/// The attributes of an exception beside its message.
#[derive(Default)]
struct Attributes<'a> {
    path: Option<&'a Path>,
    problem: Option<&'a Problem>,
    /// The number of the system's error.
    errno: Option<i32>,
}

/// An exception of `pfh._errors`, in its subclass for the number of the system's error.
fn exception(py: Python<'_>, class: &str, message: &str, about: &Attributes<'_>) -> PyErr {
    let make = || -> PyResult<Bound<'_, PyAny>> {
        let class = py.import("pfh._errors")?.getattr(class)?;
        let offset = about.problem.and_then(|problem| problem.offset);
        let cause = about.problem.map_or_else(|| message.to_owned(), |problem| problem.cause.to_string());
        let code = about.problem.map(Problem::code);
        class.call1((message, about.path.map(Path::as_os_str), offset, cause, about.errno, code))
    };
    make().map_or_else(|error| error, PyErr::from_value)
}

/// The exception of a job's error. `path` is the file that the job was about, if the error names
/// no other.
pub fn of_job(py: Python<'_>, error: &Error, path: Option<&Path>) -> PyErr {
    let class = match error.kind() {
        Kind::Request => "RequestError",
        Kind::Negative => "DiffersError",
        Kind::Input => "UnreadError",
        Kind::Output => "OutputError",
        Kind::Cancelled => "CancelledError",
        _ => "AbortedError",
    };
    let problem = error.problem();
    let errno = problem.and_then(Problem::errno).or_else(|| error.errno());
    // The standard library's words end with a number; a problem's with its name.
    let message = pfh::with_names(&error.to_string());
    // The missing file may be the tree of a file.
    let of_tree = error.find::<Failure>().and_then(|failure| match failure {
        Failure::Read { file, .. } | Failure::Tree { file, .. } | Failure::Write { file, .. } => Some(&**file),
        _ => None,
    });
    exception(py, class, &message, &Attributes { path: error.path().or(of_tree).or(path), problem, errno })
}

/// A run that could not begin or end.
pub fn aborted(py: Python<'_>, message: &str, path: Option<&Path>) -> PyErr {
    exception(py, "AbortedError", &pfh::with_names(message), &Attributes { path, ..Attributes::default() })
}

/// A run that its token cancelled.
pub fn cancelled(py: Python<'_>, message: &str) -> PyErr {
    exception(py, "CancelledError", message, &Attributes::default())
}

/// Of something that can be read only in part.
pub fn unread(py: Python<'_>, message: &str, path: Option<&Path>) -> PyErr {
    exception(py, "UnreadError", message, &Attributes { path, ..Attributes::default() })
}

/// An argument that makes no sense.
pub fn value(message: impl std::fmt::Display) -> PyErr {
    Python::attach(|py| exception(py, "RequestError", &message.to_string(), &Attributes::default()))
}

/// The data differ from the stated digest.
pub fn differs(py: Python<'_>, message: &str, path: &Path) -> PyErr {
    exception(py, "DiffersError", message, &Attributes { path: Some(path), ..Attributes::default() })
}

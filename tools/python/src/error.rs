//! Errors of jobs as exceptions with path, offset and cause.
//!
//! The classes are in `pfh/_errors.py`; which one it is follows from the job's [`Kind`].

use pfh::Problem;
use pfh::job::{Error, Kind};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use std::path::Path;

/// An exception of `pfh._errors`.
fn exception(py: Python<'_>, class: &str, message: &str, path: Option<&Path>, problem: Option<&Problem>) -> PyErr {
    let make = || -> PyResult<Bound<'_, PyAny>> {
        let class = py.import("pfh._errors")?.getattr(class)?;
        let offset = problem.and_then(|problem| problem.offset);
        let cause = problem.map_or_else(|| message.to_owned(), |problem| problem.cause.to_string());
        class.call1((message, path.map(Path::as_os_str), offset, cause))
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
    exception(py, class, &error.to_string(), error.path().or(path), error.problem())
}

/// A run that could not begin or end.
pub fn aborted(py: Python<'_>, message: &str, path: Option<&Path>) -> PyErr {
    exception(py, "AbortedError", message, path, None)
}

/// A run that its token cancelled.
pub fn cancelled(py: Python<'_>, message: &str) -> PyErr {
    exception(py, "CancelledError", message, None, None)
}

/// Of something that can be read only in part.
pub fn unread(py: Python<'_>, message: &str, path: Option<&Path>) -> PyErr {
    exception(py, "UnreadError", message, path, None)
}

/// An argument that makes no sense.
pub fn value(message: impl std::fmt::Display) -> PyErr {
    PyValueError::new_err(message.to_string())
}

/// Of an input that has no digest.
pub fn failed(py: Python<'_>, path: &Path, problem: Option<&Problem>) -> PyErr {
    let why = problem.map(ToString::to_string).unwrap_or_default();
    let name = pfh::terminal::shown(path);
    exception(py, "UnreadError", &format!("{name}: {why}"), Some(path), problem)
}

/// What was found is another than what was stated.
pub fn differs(py: Python<'_>, message: &str, path: &Path) -> PyErr {
    exception(py, "DiffersError", message, Some(path), None)
}

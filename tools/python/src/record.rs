//! The result of one input, as values.

use crate::error;
use pfh::{Outcome, Problem, Record};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict};
use std::ffi::OsString;
use std::os::unix::ffi::OsStringExt;
use std::path::Path;

/// A name as Python has it: text whose undecodable bytes are surrogates (`os.fsdecode`).
pub fn decoded(name: &[u8]) -> OsString {
    OsString::from_vec(name.to_vec())
}

/// A file that was read to its end, with one digest for each algorithm.
#[pyclass(frozen, module = "pfh")]
pub struct Hashed(Record);

/// A file that was listed and not read, and why.
#[pyclass(frozen, module = "pfh")]
pub struct Skipped(Record);

/// A file that has no digest, and why.
#[pyclass(frozen, module = "pfh")]
pub struct Failed(Record);

/// The object of a record: one of the three classes.
pub fn object(py: Python<'_>, record: Record) -> PyResult<Py<PyAny>> {
    Ok(match record.outcome {
        Outcome::Hashed(_) => Py::new(py, Hashed(record))?.into_any(),
        Outcome::Skipped(_) => Py::new(py, Skipped(record))?.into_any(),
        Outcome::Failed(_) => Py::new(py, Failed(record))?.into_any(),
    })
}

impl Hashed {
    fn hashed(&self) -> Option<&pfh::Hashed> {
        if let Outcome::Hashed(hashed) = &self.0.outcome { Some(hashed) } else { None }
    }
}

#[pymethods]
impl Hashed {
    /// The position in input order, from 0.
    #[getter]
    fn number(&self) -> u64 {
        self.0.number
    }

    /// The name, as `os.fsdecode` gives it.
    #[getter]
    fn path(&self) -> OsString {
        decoded(&self.0.name)
    }

    /// Bytes that were read.
    #[getter]
    fn size(&self) -> u64 {
        self.hashed().map_or(0, |hashed| hashed.closed.size)
    }

    /// The last change of the content, in nanoseconds since 1970 (UTC); `None` if it is not a file.
    #[getter]
    fn mtime_ns(&self) -> Option<i128> {
        let stat = self.hashed()?.closed.stat?;
        Some(i128::from(stat.mtime.0) * 1_000_000_000 + i128::from(stat.mtime.1))
    }

    /// The digests by name of the algorithm; of similarity digests the bytes of their text.
    #[getter]
    fn digests<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let digests = PyDict::new(py);
        for digest in self.hashed().into_iter().flat_map(|hashed| &hashed.digests) {
            digests.set_item(digest.algorithm().to_string(), PyBytes::new(py, digest.bytes()))?;
        }
        Ok(digests)
    }

    /// The digests as text, by name of the algorithm.
    #[getter]
    fn hexdigests<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let digests = PyDict::new(py);
        for digest in self.hashed().into_iter().flat_map(|hashed| &hashed.digests) {
            digests.set_item(digest.algorithm().to_string(), digest.to_string())?;
        }
        Ok(digests)
    }

    /// One digest by name of its algorithm.
    fn __getitem__<'py>(&self, py: Python<'py>, name: &str) -> PyResult<Bound<'py, PyBytes>> {
        let mut digests = self.hashed().into_iter().flat_map(|hashed| &hashed.digests);
        let found = digests.find(|digest| digest.algorithm().to_string() == name);
        let found = found.ok_or_else(|| pyo3::exceptions::PyKeyError::new_err(name.to_owned()))?;
        Ok(PyBytes::new(py, found.bytes()))
    }

    fn __repr__(&self) -> String {
        format!("<pfh.Hashed {}>", pfh::terminal::render(&self.0.name))
    }
}

#[pymethods]
impl Skipped {
    /// The position in input order, from 0.
    #[getter]
    fn number(&self) -> u64 {
        self.0.number
    }

    /// The name, as `os.fsdecode` gives it.
    #[getter]
    fn path(&self) -> OsString {
        decoded(&self.0.name)
    }

    /// Why it was not read.
    #[getter]
    fn reason(&self) -> String {
        self.0.outcome.cause().unwrap_or_default().into_owned()
    }

    fn __repr__(&self) -> String {
        format!("<pfh.Skipped {}: {}>", pfh::terminal::render(&self.0.name), self.reason())
    }
}

impl Failed {
    fn problem(&self) -> Option<&Problem> {
        if let Outcome::Failed(problem) = &self.0.outcome { Some(problem) } else { None }
    }
}

#[pymethods]
impl Failed {
    /// The position in input order, from 0.
    #[getter]
    fn number(&self) -> u64 {
        self.0.number
    }

    /// The name, as `os.fsdecode` gives it.
    #[getter]
    fn path(&self) -> OsString {
        decoded(&self.0.name)
    }

    /// Where it failed: `walk`, `open`, `read`, `check` or `hash`.
    #[getter]
    fn stage(&self) -> &'static str {
        self.problem().map_or("", |problem| problem.stage.name())
    }

    /// The offset in bytes at which reading failed, if it has one.
    #[getter]
    fn offset(&self) -> Option<u64> {
        self.problem()?.offset
    }

    /// Why, as a sentence.
    #[getter]
    fn cause(&self) -> String {
        self.0.outcome.cause().unwrap_or_default().into_owned()
    }

    /// Why, as a word: `ENOENT`, `changed`, `stalled` …
    #[getter]
    fn code(&self) -> &'static str {
        self.problem().map_or("", |problem| problem.code())
    }

    /// The number of the system's error, if there was one.
    #[getter]
    fn errno(&self) -> Option<i32> {
        self.problem()?.errno()
    }

    /// The same as an exception, for `raise`.
    fn error(&self, py: Python<'_>) -> PyErr {
        error::failed(py, Path::new(&decoded(&self.0.name)), self.problem())
    }

    fn __repr__(&self) -> String {
        let why = self.problem().map(ToString::to_string).unwrap_or_default();
        format!("<pfh.Failed {}: {why}>", pfh::terminal::render(&self.0.name))
    }
}

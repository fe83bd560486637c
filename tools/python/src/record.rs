//! The result of one input, as a value.

use crate::value::made;
use pfh::name_bytes::OsStringExt;
use pfh::{Outcome, Record};
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::{PyBytes, PyDict};
use std::ffi::OsString;

/// A name as Python has it: text whose undecodable bytes are surrogates (`os.fsdecode`).
pub fn decoded(name: &[u8]) -> OsString {
    OsString::from_vec(name.to_vec())
}

/// The object of a record: a `Hashed`, `Skipped` or `Failed` of `pfh/_values.py`.
pub fn object(py: Python<'_>, record: Record) -> PyResult<Py<PyAny>> {
    static HASHED: PyOnceLock<Py<PyAny>> = PyOnceLock::new();
    static SKIPPED: PyOnceLock<Py<PyAny>> = PyOnceLock::new();
    static FAILED: PyOnceLock<Py<PyAny>> = PyOnceLock::new();
    let (number, path) = (record.number, decoded(&record.name));
    let made = match &record.outcome {
        Outcome::Hashed(hashed) => {
            let nanoseconds = |at: (i64, i64)| i128::from(at.0) * 1_000_000_000 + i128::from(at.1);
            let mtime = hashed.closed.stat.map(|stat| nanoseconds((stat.mtime.0, i64::from(stat.mtime.1))));
            let digests = PyDict::new(py);
            for digest in &hashed.digests {
                digests.set_item(digest.algorithm().to_string(), PyBytes::new(py, digest.bytes()))?;
            }
            made(py, &HASHED, "Hashed", (number, path, hashed.closed.size, mtime, digests))
        }
        Outcome::Skipped(skip) => made(py, &SKIPPED, "Skipped", (number, path, skip.reason())),
        Outcome::Failed(problem) => {
            let (stage, code) = (problem.stage.name(), problem.code());
            let (cause, said) = (problem.cause.to_string(), problem.to_string());
            let fields = (number, path, stage, problem.offset, cause, code, problem.errno(), said);
            made(py, &FAILED, "Failed", fields)
        }
    };
    made.map(Bound::unbind)
}

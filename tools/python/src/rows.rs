//! The rows of a job as dictionaries: the objects that the program prints with `--json`.

use crate::error;
use crate::log::{Level, log};
use crate::value::value;
use pfh::manifest::row::line;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList};
use serde::Serialize;

/// The rows of a job. True if the program would exit with 0.
pub struct Rows {
    /// A dictionary for each row, in the order in which the job found them. Names that are not
    /// UTF-8 are as `os.fsdecode` gives them.
    rows: Py<PyList>,
    /// Sentences about files that could not be read, and about anything else that is missing.
    messages: Vec<String>,
    /// The object about the whole that the program prints last with `--json`, if it has one.
    summary: Option<Py<PyAny>>,
    /// 0 all good, 1 a negative verdict, 3 finished but incomplete: as the program's exit code.
    exit: u8,
}

value!(Rows { rows, messages, summary, exit });

/// The rows of a job while it runs.
#[derive(Default)]
pub struct Found {
    lines: String,
    summary: Option<String>,
    /// Sentences for people.
    pub messages: Vec<String>,
}

impl Found {
    /// Takes a row.
    pub fn row(&mut self, row: &impl Serialize) {
        self.lines += &line(row);
    }

    /// Takes a line of JSON.
    pub fn line(&mut self, line: &str) {
        self.lines.push_str(line);
    }

    /// Takes the object about the whole.
    pub fn summary(&mut self, row: &impl Serialize) {
        self.summary = Some(line(row));
    }

    /// The rows alone.
    ///
    /// # Errors
    /// Python's own.
    pub fn list(self, py: Python<'_>) -> PyResult<Py<PyList>> {
        Ok(self.rows(py, 0)?.rows)
    }

    /// Takes the sentence about a file without a digest.
    pub fn unread(&mut self, record: &pfh::Record) {
        if let pfh::Outcome::Failed(problem) = &record.outcome {
            self.messages.push(format!("{}: {problem}", pfh::terminal::render(&record.name)));
        }
    }

    /// The rows as objects, with the exit that the program would have.
    ///
    /// # Errors
    /// Python's own.
    pub fn rows(self, py: Python<'_>, exit: u8) -> PyResult<Rows> {
        let loads = py.import("json")?.getattr("loads")?;
        let object = |line: &str| -> PyResult<Bound<'_, PyAny>> {
            let row = loads.call1((line,))?;
            named(py, &row)?;
            Ok(row)
        };
        let rows = PyList::empty(py);
        self.lines.lines().try_for_each(|line| rows.append(object(line)?))?;
        let summary = self.summary.map(|line| object(&line)).transpose()?;
        self.messages.iter().for_each(|sentence| log(py, Level::Warning, || sentence.clone()));
        Ok(Rows { rows: rows.unbind(), messages: self.messages, summary: summary.map(Bound::unbind), exit })
    }
}

/// Puts the exact name, which stands in `NAME_b64`, in place of the one that JSON can hold, at any
/// depth.
fn named(py: Python<'_>, value: &Bound<'_, PyAny>) -> PyResult<()> {
    if let Ok(list) = value.cast::<PyList>() {
        return list.iter().try_for_each(|one| named(py, &one));
    }
    let Ok(object) = value.cast::<PyDict>() else { return Ok(()) };
    for (key, value) in object.copy()?.iter() {
        let key: String = key.extract()?;
        match key.strip_suffix("_b64") {
            Some(name) => {
                let bytes = py.import("base64")?.call_method1("b64decode", (value,))?;
                object.set_item(name, py.import("os")?.call_method1("fsdecode", (bytes,))?)?;
                object.del_item(key)?;
            }
            None => named(py, &value)?,
        }
    }
    Ok(())
}

/// The exit code that the program has for a verdict.
pub fn exit(verdict: pfh::Verdict) -> u8 {
    match verdict {
        pfh::Verdict::Verified => 0,
        pfh::Verdict::Differs => 1,
        _ => 3,
    }
}

/// The exception of a job's error.
pub fn ended(py: Python<'_>, failed: &pfh::job::Error) -> PyErr {
    error::of_job(py, failed, failed.path())
}

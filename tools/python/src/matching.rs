//! Files against known sets.

use crate::known::{Verdict, open, sets, verdict};
use crate::{error, job, record, request};
use pfh::matching::Event;
use pfh::{Outcome, Record};
use pyo3::exceptions::PyKeyboardInterrupt;
use pyo3::prelude::*;
use std::ffi::OsString;
use std::io;
use std::path::PathBuf;

/// The verdict on one file.
#[pyclass(frozen, get_all, module = "pfh")]
pub struct Matched {
    /// The file.
    path: OsString,
    /// What the sets know of it; `None` if it has no digest.
    verdict: Option<Py<Verdict>>,
    /// The record of the file: `Hashed`, `Skipped` or `Failed`.
    record: Py<PyAny>,
}

#[pymethods]
impl Matched {
    fn __repr__(&self, py: Python<'_>) -> PyResult<String> {
        let what = match &self.verdict {
            Some(verdict) => verdict.getattr(py, "status")?.extract::<String>(py)?,
            None => "no digest".to_owned(),
        };
        Ok(format!("<pfh.Matched {} {what}>", pfh::terminal::render(self.path.as_encoded_bytes())))
    }
}

/// Looks files up in known sets: a verdict for each, in input order. `known` is one set or several
/// (see `Known.open`), `cls` the class of lists among them. Raises `pfh.UnreadError` if no set
/// holds a digest: there is nothing to compare with. Also if a set was read in part or holds
/// nothing, since `unknown` says little then; with `partial` the verdicts come all the same, by
/// what could be read.
#[pyfunction]
#[pyo3(name = "match", signature = (paths, known, *, cls = None, recursive = false, follow = false, exactly = false, partial = false, threads = None, memory = None))]
#[expect(clippy::too_many_arguments, reason = "keyword arguments")]
pub fn find(
    py: Python<'_>,
    paths: &Bound<'_, PyAny>,
    known: &Bound<'_, PyAny>,
    cls: Option<&str>,
    recursive: bool,
    follow: bool,
    exactly: bool,
    partial: bool,
    threads: Option<usize>,
    memory: Option<usize>,
) -> PyResult<Vec<Matched>> {
    let mut input = request::input(request::paths(paths)?, recursive, follow);
    input.addresses = request::addresses(exactly);
    let sets = sets(known, cls, None)?;
    let (reference, mut gaps) = open(py, &sets)?;
    let needed = reference.algorithms();
    if needed.is_empty() {
        return Err(error::unread(py, "nothing to compare with: no set holds a digest", None));
    }
    gaps.extend(
        reference
            .left_out(&needed)
            .into_iter()
            .map(|(set, records)| Event::LeftOut { set, records, algorithms: &needed }.to_string()),
    );
    if !gaps.is_empty() && !partial {
        return Err(error::unread(py, &gaps.join("\n"), sets.known.first().map(PathBuf::as_path)));
    }
    let plan = request::plan(needed.into_iter().map(Into::into).collect(), threads, memory);
    let source = input.source().map_err(error::value)?;
    let (ran, found) = job::run(py, |control| {
        let mut found: Vec<(Record, Option<Verdict>)> = Vec::new();
        let mut sink = |record: Record| {
            let verdict = match &record.outcome {
                Outcome::Hashed(hashed) => {
                    let answer = reference.ask(&hashed.digests).map_err(io::Error::other)?;
                    Some(verdict(&reference, &answer))
                }
                _ => None,
            };
            found.push((record, verdict));
            Ok(())
        };
        let ran = pfh::run(source, &plan, &mut sink, control);
        (ran, found)
    })?;
    let summary = ran.map_err(|failed| error::aborted(py, &failed.to_string(), None))?;
    if summary.interrupted {
        return Err(PyKeyboardInterrupt::new_err("interrupted"));
    }
    let matched = |(record, verdict): (Record, Option<Verdict>)| -> PyResult<Matched> {
        let path = record::decoded(&record.name);
        let verdict = verdict.map(|verdict| Py::new(py, verdict)).transpose()?;
        Ok(Matched { path, verdict, record: record::object(py, record)? })
    };
    found.into_iter().map(matched).collect()
}

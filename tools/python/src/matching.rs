//! Files against known sets.

use crate::cancel::Token;
use crate::job::Hooks;
use crate::known::{Verdict, sets};
use crate::log::{Level, log};
use crate::{error, job, record, request};
use pfh::job::Error;
use pfh::known::KnownStatus;
use pfh::matching::{Event, Request};
use pfh::{Outcome, Record};
use pfh_cli::show::matching as show;
use pyo3::prelude::*;
use pyo3::types::{PyIterator, PyList};
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

/// The verdicts on files, in input order. True if the program would exit with 0: no file is known
/// to be bad, all files were read, and all sets.
#[pyclass(frozen, get_all, module = "pfh")]
pub struct Matches {
    /// The verdict on each file.
    files: Py<PyList>,
    /// Sentences about sets that were read in part, with `partial`.
    messages: Vec<String>,
    /// 0 all good, 1 a file is known to be bad, 3 something was not read: as the program's exit
    /// code.
    exit: u8,
}

#[pymethods]
impl Matches {
    fn __bool__(&self) -> bool {
        self.exit == 0
    }

    fn __len__(&self, py: Python<'_>) -> usize {
        self.files.bind(py).len()
    }

    fn __iter__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyIterator>> {
        self.files.bind(py).try_iter()
    }

    fn __getitem__<'py>(&self, py: Python<'py>, at: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        self.files.bind(py).as_any().get_item(at)
    }

    fn __repr__(&self, py: Python<'_>) -> String {
        format!("<pfh.Matches {} files, exit {}>", self.files.bind(py).len(), self.exit)
    }
}

/// Looks files up in known sets: a verdict for each, in input order. `known` is one set or several
/// (see `Known.open`), `cls` the class of lists among them. Raises `pfh.UnreadError` if no set
/// holds a digest: there is nothing to compare with. Also if a set was read in part or holds
/// nothing, since `unknown` says little then; with `partial` the verdicts come all the same, by
/// what could be read, and `exit` is 3.
#[pyfunction]
#[pyo3(name = "match", signature = (paths, known, *, cls = None, recursive = false, follow = false, exactly = false, partial = false, threads = None, memory = None, on_event = None, cancel = None))]
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
    on_event: Option<Py<PyAny>>,
    cancel: Option<Py<Token>>,
) -> PyResult<Matches> {
    let mut input = request::input(request::paths(paths)?, recursive, follow);
    input.addresses = request::addresses(exactly);
    let asked = Request::new(input, sets(known, cls, None)?).plan(request::plan(Vec::new(), threads, memory));
    let (ran, found, gaps) = job::run_with(py, &Hooks { job: "match", on_event, cancel }, |control| {
        let mut found: Vec<(Record, Option<Verdict>)> = Vec::new();
        let mut gaps = Vec::new();
        let mut events = |event: Event<'_>| {
            match event {
                Event::NoClass(_) => {}
                // `unknown` would say little: nothing is read.
                Event::Opened { .. } if !partial && !gaps.is_empty() => return Err(io::ErrorKind::Other.into()),
                Event::Match(of) => {
                    let is_hashed = matches!(of.record.outcome, Outcome::Hashed(_));
                    let verdict = is_hashed.then(|| Verdict::new(of.word(), of.places(), of.answer.empty));
                    found.push((of.record.clone(), verdict));
                }
                event => gaps.extend(show::sentence(&event)),
            }
            Ok(())
        };
        let ran = pfh::matching::run(&asked, &mut events, control);
        (ran, found, gaps)
    })?;
    let first = asked.sets.known.first().map(PathBuf::as_path);
    let summary = match ran {
        Err(Error::Sink(_)) => return Err(error::unread(py, &gaps.join("\n"), first)),
        ran => ran.map_err(|failed| error::of_job(py, &failed, first))?,
    };
    if !summary.comparable {
        return Err(error::unread(py, "nothing to compare with: no set holds a digest", first));
    }
    if summary.run.interrupted {
        return Err(error::cancelled(py, "interrupted"));
    }
    let matched = |(record, verdict): (Record, Option<Verdict>)| -> PyResult<Matched> {
        let path = record::decoded(&record.name);
        let verdict = verdict.map(|verdict| Py::new(py, verdict)).transpose()?;
        Ok(Matched { path, verdict, record: record::object(py, record)? })
    };
    let exit = crate::rows::exit(summary.conclusion(&asked, &[KnownStatus::KnownBad]));
    let files: Vec<Matched> = found.into_iter().map(matched).collect::<PyResult<_>>()?;
    gaps.iter().for_each(|sentence| log(py, Level::Warning, || sentence.clone()));
    Ok(Matches { files: PyList::new(py, files)?.unbind(), messages: gaps, exit })
}

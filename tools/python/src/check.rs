//! Files against a manifest.

use crate::{error, job, record, request};
use pfh::check::{self as job_check, Change, Event, Request, Task};
use pyo3::prelude::*;
use std::collections::BTreeMap;
use std::ffi::OsString;

/// The result of a check.
#[pyclass(frozen, get_all, module = "pfh")]
pub struct Checked {
    /// `verified`, `differs`, `incomplete` or `nothing-to-compare-with`.
    verdict: String,
    /// Files that are as the manifest has them.
    verified: u64,
    /// Files that the manifest has.
    expected: u64,
    /// Verified files by algorithm.
    by_algorithm: BTreeMap<String, u64>,
    /// Each file with what became of it: `right`, `wrong`, `unread` or `ignored`; in an audit its
    /// class.
    files: Vec<(OsString, &'static str)>,
    /// What the manifest holds and was not compared, a sentence each.
    not_compared: Vec<String>,
    /// The manifest's lines that are no records, each with its number.
    faults: Vec<(u64, String)>,
}

#[pymethods]
impl Checked {
    /// Whether each file is as the manifest has it, and all that the manifest holds was compared.
    fn __bool__(&self) -> bool {
        self.verdict == "verified" && self.not_compared.is_empty() && self.faults.is_empty()
    }

    fn __repr__(&self) -> String {
        format!("<pfh.Checked {}: {} of {}>", self.verdict, self.verified, self.expected)
    }
}

/// What became of a file, as a word.
fn word(found: job_check::Checked) -> &'static str {
    match found {
        job_check::Checked::Right => "right",
        job_check::Checked::Wrong => "wrong",
        job_check::Checked::Unread => "unread",
        job_check::Checked::Ignored => "ignored",
    }
}

/// Checks files by a manifest in any format; with a seal beside it that first, which must be signed
/// with `key` if one is given.
///
/// `root` is the directory in which names start, found by the names if it is not given. With
/// `audit` each file of the tree gets a class: `matched`, `modified`, `moved`, `new`, `missing` …
/// What differs is in the result, and no exception.
#[pyfunction]
#[pyo3(signature = (manifest, *, root = None, algorithms = None, key = None, audit = false, ignore_missing = false, threads = None, memory = None))]
#[expect(clippy::too_many_arguments, reason = "keyword arguments")]
pub fn check(
    py: Python<'_>,
    manifest: &Bound<'_, PyAny>,
    root: Option<&Bound<'_, PyAny>>,
    algorithms: Option<&Bound<'_, PyAny>>,
    key: Option<&Bound<'_, PyAny>>,
    audit: bool,
    ignore_missing: bool,
    threads: Option<usize>,
    memory: Option<usize>,
) -> PyResult<Checked> {
    let manifest = request::path(manifest)?;
    let task = if audit {
        Task::Audit { below: Vec::new(), follow: false }
    } else {
        Task::Files { allow_outside: false, ignore_missing }
    };
    let mut asked = Request::new(&manifest).task(task).plan(request::plan(Vec::new(), threads, memory));
    if let Some(root) = root {
        asked = asked.root(request::path(root)?);
    }
    asked = asked.algorithms(algorithms.map_or_else(|| Ok(Vec::new()), crate::hashing::all_named)?);
    asked = asked.key(key.map(request::path).transpose()?);
    let (ran, files, faults) = job::run(py, |control| {
        let (mut files, mut faults) = (Vec::new(), Vec::new());
        let mut sink = |event: Event<'_>| {
            match event {
                Event::Read(read) => {
                    faults = read.faults.iter().map(|(line, fault)| (*line, fault.to_string())).collect()
                }
                Event::Compared { entry, found } => files.push((record::decoded(&entry.name), word(found))),
                Event::Classed(Change { name, class, .. }) => files.push((record::decoded(name), class.name())),
                _ => {}
            }
            Ok(())
        };
        let ran = job_check::run(&asked, &mut sink, control);
        (ran, files, faults)
    })?;
    let summary = ran.map_err(|failed| error::of_job(py, &failed, Some(&manifest)))?;
    Ok(Checked {
        verdict: summary.verdict().to_string(),
        verified: summary.verified,
        expected: summary.expected,
        by_algorithm: summary.by_algorithm,
        files,
        not_compared: summary.not_compared,
        faults,
    })
}

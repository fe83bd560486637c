//! Files against a manifest.

use crate::{error, job, record, request};
use pfh::check::{self as job_check, Change, Event, Manner, Request, Task, Verdict};
use pyo3::prelude::*;
use std::collections::BTreeMap;
use std::ffi::OsString;

/// The result of a check.
#[pyclass(frozen, get_all, module = "pfh")]
pub struct Checked {
    /// `verified`, `differs`, `incomplete` or `nothing-to-compare-with`.
    verdict: String,
    /// The verdict by the rules of `strict` and `lenient`, which count lines that are not records:
    /// the exit code of the program follows from it.
    conclusion: String,
    /// Files that are as the manifests have them.
    verified: u64,
    /// Files that the manifests have.
    expected: u64,
    /// Verified files by algorithm.
    by_algorithm: BTreeMap<String, u64>,
    /// Each file with its result: `right`, `wrong`, `unread` or `ignored`; in an audit its class.
    files: Vec<(OsString, &'static str)>,
    /// What the manifests hold and was not compared, a sentence each.
    not_compared: Vec<String>,
    /// The manifests' lines that are not records, each with its number.
    faults: Vec<(u64, String)>,
    /// Whether all that the manifests hold was compared and is right, by the rules of `strict` and
    /// `lenient`.
    good: bool,
    /// Those of several manifests that could not be checked, and why.
    unchecked: Vec<(OsString, String)>,
}

#[pymethods]
impl Checked {
    /// Whether each file is as the manifests have it, and all that they hold was compared.
    fn __bool__(&self) -> bool {
        self.good
    }

    fn __repr__(&self) -> String {
        format!("<pfh.Checked {}: {} of {}>", self.verdict, self.verified, self.expected)
    }
}

/// The result for a file, as a word.
fn word(found: job_check::Checked) -> &'static str {
    match found {
        job_check::Checked::Right => "right",
        job_check::Checked::Wrong => "wrong",
        job_check::Checked::Unread => "unread",
        job_check::Checked::Ignored => "ignored",
    }
}

/// Checks files by a manifest in any format, or by several; with a seal beside it that first, which
/// must be signed with `key` if one is given.
///
/// `root` is the directory in which names start, found by the names if it is not given. With
/// `audit` each file of the tree gets a class: `matched`, `modified`, `moved`, `new`, `missing` …
/// What differs is in the result, and no exception.
#[pyfunction]
#[pyo3(signature = (manifests, *, root = None, algorithms = None, key = None, audit = false, ignore_missing = false, strict = false, lenient = false, threads = None, memory = None))]
#[expect(clippy::too_many_arguments, reason = "keyword arguments")]
pub fn check(
    py: Python<'_>,
    manifests: &Bound<'_, PyAny>,
    root: Option<&Bound<'_, PyAny>>,
    algorithms: Option<&Bound<'_, PyAny>>,
    key: Option<&Bound<'_, PyAny>>,
    audit: bool,
    ignore_missing: bool,
    strict: bool,
    lenient: bool,
    threads: Option<usize>,
    memory: Option<usize>,
) -> PyResult<Checked> {
    let manner = match (strict, lenient) {
        (true, true) => return Err(error::value("strict and lenient exclude each other")),
        (true, false) => Manner::Strict,
        (false, true) => Manner::Lenient,
        (false, false) => Manner::Usual,
    };
    let task = if audit {
        Task::Audit { below: Vec::new(), follow: false }
    } else {
        Task::Files { allow_outside: false, ignore_missing }
    };
    let mut asked = Request::all(request::paths(manifests)?).task(task).manner(manner).plan(request::plan(
        Vec::new(),
        threads,
        memory,
    ));
    if let Some(root) = root {
        asked = asked.root(request::path(root)?);
    }
    asked = asked.algorithms(algorithms.map_or_else(|| Ok(Vec::new()), crate::hashing::all_named)?);
    asked = asked.key(key.map(request::path).transpose()?);
    let (ran, files, faults) = job::run(py, |control| {
        let (mut files, mut faults) = (Vec::new(), Vec::new());
        let mut sink = |event: Event<'_>| {
            match event {
                Event::Read { expectations, .. } => {
                    faults.extend(expectations.faults.iter().map(|(line, fault)| (*line, fault.to_string())));
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
    let summary = ran.map_err(|failed| error::of_job(py, &failed, asked.manifests.first().map(|one| &**one)))?;
    let is_good = summary.conclusion() == Verdict::Verified && !summary.is_broken();
    let unchecked = summary.unchecked.iter();
    Ok(Checked {
        verdict: summary.verdict().to_string(),
        conclusion: summary.conclusion().to_string(),
        verified: summary.verified(),
        expected: summary.expected(),
        by_algorithm: summary.by_algorithm(),
        files,
        not_compared: summary.parts.iter().flat_map(|part| part.not_compared.clone()).collect(),
        faults,
        good: is_good,
        unchecked: unchecked.map(|(path, error)| (path.clone().into_os_string(), error.to_string())).collect(),
    })
}

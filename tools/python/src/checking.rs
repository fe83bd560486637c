//! Some records of a manifest against their files, for `pfh.cluster`: a task of a check that many
//! machines share out.

use crate::{error, job, request};
use pfh::check::{self as job_check, Event, FileOutcome, Files, Manner, Request};
use pfh::{Levels, Outcome, Record};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict, PyList};
use std::path::PathBuf;

/// The result of one record.
struct Row {
    name: Vec<u8>,
    found: &'static str,
    problem: Option<Absent>,
}

/// Why a file has no digest.
struct Absent {
    stage: &'static str,
    offset: Option<u64>,
    cause: String,
    is_missing: bool,
}

/// The word of a result: those that `pfh.check` has, and `absent`, which is a difference.
fn word(found: FileOutcome, is_missing: bool) -> &'static str {
    match found {
        FileOutcome::Right => "right",
        FileOutcome::Wrong => "wrong",
        FileOutcome::Missing => "absent",
        FileOutcome::Unread if is_missing => "absent",
        FileOutcome::Unread | FileOutcome::Likely | FileOutcome::Weak => "unread",
        FileOutcome::Ignored => "ignored",
    }
}

/// The verdict on files by the counts of their results.
#[pyfunction]
#[pyo3(name = "_check_verdict")]
pub fn check_verdict(right: u64, wrong: u64, missing: u64, unread: u64) -> String {
    let mut files = Files::default();
    (files.right, files.different, files.missing, files.unread) = (right, wrong, missing, unread);
    files.tally(&Levels::new()).verdict().to_string()
}

/// Why a record has no digest.
fn problem(record: &Record) -> Option<Absent> {
    let cause = record.outcome.cause()?.into_owned();
    Some(match &record.outcome {
        Outcome::Failed(problem) => {
            let is_missing = matches!(problem.code(), "ENOENT" | "ENOTDIR");
            Absent { stage: problem.stage.name(), offset: problem.offset, cause, is_missing }
        }
        _ => Absent { stage: "walk", offset: None, cause, is_missing: false },
    })
}

/// Compares the records of a manifest at these places, from 0 in rising order, and gives a
/// dictionary: `rows` (name, result, stage, offset, cause), `records` of the whole manifest, the
/// `root` in which names start, the `conclusion`, and the entries of the manifest that were not
/// compared.
#[pyfunction]
#[pyo3(name = "_check_records", signature = (manifest, records, *, root = None, algorithms = None, key = None, strict = false, lenient = false, threads = None, memory = None))]
#[expect(clippy::too_many_arguments, reason = "keyword arguments")]
pub fn check_records<'py>(
    py: Python<'py>,
    manifest: PathBuf,
    records: Vec<usize>,
    root: Option<PathBuf>,
    algorithms: Option<&Bound<'py, PyAny>>,
    key: Option<PathBuf>,
    strict: bool,
    lenient: bool,
    threads: Option<request::Threads>,
    memory: Option<usize>,
) -> PyResult<Bound<'py, PyDict>> {
    let manner = match (strict, lenient) {
        (true, true) => return Err(error::value("strict and lenient exclude each other")),
        (true, false) => Manner::Strict,
        (false, true) => Manner::Lenient,
        (false, false) => Manner::Usual,
    };
    let mut asked = Request::new(&manifest).manner(manner).key(key).records(Some(records));
    asked = asked.plan(request::plan(Vec::new(), threads, memory));
    if let Some(root) = root {
        asked = asked.root(root);
    }
    asked = asked.algorithms(algorithms.map_or_else(|| Ok(Vec::new()), crate::hashing::all_named)?);
    let (ran, rows, about) = job::run(py, |control| {
        let mut rows: Vec<Row> = Vec::new();
        let mut problems = std::collections::HashMap::new();
        let mut about = (0, Vec::new(), false);
        let mut sink = |event: Event<'_>| {
            match event {
                Event::Read { ledger, .. } => {
                    let faults = ledger.faults.iter().map(|(line, fault)| (*line, fault.to_string()));
                    about.0 = ledger.entries.len();
                    about.1.extend(faults);
                }
                // Numbers count the records that were picked, in the first pass alone.
                Event::Unread(record) if !about.2 => {
                    problems.insert(record.number, problem(record));
                }
                Event::Passed(_) => about.2 = true,
                Event::Compared { entry, found, .. } => {
                    let problem = problems.remove(&(rows.len() as u64)).flatten();
                    let is_missing = problem.as_ref().is_some_and(|absent| absent.is_missing);
                    rows.push(Row { name: entry.name.clone(), found: word(found, is_missing), problem });
                }
                _ => {}
            }
            Ok(())
        };
        let ran = job_check::run(&asked, &mut sink, control);
        (ran, rows, about)
    })?;
    let summary = ran.map_err(|failed| error::of_job(py, &failed, Some(&manifest)))?;
    let part = summary.parts.first();
    let found = PyDict::new(py);
    let list = PyList::empty(py);
    for Row { name, found, problem } in rows {
        let (stage, offset) = (problem.as_ref().map(|why| why.stage), problem.as_ref().and_then(|why| why.offset));
        list.append((PyBytes::new(py, &name), found, stage, offset, problem.map(|why| why.cause)))?;
    }
    found.set_item("rows", list)?;
    found.set_item("records", about.0)?;
    found.set_item("faults", about.1)?;
    found.set_item("not_compared", part.map(|part| part.not_compared.clone()).unwrap_or_default())?;
    found.set_item("root", part.and_then(|part| part.root.as_ref()).map(|root| PyBytes::new(py, root)))?;
    found.set_item("conclusion", summary.conclusion().to_string())?;
    found.set_item("broken", summary.is_broken())?;
    found.set_item("by_algorithm", summary.by_algorithm())?;
    Ok(found)
}

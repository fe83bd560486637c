//! Files against a manifest.

use crate::cancel::Token;
use crate::checked::Checked;
use crate::job::Hooks;
use crate::log::{Level, log};
use crate::request::Threads;
use crate::rows::Found;
use crate::{error, job, record, request, stated};
use pfh::check::{
    self as job_check, AuditRow, AuditSum, CheckShare, Event, FileRow, FilesSum, Findings, Manner, Request, Share,
    Task, Verdict,
};
use pyo3::prelude::*;
use std::collections::{BTreeMap, HashMap};
use std::path::PathBuf;
use std::time::Duration;

/// The result for a file, as a word.
fn word(found: job_check::FileOutcome) -> &'static str {
    match found {
        job_check::FileOutcome::Right => "right",
        job_check::FileOutcome::Wrong => "wrong",
        job_check::FileOutcome::Missing => "missing",
        job_check::FileOutcome::Unread | job_check::FileOutcome::Likely | job_check::FileOutcome::Weak => "unread",
        job_check::FileOutcome::Ignored => "ignored",
    }
}

/// The counts of a share.
fn row(share: &CheckShare) -> BTreeMap<&'static str, Option<u64>> {
    let oldest = share.oldest.map(|oldest| oldest.as_secs());
    let counts = [
        ("read", share.read),
        ("files", share.files),
        ("bytes", share.bytes),
        ("total", share.total),
        ("never", share.never),
    ];
    counts.into_iter().map(|(name, count)| (name, Some(count))).chain([("oldest", oldest)]).collect()
}

/// The share of the files: `1/30` or `5%` of all bytes, as much as `limit` seconds allow, or both.
fn asked_share(share: Option<&str>, limit: Option<f64>, state: Option<PathBuf>) -> PyResult<Option<Share>> {
    let limit = limit
        .map(|limit| Duration::try_from_secs_f64(limit).map_err(|_| error::value("limit is not a number of seconds")));
    let share = match (share, limit.transpose()?) {
        (Some(share), limit) => share.parse::<Share>().map_err(error::value)?.time(limit),
        (None, Some(limit)) => Share::lasting(limit),
        (None, None) if state.is_some() => {
            return Err(error::value("state is of a share of the files: give share or limit"));
        }
        (None, None) => return Ok(None),
    };
    Ok(Some(share.state(state)))
}

/// Checks files by a manifest in any format, or by several; with a seal beside it that first, which
/// must be signed with `key` if one is given.
///
/// `root` is the directory in which names start, found by the names if it is not given. With
/// `audit` each file of the tree gets a class: `matched`, `modified`, `moved`, `new`, `missing` …
/// Differences are in the result, and no exception.
///
/// `columns` are those of the manifest in their order, a list or one text with commas: `name`,
/// `size`, `algorithm`, `digest`, an algorithm, or `-` for one that is passed over.
///
/// A file that differs is read a second time, past the system's cache where the system can, unless
/// `once` is given: `reread` of its row has the `outcome` and the digests of each read.
///
/// Addresses of objects (`s3://bucket/prefix`) in place of manifests are compared with the digests
/// that their store states, those of uploads in parts by their `part_size`, and with `versions`
/// every version of each.
///
/// `level` gives findings (`pfh help findings`) another level: `{"audit/new": "warn"}`.
///
/// `share` (`"1/30"` or `"5%"` of all bytes) and `limit` (seconds) check the files that were
/// checked least recently; `state` keeps when that was, `MANIFEST.checked` if it is not given.
#[pyfunction]
#[pyo3(signature = (manifests, *, root = None, algorithms = None, key = None, columns = None, audit = false, ignore_missing = false, strict = false, lenient = false, once = false, level = None, share = None, limit = None, state = None, part_size = None, versions = false, threads = None, memory = None, on_event = None, cancel = None))]
#[expect(clippy::too_many_arguments, reason = "keyword arguments")]
pub fn check(
    py: Python<'_>,
    manifests: &Bound<'_, PyAny>,
    root: Option<&Bound<'_, PyAny>>,
    algorithms: Option<&Bound<'_, PyAny>>,
    key: Option<&Bound<'_, PyAny>>,
    columns: Option<&Bound<'_, PyAny>>,
    audit: bool,
    ignore_missing: bool,
    strict: bool,
    lenient: bool,
    once: bool,
    level: Option<HashMap<String, String>>,
    share: Option<&str>,
    limit: Option<f64>,
    state: Option<&Bound<'_, PyAny>>,
    part_size: Option<u64>,
    versions: bool,
    threads: Option<Threads>,
    memory: Option<usize>,
    on_event: Option<Py<PyAny>>,
    cancel: Option<Py<Token>>,
) -> PyResult<Checked> {
    let manner = match (strict, lenient) {
        (true, true) => return Err(error::value("strict and lenient exclude each other")),
        (true, false) => Manner::Strict,
        (false, true) => Manner::Lenient,
        (false, false) => Manner::Usual,
    };
    let manifests = request::paths(manifests)?;
    let objects = manifests.iter().filter(|path| pfh::is_address(path.as_encoded_bytes())).count();
    if objects > 0 && objects == manifests.len() {
        let of_manifests = [
            (root.is_some(), "root"),
            (algorithms.is_some(), "algorithms"),
            (key.is_some(), "key"),
            (columns.is_some(), "columns"),
            (audit, "audit"),
            (ignore_missing, "ignore_missing"),
            (strict, "strict"),
            (once, "once"),
            (level.is_some(), "level"),
            (share.is_some(), "share"),
            (limit.is_some(), "limit"),
            (state.is_some(), "state"),
        ];
        if let Some((_, name)) = of_manifests.iter().find(|(given, _)| *given) {
            return Err(error::value(format!("{name} is of manifests, and objects are compared with their store")));
        }
        let plan = request::plan(Vec::new(), threads, memory);
        let asked = stated::Asked { addresses: manifests, part_size, versions, manner, plan };
        return stated::check(py, &asked, &Hooks { job: "check", on_event, cancel });
    }
    if objects > 0 {
        return Err(error::value("manifests and addresses of objects are checked apart: give those of one kind"));
    }
    if part_size.is_some() {
        return Err(error::value("part_size is of objects in stores: give the address of some"));
    }
    if versions {
        return Err(error::value(request::NO_VERSIONS));
    }
    let task = if audit {
        Task::Audit { below: Vec::new(), follow: false }
    } else {
        Task::Files { allow_outside: false, ignore_missing }
    };
    let mut asked = Request::all(manifests).task(task).manner(manner).plan(request::plan(Vec::new(), threads, memory));
    asked.plan.levels = request::levels(level)?;
    if let Some(root) = root {
        asked = asked.root(request::path(root)?);
    }
    asked = asked.algorithms(algorithms.map_or_else(|| Ok(Vec::new()), crate::hashing::all_named)?);
    asked = asked.columns(columns.map_or_else(|| Ok(Vec::new()), crate::hashing::labels)?);
    asked = asked.key(key.map(request::path).transpose()?);
    asked = asked.once(once).share(asked_share(share, limit, state.map(request::path).transpose()?)?);
    let (ran, files, faults, rows) = job::run_with(py, &Hooks { job: "check", on_event, cancel }, |control| {
        let (mut files, mut faults, mut rows) = (Vec::new(), Vec::new(), Found::default());
        let mut sink = |event: Event<'_>| {
            match event {
                Event::Read { ledger, .. } => {
                    faults.extend(ledger.faults.iter().map(|(line, fault)| (*line, fault.to_string())));
                }
                Event::Compared { entry, found, cause, reread } => {
                    rows.row(&FileRow::of(entry, found, cause, reread, &asked.plan.levels));
                    files.push((record::decoded(&entry.name), word(found)));
                }
                Event::Classed(change) => {
                    rows.row(&AuditRow::of(change, &asked.plan.levels));
                    files.push((record::decoded(&change.name), change.class.name()));
                }
                Event::Ended(part) => match &part.findings {
                    Findings::Audit(counts) => rows.row(&AuditSum::of(counts, part)),
                    _ => FilesSum::of(part).iter().for_each(|row| rows.row(row)),
                },
                _ => {}
            }
            Ok(())
        };
        let ran = job_check::run(&asked, &mut sink, control);
        (ran, files, faults, rows)
    })?;
    let summary = ran.map_err(|failed| error::of_job(py, &failed, asked.manifests.first().map(|one| &**one)))?;
    let is_good = summary.conclusion() == Verdict::Verified && !summary.is_broken();
    let unchecked = summary.unchecked.iter();
    for sentence in summary.parts.iter().flat_map(|part| &part.not_compared) {
        log(py, Level::Warning, || sentence.clone());
    }
    Ok(Checked {
        verdict: summary.verdict().to_string(),
        conclusion: summary.conclusion().to_string(),
        verified: summary.verified(),
        expected: summary.expected(),
        by_algorithm: summary.by_algorithm(),
        files,
        shares: summary.parts.iter().filter_map(|part| part.share.as_ref().map(row)).collect(),
        not_compared: summary.parts.iter().flat_map(|part| part.not_compared.clone()).collect(),
        faults,
        good: is_good,
        rows: rows.list(py)?,
        unchecked: unchecked.map(|(path, error)| (path.clone().into_os_string(), error.to_string())).collect(),
    })
}

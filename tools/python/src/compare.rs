//! All pairs of similar files.

use crate::cancel::Token;
use crate::job::Hooks;
use crate::request::Threads;
use crate::value::value;
use crate::{error, job, record, request};
use pfh::compare::{self as comparison, Event, Request, Thresholds};
use pfh::{InputError, Record};
use pyo3::prelude::*;
use std::ffi::OsString;

/// Two files that are alike.
pub struct Pair {
    /// The earlier one in input order.
    a: OsString,
    /// The later one.
    b: OsString,
    /// 0 to 100, for TLSH a distance from 0 on.
    score: u32,
    /// Why the score may mean nothing: `few features`, `low entropy`, `saturated`; or `None`.
    degenerate: Option<String>,
}

value!(Pair { a, b, score, degenerate });

/// All pairs of files whose score reaches `threshold` (the algorithm's own if it is not given), in
/// input order, and the files that have no digest: `pairs, left_out = compare("samples/",
/// "ssdeep", recursive=True)`. `left_out` has a `Failed` or `Skipped` for what was not read; a file
/// that is too short or too plain for the method has a pair only with files of the same content.
/// Algorithms other than similarity methods find equal files. Lists of digests among the paths are
/// read as such; `pfh.UnreadError` if something in one is not understood. Pairs with a saturated
/// digest, which is like anything, are left out unless `saturated` is given.
#[pyfunction]
#[pyo3(signature = (paths, algorithm = "mrsh-v2", *, threshold = None, recursive = false, follow = false, saturated = false, threads = None, memory = None, on_event = None, cancel = None))]
#[expect(clippy::too_many_arguments, reason = "keyword arguments")]
pub fn compare(
    py: Python<'_>,
    paths: &Bound<'_, PyAny>,
    algorithm: &str,
    threshold: Option<u32>,
    recursive: bool,
    follow: bool,
    saturated: bool,
    threads: Option<Threads>,
    memory: Option<usize>,
    on_event: Option<Py<PyAny>>,
    cancel: Option<Py<Token>>,
) -> PyResult<(Vec<Pair>, Vec<Py<PyAny>>)> {
    let input = request::input(request::paths(paths)?, recursive, follow);
    let algorithm = crate::hashing::named(algorithm)?;
    let mut request = Request::new(input).plan(request::plan(Vec::new(), threads, memory), memory);
    request.algorithms = vec![algorithm];
    request.thresholds = Thresholds::one(threshold);
    request.saturated = saturated;
    let (ran, found) = job::run_with(py, &Hooks { job: "compare", on_event, cancel }, |control| {
        let mut found = Found::default();
        let mut take = |event: Event<'_>| {
            match event {
                Event::Pair(pair) => found.pairs.push(Pair {
                    a: record::decoded(pair.a),
                    b: record::decoded(pair.b),
                    score: pair.score.number(),
                    degenerate: pair.degenerate.map(|why| why.to_string()),
                }),
                Event::Unread(record) => found.left_out.push(record.clone()),
                Event::List(problem) => found.faults.push(problem.to_string()),
                Event::Refused(name, why) => {
                    found.faults.push(format!("{}: {why}", pfh::terminal::render(name)));
                }
                _ => {}
            }
            Ok(())
        };
        let ran = comparison::run(&request, &mut take, control);
        (ran, found)
    })?;
    ran.map_err(|failed| match failed.find::<InputError>() {
        Some(InputError::List { .. }) | None => error::of_job(py, &failed, None),
        Some(why) => error::value(why),
    })?;
    if !found.faults.is_empty() {
        return Err(error::unread(py, &found.faults.join("\n"), None));
    }
    let left_out = found.left_out.into_iter().map(|record| record::object(py, record));
    Ok((found.pairs, left_out.collect::<PyResult<_>>()?))
}

/// The result of a comparison.
#[derive(Default)]
struct Found {
    pairs: Vec<Pair>,
    left_out: Vec<Record>,
    /// What of lists was not understood.
    faults: Vec<String>,
}

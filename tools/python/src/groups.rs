//! Groups of similar files.

use crate::cancel::Token;
use crate::job::Hooks;
use crate::request::Threads;
use crate::rows::{Found, Rows, ended};
use crate::{error, job, request};
use pfh::compare::{Event, Linkage, Request, Thresholds, run};
use pfh::report::pairs::{Format, GroupFacts, cluster};
use pyo3::prelude::*;
use std::path::PathBuf;

/// Groups of similar files: a dictionary for each, with its number as `cluster`, `size`,
/// `members`, and for linkage `complete`, where every two members are alike, the score of the
/// `weakest` pair and the `representative`. `single` groups chains of pairs. Without an algorithm
/// files are compared by all methods at once.
///
/// `groups` is the file of an earlier run (`pfh compare --cluster --json`), whose groups keep their
/// numbers and members and get those files that are like each member. With `versions` every
/// version of an object in a store is one of them, as `KEY?versionId=ID`.
#[pyfunction]
#[pyo3(signature = (paths, algorithm = None, *, threshold = None, linkage = "complete", groups = None, recursive = false, follow = false, versions = false, saturated = false, threads = None, memory = None, on_event = None, cancel = None))]
#[expect(clippy::too_many_arguments, reason = "keyword arguments")]
pub fn group_similar(
    py: Python<'_>,
    paths: &Bound<'_, PyAny>,
    algorithm: Option<&str>,
    threshold: Option<u32>,
    linkage: &str,
    groups: Option<PathBuf>,
    recursive: bool,
    follow: bool,
    versions: bool,
    saturated: bool,
    threads: Option<Threads>,
    memory: Option<usize>,
    on_event: Option<Py<PyAny>>,
    cancel: Option<Py<Token>>,
) -> PyResult<Rows> {
    let mut input = request::input(request::paths(paths)?, recursive, follow);
    input.addresses = request::addresses(&input.paths, false, versions)?;
    let algorithm = algorithm.map(crate::hashing::named).transpose()?;
    let mut asked = Request::new(input).plan(request::plan(Vec::new(), threads, memory), memory);
    asked.algorithms = algorithm.into_iter().collect();
    (asked.thresholds, asked.saturated) = (Thresholds::one(threshold), saturated);
    (asked.cluster, asked.earlier) = (true, groups);
    asked.linkage = match linkage {
        "complete" => Linkage::Complete,
        "single" => Linkage::Single,
        other => return Err(error::value(format!("linkage takes complete or single, not {other:?}"))),
    };
    let (ran, found) = job::run_with(py, &Hooks { job: "group_similar", on_event, cancel }, |control| {
        let mut found = Found::default();
        let mut events = |event: Event<'_>| {
            match event {
                Event::Group(group) => {
                    let (mut line, of) = (
                        Vec::new(),
                        GroupFacts {
                            algorithm: group.name(),
                            number: group.number,
                            weakest: group.weakest,
                            representative: group.representative_name(),
                        },
                    );
                    cluster(Format::Jsonl, &mut line, &of, group.names());
                    found.line(&String::from_utf8_lossy(&line));
                }
                Event::Unread(record) => found.unread(record),
                Event::Searched(_) | Event::AllRelated(_) => {}
                event => found.messages.extend(pfh_cli::show::compare::sentences(&event, &asked, false)),
            }
            Ok(())
        };
        let ran = run(&asked, &mut events, control);
        (ran, found)
    })?;
    let summary = ran.map_err(|failed| ended(py, &failed))?;
    found.rows(py, if summary.faults > 0 || !summary.comparable { 3 } else { 0 })
}

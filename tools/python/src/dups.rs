//! Files and folders of one content.

use crate::cancel::Token;
use crate::job::Hooks;
use crate::rows::{Found, Rows, ended};
use crate::{error, job, request};
use pfh::Level;
use pfh::dups::{
    self as job_dups, Action, Event, FoldersRow, GroupRow, Keep, Request, SharedRow, SkippedRow, UnknownChunking,
    UnreadRow,
};
use pyo3::prelude::*;
use std::collections::HashMap;

/// Finds files and folders of one content below the paths: a dictionary for each group, with the
/// digest, the size, and the names of each copy. `keep` says which copy stays (`first`, `oldest`,
/// `newest`, `shortest` or `under=DIR`); copies below the directories `never` stay as well.
/// `chunks` (`4096`, `cdc` or `cdc:16384`) adds a row for each pair of files that share chunks,
/// the `top` ones with the most bytes. `script` is the file of a shell script that does `action`
/// with the others: `remove`, `hardlink`, `reflink` or `move=DIR`. With `versions` every version of
/// an object in a store is a file, as `KEY?versionId=ID`. `level` gives findings other levels.
#[pyfunction]
#[pyo3(signature = (paths, *, versions = false, chunks = None, top = None, keep = "first", never = None, action = "remove", script = None, replace = false, level = None, on_event = None, cancel = None))]
#[expect(clippy::too_many_arguments, reason = "keyword arguments")]
pub fn dups(
    py: Python<'_>,
    paths: &Bound<'_, PyAny>,
    versions: bool,
    chunks: Option<&str>,
    top: Option<u64>,
    keep: &str,
    never: Option<&Bound<'_, PyAny>>,
    action: &str,
    script: Option<&Bound<'_, PyAny>>,
    replace: bool,
    level: Option<HashMap<String, String>>,
    on_event: Option<Py<PyAny>>,
    cancel: Option<Py<Token>>,
) -> PyResult<Rows> {
    let chunking = chunks.map(str::parse).transpose();
    let mut input = request::input(request::paths(paths)?, true, false);
    input.addresses = request::addresses(&input.paths, false, versions)?;
    let mut asked = Request::new(input)
        .chunking(chunking.map_err(|error: UnknownChunking| error::value(error.to_string()))?)
        .top(top)
        .keep(Keep::parse(keep.as_ref()).map_err(|error| error::value(error.to_string()))?)
        .never(never.map_or_else(|| Ok(Vec::new()), request::paths)?)
        .action(Action::parse(action.as_ref()).map_err(|error| error::value(error.to_string()))?)
        .script(script.map(request::path).transpose()?, replace);
    asked.plan.levels = request::levels(level)?;
    let (ran, found) = job::run_with(py, &Hooks { job: "dups", on_event, cancel }, |control| {
        let mut found = Found::default();
        let mut events = |event: Event<'_>| {
            match event {
                Event::Group(group) => found.row(&GroupRow::of(group)),
                Event::Folders(folders) => found.row(&FoldersRow::of(folders)),
                Event::Shared(shared) => found.row(&SharedRow::of(shared)),
                Event::Unread(name, problem) => {
                    found.row(&UnreadRow::of(name, problem));
                    if problem.level != Level::Ignore {
                        found.messages.push(format!("{}: {problem}", pfh::terminal::render(name)));
                    }
                }
                Event::Skipped(name, skip, level) => {
                    found.row(&SkippedRow::of(name, skip, level));
                    if level == Level::Error {
                        found.messages.push(format!("{}: skipped: {}", pfh::terminal::render(name), skip.reason()));
                    }
                }
                _ => {}
            }
            Ok(())
        };
        let ran = job_dups::write(&asked, &mut events, control);
        (ran, found)
    })?;
    let summary = ran.map_err(|failed| ended(py, &failed))?;
    found.rows(py, if summary.faults > 0 { 3 } else { 0 })
}

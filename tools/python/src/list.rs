//! The members of images and archives.

use crate::cancel::Token;
use crate::job::Hooks;
use crate::rows::{Found, Rows, ended};
use crate::{error, job, request};
use pfh::Level;
use pfh::list::{self as job_list, Event, NameChoice, NameRow, Request};
use pyo3::prelude::*;
use std::collections::HashMap;

/// Lists the contents of images, file systems and archives, without reading content: a dictionary
/// for each name, with `type` (`file`, `skipped` or `error`), `path`, `size`, times and `inside`.
///
/// `only` takes `live`, `deleted` or `unallocated`. A name that cannot be listed is an `error` row.
/// `level` gives findings another level: `{"inside/unopened": "warn"}`.
#[pyfunction]
#[pyo3(name = "list_files", signature = (paths, *, only = None, recursive = false, follow = false, level = None, on_event = None, cancel = None))]
#[expect(clippy::too_many_arguments, reason = "keyword arguments")]
pub fn list(
    py: Python<'_>,
    paths: &Bound<'_, PyAny>,
    only: Option<&str>,
    recursive: bool,
    follow: bool,
    level: Option<HashMap<String, String>>,
    on_event: Option<Py<PyAny>>,
    cancel: Option<Py<Token>>,
) -> PyResult<Rows> {
    let which = match only {
        None => NameChoice::All,
        Some("live") => NameChoice::Live,
        Some("deleted") => NameChoice::Deleted,
        Some("unallocated") => NameChoice::Unallocated,
        Some(other) => return Err(error::value(format!("only takes live, deleted or unallocated, not {other:?}"))),
    };
    let asked = Request::new(request::input(request::paths(paths)?, recursive, follow)).only(which);
    let asked = asked.levels(request::levels(level)?);
    let (ran, found) = job::run_with(py, &Hooks { job: "list_files", on_event, cancel }, |control| {
        let mut found = Found::default();
        let mut events = |event: Event<'_>| {
            found.row(&NameRow::of(&event));
            if let Event::Failed { name, problem } = event
                && problem.level != Level::Ignore
            {
                found.messages.push(format!("{}: {problem}", pfh::terminal::render(name)));
            }
            Ok(())
        };
        let ran = job_list::run(&asked, &mut events, control);
        (ran, found)
    })?;
    let mut found = found;
    let summary = ran.map_err(|failed| ended(py, &failed))?;
    if summary.interrupted {
        return Err(error::cancelled(py, "interrupted"));
    }
    if summary.is_empty() && only.is_none() {
        found.messages.push("nothing to list".to_owned());
    }
    let incomplete = summary.faults > 0 || summary.is_empty() && only.is_none();
    found.rows(py, if incomplete { 3 } else { 0 })
}

//! Members of an image or archive as files.

use crate::cancel::Token;
use crate::job::Hooks;
use crate::rows::{Found, Rows, ended};
use crate::{error, job, request};
use pfh::Level;
use pfh::extract::{self as job_extract, Event, Limits, Request, Row};
use pyo3::prelude::*;
use std::collections::HashMap;

/// Writes members of an image, file system or archive below `to`, a new or empty directory; all of
/// them without `members`. Each file is read back and compared with the bytes that were read.
///
/// A dictionary for each member, with `type` (`file`, `skipped` or `error`): a file has `path`,
/// `member`, `size` and `digests`. Not true if a member is in no file. `depth` is that of nested
/// containers; the run ends when `most_bytes` or `most_files` are written. `level` gives findings
/// other levels, as `{"extract/not-made": "warn"}`.
#[pyfunction]
#[pyo3(signature = (image, to, members = None, *, deleted = false, depth = 1, most_bytes = None, most_files = None, level = None, on_event = None, cancel = None))]
#[expect(clippy::too_many_arguments, reason = "keywords of one call")]
pub fn extract(
    py: Python<'_>,
    image: &Bound<'_, PyAny>,
    to: &Bound<'_, PyAny>,
    members: Option<&Bound<'_, PyAny>>,
    deleted: bool,
    depth: u32,
    most_bytes: Option<u64>,
    most_files: Option<u64>,
    level: Option<HashMap<String, String>>,
    on_event: Option<Py<PyAny>>,
    cancel: Option<Py<Token>>,
) -> PyResult<Rows> {
    let mut asked = Request::new(request::path(image)?, request::path(to)?);
    asked.inside.deleted = deleted;
    asked.inside.limits.depth = depth;
    let names = members.map(request::paths).transpose()?.unwrap_or_default();
    let names = names.into_iter().map(|name| name.into_encoded_bytes()).collect();
    let usual = Limits::default();
    let limits = Limits { bytes: most_bytes.unwrap_or(usual.bytes), files: most_files.unwrap_or(usual.files) };
    let asked = asked.members(names).limits(limits).levels(request::levels(level)?);
    let (ran, found) = job::run_with(py, &Hooks { job: "extract", on_event, cancel }, |control| {
        let mut found = Found::default();
        let mut events = |event: Event<'_>| {
            found.row(&Row::of(&event));
            match event {
                Event::Skipped { level: Level::Ignore, .. } | Event::Failed { level: Level::Ignore, .. } => {}
                Event::Skipped { name, skip, .. } => {
                    found.messages.push(format!("{}: not made: {}", pfh::terminal::render(name), skip.reason()));
                }
                Event::Failed { name, problem, .. } => {
                    found.messages.push(format!("{}: {problem}", pfh::terminal::render(name)));
                }
                _ => {}
            }
            Ok(())
        };
        let ran = job_extract::run(&asked, &mut events, control);
        (ran, found)
    })?;
    let summary = ran.map_err(|failed| ended(py, &failed))?;
    if summary.interrupted {
        return Err(error::cancelled(py, "interrupted"));
    }
    let mut found = found;
    found.summary(&Row::end(&summary));
    found.rows(py, if summary.is_whole() { 0 } else { 3 })
}

//! Manifests that are brought up to date.

use crate::cancel::Token;
use crate::job::Hooks;
use crate::rows::{Found, Rows, ended, exit};
use crate::{job, request};
use pfh::hash::Sealing;
use pfh::update::{self as job_update, ChangeRow, Event, Request, Trust, UpdateSum};
use pyo3::prelude::*;

/// Brings a manifest up to date with the files below the paths (without any, below the directories
/// that its names have in common): a dictionary for each file that is new, moved, changed or gone,
/// or that stays as listed because of bit rot or an error. `trust_times` does not read files with
/// the listed size and times; `key` signs the seal; `replace` takes every file off the list when
/// none is there. True if the manifest is up to date.
#[pyfunction]
#[pyo3(signature = (manifest, paths = None, *, trust_times = false, key = None, replace = false, on_event = None, cancel = None))]
#[expect(clippy::too_many_arguments, reason = "keyword arguments")]
pub fn update_manifest(
    py: Python<'_>,
    manifest: &Bound<'_, PyAny>,
    paths: Option<&Bound<'_, PyAny>>,
    trust_times: bool,
    key: Option<&Bound<'_, PyAny>>,
    replace: bool,
    on_event: Option<Py<PyAny>>,
    cancel: Option<Py<Token>>,
) -> PyResult<Rows> {
    let paths = paths.map_or_else(|| Ok(Vec::new()), request::paths)?;
    let key = key.map(request::path).transpose()?;
    let asked = Request::new(request::path(manifest)?, request::input(paths, true, false))
        .trust(if trust_times { Trust::Times } else { Trust::Nothing })
        .seal(key.map(|key| Sealing { key: Some(key), ..Sealing::default() }))
        .replace(replace);
    let (ran, mut found) = job::run_with(py, &Hooks { job: "update_manifest", on_event, cancel }, |control| {
        let mut found = Found::default();
        let mut events = |event: Event<'_>| {
            match event {
                Event::Classed(change) => found.row(&ChangeRow::of(change)),
                Event::Unread(record) => found.unread(record),
                Event::NotWritten(record, why) => {
                    found.messages.push(format!("{}: not written: {why}", pfh::terminal::render(&record.name)));
                }
                _ => {}
            }
            Ok(())
        };
        let ran = job_update::run(&asked, &mut events, control);
        (ran, found)
    })?;
    let summary = ran.map_err(|failed| ended(py, &failed))?;
    found.summary(&UpdateSum::of(&summary));
    found.rows(py, exit(summary.verdict()))
}

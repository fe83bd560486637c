//! Two trees or lists against each other.

use crate::cancel::Token;
use crate::job::Hooks;
use crate::rows::{Found, Rows, ended, exit};
use crate::{job, request};
use pfh::diff::{self as job_diff, Class, DifferenceRow, Event, Request};
use pyo3::prelude::*;
use std::collections::HashMap;

/// Compares two directories or lists: a dictionary for each name that is not the same on both
/// sides, with `class` (`added`, `removed`, `changed`, `moved` …), `path` and `from`. `level` gives
/// findings another level: `{"diff/added": "warn"}`.
#[pyfunction]
#[pyo3(signature = (a, b, *, level = None, on_event = None, cancel = None))]
pub fn diff(
    py: Python<'_>,
    a: &Bound<'_, PyAny>,
    b: &Bound<'_, PyAny>,
    level: Option<HashMap<String, String>>,
    on_event: Option<Py<PyAny>>,
    cancel: Option<Py<Token>>,
) -> PyResult<Rows> {
    let mut asked = Request::new(request::path(a)?, request::path(b)?);
    asked.plan.levels = request::levels(level)?;
    let (ran, found) = job::run_with(py, &Hooks { job: "diff", on_event, cancel }, |control| {
        let mut found = Found::default();
        let mut events = |event: Event<'_>| {
            match event {
                Event::Classed(difference) if difference.class != Class::Same => {
                    found.row(&DifferenceRow::of(difference, &asked.plan.levels));
                }
                Event::Unread(record) => found.unread(record),
                _ => {}
            }
            Ok(())
        };
        let ran = job_diff::run(&asked, &mut events, control);
        (ran, found)
    })?;
    let summary = ran.map_err(|failed| ended(py, &failed))?;
    found.rows(py, exit(summary.verdict()))
}

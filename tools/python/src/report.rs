//! The results of jobs, on one page.

use crate::rows::{Found, Rows, ended, exit};
use crate::{job, request};
use pfh::report::{self as job_report, Complaint, Event, Request};
use pyo3::prelude::*;

/// Writes the page `html` of results: manifests, JSON lines, chained logs, maps, seals, and folders
/// with such. Seals and logs must be signed by `key`, the file of a public key, if it is given.
/// True if everything was understood and every seal and chain holds; `messages` of the result name
/// what was not and did not.
#[pyfunction]
#[pyo3(signature = (results, html, *, title = None, key = None, replace = false))]
pub fn report(
    py: Python<'_>,
    results: &Bound<'_, PyAny>,
    html: &Bound<'_, PyAny>,
    title: Option<String>,
    key: Option<&Bound<'_, PyAny>>,
    replace: bool,
) -> PyResult<Rows> {
    let mut asked = Request::new(request::paths(results)?);
    asked.title = title.unwrap_or(asked.title);
    asked.key = key.map(request::path).transpose()?;
    asked.replace = replace;
    let page = request::path(html)?;
    let (ran, mut found) = job::run(py, |control| {
        let mut found = Found::default();
        let mut events = |event: Event<'_>| {
            match event {
                Event::Unknown(Complaint { name, why, .. }) => {
                    found.messages.push(format!("{}: {why}", pfh::terminal::render(name)));
                }
                Event::Broken(Complaint { name, why, .. }) => {
                    found.messages.push(format!("{}: DOES NOT HOLD: {why}", pfh::terminal::render(name)));
                }
                _ => {}
            }
            Ok(())
        };
        let ran = job_report::write(&asked, &page, &mut events, control);
        (ran, found)
    })?;
    let summary = ran.map_err(|failed| ended(py, &failed))?;
    found.messages.push(summary.sentence());
    found.rows(py, exit(summary.conclusion()))
}

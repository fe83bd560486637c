//! Results as timelines and tables of other programs.

use crate::rows::{Found, Rows, ended};
use crate::{error, job, request};
use pfh::export::{self as job_export, Event, Form, Request, Table};
use pyo3::prelude::*;

/// Writes a result as `to` (`timesketch`, `bodyfile` or `parquet`) into the file `output`. The
/// result is the output of `hash`, `match` or `list` with `--json`, or a manifest in any format.
/// True if all of it is in the output; `messages` of the result count the rows that are left out
/// and name lines that are not records.
#[pyfunction]
#[pyo3(signature = (result, to, output, *, replace = false))]
pub fn export(
    py: Python<'_>,
    result: &Bound<'_, PyAny>,
    to: &str,
    output: &Bound<'_, PyAny>,
    replace: bool,
) -> PyResult<Rows> {
    let form: Form = to.parse().map_err(|unknown: job_export::UnknownForm| error::value(unknown))?;
    let asked = Request::new(request::path(result)?).replace(replace);
    let table = Table::new(form, request::path(output)?);
    let (ran, mut found) = job::run(py, |control| {
        let mut found = Found::default();
        let mut events = |event: Event<'_>| {
            if let Event::Fault(fault) = event {
                found.messages.push(format!("{}: {fault}", pfh::terminal::shown(&asked.result)));
            }
            Ok(())
        };
        let ran = job_export::write(&asked, &table, &mut events, control);
        (ran, found)
    })?;
    let written = ran.map_err(|failed| ended(py, &failed))?;
    found.messages.push(written.sentence());
    found.rows(py, if written.is_complete() { 0 } else { 3 })
}

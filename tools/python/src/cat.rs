//! The bytes of one member of an image or archive.

use crate::cancel::Token;
use crate::job::Hooks;
use crate::rows::{Found as Lines, ended};
use crate::{error, job, request};
use pfh::cat::{self as job_cat, Event, Part, Request, RunRow};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyList};

fn asked(name: &Bound<'_, PyAny>, part: &str) -> PyResult<Request> {
    let part = match part {
        "content" => Part::Content,
        "slack" => Part::Slack,
        "stored" => Part::Stored,
        other => return Err(error::value(format!("part takes content, slack or stored, not {other:?}"))),
    };
    Ok(Request::new(request::path(name)?.into_os_string().into_encoded_bytes()).part(part))
}

/// The bytes of a member of an image, file system or archive, by the name that `list_files` gives;
/// `part` takes `content`, `slack` (behind its end in its last block) or `stored` (before they are
/// decompressed). All of them are in memory: `cat_to` writes large ones.
#[pyfunction]
#[pyo3(signature = (name, *, part = "content", on_event = None, cancel = None))]
pub fn cat<'py>(
    py: Python<'py>,
    name: &Bound<'py, PyAny>,
    part: &str,
    on_event: Option<Py<PyAny>>,
    cancel: Option<Py<Token>>,
) -> PyResult<Bound<'py, PyBytes>> {
    let asked = asked(name, part)?;
    let (ran, bytes) = job::run_with(py, &Hooks { job: "cat", on_event, cancel }, |control| {
        let mut bytes = Vec::new();
        let mut events = |event: Event<'_>| {
            if let Event::Bytes(part) = event {
                bytes.extend_from_slice(part);
            }
            Ok(())
        };
        let ran = job_cat::run(&asked, &mut events, control);
        (ran, bytes)
    })?;
    ran.map_err(|failed| ended(py, &failed))?;
    Ok(PyBytes::new(py, &bytes))
}

/// Writes the bytes of a member into the file `output`, which appears only when all are in it. How
/// many they are.
#[pyfunction]
#[pyo3(signature = (name, output, *, part = "content", replace = false, on_event = None, cancel = None))]
pub fn cat_to(
    py: Python<'_>,
    name: &Bound<'_, PyAny>,
    output: &Bound<'_, PyAny>,
    part: &str,
    replace: bool,
    on_event: Option<Py<PyAny>>,
    cancel: Option<Py<Token>>,
) -> PyResult<u64> {
    let asked = asked(name, part)?.replace(replace);
    let output = request::path(output)?.into();
    let ran = job::run_with(py, &Hooks { job: "cat_to", on_event, cancel }, |control| {
        job_cat::write(&asked, &output, &mut |_event| Ok(()), control)
    })?;
    Ok(ran.map_err(|failed| ended(py, &failed))?.bytes)
}

/// Where the bytes of a member lie: a dictionary for each run, with `file_offset`, `offset` in the
/// volume or archive (None for a hole), `medium_offset` where that is known, and `length`. None if
/// they are not stored as they are.
#[pyfunction]
#[pyo3(signature = (name, *, part = "content"))]
pub fn member_runs(py: Python<'_>, name: &Bound<'_, PyAny>, part: &str) -> PyResult<Option<Py<PyList>>> {
    let asked = asked(name, part)?;
    let found = job::run(py, |control| asked.check().and_then(|()| job_cat::find(&asked, control)))?;
    let found = found.map_err(|failed| ended(py, &failed))?;
    let Some(runs) = found.runs() else { return Ok(None) };
    let mut lines = Lines::default();
    runs.iter().for_each(|run| lines.row(&RunRow::of(&found, run)));
    lines.list(py).map(Some)
}

//! Packages of files with their manifests (BagIt).

use crate::cancel::Token;
use crate::job::Hooks;
use crate::rows::{Found, Rows, ended, exit};
use crate::{error, hashing, job, request};
use pfh::bag::{self as job_bag, Event, Events, FindingRow, MadeRow, Request, Summary, SummaryRow};
use pfh::job::Error;
use pyo3::prelude::*;
use pyo3::types::PyString;
use std::collections::HashMap;

/// Carries out a verb of bags.
fn run(
    py: Python<'_>,
    hooks: Hooks,
    asked: &Request,
    verb: fn(&Request, &mut Events<'_>, &pfh::Control<'_>) -> Result<Summary, Error>,
) -> PyResult<(Summary, Found)> {
    let (ran, found) = job::run_with(py, &hooks, |control| {
        let mut found = Found::default();
        let mut events = |event: Event<'_>| {
            match event {
                Event::Found(finding) => found.row(&FindingRow::of(finding, &asked.plan.levels)),
                Event::Updated(name, is_there) => {
                    let what = if is_there { "added" } else { "removed" };
                    found.messages.push(format!("{}: {what}", pfh::terminal::render(name)));
                }
                _ => {}
            }
            Ok(())
        };
        let ran = verb(asked, &mut events, control);
        (ran, found)
    })?;
    Ok((ran.map_err(|failed| ended(py, &failed))?, found))
}

/// Compares every file of a bag with every one of its manifests: a dictionary for each finding,
/// with `severity` (`warning`, `incomplete`, `error`), `path` and `what`. True if the bag is valid.
/// `level` gives findings other levels, as `{"bag/warning": "error"}`.
#[pyfunction]
#[pyo3(signature = (bag, *, level = None, on_event = None, cancel = None))]
pub fn validate_bag(
    py: Python<'_>,
    bag: &Bound<'_, PyAny>,
    level: Option<HashMap<String, String>>,
    on_event: Option<Py<PyAny>>,
    cancel: Option<Py<Token>>,
) -> PyResult<Rows> {
    let (summary, mut found) =
        run(py, Hooks { job: "validate_bag", on_event, cancel }, &levelled(bag, level)?, job_bag::validate)?;
    found.summary(&SummaryRow::of(&summary));
    found.rows(py, exit(summary.verdict()))
}

/// Makes a bag of a folder whose files are below its `data`. `algorithms` are those of its
/// manifests (default: `sha512`), `info` a dictionary of lines for `bag-info.txt`; `replace` takes
/// the place of manifests that somebody else made. `summary` of the result counts the files.
#[pyfunction]
#[pyo3(signature = (bag, algorithms = None, *, info = None, replace = false, level = None, on_event = None, cancel = None))]
#[expect(clippy::too_many_arguments, reason = "keyword arguments")]
pub fn create_bag(
    py: Python<'_>,
    bag: &Bound<'_, PyAny>,
    algorithms: Option<&Bound<'_, PyAny>>,
    info: Option<&Bound<'_, PyAny>>,
    replace: bool,
    level: Option<HashMap<String, String>>,
    on_event: Option<Py<PyAny>>,
    cancel: Option<Py<Token>>,
) -> PyResult<Rows> {
    let (summary, mut found) = run(
        py,
        Hooks { job: "create_bag", on_event, cancel },
        &asked(bag, algorithms, info, replace, level)?,
        job_bag::create,
    )?;
    found.summary(&MadeRow::of(&summary));
    found.rows(py, if summary.raised > 0 { 3 } else { 0 })
}

/// Makes the manifests of a bag those of the files that are there now: files that came or went are
/// `messages` of the result. A file whose content is another than the manifests say raises
/// `pfh.DiffersError` and nothing is written; with `replace` it is taken.
#[pyfunction]
#[pyo3(signature = (bag, algorithms = None, *, info = None, replace = false, level = None, on_event = None, cancel = None))]
#[expect(clippy::too_many_arguments, reason = "keyword arguments")]
pub fn update_bag(
    py: Python<'_>,
    bag: &Bound<'_, PyAny>,
    algorithms: Option<&Bound<'_, PyAny>>,
    info: Option<&Bound<'_, PyAny>>,
    replace: bool,
    level: Option<HashMap<String, String>>,
    on_event: Option<Py<PyAny>>,
    cancel: Option<Py<Token>>,
) -> PyResult<Rows> {
    let (summary, mut found) = run(
        py,
        Hooks { job: "update_bag", on_event, cancel },
        &asked(bag, algorithms, info, replace, level)?,
        job_bag::update,
    )?;
    found.summary(&MadeRow::of(&summary));
    found.rows(py, if summary.raised > 0 { 3 } else { 0 })
}

/// A request about a bag, with findings of these levels.
fn levelled(bag: &Bound<'_, PyAny>, level: Option<HashMap<String, String>>) -> PyResult<Request> {
    let mut asked = Request::new(request::path(bag)?);
    asked.plan.levels = request::levels(level)?;
    Ok(asked)
}

fn asked(
    bag: &Bound<'_, PyAny>,
    algorithms: Option<&Bound<'_, PyAny>>,
    info: Option<&Bound<'_, PyAny>>,
    replace: bool,
    level: Option<HashMap<String, String>>,
) -> PyResult<Request> {
    let named = match algorithms {
        None => Vec::new(),
        Some(one) if one.is_instance_of::<PyString>() => vec![hashing::named(one.extract()?)?],
        Some(all) => all.try_iter()?.map(|one| hashing::named(one?.extract()?)).collect::<PyResult<_>>()?,
    };
    let mut lines: Vec<(String, String)> = Vec::new();
    if let Some(info) = info {
        for pair in info.call_method0("items")?.try_iter()? {
            lines.push(pair?.extract().map_err(|_| error::value("info has a text for each label"))?);
        }
    }
    Ok(levelled(bag, level)?.algorithms_of(named).info(lines).replace(replace))
}

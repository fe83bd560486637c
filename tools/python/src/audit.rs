//! Audits of a storage server: the steps as functions of `pfh.audit`.

use crate::rows::{Found, Rows, ended};
use crate::{error, job, request};
use pfh::audit::{self as job_audit, By, Event, Events, Extent, Status, VerdictRow};
use pfh::job::Error;
use pfh::{Control, Levels};
use pyo3::prelude::*;
use std::collections::HashMap;
use std::time::Duration;

/// Carries out a step: its verdicts are rows, its other events sentences.
fn step<T: Send>(
    py: Python<'_>,
    levels: &Levels,
    step: impl FnOnce(&mut Events<'_>, &Control<'_>) -> Result<T, Error> + Send,
) -> PyResult<(T, Found)> {
    let (ran, found) = job::run(py, |control| {
        let mut found = Found::default();
        let mut events = |event: Event<'_>| {
            match event {
                Event::Judged(verdict) => found.row(&VerdictRow::of(verdict, levels)),
                event => found.messages.push(event.sentence()),
            }
            Ok(())
        };
        let ran = step(&mut events, control);
        (ran, found)
    })?;
    Ok((ran.map_err(|failed| ended(py, &failed))?, found))
}

fn exit(status: Status) -> u8 {
    match status {
        Status::Proved => 0,
        Status::NotAsked => 3,
        Status::Rejected => 1,
    }
}

/// How much must be shown: `leaves` is a number or `"all"`; else `confidence` that a loss of the
/// fraction `loss` is found.
fn extent(leaves: Option<&Bound<'_, PyAny>>, confidence: f64, loss: f64) -> PyResult<Extent> {
    let is_fraction = |number: f64| number > 0.0 && number < 1.0;
    if !is_fraction(confidence) || !is_fraction(loss) {
        return Err(error::value("confidence and loss are fractions between 0 and 1"));
    }
    let by = match leaves {
        None => By::Confidence(confidence),
        Some(leaves) if leaves.extract::<&str>().is_ok_and(|word| word == "all") => By::All,
        Some(leaves) => By::Leaves(leaves.extract().map_err(|_| error::value("leaves is a number or \"all\""))?),
    };
    Ok(Extent { loss, by })
}

/// Notes the roots of files that have trees beside them in the file `output`: the record that an
/// owner keeps before the files go to a server. `key_file` holds the key of keyed trees.
#[pyfunction]
#[pyo3(name = "audit_commit", signature = (files, output, *, identity = None, key_file = None, replace = false))]
pub fn commit(
    py: Python<'_>,
    files: &Bound<'_, PyAny>,
    output: &Bound<'_, PyAny>,
    identity: Option<&Bound<'_, PyAny>>,
    key_file: Option<&Bound<'_, PyAny>>,
    replace: bool,
) -> PyResult<Rows> {
    let mut asked = job_audit::commit::Request::new(request::paths(files)?).output(request::path(output)?);
    (asked.identity, asked.replace) = (identity.map(request::name).transpose()?, replace);
    asked.secret = request::secret(py, key_file)?;
    let ((), found) = step(py, &Levels::new(), |events, control| job_audit::commit::run(&asked, events, control))?;
    found.rows(py, 0)
}

/// Writes a challenge to the file `output`: random leaves of a file in `kept`. By default a loss of
/// 1 % is found with a probability of 99 %.
#[pyfunction]
#[pyo3(name = "audit_challenge", signature = (kept, output, *, identity = None, leaves = None, confidence = 0.99, loss = 0.01, replace = false))]
#[expect(clippy::too_many_arguments, reason = "keyword arguments")]
pub fn challenge(
    py: Python<'_>,
    kept: &Bound<'_, PyAny>,
    output: &Bound<'_, PyAny>,
    identity: Option<&Bound<'_, PyAny>>,
    leaves: Option<&Bound<'_, PyAny>>,
    confidence: f64,
    loss: f64,
    replace: bool,
) -> PyResult<Rows> {
    let mut asked = job_audit::challenge::Request::new(request::path(kept)?).output(request::path(output)?);
    (asked.identity, asked.replace) = (identity.map(request::name).transpose()?, replace);
    asked.extent = extent(leaves, confidence, loss)?;
    let ((), found) = step(py, &Levels::new(), |events, control| job_audit::challenge::run(&asked, events, control))?;
    found.rows(py, 0)
}

/// Answers a challenge from the file, and writes the answer to the file `output`.
#[pyfunction]
#[pyo3(name = "audit_prove", signature = (challenge, file, output, *, key = None, replace = false))]
pub fn prove(
    py: Python<'_>,
    challenge: &Bound<'_, PyAny>,
    file: &Bound<'_, PyAny>,
    output: &Bound<'_, PyAny>,
    key: Option<&Bound<'_, PyAny>>,
    replace: bool,
) -> PyResult<Rows> {
    use job_audit::prove::{Answer, Request, run};
    let mut asked = Request::new(request::path(challenge)?, request::path(file)?).output(request::path(output)?);
    (asked.answer, asked.replace) = (Answer::Leaves(key.map(request::path).transpose()?), replace);
    let ((), found) = step(py, &Levels::new(), |events, control| run(&asked, events, control))?;
    found.rows(py, 0)
}

/// Judges an answer by the kept root: one dictionary with `verdict`, `audit` (`proved`, `rejected`
/// or `not-asked`) and `compared_with`. True if the answer proves that the file is there.
#[pyfunction]
#[pyo3(name = "audit_verify", signature = (kept, challenge, answer, *, signed_by = None, key_file = None, level = None))]
pub fn verify(
    py: Python<'_>,
    kept: &Bound<'_, PyAny>,
    challenge: &Bound<'_, PyAny>,
    answer: &Bound<'_, PyAny>,
    signed_by: Option<&Bound<'_, PyAny>>,
    key_file: Option<&Bound<'_, PyAny>>,
    level: Option<HashMap<String, String>>,
) -> PyResult<Rows> {
    use job_audit::verify::{Request, run};
    let levels = request::levels(level)?;
    let mut asked = Request::new(request::path(kept)?, request::path(challenge)?, request::path(answer)?);
    asked.signed_by = signed_by.map(request::path).transpose()?;
    asked.secret = request::secret(py, key_file)?;
    let (verdict, found) =
        step(py, &levels, |events, control| run(&asked, events, control).map(|verdict| verdict.status()))?;
    found.rows(py, exit(verdict))
}

/// Asks the server at `url` (`http://HOST:PORT`, which runs `pfh audit serve`) about every file in
/// `kept`: a dictionary for each. True if every answer proves its file.
#[pyfunction]
#[pyo3(name = "audit_ask", signature = (url, kept, *, identity = None, leaves = None, confidence = 0.99, loss = 0.01, signed_by = None, key_file = None, timeout = 60.0, level = None))]
#[expect(clippy::too_many_arguments, reason = "keyword arguments")]
pub fn ask(
    py: Python<'_>,
    url: &str,
    kept: &Bound<'_, PyAny>,
    identity: Option<&Bound<'_, PyAny>>,
    leaves: Option<&Bound<'_, PyAny>>,
    confidence: f64,
    loss: f64,
    signed_by: Option<&Bound<'_, PyAny>>,
    key_file: Option<&Bound<'_, PyAny>>,
    timeout: f64,
    level: Option<HashMap<String, String>>,
) -> PyResult<Rows> {
    use job_audit::ask::{Request, run};
    let levels = request::levels(level)?;
    let mut asked = Request::new(url, request::path(kept)?);
    (asked.identity, asked.extent) = (identity.map(request::name).transpose()?, extent(leaves, confidence, loss)?);
    asked.signed_by = signed_by.map(request::path).transpose()?;
    asked.secret = request::secret(py, key_file)?;
    asked.timeout = Duration::try_from_secs_f64(timeout).map_err(error::value)?;
    let (status, found) = step(py, &levels, |events, control| run(&asked, events, control))?;
    found.rows(py, exit(status))
}

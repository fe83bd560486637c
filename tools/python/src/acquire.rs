//! A medium acquired into images.

use crate::cancel::Token;
use crate::job::Hooks;
use crate::log::Level;
use crate::value::value;
use crate::{error, job, request};
use pfh::acquire::{self as job_acquire, Layout, Origin, Reading, Request, To};
use pyo3::prelude::*;
use std::collections::{BTreeMap, HashMap};
use std::path::PathBuf;

/// The result of an acquisition.
pub struct Acquired {
    /// Bytes of the image.
    bytes: u64,
    /// Digests of the image as written, by algorithm, in hexadecimal digits.
    digests: BTreeMap<String, String>,
    /// Unreadable ranges (offset in the image, length), which are filled in.
    unreadable: Vec<(u64, u64)>,
    /// Whether nothing is lost.
    complete: bool,
    /// Whether the targets were read back and are equal; `None` if they were not read back.
    verified: Option<bool>,
    /// The chained log, which `pfh verify` reads.
    log: Option<PathBuf>,
    /// When the authority stamped the log, as it states it in UTC; `None` without a stamp.
    timestamp: Option<String>,
    /// The disk's answers on hidden areas and passwords, by name; `None` if the source is not a
    /// device.
    hidden: Option<BTreeMap<String, String>>,
    /// The main S.M.A.R.T. values, each in JSON, before the first byte and after the last; empty if
    /// unknown.
    health: (BTreeMap<String, String>, BTreeMap<String, String>),
    /// Events of the run, a sentence each.
    events: Vec<String>,
}

value!(Acquired { bytes, digests, unreadable, complete, verified, log, timestamp, hidden, health, events });

/// Acquires a device, a file or an image into images: raw, or E01 by the name's ending, with map
/// and logs beside the first. `then` names directories for further segments when the disk of the
/// first is full. Without `to` the source is only hashed. `log` names the log, which has the first
/// target's name otherwise; without both there is none.
///
/// `verify` reads each target back and compares. `key` signs the chained log; `passphrase` decrypts
/// the key. `timestamp` is the address of a time stamp authority, which stamps the log. Existing
/// targets are refused unless they are an interrupted acquisition of the same source, which is
/// resumed, or `replace` is set. `level` gives findings other levels.
#[pyfunction]
#[pyo3(signature = (source, to = None, *, algorithms = None, image = false, verify = false, log = None, key = None, passphrase = None, timestamp = None, then = None, case = "", evidence = "", examiner = "", description = "", notes = "", replace = false, level = None, on_event = None, cancel = None))]
#[expect(clippy::too_many_arguments, reason = "keyword arguments")]
pub fn acquire(
    py: Python<'_>,
    source: &Bound<'_, PyAny>,
    to: Option<&Bound<'_, PyAny>>,
    algorithms: Option<&Bound<'_, PyAny>>,
    image: bool,
    verify: bool,
    log: Option<&Bound<'_, PyAny>>,
    key: Option<&Bound<'_, PyAny>>,
    passphrase: Option<Vec<u8>>,
    timestamp: Option<String>,
    then: Option<&Bound<'_, PyAny>>,
    case: &str,
    evidence: &str,
    examiner: &str,
    description: &str,
    notes: &str,
    replace: bool,
    level: Option<HashMap<String, String>>,
    on_event: Option<Py<PyAny>>,
    cancel: Option<Py<Token>>,
) -> PyResult<Acquired> {
    let source = request::path(source)?;
    let layout = Layout::default();
    let paths = |given: Option<&Bound<'_, PyAny>>| given.map_or_else(|| Ok(Vec::new()), request::paths);
    let targets = paths(to)?.into_iter().map(|path| {
        let path = PathBuf::from(path);
        layout.form(&path).map(|form| To { path, form }).map_err(error::value)
    });
    let targets = targets.collect::<PyResult<Vec<To>>>()?;
    let origin = if image { Origin::Image(source.clone()) } else { Origin::Medium(source.clone()) };
    let mut asked = Request::new(origin, targets);
    if let Some(names) = algorithms {
        let algorithms: Vec<pfh::digest::Algorithm> =
            crate::hashing::all_named(names)?.into_iter().map(Into::into).collect();
        asked.reading = Reading::new(algorithms);
    }
    (asked.verify, asked.replace, asked.levels) = (verify, replace, request::levels(level)?);
    asked.key = key.map(request::path).transpose()?;
    if let (Some(key), Some(passphrase)) = (&asked.key, &passphrase) {
        pfh::key::unlock(key, passphrase).map_err(|error| error::of_job(py, &error.into(), Some(key)))?;
    }
    asked.timestamp = timestamp;
    asked.then = paths(then)?.into_iter().map(PathBuf::from).collect();
    if let Some(log) = log {
        asked.log = Some(request::path(log)?);
    }
    for (field, text) in [
        (&mut asked.about.case_number, case),
        (&mut asked.about.evidence_number, evidence),
        (&mut asked.about.examiner, examiner),
        (&mut asked.about.description, description),
        (&mut asked.about.notes, notes),
    ] {
        text.clone_into(field);
    }
    let (ran, events) = job::run_with(py, &Hooks { job: "acquire", on_event, cancel }, |control| {
        let mut events = Vec::new();
        let ran = job_acquire::run(
            &asked,
            &mut |event| {
                events.push(event.to_string());
                Ok(())
            },
            control,
        );
        (ran, events)
    })?;
    let summary = ran.map_err(|failed| error::of_job(py, &failed, Some(&source)))?;
    events.iter().for_each(|sentence| crate::log::log(py, Level::Info, || sentence.clone()));
    let digests = summary.imaged.digests.iter().map(|digest| (digest.algorithm().to_string(), digest.to_string()));
    let [before, after] = summary
        .smart
        .each_ref()
        .map(|values| values.iter().map(|(name, value)| (name.clone(), value.to_string())).collect());
    Ok(Acquired {
        bytes: summary.imaged.bytes,
        digests: digests.collect(),
        unreadable: summary.imaged.bad.iter().map(|bad| (bad.offset, bad.length)).collect(),
        complete: summary.is_complete(),
        verified: (!summary.compared.is_empty()).then(|| !summary.differs()),
        timestamp: summary.stamped.and_then(Result::ok).map(|stamped| stamped.stamp.time),
        hidden: summary
            .hidden
            .map(|hidden| hidden.lines().into_iter().map(|(name, what)| (name.to_owned(), what)).collect()),
        health: (before, after),
        log: summary.log,
        events,
    })
}

//! Objects against the digests that their stores state: `pfh.check("s3://bucket/prefix")`.

use crate::checked::Checked;
use crate::error;
use crate::job::Hooks;
use pfh::Plan;
use pfh::check::Manner;
use pyo3::prelude::*;
use std::ffi::OsString;

/// How objects are judged and read.
#[cfg_attr(not(feature = "remote"), expect(dead_code, reason = "this build reads no stores"))]
pub struct Asked {
    /// Addresses of objects, and of prefixes of keys.
    pub addresses: Vec<OsString>,
    /// The size in bytes of the parts in which they were uploaded.
    pub part_size: Option<u64>,
    /// Whether every version of an object is judged, or the newest.
    pub versions: bool,
    /// Judges values that cannot be compared.
    pub manner: Manner,
    /// How they are read.
    pub plan: Plan,
}

/// This build reads no stores.
#[cfg(not(feature = "remote"))]
pub fn check(_py: Python<'_>, asked: &Asked, _hooks: &Hooks) -> PyResult<Checked> {
    let address = asked.addresses.first().map(|address| pfh::terminal::shown(address.as_ref())).unwrap_or_default();
    Err(error::value(format!("{address}: this build reads no object stores: build it with --features remote")))
}

/// Compares objects with what their stores state.
///
/// # Errors
/// As `pfh.check`.
#[cfg(feature = "remote")]
pub fn check(py: Python<'_>, asked: &Asked, hooks: &Hooks) -> PyResult<Checked> {
    use crate::log::{Level, log};
    use crate::rows::Found;
    use crate::{job, record};
    use pfh::Verdict;
    use pfh::stated::{self, Event, ObjectRow, ObjectsSum, Request};

    let request = Request::new(&asked.addresses).part_size(asked.part_size).manner(asked.manner);
    let request = request.plan(asked.plan.clone());
    let request = if asked.versions { request.versions() } else { request };
    let (ran, files, messages, rows) = job::run_with(py, hooks, |control| {
        let (mut files, mut messages, mut rows) = (Vec::new(), Vec::new(), Found::default());
        let mut events = |event: Event<'_>| {
            match event {
                Event::Judged { name, judged } => {
                    rows.row(&ObjectRow::of(name, judged, judged.sentences()));
                    let about = |sentence| format!("{}: {sentence}", pfh::terminal::render(name));
                    messages.extend(judged.sentences().into_iter().map(about));
                    let word = match judged.verdict() {
                        Verdict::Verified => "right",
                        Verdict::Differs => "wrong",
                        _ => "nothing-to-compare-with",
                    };
                    files.push((record::decoded(name), word));
                }
                Event::Unread(record) => {
                    rows.unread(record);
                    let is_skipped = matches!(record.outcome, pfh::Outcome::Skipped(_));
                    files.push((record::decoded(&record.name), if is_skipped { "ignored" } else { "unread" }));
                }
                _ => {}
            }
            Ok(())
        };
        let ran = stated::run(&request, &mut events, control);
        if let Ok(summary) = &ran {
            rows.row(&ObjectsSum::of(summary));
        }
        (ran, files, messages, rows)
    })?;
    let first = asked.addresses.first().map(std::path::Path::new);
    let summary = ran.map_err(|failed| error::of_job(py, &failed, first))?;
    for sentence in messages {
        log(py, Level::Warning, || sentence.clone());
    }
    Ok(Checked {
        verdict: summary.verdict().to_string(),
        conclusion: summary.conclusion().to_string(),
        verified: summary.verified,
        expected: summary.objects(),
        by_algorithm: summary.by.clone(),
        files,
        not_compared: summary.not_compared(),
        faults: Vec::new(),
        good: summary.conclusion() == Verdict::Verified,
        unchecked: Vec::new(),
        shares: Vec::new(),
        rows: rows.list(py)?,
    })
}

//! The same request again, after an acquisition has ended: its image is compared, or areas that
//! could not be read are tried again.

use super::log::{Logs, chained_name};
use super::problem::{Problem, log_failed, refused, stopped};
use super::session::Session;
use super::{Event, Events, RetryRanges, Summary, TargetComparison, facts, logged, send};
use crate::job::Error;
use pfh_digest::{Algorithm, Digest};
use pfh_engine::imaging::{ImagingResult, Times};
use pfh_engine::{Control, Phase};
use pfh_source::device::Loss;
use serde_json::{Map, Value};
use std::path::{Path, PathBuf};

/// The last steps of an acquisition.
pub(super) enum LastSteps {
    /// Another acquisition, by its map or its targets: nothing of this is for it.
    Other,
    /// Nothing: the image was compared.
    Compared(Box<Summary>),
    /// Some bytes of the image are lost and are to be tried again; the length of the image in
    /// bytes.
    Retry(u64),
}

/// Whether an earlier acquisition has ended, so that nothing is left but to compare its image, or
/// to try lost areas again. Reads the log alone.
///
/// # Errors
/// When lost areas cannot be tried again.
pub(super) fn foresee(session: &Session<'_>) -> Result<Option<bool>, Error> {
    let asked = session.asked();
    let Some((end, bytes)) = ended(session) else { return Ok(None) };
    if session.beginning().done != bytes || asked.targets.is_empty() {
        return Ok(None);
    }
    let is_lost = session.lost().iter().any(|run| run.loss != Loss::Recorded);
    if asked.request.retry_bad && is_lost {
        session.can_retry()?;
        return Ok(Some(true));
    }
    is_the_same(session, &end)?;
    Ok((!digests(&end).is_empty()).then_some(false))
}

/// Refuses a request for another image than the one that is there: with other case data, digests or
/// pieces.
fn is_the_same(session: &Session<'_>, end: &Map<String, Value>) -> Result<(), Error> {
    let asked = session.asked();
    let (Some(log), Some(first)) = (asked.request.log.as_deref(), asked.targets.first()) else { return Ok(()) };
    let algorithms = end.get("digests").and_then(Value::as_object).into_iter().flatten();
    let differ = facts::differences(asked, log, &algorithms.map(|(name, _)| name.clone()).collect());
    if differ.is_empty() {
        return Ok(());
    }
    refused(Problem::Another { path: first.path.clone(), differ: differ.join("; ") })
}

/// The end of the log of an earlier acquisition, and the bytes of its image.
fn ended(session: &Session<'_>) -> Option<(Map<String, Value>, u64)> {
    let asked = session.asked();
    let end = Logs::end_of(asked.request.log.as_deref().filter(|_| !asked.request.replace)?)?;
    let bytes = end.get("bytes").and_then(Value::as_u64)?;
    Some((end, bytes))
}

/// Looks at the log of an earlier acquisition, if there is one that has ended.
///
/// # Errors
/// When the image is not as the log states, or cannot be read, or not be tried again.
pub(super) fn look(session: &Session<'_>, events: &mut Events<'_>, control: &Control<'_>) -> Result<LastSteps, Error> {
    let asked = session.asked();
    let (Some((end, bytes)), Some(log)) = (ended(session), asked.request.log.as_deref()) else {
        return Ok(LastSteps::Other);
    };
    if session.beginning().done != bytes || asked.targets.is_empty() {
        return Ok(LastSteps::Other);
    }
    agrees(session, log)?;
    let is_lost = session.lost().iter().any(|run| run.loss != Loss::Recorded);
    let stated = digests(&end);
    if asked.request.retry_bad && is_lost {
        session.can_retry()?;
        // Before the log is continued: an image that was changed is not tried again, and its log
        // stays as it was finished.
        session.unchanged(bytes, stated.first(), control)?;
        return Ok(LastSteps::Retry(bytes));
    }
    if asked.request.retry_bad {
        send(events, Event::NothingToRetry)?;
    }
    is_the_same(session, &end)?;
    if stated.is_empty() {
        return Ok(LastSteps::Other);
    }
    let algorithms: Vec<Algorithm> = stated.iter().map(Digest::algorithm).collect();
    let found = session.hash_targets(bytes, &algorithms, (control, Phase::Comparing))?;
    if let Some(stop) = found.stopped {
        return Err(stopped(stop, Problem::NotCompared(stop)));
    }
    let summary = compare(session, &stated, found, chained_name(log), events)?;
    if let Some(sound) = Logs::ended(log)
        && logged::complete(log, &sound).map_err(log_failed)?
    {
        send(events, Event::Remark("the log lacked its last line, as a run that is killed leaves it: it was added"))?;
    }
    Ok(LastSteps::Compared(Box::new(summary)))
}

/// Refuses a map that calls other ranges lost than its finished log does.
fn agrees(session: &Session<'_>, log: &Path) -> Result<(), Error> {
    let (Some(map), Some(sound)) = (session.asked().map.as_deref(), Logs::ended(log)) else { return Ok(()) };
    let by_map = session.lost().iter().map(|run| (run.offset, run.length)).collect();
    match logged::contradiction(&pfh_source::terminal::shown(map), by_map, logged::losses(&sound)) {
        Some(what) => Err(Error::negative(Problem::Contradiction(what))),
        None => Ok(()),
    }
}

/// The digests that the end of a log states.
fn digests(end: &Map<String, Value>) -> Vec<Digest> {
    let stated = end.get("digests").and_then(Value::as_object).into_iter().flatten();
    stated.filter_map(|(name, hex)| Digest::parse(name.parse::<Algorithm>().ok()?, hex.as_str()?).ok()).collect()
}

fn compare(
    session: &Session<'_>,
    stated: &[Digest],
    found: ImagingResult,
    log: PathBuf,
    events: &mut Events<'_>,
) -> Result<Summary, Error> {
    let names: Vec<String> = stated.iter().map(|digest| digest.algorithm().to_string()).collect();
    let algorithms = names.join(", ");
    if found.digests != stated {
        return Err(Error::negative(Problem::ChangedSince { log, algorithms }));
    }
    send(events, Event::Unchanged { log: &log, algorithms: &algorithms })?;
    session.beginning().notes.iter().try_for_each(|note| send(events, Event::Remark(note)))?;
    let bad = session.lost().to_vec();
    if bad.iter().any(|run| run.loss != Loss::Recorded) && session.can_retry().is_ok() {
        send(events, Event::CanRetry)?;
    }
    let equal = TargetComparison::equal(found.bytes);
    let imaged = ImagingResult { bad, digests: stated.to_vec(), times: Times { ..found.times }, ..found };
    let mut summary = Summary::new(imaged, session.medium(), session.asked());
    summary.compared = vec![equal; session.asked().targets.len()];
    summary.departures = session.beginning().departures;
    summary.log = Some(log);
    Ok(summary)
}

/// Whether a run that has read all it could is followed by another one over the areas that it
/// passed over, or lost.
pub(super) fn is_due(session: &Session<'_>, imaged: &ImagingResult, retry_bad: bool) -> Option<RetryRanges> {
    let has = |loss| imaged.bad.iter().any(|run| run.loss == loss);
    if imaged.stopped.is_some() || session.can_retry().is_err() {
        return None;
    }
    match (has(Loss::NotTried), retry_bad && session.beginning().done > 0 && has(Loss::Unreadable)) {
        (_, true) => Some(RetryRanges::All),
        (true, false) => Some(RetryRanges::PassedOver),
        _ => None,
    }
}

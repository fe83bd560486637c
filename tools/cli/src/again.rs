//! The same command again, after an acquisition has ended: its image is compared, or what could not be read is tried again.

use crate::custody::{self, Logs, now};
use crate::exit::{self, Exit};
use crate::imaging::{self, Carried, Carrying};
use crate::shown;
use pfh::acquire::{Acquire, Again, Compared, Retried};
use pfh::device::Loss;
use pfh::imaging::{Imaged, Times};
use pfh::{Algorithm, Control, Digest, Phase};
use serde_json::{Map, Value, json};
use std::io;
use std::path::Path;

/// What is left to do after an acquisition that has ended.
pub enum Left {
    /// Another acquisition, by its map or its targets: nothing of this is for it.
    Other,
    /// Nothing: this came of comparing.
    Compared(Box<Carried>),
    /// An image of so many bytes, of which some are lost and are to be tried again.
    Retry(u64),
}

/// Looks at what the finished log `log` ended with.
///
/// # Errors
/// The exit to leave with; the reason has been said.
pub fn look(
    acquire: &Acquire,
    end: &Map<String, Value>,
    carrying: &Carrying,
    control: &Control<'_>,
) -> Result<Left, Exit> {
    let Some(bytes) = end.get("bytes").and_then(Value::as_u64) else { return Ok(Left::Other) };
    if acquire.beginning().done != bytes || acquire.asked().targets.is_empty() {
        return Ok(Left::Other);
    }
    let is_lost = acquire.lost().iter().any(|run| run.loss != Loss::Recorded);
    if carrying.retry_bad && is_lost {
        acquire.can_retry().map_err(|error| imaging::failed(&error))?;
        return Ok(Left::Retry(bytes));
    }
    if carrying.retry_bad {
        exit::say("nothing of the image is lost: there is nothing to try again");
    }
    let stated: Vec<Digest> = end
        .get("digests")
        .and_then(Value::as_object)
        .into_iter()
        .flatten()
        .filter_map(|(name, hex)| Digest::parse(name.parse::<Algorithm>().ok()?, hex.as_str()?).ok())
        .collect();
    if stated.is_empty() {
        return Ok(Left::Other);
    }
    let algorithms: Vec<Algorithm> = stated.iter().map(Digest::algorithm).collect();
    let found = acquire
        .hash_targets(bytes, &algorithms, (control, Phase::Comparing))
        .map_err(|error| imaging::failed(&error))?;
    if let Some(stop) = found.stopped {
        exit::say(format!("stopped: {stop}"));
        return Err(Exit::Aborted);
    }
    let log = carrying.log.as_deref().map(custody::chained_name).unwrap_or_default();
    compare(acquire, bytes, &stated, &found, &log)
}

fn compare(acquire: &Acquire, bytes: u64, stated: &[Digest], found: &Imaged, log: &Path) -> Result<Left, Exit> {
    let names: Vec<String> = stated.iter().map(|digest| digest.algorithm().to_string()).collect();
    let (names, log) = (names.join(", "), shown(log.as_os_str().as_encoded_bytes()));
    if found.digests != stated {
        exit::say(format!("acquired before, and changed since: the image is not what {log} states, by {names}"));
        return Err(Exit::Verdict);
    }
    exit::say(format!(
        "acquired before: the image was compared with {log} and is equal, by {names}; nothing was written"
    ));
    let bad = acquire.lost().to_vec();
    if bad.iter().any(|run| run.loss != Loss::Recorded) && acquire.can_retry().is_ok() {
        exit::say("what could not be read is tried again with --retry-bad");
    }
    let exit = if bad.is_empty() && acquire.beginning().departures.is_empty() { Exit::Good } else { Exit::Incomplete };
    let equal = Compared { bytes, digests_agree: true, differing: Vec::new(), unreadable: Vec::new() };
    let compared = vec![equal; acquire.asked().targets.len()];
    let imaged = Imaged { bytes, bad, digests: stated.to_vec(), times: Times { ..found.times }, ..found.clone() };
    let (sector, from) = (acquire.medium().sector(), acquire.asked().imaging.from);
    Ok(Left::Compared(Box::new(Carried { imaged, compared, sector, from, exit })))
}

/// Whether a run that has read all it could is followed by another one over what it passed over, or lost.
pub fn is_due(acquire: &Acquire, imaged: &Imaged, retry_bad: bool) -> Option<Again> {
    let has = |loss| imaged.bad.iter().any(|run| run.loss == loss);
    if imaged.stopped.is_some() || acquire.can_retry().is_err() {
        return None;
    }
    match (has(Loss::NotTried), retry_bad && acquire.beginning().done > 0 && has(Loss::Unreadable)) {
        (_, true) => Some(Again::All),
        (true, false) => Some(Again::PassedOver),
        _ => None,
    }
}

/// What came of trying again, in both logs.
///
/// # Errors
/// When a log cannot be written.
pub fn log(logs: &mut Logs, retried: &Retried) -> io::Result<()> {
    let Retried { tried, read, before, .. } = retried;
    let line = format!("{tried} bytes that were not read at first were tried again, {read} of them were read");
    exit::say(&line);
    logs.line(&format!("{} {line}; the image was hashed anew", now()))?;
    let before = before
        .as_ref()
        .map(|digest| json!({ "algorithm": digest.algorithm().to_string(), "digest": digest.to_string() }));
    logs.record("retried", json!({ "tried": tried, "read": read, "image-before": before }))
}

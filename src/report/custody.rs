//! Seals and chained logs: verified again, with words of what was compared with what.

use super::found::{Found, tone};
use super::members::Object;
use super::{acquired, request::Request};
use pfh_custody::{chain, seal};
use pfh_manifest::Options;
use pfh_report::case::{Judged, Rows, Standing, Tone};
use std::ffi::OsStr;
use std::io::BufRead;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

/// Enters a verdict on a seal or a chain.
fn enter(found: &mut Found, source: usize, what: &str, verdict: &str, evidence: Vec<String>) {
    let tone = tone(verdict);
    match tone {
        Tone::Good => found.holding += 1,
        Tone::Bad => found.broken.push((source, evidence.first().cloned().unwrap_or_default())),
        Tone::Open => found.torn.push((source, evidence.first().cloned().unwrap_or_default())),
    }
    let (what, verdict) = (what.to_owned(), verdict.to_owned());
    found.judge(Judged { source, what, tone, verdict, evidence, rows: Rows::default() });
}

/// Verifies a seal: its manifest lies beside it.
pub(super) fn seal(found: &mut Found, source: usize, path: &Path, request: &Request) {
    let Some(manifest) = path.as_os_str().as_bytes().strip_suffix(b".seal") else {
        let why = "a seal whose manifest is not named by it: it is called MANIFEST.seal";
        found.case.sources[source].standing = Standing::Unknown(why.to_owned());
        return;
    };
    let manifest = Path::new(OsStr::from_bytes(manifest));
    found.case.sources[source].records = 1;
    let compared = format!("the records of {} with the root that was sealed", crate::shown(manifest));
    match seal::verify(manifest, &Options::default(), crate::REGISTRY, request.key.as_deref()) {
        Ok(Some(held)) => enter(found, source, "seal, verified again", "verified", vec![compared, held.to_string()]),
        Ok(None) => enter(found, source, "seal", "nothing-to-compare-with", vec!["the seal is gone".to_owned()]),
        Err(error) if error.is_verdict() => {
            enter(found, source, "seal, verified again", "differs", vec![error.to_string(), compared]);
        }
        Err(error) => {
            enter(found, source, "seal", "nothing-to-compare-with", vec![error.to_string()]);
        }
    }
}

/// Verifies a chained log, and takes from one that holds what was acquired.
///
/// # Errors
/// When it cannot be read.
pub(super) fn log(
    found: &mut Found,
    source: usize,
    path: &Path,
    input: impl BufRead,
    request: &Request,
) -> std::io::Result<()> {
    let sound = match chain::check_to_last_end(input) {
        Ok(sound) => sound,
        Err(chain::Broken::Io(error)) => return Err(error),
        Err(chain::Broken::NoEnd) => {
            let why = chain::Broken::NoEnd.to_string();
            enter(found, source, "chain of a log", "incomplete", vec![why]);
            return Ok(());
        }
        Err(broken) => {
            let what = "nothing of this log is shown below: what it says cannot be relied on".to_owned();
            enter(found, source, "chain of a log, verified again", "differs", vec![broken.to_string(), what]);
            return Ok(());
        }
    };
    let records: Vec<Object> = sound.records.clone();
    found.case.sources[source].records = records.len() as u64;
    let (verdict, evidence) = verified(path, &sound, request);
    enter(found, source, "chain of a log, verified again", &verdict, evidence);
    acquired::logged(found, source, path, &records);
    Ok(())
}

/// The verdict on a log, its signature and the log for people beside it.
#[cfg(feature = "image")]
fn verified(path: &Path, sound: &chain::Sound, request: &Request) -> (String, Vec<String>) {
    let asked = crate::verify::Request { key: request.key.clone(), ..crate::verify::Request::log(path) };
    let _ = sound;
    match crate::verify::run(&asked, &mut |_| {}, &pfh_engine::Control::new()) {
        Ok(summary) => {
            let findings = summary.findings.iter().map(ToString::to_string);
            (summary.verdict().to_string(), [summary.sentence()].into_iter().chain(findings).collect())
        }
        Err(error) => ("nothing-to-compare-with".to_owned(), vec![error.to_string()]),
    }
}

/// The verdict on a log in a build that knows no signatures: a key that was asked for is not passed
/// over.
#[cfg(not(feature = "image"))]
fn verified(_: &Path, sound: &chain::Sound, request: &Request) -> (String, Vec<String>) {
    let records = sound.records.len();
    let chain = format!("the chain of {records} records holds: {}", sound.chain.value());
    match (&request.key, sound.signature) {
        (Some(_), _) => {
            ("nothing-to-compare-with".to_owned(), vec!["this build verifies no signatures of logs".to_owned(), chain])
        }
        (None, Some(_)) => ("verified".to_owned(), vec![chain, "signed; the signature was not verified".to_owned()]),
        (None, None) => {
            let unsigned = "not signed: whoever can write it can make a new chain".to_owned();
            ("verified".to_owned(), vec![chain, unsigned])
        }
    }
}

//! Audits of a storage server as text and JSON.

use super::{counted, many};
#[cfg(feature = "serve")]
use pfh::audit::Served;
use pfh::audit::{AuditVerdict, Event, Evidence, renew};
use pfh::hex;
use pfh::manifest::row;
use pfh::terminal::render;
use serde::Serialize;
use std::path::Path;

/// The chance that an audit finds a loss.
#[derive(Serialize)]
struct Finds {
    loss: f64,
    probability: f64,
}

/// A verdict over an answer.
#[derive(Serialize)]
struct Line<'a> {
    r#type: &'a str,
    #[serde(flatten, serialize_with = "row::path")]
    name: &'a [u8],
    algorithm: &'a str,
    audit: &'a str,
    compared_with: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    files: Option<usize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    files_asked: Option<usize>,
    finds: Finds,
    leaves: u64,
    leaves_of_file: u64,
    reason: Option<String>,
    seconds: Option<f64>,
    signed: bool,
    signed_by: Option<String>,
    signer_was_asked_for: Option<bool>,
    transcript: Option<String>,
    verdict: &'a str,
}

/// A verdict as a line of JSON.
pub fn json(verdict: &AuditVerdict) -> String {
    let (word, audit, reason) = match &verdict.result {
        Ok(()) => ("verified", "proved", None),
        Err(error) if error.is_verdict() => ("differs", "rejected", Some(error.to_string())),
        Err(error) => ("nothing-to-compare-with", "not-asked", Some(error.to_string())),
    };
    row::line(&Line {
        r#type: if verdict.files.is_some() { "audit-set" } else { "audit" },
        name: &verdict.identity,
        algorithm: verdict.algorithm,
        audit,
        compared_with: match verdict.evidence {
            Evidence::Copy => "copy",
            Evidence::Token => "token",
            _ => "root",
        },
        files: verdict.files.map(|(_, all)| all),
        files_asked: verdict.files.map(|(asked, _)| asked),
        finds: Finds { loss: verdict.loss, probability: floor(verdict.finds()) },
        leaves: verdict.leaves.0,
        leaves_of_file: verdict.leaves.1,
        reason,
        seconds: verdict.time.map(|time| time.as_secs_f64()),
        signed: verdict.signer.is_some(),
        signed_by: verdict.signer.map(|(key, _)| hex::encode(key.as_bytes())),
        signer_was_asked_for: verdict.signer.map(|(_, named)| named),
        transcript: verdict.transcript.map(|transcript| hex::encode(&transcript)),
        verdict: word,
    })
}

/// A verdict as a line for people.
pub fn text(verdict: &AuditVerdict) -> String {
    let name = render(&verdict.identity);
    let time = verdict.time.map_or_else(String::new, |time| format!("; in {:.3} s", time.as_secs_f64()));
    match &verdict.result {
        Ok(()) => {
            let signed = match &verdict.signer {
                None => String::new(),
                Some((key, true)) => format!("; signed by {}", hex::encode(key.as_bytes())),
                Some((key, false)) => {
                    format!("; signed by {}, a key that was not asked for", hex::encode(key.as_bytes()))
                }
            };
            format!("{name}: PROVED: {}; {}{signed}{time}\n", compared(verdict), found(verdict))
        }
        Err(error) if error.is_verdict() => format!("{name}: REJECTED: {error}{time}\n"),
        Err(error) => format!("{name}: NOT ASKED: {error}\n"),
    }
}

/// The two sides of the comparison.
fn compared(verdict: &AuditVerdict) -> String {
    let ((asked, all), algorithm) = (verdict.leaves, verdict.algorithm);
    let all = many(all, "leaf", "leaves");
    let of = match verdict.files {
        Some((asked, all)) => format!(" of {} ({asked} asked)", counted(all as u64, "file")),
        None => String::new(),
    };
    match verdict.evidence {
        Evidence::Copy => {
            format!("the keyed digest of {asked} of {all} is that of your copy, which gives the kept {algorithm} root")
        }
        Evidence::Token => format!("the keyed digest of {asked} of {all} is that of the token"),
        _ => {
            let give = if asked == 1 { "gives" } else { "give" };
            format!("{asked} of {all}{of} {give} the kept {algorithm} root")
        }
    }
}

fn found(verdict: &AuditVerdict) -> String {
    let (asked, all) = verdict.leaves;
    if asked == all {
        return "any loss is found".into();
    }
    let percent = format!("{:.6}", 100.0 * verdict.loss);
    let percent = percent.trim_end_matches('0').trim_end_matches('.');
    format!("a loss of {percent} % is found with p = {:.3}", floor(verdict.finds()))
}

/// Rounded down: a probability is never stated higher than it is.
fn floor(probability: f64) -> f64 {
    // The last digits that computing lost make no thousandth.
    if probability >= 1.0 { 1.0 } else { (probability * 1000.0 + 1e-9).floor() / 1000.0 }
}

fn renewed(summary: &renew::Summary) -> String {
    let range = |range: &std::ops::Range<u64>| format!("{}:{}", range.start, range.end - range.start);
    format!(
        "{}: from the kept {} root to {}: nothing changed but the leaves at {}",
        render(&summary.identity),
        summary.commitment.parameters().function().name(),
        hex::encode(summary.commitment.root()),
        summary.ranges.iter().map(range).collect::<Vec<_>>().join(",")
    )
}

/// The sentence of an event that is not a verdict.
pub fn sentence(event: &Event<'_>) -> String {
    let shown = |path: &Path| render(path.as_os_str().as_encoded_bytes());
    match event {
        Event::Judged(verdict) => text(verdict).trim_end().to_owned(),
        Event::Partly { name, proved, of } => {
            let files = if *of == 1 { "file proved its part" } else { "files proved their part" };
            format!("{}: {proved} of {of} {files}", render(name))
        }
        Event::LastToken(path) => format!("{}: that was the last token", shown(path)),
        Event::Missed(error) => crate::remedy::sentence(error),
        Event::Renewed(summary) => renewed(summary),
        #[cfg(feature = "serve")]
        Event::Listening { address, files, directory } => {
            format!("http://{address}: {} of {}", counted(*files as u64, "file"), shown(directory))
        }
        #[cfg(feature = "serve")]
        Event::Answered(Served { peer, identity, status, reason, .. }) => {
            let identity = identity.as_deref().map_or_else(|| "-".to_owned(), render);
            format!("{peer}: {identity}: {status} {reason}").trim_end().to_owned()
        }
        _ => String::new(),
    }
}

//! Objects against the values that their stores state: lines and JSON.

use pfh::Verdict;
use pfh::manifest::row;
use pfh::stated::{Came, Claim, Judged, Summary};
use pfh::terminal::render;
use serde::Serialize;
use std::collections::BTreeMap;

/// A line for people.
pub fn line(name: &[u8], judged: &Judged) -> String {
    let word = match judged.verdict() {
        Verdict::Verified => "OK",
        Verdict::Differs => "FAILED",
        _ => "nothing to compare with",
    };
    format!("{}: {word}\n", render(name))
}

/// Why an object is not verified by every stated value, with the option that helps.
pub fn sentences(judged: &Judged) -> Vec<String> {
    let helped = |said: String| match said.strip_suffix("name the size of its parts") {
        Some(front) => format!("{front}--part-size says the size"),
        None => said,
    };
    judged.sentences().into_iter().map(helped).collect()
}

/// A stated value, in the order of the names of its members.
#[derive(Serialize)]
struct Value<'a> {
    algorithm: String,
    by: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    found: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    part_size: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    parts: Option<u64>,
    result: &'static str,
    stated: String,
}

fn value((claim, came): &(Claim, Came)) -> Value<'_> {
    let (result, found, part_size) = match came {
        Came::Same(size) => ("same", None, *size),
        Came::Differs(found) => ("differs", Some(found.to_string()), None),
        Came::NotCompared(_) => ("not-compared", None, None),
    };
    Value {
        algorithm: claim.digest.algorithm().to_string(),
        by: &claim.by,
        found,
        part_size,
        parts: claim.parts.map(std::num::NonZeroU64::get),
        result,
        stated: claim.digest.to_string(),
    }
}

#[derive(Serialize)]
struct Object<'a> {
    #[serde(flatten, serialize_with = "row::path")]
    path: &'a [u8],
    remarks: Vec<String>,
    stated: Vec<Value<'a>>,
    r#type: &'static str,
    #[serde(serialize_with = "row::shown")]
    verdict: Verdict,
}

/// A JSON object per line.
pub fn json(name: &[u8], judged: &Judged) -> String {
    row::line(&Object {
        path: name,
        remarks: sentences(judged),
        stated: judged.findings.iter().map(value).collect(),
        r#type: "object",
        verdict: judged.verdict(),
    })
}

#[derive(Serialize)]
struct All<'a> {
    compared: &'a BTreeMap<String, u64>,
    failed: u64,
    not_compared: Vec<String>,
    nothing: u64,
    objects: u64,
    r#type: &'static str,
    unread: u64,
    #[serde(serialize_with = "row::shown")]
    verdict: Verdict,
    verified: u64,
}

/// The counts and the verdict as one JSON object.
pub fn summary_json(summary: &Summary) -> String {
    row::line(&All {
        compared: &summary.by,
        failed: summary.different,
        not_compared: summary.not_compared(),
        nothing: summary.nothing,
        objects: summary.objects(),
        r#type: "summary",
        unread: summary.unread,
        verdict: summary.verdict(),
        verified: summary.verified,
    })
}

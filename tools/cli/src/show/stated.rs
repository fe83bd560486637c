//! Objects against the values that their stores state: lines and JSON.

use super::word;
use pfh::Verdict;
use pfh::manifest::row::{self, Is, Path, Word};
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

/// How a stated value compares.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
enum Outcome {
    Same,
    Differs,
    NotCompared,
}

// In the order of the names of its members.
/// A stated value.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
struct Value<'a> {
    algorithm: String,
    by: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    found: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schemars(range(min = 1)))]
    part_size: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schemars(range(min = 1)))]
    parts: Option<u64>,
    result: Outcome,
    stated: String,
}

fn value((claim, came): &(Claim, Came)) -> Value<'_> {
    let (result, found, part_size) = match came {
        Came::Same(size) => (Outcome::Same, None, *size),
        Came::Differs(found) => (Outcome::Differs, Some(found.to_string()), None),
        Came::NotCompared(_) => (Outcome::NotCompared, None, None),
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
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Object<'a> {
    #[serde(flatten)]
    path: Path<'a>,
    remarks: Vec<String>,
    stated: Vec<Value<'a>>,
    r#type: Is<word::Object>,
    verdict: Word<Verdict>,
}

/// A JSON object per line.
pub fn json(name: &[u8], judged: &Judged) -> String {
    row::line(&Object {
        path: Path(name),
        remarks: sentences(judged),
        stated: judged.findings.iter().map(value).collect(),
        r#type: Is(word::Object),
        verdict: Word(judged.verdict()),
    })
}

#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct All<'a> {
    compared: &'a BTreeMap<String, u64>,
    failed: u64,
    not_compared: Vec<String>,
    nothing: u64,
    objects: u64,
    r#type: Is<word::Summary>,
    unread: u64,
    verdict: Word<Verdict>,
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
        r#type: Is(word::Summary),
        unread: summary.unread,
        verdict: Word(summary.verdict()),
        verified: summary.verified,
    })
}

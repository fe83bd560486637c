//! The objects as rows: what `--json` prints, and dictionaries in Python.

use super::claim::Claim;
use super::judge::{Came, ObjectJudgement};
use super::summary::Summary;
use crate::verdict::Verdict;
use pfh_manifest::row::{Is, Mark, Path, Word};
use pfh_source::FindingId;
use serde::Serialize;
use std::collections::BTreeMap;

mod word {
    pfh_manifest::constants! { Object = "object", Summary = "summary" }
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

/// An object against the values that its store states.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ObjectRow<'a> {
    #[serde(flatten)]
    path: Path<'a>,
    remarks: Vec<String>,
    stated: Vec<Value<'a>>,
    r#type: Is<word::Object>,
    verdict: Word<Verdict>,
    /// The finding that it is.
    #[serde(flatten)]
    mark: Option<Mark>,
}

impl<'a> ObjectRow<'a> {
    /// A JSON object per line.
    pub fn of(name: &'a [u8], judged: &'a ObjectJudgement, remarks: Vec<String>) -> ObjectRow<'a> {
        ObjectRow {
            path: Path(name),
            remarks,
            stated: judged.findings.iter().map(value).collect(),
            r#type: Is(word::Object),
            verdict: Word(judged.verdict()),
            mark: match judged.verdict() {
                Verdict::Verified => None,
                Verdict::Differs => Some(Mark::of(FindingId::ObjectDiffers)),
                _ => Some(Mark::of(FindingId::ObjectOpen)),
            },
        }
    }
}

/// The result for all objects.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ObjectsSum<'a> {
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

impl<'a> ObjectsSum<'a> {
    /// The counts and the verdict as one JSON object.
    pub fn of(summary: &'a Summary) -> ObjectsSum<'a> {
        ObjectsSum {
            compared: &summary.by,
            failed: summary.different,
            not_compared: summary.not_compared(),
            nothing: summary.nothing,
            objects: summary.objects(),
            r#type: Is(word::Summary),
            unread: summary.unread,
            verdict: Word(summary.verdict()),
            verified: summary.verified,
        }
    }
}

//! The differences as rows: what `--json` prints, and dictionaries in Python.

use super::class::{Class, Difference};
use super::summary::Summary;
use crate::check::Rot;
use crate::verdict::Verdict;
use pfh_manifest::row::{Is, NameField, Path, TextField, Word};
use pfh_source::{FindingId, Level, Levels};
use serde::Serialize;

mod word {
    pfh_manifest::constants! { Diff = "diff", From = "from", Summary = "summary" }
}

/// A name.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct DifferenceRow<'a> {
    r#type: Is<word::Diff>,
    class: Word<Class>,
    #[serde(flatten)]
    path: Path<'a>,
    #[serde(flatten)]
    from: Option<NameField<'a, word::From>>,
    /// Of bit rot: the evidence of the times.
    #[serde(skip_serializing_if = "Option::is_none")]
    evidence: Option<Word<Rot>>,
    /// Whether some digests are the same.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    partly: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    cause: Option<&'a str>,
    /// The finding that it is.
    #[serde(skip_serializing_if = "Option::is_none")]
    id: Option<TextField<FindingId>>,
    /// How much it counts.
    #[serde(skip_serializing_if = "Option::is_none")]
    level: Option<Word<Level>>,
}

impl<'a> DifferenceRow<'a> {
    /// A JSON object per line; names that are not UTF-8 stand exactly in `…_b64`.
    pub fn of(difference: &'a Difference, levels: &Levels) -> DifferenceRow<'a> {
        let finding = difference.class.finding();
        DifferenceRow {
            r#type: Is(word::Diff),
            class: Word(difference.class),
            path: Path(&difference.name),
            from: difference.from.as_deref().map(|from| NameField(from, word::From)),
            evidence: difference.rot.map(Word),
            partly: difference.partly,
            cause: difference.cause.as_deref(),
            id: finding.map(TextField),
            level: finding.map(|finding| Word(levels.of(finding))),
        }
    }
}

// In the order of the names of its members.
/// How many names are of each class.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct DiffSum<'a> {
    added: u64,
    algorithms: Vec<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    base_a: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    base_b: Option<String>,
    #[serde(rename = "bit-rot")]
    bit_rot: u64,
    changed: u64,
    copied: u64,
    error: u64,
    metadata: u64,
    moved: u64,
    not_compared: &'a [String],
    removed: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    reused: Option<u64>,
    same: u64,
    skipped: u64,
    r#type: Is<word::Summary>,
    verdict: Word<Verdict>,
}

impl<'a> DiffSum<'a> {
    /// The counts and the verdict as one JSON object.
    pub fn of(summary: &'a Summary) -> DiffSum<'a> {
        let of = |class: Class| summary.counts.of(class);
        let base = |base: &Vec<u8>| (!base.is_empty()).then(|| String::from_utf8_lossy(base).into_owned());
        DiffSum {
            added: of(Class::Added),
            algorithms: summary.computed.iter().map(ToString::to_string).collect(),
            base_a: base(&summary.bases[0]),
            base_b: base(&summary.bases[1]),
            bit_rot: of(Class::BitRot),
            changed: of(Class::Changed),
            copied: of(Class::Copied),
            error: of(Class::Error),
            metadata: of(Class::Metadata),
            moved: of(Class::Moved),
            not_compared: &summary.not_compared,
            removed: of(Class::Removed),
            reused: summary.cache.map(|used| used.reused),
            same: of(Class::Same),
            skipped: summary.skipped.iter().sum(),
            r#type: Is(word::Summary),
            verdict: Word(summary.verdict()),
        }
    }
}

//! A verification as a row: what `--json` prints.

use super::Finding;
use super::findings::Summary;
use super::repeat::Repeat;
use crate::check::Twice;
use crate::verdict::{Alone, Comparison, Evidence, Outcome, Side, Space, Subject, Unread, Verdict};
use pfh_digest::Digest;
use pfh_manifest::row::{Mark, Word};
use pfh_source::Levels;
use serde::Serialize;
use std::collections::BTreeMap;

/// A verification.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct VerificationRow<'a> {
    /// The comparisons whose two sides are equal.
    compared: Vec<Equal<'a>>,
    /// Everything that was compared, with the ranges that it covers: the verdict follows from it.
    comparisons: Vec<ComparisonRow<'a>>,
    complete: bool,
    /// Digests by algorithm, as `pfh algorithms` names them.
    digests: BTreeMap<String, String>,
    /// The findings but for mere facts, by their ids.
    faults: Vec<Faulty>,
    findings: Vec<String>,
    /// The comparisons that a good verdict lacks.
    missing: Vec<String>,
    /// Second reads of what something contradicts.
    reread: Vec<SecondRead<'a>>,
    verdict: Word<Verdict>,
    verified: bool,
}

/// A finding by its id.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
struct Faulty {
    cause: String,
    /// The finding that it is.
    #[serde(flatten)]
    mark: Mark,
}

/// A second read of an image, of a part of it, or of one of its files.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
struct SecondRead<'a> {
    /// The digests of the first read by algorithm.
    first: BTreeMap<String, String>,
    /// `same` (it differs both times), `once` (the second read was as stated: a fault of cable or
    /// memory), `other` (the reads differ from each other), `changing` or `unread`.
    outcome: Word<Twice>,
    /// The digests of the second read by algorithm; empty where it failed.
    second: BTreeMap<String, String>,
    /// Whether the second read went past the system's cache.
    uncached: bool,
    what: &'a str,
}

fn again(repeat: &Repeat) -> SecondRead<'_> {
    let named = |digests: &[Digest]| digests.iter().map(|d| (d.algorithm().to_string(), d.to_string())).collect();
    SecondRead {
        first: named(&repeat.read.first),
        outcome: Word(repeat.read.twice),
        second: named(&repeat.read.second),
        uncached: repeat.read.is_uncached,
        what: &repeat.what,
    }
}

#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
struct Equal<'a> {
    digest: Option<String>,
    what: &'a str,
    with: &'a str,
}

/// A side of a comparison.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
enum Of {
    This,
    Other,
}

/// The bytes in which offsets count.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
enum In {
    Content,
    Files,
}

/// The result of a comparison.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
enum ComparisonWord {
    Equal,
    Unequal,
}

/// A comparison with the ranges that it covers.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
struct ComparisonRow<'a> {
    about: Word<Subject>,
    alone: Vec<OneSided<'a>>,
    /// Ranges that differ, where they are known, each as its offset and length.
    differing: &'a [(u64, u64)],
    /// `bytes`, `checksums`, `fact`, or the algorithm of a digest; a fact covers no byte of the
    /// image.
    evidence: String,
    /// Where offsets count: in the imaged medium, or in the image's files one after the other.
    of: In,
    other_size: Option<u64>,
    /// Ranges that were compared, each as its offset and length.
    ranges: &'a [(u64, u64)],
    result: ComparisonWord,
    size: u64,
    unreadable: Vec<Gap>,
    what: &'a str,
    with: &'a str,
}

#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
struct OneSided<'a> {
    length: u64,
    offset: u64,
    side: Of,
    /// The evidence that states that this part is outside.
    stated_by: Option<&'a str>,
}

#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
struct Gap {
    length: u64,
    offset: u64,
    side: Of,
}

fn faulty(finding: &Finding, levels: &Levels) -> Option<Faulty> {
    Some(Faulty { cause: finding.to_string(), mark: Mark::at(finding.finding()?, levels) })
}

fn equal(one: &Comparison) -> Equal<'_> {
    Equal { digest: one.digest().map(ToString::to_string), what: &one.what, with: &one.with }
}

impl<'a> VerificationRow<'a> {
    /// The row, with the findings as sentences.
    pub fn of(summary: &'a Summary, findings: Vec<String>) -> VerificationRow<'a> {
        let verdict = summary.verdict();
        VerificationRow {
            compared: summary.equal().map(equal).collect(),
            comparisons: summary.comparisons.iter().map(compared).collect(),
            complete: summary.is_complete(),
            digests: summary.digests.iter().map(|d| (d.algorithm().to_string(), d.to_string())).collect(),
            faults: summary.findings.iter().filter_map(|finding| faulty(finding, &summary.levels)).collect(),
            findings,
            missing: summary.missing(),
            reread: summary.repeats.iter().map(again).collect(),
            verdict: Word(verdict),
            verified: verdict == Verdict::Verified,
        }
    }
}

fn side(side: Side) -> Of {
    if side == Side::This { Of::This } else { Of::Other }
}

fn alone(part: &Alone) -> OneSided<'_> {
    let Alone { offset, length, .. } = *part;
    OneSided { length, offset, side: side(part.side), stated_by: part.stated.as_deref() }
}

fn gap(gap: &Unread) -> Gap {
    Gap { length: gap.length, offset: gap.offset, side: side(gap.side) }
}

fn compared(one: &Comparison) -> ComparisonRow<'_> {
    let (result, differing) = match &one.outcome {
        Outcome::Equal => (ComparisonWord::Equal, &[][..]),
        Outcome::Unequal(ranges) => (ComparisonWord::Unequal, &ranges[..]),
    };
    let over = &one.coverage;
    ComparisonRow {
        about: Word(one.about),
        alone: over.alone.iter().map(alone).collect(),
        differing,
        evidence: match &one.evidence {
            Evidence::Bytes => "bytes".to_owned(),
            Evidence::Digest(digest) => digest.algorithm().to_string(),
            Evidence::Checksums => "checksums".to_owned(),
            Evidence::Fact => "fact".to_owned(),
        },
        of: if over.space == Space::Files { In::Files } else { In::Content },
        other_size: over.sizes.1,
        ranges: &over.compared,
        result,
        size: over.sizes.0,
        unreadable: over.unread.iter().map(gap).collect(),
        what: &one.what,
        with: &one.with,
    }
}

//! The results as rows: what `--json` prints, and dictionaries in Python.

use super::{Change, Class, Counts, FileOutcome, Findings, Listing, Part, Reread, Rereads, Rot, Twice, Verdict};
use pfh_digest::Digest;
use pfh_manifest::row::{Is, NameField, Path, TextField, Word};
use pfh_source::{FindingId, Level, Levels};
use serde::Serialize;
use std::collections::BTreeMap;

mod word {
    pfh_manifest::constants! { Audit = "audit", Check = "check", From = "from", Summary = "summary" }
}

// In the order of the names of its members.
/// A file of an audit.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct AuditRow<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    cause: Option<&'a str>,
    class: Word<Class>,
    #[serde(skip_serializing_if = "Option::is_none")]
    evidence: Option<Word<Rot>>,
    #[serde(flatten)]
    from: Option<NameField<'a, word::From>>,
    /// The finding that it is.
    #[serde(skip_serializing_if = "Option::is_none")]
    id: Option<TextField<FindingId>>,
    /// How much it counts.
    #[serde(skip_serializing_if = "Option::is_none")]
    level: Option<Word<Level>>,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    partly: bool,
    #[serde(flatten)]
    path: Path<'a>,
    #[serde(skip_serializing_if = "Option::is_none")]
    reread: Option<Second<'a>>,
    r#type: Is<word::Audit>,
}

impl<'a> AuditRow<'a> {
    /// A JSON object per line; names that are not UTF-8 stand exactly in `…_b64`.
    pub fn of(change: &'a Change, levels: &Levels) -> AuditRow<'a> {
        let finding = change.class.finding();
        AuditRow {
            cause: change.cause.as_deref(),
            class: Word(change.class),
            evidence: change.rot.map(Word),
            from: change.from.as_deref().map(|from| NameField(from, word::From)),
            id: finding.map(TextField),
            level: finding.map(|finding| Word(levels.of(finding))),
            partly: change.partly,
            path: Path(&change.name),
            reread: change.reread.as_deref().map(second),
            r#type: Is(word::Audit),
        }
    }
}

// In the order of the names of its members.
/// How many files of an audit are of each class.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub struct AuditSum {
    beyond: u64,
    bit_rot: u64,
    copied: u64,
    error: u64,
    examined: u64,
    expected: u64,
    /// The findings by their ids.
    findings: Vec<FindingCount>,
    matched: u64,
    metadata_only: u64,
    missing: u64,
    modified: u64,
    moved: u64,
    new: u64,
    passed: bool,
    /// Files that differ and were read a second time.
    reread: Seconds,
    r#type: Is<word::Summary>,
    unverified: u64,
    verdict: Word<Verdict>,
}

impl AuditSum {
    /// The counts and the verdict as one JSON object.
    pub fn of(counts: &Counts, part: &Part) -> AuditSum {
        AuditSum {
            beyond: counts.beyond,
            bit_rot: counts.of(Class::BitRot),
            copied: counts.of(Class::Copied),
            error: counts.of(Class::Error),
            examined: counts.examined,
            expected: counts.expected,
            findings: part.findings().into_iter().map(FindingCount::of).collect(),
            matched: counts.of(Class::Matched),
            metadata_only: counts.of(Class::MetadataOnly),
            missing: counts.of(Class::Missing),
            modified: counts.of(Class::Modified),
            moved: counts.of(Class::Moved),
            new: counts.of(Class::New),
            passed: counts.passed(),
            reread: seconds(&part.rereads),
            r#type: Is(word::Summary),
            unverified: counts.unverified,
            verdict: Word(part.conclusion()),
        }
    }
}

// In the order of the names of its members.
/// How many findings of one kind there are.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
struct FindingCount {
    count: u64,
    /// The finding.
    id: TextField<FindingId>,
    /// How much it counts.
    level: Word<Level>,
}

impl FindingCount {
    fn of((finding, level, count): (FindingId, Level, u64)) -> FindingCount {
        FindingCount { count, id: TextField(finding), level: Word(level) }
    }
}

// In the order of the names of its members.
/// A second read of a file that differs.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Second<'a> {
    /// Why the second read failed, or shows that the file is changing.
    #[serde(skip_serializing_if = "Option::is_none")]
    cause: Option<&'a str>,
    /// The digests of the first read by algorithm.
    first: BTreeMap<String, String>,
    /// `same` (it differs both times), `once` (the second read was as listed: a fault of cable or
    /// memory), `other` (the reads differ from each other), `changing` or `unread`.
    outcome: Word<Twice>,
    /// The digests of the second read by algorithm; empty where it failed.
    second: BTreeMap<String, String>,
    /// Whether the second read went past the system's cache.
    uncached: bool,
}

/// A second read as a part of a row.
pub fn second(reread: &Reread) -> Second<'_> {
    let named = |digests: &[Digest]| digests.iter().map(|d| (d.algorithm().to_string(), d.to_string())).collect();
    Second {
        cause: reread.cause.as_deref(),
        first: named(&reread.first),
        outcome: Word(reread.twice),
        second: named(&reread.second),
        uncached: reread.is_uncached,
    }
}

// In the order of the names of its members.
/// How many files that differ were read a second time, by outcome.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
struct Seconds {
    changing: u64,
    once: u64,
    other: u64,
    same: u64,
    unread: u64,
}

fn seconds(rereads: &Rereads) -> Seconds {
    let Rereads { same, once, other, changing, unread, .. } = *rereads;
    Seconds { changing, once, other, same, unread }
}

/// The outcome of a listed file.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
enum OutcomeWord {
    Ok,
    Failed,
    Missing,
    Unread,
    Ignored,
}

// In the order of the names of its members.
/// A listed file.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct FileRow<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    cause: Option<&'a str>,
    /// The finding that it is.
    #[serde(skip_serializing_if = "Option::is_none")]
    id: Option<TextField<FindingId>>,
    /// How much it counts.
    #[serde(skip_serializing_if = "Option::is_none")]
    level: Option<Word<Level>>,
    #[serde(flatten)]
    path: Path<'a>,
    #[serde(skip_serializing_if = "Option::is_none")]
    reread: Option<Second<'a>>,
    result: OutcomeWord,
    r#type: Is<word::Check>,
}

impl<'a> FileRow<'a> {
    /// The result for a listed file, as one JSON object.
    pub fn of(
        entry: &'a Listing,
        found: FileOutcome,
        cause: Option<&'a str>,
        reread: Option<&'a Reread>,
        levels: &Levels,
    ) -> FileRow<'a> {
        let result = match found {
            FileOutcome::Right => OutcomeWord::Ok,
            FileOutcome::Wrong => OutcomeWord::Failed,
            FileOutcome::Missing => OutcomeWord::Missing,
            FileOutcome::Unread | FileOutcome::Likely | FileOutcome::Weak => OutcomeWord::Unread,
            FileOutcome::Ignored => OutcomeWord::Ignored,
        };
        let finding = found.finding();
        let level = |finding| if found == FileOutcome::Ignored { Level::Ignore } else { levels.of(finding) };
        FileRow {
            cause,
            id: finding.map(TextField),
            level: finding.map(|finding| Word(level(finding))),
            path: Path(&entry.name),
            reread: reread.map(second),
            result,
            r#type: Is(word::Check),
        }
    }
}

// In the order of the names of its members.
/// How many listed files there are, and their outcomes.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct FilesSum<'a> {
    algorithms: &'a BTreeMap<String, u64>,
    expected: u64,
    failed: u64,
    /// The findings by their ids.
    findings: Vec<FindingCount>,
    ignored: u64,
    missing: u64,
    not_compared: &'a [String],
    /// Files that differ and were read a second time.
    reread: Seconds,
    #[serde(skip_serializing_if = "Option::is_none")]
    share: Option<Share>,
    r#type: Is<word::Summary>,
    unread: u64,
    verdict: Word<Verdict>,
    verified: u64,
}

/// The share that was checked.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
struct Share {
    bytes: u64,
    files: u64,
    never: u64,
    /// The age of the oldest check in seconds.
    #[serde(skip_serializing_if = "Option::is_none")]
    oldest: Option<u64>,
    read: u64,
    total: u64,
}

impl<'a> FilesSum<'a> {
    /// The counts of a part that has findings of files; `None` of an audit.
    pub fn of(part: &'a Part) -> Option<FilesSum<'a>> {
        let Findings::Files(files) = &part.findings else { return None };
        Some(FilesSum {
            algorithms: &part.by_algorithm,
            expected: part.expected,
            failed: files.different,
            findings: part.findings().into_iter().map(FindingCount::of).collect(),
            ignored: files.ignored,
            missing: files.missing,
            not_compared: &part.not_compared,
            reread: seconds(&part.rereads),
            share: part.share.map(|share| Share {
                bytes: share.bytes,
                files: share.files,
                never: share.never,
                oldest: share.oldest.map(|oldest| oldest.as_secs()),
                read: share.read,
                total: share.total,
            }),
            r#type: Is(word::Summary),
            unread: files.unread + files.likely + files.weak,
            verdict: Word(part.conclusion()),
            verified: part.verified,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use pfh_manifest::row;

    #[test]
    fn rows_have_their_members_in_order() {
        let request = super::super::Request::new("list");
        let part = Part::new(super::super::request::Turn::of(&request), &super::super::Ledger::default());
        let json = row::line(&AuditSum::of(&Counts::default(), &part));
        let value: serde_json::Value = serde_json::from_str(&json).unwrap();
        assert_eq!(value.to_string() + "\n", json);
        assert!(json.contains("\"verdict\":\"nothing-to-compare-with\""), "{json}");
    }
}

//! The results of a check: lines, JSON, hashdeep's words, and the last sentence.

use super::word;
use super::{counted, many};
use pfh::check::{Change, Checked, Class, Counts, Findings, Listing, Part, Remark, Reread, Rereads, Rot, Twice};
use pfh::manifest::row::{self, Is, Named, Path, Word};
use pfh::terminal::render;
use pfh::{Digest, Verdict};
use serde::Serialize;
use std::collections::BTreeMap;

/// A line for people: class, name, and where it came from.
pub fn text(change: &Change) -> String {
    let mut line = format!("{:<13}  {}", change.class.name(), render(&change.name));
    if let Some(from) = &change.from {
        line += &format!("  (from {})", render(from));
    }
    if change.partly {
        line += "  (some digests are as they were)";
    }
    if let Some(reread) = &change.reread {
        line += &format!("  ({})", reread.sentence());
    }
    // Of bit rot the class says it.
    line + &remarks(change.rot.filter(|rot| *rot != Rot::AtRest), change.cause.as_ref())
}

/// The end of a line about a changed file: how its times compare, and why it was not read.
pub fn remarks(rot: Option<Rot>, cause: Option<&impl std::fmt::Display>) -> String {
    let rot = rot.map(|rot| format!("  ({})", rot.sentence())).unwrap_or_default();
    let cause = cause.map(|cause| format!("  ({cause})")).unwrap_or_default();
    format!("{rot}{cause}\n")
}

// In the order of the names of its members.
/// A file of an audit.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Audited<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    cause: Option<&'a str>,
    class: Word<Class>,
    #[serde(skip_serializing_if = "Option::is_none")]
    evidence: Option<Word<Rot>>,
    #[serde(flatten)]
    from: Option<Named<'a, word::From>>,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    partly: bool,
    #[serde(flatten)]
    path: Path<'a>,
    #[serde(skip_serializing_if = "Option::is_none")]
    reread: Option<Second<'a>>,
    r#type: Is<word::Audit>,
}

/// A JSON object per line; names that are not UTF-8 stand exactly in `…_b64`.
pub fn json(change: &Change) -> String {
    row::line(&Audited {
        cause: change.cause.as_deref(),
        class: Word(change.class),
        evidence: change.rot.map(Word),
        from: change.from.as_deref().map(|from| Named(from, word::From)),
        partly: change.partly,
        path: Path(&change.name),
        reread: change.reread.as_deref().map(second),
        r#type: Is(word::Audit),
    })
}

/// hashdeep's words for a change, as `hashdeep -a -vvv` prints them.
fn words(change: &Change) -> Vec<String> {
    let name = render(&change.name);
    match change.class {
        Class::Matched | Class::MetadataOnly => vec![format!("{name}: Ok")],
        Class::Moved | Class::Copied => {
            vec![format!("{name}: Moved from {}", render(change.from.as_deref().unwrap_or_default()))]
        }
        Class::New => vec![format!("{name}: No match")],
        Class::Missing | Class::Unverified => vec![format!("{name}: Known file not used")],
        Class::Modified | Class::BitRot => vec![format!("{name}: No match"), format!("{name}: Known file not used")],
        _ => vec![format!("{name}: {}", change.cause.as_deref().unwrap_or("error"))],
    }
}

/// The changes and the verdict in hashdeep's wording; its two first counters, which hashdeep leaves
/// at 0, are right here.
pub fn hashdeep(changes: &[Change], counts: &Counts, all: bool) -> String {
    let mut lines = String::new();
    for change in changes {
        let fine = matches!(change.class, Class::Matched | Class::MetadataOnly);
        if all || !fine {
            lines += &(words(change).join("\n") + "\n");
        }
    }
    let sum = |classes: &[Class]| classes.iter().map(|class| counts.of(*class)).sum::<u64>();
    let changed = sum(&[Class::Modified, Class::BitRot]);
    lines += &format!("hashdeep: Audit {}\n", if counts.passed() { "passed" } else { "failed" });
    let numbers = [
        ("Input files examined", counts.examined),
        ("Known files expecting", counts.expected),
        ("Files matched", sum(&[Class::Matched, Class::MetadataOnly])),
        ("Files partially matched", counts.partly),
        ("Files moved", sum(&[Class::Moved, Class::Copied])),
        ("New files found", counts.of(Class::New) + changed - counts.partly),
        ("Known files not found", counts.of(Class::Missing) + changed - counts.partly + counts.unverified),
    ];
    for (what, number) in numbers {
        lines += &format!("{what:>23}: {number}\n");
    }
    lines
}

/// The counts in a sentence for people.
pub fn summary_text(counts: &Counts) -> String {
    let words: Vec<String> = Class::ALL.map(|class| format!("{} {}", counts.of(class), class.name())).to_vec();
    let examined = counted(counts.examined, "file");
    let expected = many(counts.expected, "entry", "entries");
    format!("audit of {examined} against {expected}: {}\n", words.join(", "))
}

// In the order of the names of its members.
/// How many files of an audit are of each class.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub struct Audit {
    beyond: u64,
    bit_rot: u64,
    copied: u64,
    error: u64,
    examined: u64,
    expected: u64,
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

/// The counts and the verdict as one JSON object.
pub fn summary_json(counts: &Counts, verdict: Verdict, rereads: &Rereads) -> String {
    row::line(&Audit {
        beyond: counts.beyond,
        bit_rot: counts.of(Class::BitRot),
        copied: counts.of(Class::Copied),
        error: counts.of(Class::Error),
        examined: counts.examined,
        expected: counts.expected,
        matched: counts.of(Class::Matched),
        metadata_only: counts.of(Class::MetadataOnly),
        missing: counts.of(Class::Missing),
        modified: counts.of(Class::Modified),
        moved: counts.of(Class::Moved),
        new: counts.of(Class::New),
        passed: counts.passed(),
        reread: seconds(rereads),
        r#type: Is(word::Summary),
        unverified: counts.unverified,
        verdict: Word(verdict),
    })
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
enum Found {
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
pub struct Compared<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    cause: Option<&'a str>,
    #[serde(flatten)]
    path: Path<'a>,
    #[serde(skip_serializing_if = "Option::is_none")]
    reread: Option<Second<'a>>,
    result: Found,
    r#type: Is<word::Check>,
}

/// The result for a listed file, as one JSON object.
pub fn compared_json(entry: &Listing, found: Checked, cause: Option<&str>, reread: Option<&Reread>) -> String {
    let result = match found {
        Checked::Right => Found::Ok,
        Checked::Wrong => Found::Failed,
        Checked::Missing => Found::Missing,
        Checked::Unread | Checked::Likely => Found::Unread,
        Checked::Ignored => Found::Ignored,
    };
    row::line(&Compared { cause, path: Path(&entry.name), reread: reread.map(second), result, r#type: Is(word::Check) })
}

// In the order of the names of its members.
/// How many listed files there are, and their outcomes.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Listed<'a> {
    algorithms: &'a BTreeMap<String, u64>,
    expected: u64,
    failed: u64,
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

/// The results for all listed files, as one JSON object.
pub fn files_json(part: &Part) -> String {
    let Findings::Files(files) = &part.findings else { return String::new() };
    row::line(&Listed {
        algorithms: &part.by_algorithm,
        expected: part.expected,
        failed: files.different,
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

/// GNU's warnings over the listed files, then the entries of the manifest that were not compared.
pub fn warnings(part: &Part) -> Vec<String> {
    let counted = match &part.findings {
        Findings::Files(files) => vec![
            (files.missing + files.unread, "listed file could not be read", "listed files could not be read"),
            (files.different, "computed checksum did NOT match", "computed checksums did NOT match"),
        ],
        _ => Vec::new(),
    };
    let counted = counted.into_iter().filter(|(count, ..)| *count > 0);
    let counted = counted.map(|(count, one, many)| format!("{count} {}", if count == 1 { one } else { many }));
    counted.chain(part.not_compared.iter().cloned()).collect()
}

/// The sentence of a part of the check, with the options that help.
pub fn sentence(part: &Part) -> String {
    part.sentence(|remark| match remark {
        Remark::MoreIn(directory, why) => {
            format!("more of the names are in {}, {why}: --root checks those", render(directory))
        }
        Remark::Nowhere => "no name is there below the working directory: name the directory with --root".into(),
        Remark::OtherAlgorithms(_) => format!("{remark}: -a says it"),
        Remark::Likely(_) => "--names as-found compares them".into(),
        Remark::Weak(weak) => format!(
            "a file has the {weak} that stands there, which anybody can bring about: say -a {weak} if the manifest is of that"
        ),
        _ => remark.to_string(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_have_their_members_in_order() {
        let json = summary_json(&Counts::default(), Verdict::NothingToCompareWith, &Rereads::default());
        let value: serde_json::Value = serde_json::from_str(&json).unwrap();
        assert_eq!(value.to_string() + "\n", json);
        assert!(json.contains("\"verdict\":\"nothing-to-compare-with\""), "{json}");
    }
}

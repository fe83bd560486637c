//! The changes as rows: what `--json` prints, and dictionaries in Python.

use super::event::{Change, Class};
use super::summary::{Counts, Summary};
use crate::check::Rot;
use crate::verdict::Verdict;
use pfh_manifest::row::{Is, Mark, NameField, Path, Word};
use serde::Serialize;

mod word {
    pfh_manifest::constants! { From = "from", Summary = "summary", Update = "update" }
}

// In the order of the names of its members.
/// A file whose record changed, or stays although the file does not agree with it.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ChangeRow<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    cause: Option<&'a str>,
    class: Word<Class>,
    #[serde(skip_serializing_if = "Option::is_none")]
    evidence: Option<Word<Rot>>,
    #[serde(flatten)]
    from: Option<NameField<'a, word::From>>,
    #[serde(flatten)]
    path: Path<'a>,
    r#type: Is<word::Update>,
    /// The finding that it is.
    #[serde(flatten)]
    mark: Option<Mark>,
}

impl<'a> ChangeRow<'a> {
    /// A file as one JSON object.
    pub fn of(change: &'a Change) -> ChangeRow<'a> {
        ChangeRow {
            cause: change.cause.as_deref(),
            class: Word(change.class),
            evidence: change.rot.map(Word),
            from: change.from.as_deref().map(|from| NameField(from, word::From)),
            mark: change.class.finding().map(Mark::of),
            path: Path(&change.name),
            r#type: Is(word::Update),
        }
    }
}

// In the order of the names of its members.
/// How many records became what.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub struct UpdateSum {
    beyond: u64,
    bit_rot: u64,
    changed: u64,
    gone: u64,
    improper: u64,
    metadata_only: u64,
    moved: u64,
    new: u64,
    sealed: bool,
    trusted: u64,
    r#type: Is<word::Summary>,
    unchanged: u64,
    unread: u64,
    unwritten: u64,
    verdict: Word<Verdict>,
    written: bool,
}

impl UpdateSum {
    /// The counts as one JSON object.
    pub fn of(summary: &Summary) -> UpdateSum {
        let Counts { beyond, rotten, changed, gone, improper, metadata, moved, new, trusted, .. } = summary.counts;
        let Counts { unchanged, unread, unwritten, .. } = summary.counts;
        UpdateSum {
            beyond,
            bit_rot: rotten,
            changed,
            gone,
            improper,
            metadata_only: metadata,
            moved,
            new,
            sealed: summary.sealed,
            trusted,
            r#type: Is(word::Summary),
            unchanged,
            unread,
            unwritten,
            verdict: Word(summary.verdict()),
            written: summary.written,
        }
    }
}

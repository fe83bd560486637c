//! The results of bringing a manifest up to date: lines and JSON.

use super::word;
use pfh::Verdict;
use pfh::check::Rot;
use pfh::manifest::row::{self, Is, Named, Path, Word};
use pfh::terminal::render;
use pfh::update::{Change, Class, Counts, Summary};
use serde::Serialize;

/// A line for people: class and name.
pub fn text(change: &Change) -> String {
    let from = change.from.as_ref().map(|from| format!("  (from {})", render(from))).unwrap_or_default();
    let remarks = super::check::remarks(change.rot, change.cause.as_ref());
    format!("{:<13}  {}{from}{remarks}", change.class.name(), render(&change.name))
}

// In the order of the names of its members.
/// A file whose record changed, or stays although the file does not agree with it.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Updated<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    cause: Option<&'a str>,
    class: Word<Class>,
    #[serde(skip_serializing_if = "Option::is_none")]
    evidence: Option<Word<Rot>>,
    #[serde(flatten)]
    from: Option<Named<'a, word::From>>,
    #[serde(flatten)]
    path: Path<'a>,
    r#type: Is<word::Update>,
}

/// A file as one JSON object.
pub fn json(change: &Change) -> String {
    row::line(&Updated {
        cause: change.cause.as_deref(),
        class: Word(change.class),
        evidence: change.rot.map(Word),
        from: change.from.as_deref().map(|from| Named(from, word::From)),
        path: Path(&change.name),
        r#type: Is(word::Update),
    })
}

// In the order of the names of its members.
/// How many records became what.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub struct All {
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

/// The counts as one JSON object.
pub fn summary_json(summary: &Summary) -> String {
    let Counts { beyond, rotten, changed, gone, improper, metadata, moved, new, trusted, .. } = summary.counts;
    let Counts { unchanged, unread, unwritten, .. } = summary.counts;
    row::line(&All {
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
    })
}

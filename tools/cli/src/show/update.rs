//! What became of a manifest that was brought up to date: lines and JSON.

use pfh::Verdict;
use pfh::check::Rot;
use pfh::manifest::row;
use pfh::terminal::render;
use pfh::update::{Change, Counts, Summary};
use serde::Serialize;

/// A line for people: class and name.
pub fn text(change: &Change) -> String {
    let mut line = format!("{:<13}  {}", change.class.name(), render(&change.name));
    if let Some(rot) = change.rot {
        line += &format!("  ({})", rot.sentence());
    }
    if let Some(cause) = &change.cause {
        line += &format!("  ({cause})");
    }
    line + "\n"
}

/// A file, in the order of the names of its members.
#[derive(Serialize)]
struct Updated<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    cause: Option<&'a str>,
    class: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    evidence: Option<&'static str>,
    #[serde(flatten, serialize_with = "row::path")]
    path: &'a [u8],
    r#type: &'static str,
}

/// A file as one JSON object.
pub fn json(change: &Change) -> String {
    row::line(&Updated {
        cause: change.cause.as_deref(),
        class: change.class.name(),
        evidence: change.rot.map(Rot::name),
        path: &change.name,
        r#type: "update",
    })
}

/// The counts, in the order of the names of its members.
#[derive(Serialize)]
#[serde(rename_all = "kebab-case")]
struct All {
    beyond: u64,
    bit_rot: u64,
    changed: u64,
    gone: u64,
    improper: u64,
    metadata_only: u64,
    new: u64,
    sealed: bool,
    trusted: u64,
    r#type: &'static str,
    unchanged: u64,
    unread: u64,
    unwritten: u64,
    #[serde(serialize_with = "row::shown")]
    verdict: Verdict,
    written: bool,
}

/// The counts as one JSON object.
pub fn summary_json(summary: &Summary) -> String {
    let Counts { beyond, rotten, changed, gone, improper, metadata, new, trusted, .. } = summary.counts;
    let Counts { unchanged, unread, unwritten, .. } = summary.counts;
    row::line(&All {
        beyond,
        bit_rot: rotten,
        changed,
        gone,
        improper,
        metadata_only: metadata,
        new,
        sealed: summary.sealed,
        trusted,
        r#type: "summary",
        unchanged,
        unread,
        unwritten,
        verdict: summary.verdict(),
        written: summary.written,
    })
}

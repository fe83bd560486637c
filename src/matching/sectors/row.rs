//! The fragments as rows: what `--json` prints, and dictionaries in Python.

use super::event::{BlockCounts, KnownFragment, Summary};
use pfh_known::{Flag, KnownStatus};
use pfh_manifest::row::{Is, Path, Word};
use serde::Serialize;

mod word {
    pfh_manifest::constants! { Fragment = "fragment", Summary = "summary" }
}

#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
struct File<'a> {
    set: &'a str,
    class: &'a str,
    #[serde(flatten)]
    path: Path<'a>,
    size: u64,
    offset: u64,
}

/// Adjacent known blocks of an image.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct FragmentRow<'a> {
    r#type: Is<word::Fragment>,
    #[serde(flatten)]
    path: Path<'a>,
    offset: u64,
    length: u64,
    block_size: u32,
    blocks: u64,
    flagged: u64,
    flags: Vec<Word<Flag>>,
    verdict: Word<KnownStatus>,
    files: Vec<File<'a>>,
    more_files: u64,
    cut_blocks: u64,
}

impl<'a> FragmentRow<'a> {
    /// A fragment as one JSON object.
    pub fn of(found: &'a KnownFragment<'a>) -> FragmentRow<'a> {
        let fragment = found.fragment;
        let files = fragment.files.iter().map(|of| File {
            set: &found.set(of).name,
            class: found.set(of).class().name(),
            path: Path(&of.file.name),
            size: of.file.length,
            offset: of.offset,
        });
        FragmentRow {
            r#type: Is(word::Fragment),
            path: Path(found.image.as_os_str().as_encoded_bytes()),
            offset: fragment.offset,
            length: found.length(),
            block_size: fragment.size,
            blocks: fragment.blocks,
            flagged: fragment.flagged,
            flags: fragment.flags.iter().copied().map(Word).collect(),
            verdict: Word(found.verdict()),
            files: files.collect(),
            more_files: found.more_files(),
            cut_blocks: fragment.cut,
        }
    }
}

#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
struct Size {
    block_size: u32,
    blocks: u64,
    flagged: u64,
    fragments: u64,
    cut_blocks: u64,
}

/// The result of the whole search.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct FragmentsSum {
    r#type: Is<word::Summary>,
    images: u64,
    any_offset: bool,
    bytes: u64,
    unread: u64,
    errors: u64,
    gaps: u64,
    algorithms: Vec<String>,
    sizes: Vec<Size>,
    flagged_fragments: u64,
    #[serde(rename = "known-bad")]
    known_bad: u64,
    #[serde(rename = "known-good")]
    known_good: u64,
    known: u64,
    maybe: u64,
}

impl FragmentsSum {
    /// The last line of JSON.
    pub fn of(summary: &Summary) -> FragmentsSum {
        let size = |(block_size, of): &(u32, BlockCounts)| Size {
            block_size: *block_size,
            blocks: of.blocks,
            flagged: of.flagged,
            fragments: of.fragments,
            cut_blocks: of.cut,
        };
        let of = |status| summary.counts.of(status);
        FragmentsSum {
            r#type: Is(word::Summary),
            images: summary.images,
            any_offset: summary.anywhere,
            bytes: summary.bytes,
            unread: summary.unread,
            errors: summary.failed,
            gaps: summary.gaps,
            algorithms: summary.algorithms.iter().map(ToString::to_string).collect(),
            sizes: summary.sizes.iter().map(size).collect(),
            flagged_fragments: summary.hidden,
            known_bad: of(KnownStatus::KnownBad),
            known_good: of(KnownStatus::KnownGood),
            known: of(KnownStatus::Known),
            maybe: of(KnownStatus::Maybe),
        }
    }
}

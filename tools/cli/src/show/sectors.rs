//! Known blocks in images: lines, JSON and sentences.

use super::word;
use pfh::known::{Flag, KnownStatus, PLACES};
use pfh::manifest::row::{self, Is, Path, Word};
use pfh::matching::sectors::{Counted, Event, Found, Summary};
use pfh::terminal::{counted, render, shown};
use serde::Serialize;
use std::fmt::Write as _;

/// Files of a fragment that a line of text names.
const NAMED: usize = 3;

/// A fragment as a line for people.
pub fn line(found: &Found<'_>) -> String {
    let fragment = found.fragment;
    let mut line = format!(
        "{:<11} {}: {} bytes at {}: {} of {} bytes",
        found.verdict().name(),
        shown(found.image),
        found.length(),
        fragment.offset,
        counted(fragment.blocks, "block"),
        fragment.size
    );
    if fragment.flagged > 0 {
        let flags: Vec<&str> = fragment.flags.iter().map(|flag| flag.name()).collect();
        let _ = write!(line, ", {} flagged ({})", fragment.flagged, flags.join(", "));
    }
    for (at, of) in fragment.files.iter().take(NAMED).enumerate() {
        let (name, set) = (render(&of.file.name), render(found.set(of).name.as_bytes()));
        let between = if at == 0 { " <- " } else { "; " };
        let _ = write!(line, "{between}{name} at {} ({set})", of.offset);
    }
    let hidden = found.more_files() + (fragment.files.len().saturating_sub(NAMED)) as u64;
    if hidden > 0 {
        let _ = write!(line, "; and {hidden} more");
    }
    if fragment.cut > 0 {
        let _ = write!(line, "; {} at more places than are kept", counted(fragment.cut, "block"));
    }
    line + "\n"
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

#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Fragment<'a> {
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

/// A fragment as one JSON object.
pub fn json(found: &Found<'_>) -> String {
    let fragment = found.fragment;
    let files = fragment.files.iter().map(|of| File {
        set: &found.set(of).name,
        class: found.set(of).class().name(),
        path: Path(&of.file.name),
        size: of.file.length,
        offset: of.offset,
    });
    row::line(&Fragment {
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
    })
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

#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Total {
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

/// The last line of JSON.
pub fn total_json(summary: &Summary) -> String {
    let size = |(block_size, of): &(u32, Counted)| Size {
        block_size: *block_size,
        blocks: of.blocks,
        flagged: of.flagged,
        fragments: of.fragments,
        cut_blocks: of.cut,
    };
    let of = |status| summary.counts.of(status);
    row::line(&Total {
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
    })
}

/// The sentence of an event, if it has one.
pub fn sentence(event: &Event<'_>) -> Option<String> {
    Some(match event {
        Event::OtherSizes(path) => {
            format!("{}: has blocks of none of these sizes: nothing is compared with it", shown(path))
        }
        Event::Empty(path, set) => format!("{}: the set {} holds no block", shown(path), render(set.as_bytes())),
        Event::Failed(path, cause) => format!("{}: {cause}", shown(path)),
        Event::Unread(path, range, cause) => {
            format!("{}: bytes {} to {} were not read: {cause}", shown(path), range.start, range.end)
        }
        Event::Gap(path, "", cause) => format!("{}: its unallocated space is not known whole: {cause}", shown(path)),
        Event::Gap(path, part, cause) => {
            format!("{}: the unallocated space of {part} is not known whole: {cause}", shown(path))
        }
        Event::Nothing(path) => format!("{}: there is nothing to look at", shown(path)),
        _ => return None,
    })
}

/// Sentences about the whole search.
pub fn sentences(summary: &Summary) -> Vec<String> {
    let algorithms: Vec<String> = summary.algorithms.iter().map(ToString::to_string).collect();
    let of = if summary.unallocated { " of unallocated space" } else { "" };
    let mut lines = vec![format!(
        "{} of {} read, {} compared with {} by {}",
        counted(summary.bytes, "byte") + of,
        counted(summary.images, "image"),
        if summary.unread > 0 { format!("{} could not be;", counted(summary.unread, "byte")) } else { "all".into() },
        counted(summary.sets, "set"),
        algorithms.join(", "),
    )];
    for (size, Counted { blocks, flagged, fragments, .. }) in &summary.sizes {
        let found = (counted(*blocks, "known block"), counted(*fragments, "fragment"));
        let at = if summary.anywhere { " at any byte" } else { "" };
        lines.push(format!("blocks of {size} bytes{at}: {} ({flagged} flagged) in {}", found.0, found.1));
    }
    let cut: u64 = summary.sizes.iter().map(|(_, of)| of.cut).sum();
    if cut > 0 {
        let blocks = counted(cut, "known block");
        lines.push(format!(
            "{blocks} with more than {PLACES} places in known files; a set keeps {PLACES}: other files may have them too, and adjacent blocks may be several fragments"
        ));
    }
    if summary.hidden > 0 {
        let fragments = counted(summary.hidden, "fragment");
        lines.push(format!("{fragments} of flagged blocks alone, which other files have as well: no verdict rests on them; --flagged lists them"));
    }
    lines
}

/// The number of fragments with each verdict, in a sentence.
pub fn verdicts(summary: &Summary) -> String {
    let said = summary.counts.words().into_iter().filter(|(word, _)| !matches!(*word, "unknown" | "error" | "maybe"));
    let words: Vec<String> = said.map(|(word, count)| format!("{count} {word}")).collect();
    format!("fragments: {}", words.join(", "))
}

/// Whether a fragment can have this verdict.
pub fn is_verdict(verdict: KnownStatus) -> bool {
    !matches!(verdict, KnownStatus::Unknown | KnownStatus::Error)
}

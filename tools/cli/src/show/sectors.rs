//! Known blocks in images: lines and sentences.

use pfh::known::{KnownStatus, PLACES};
use pfh::matching::sectors::{BlockCounts, KnownFragment, Summary};
use pfh::terminal::{counted, render, shown};
use std::fmt::Write as _;

/// Files of a fragment that a line of text names.
const NAMED: usize = 3;

/// A fragment as a line for people.
pub fn line(found: &KnownFragment<'_>) -> String {
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
    for (size, BlockCounts { blocks, flagged, fragments, .. }) in &summary.sizes {
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

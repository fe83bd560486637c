//! What a search reports while it runs, and what it comes to.

use crate::matching::Counts;
use crate::{rendered, shown};
use pfh_digest::Algorithm;
use pfh_known::PLACES;
use std::fmt;
use std::io;
use std::ops::Range;
use std::path::Path;

/// What happens during a run. Events come on the thread that called [`run`](super::run).
#[derive(Debug)]
#[non_exhaustive]
pub enum Event<'a> {
    /// A set has blocks of none of the sizes: nothing is compared with it.
    OtherSizes(&'a Path),
    /// A set of the file holds no block.
    Empty(&'a Path, &'a str),
    /// An image cannot be read, or changed while it was.
    Failed(&'a Path, &'a str),
    /// A range of an image was not read.
    Unread(&'a Path, &'a Range<u64>, &'a str),
    /// A part of an image whose unallocated space is not known: its name, and why.
    Gap(&'a Path, &'a str, &'a str),
    /// There is nothing in an image to look at.
    Nothing(&'a Path),
}

/// A sentence for people.
impl fmt::Display for Event<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Event::OtherSizes(path) => {
                write!(f, "{}: has blocks of none of these sizes: nothing is compared with it", shown(path))
            }
            Event::Empty(path, set) => {
                write!(f, "{}: the set {} holds no block", shown(path), rendered(set.as_bytes()))
            }
            Event::Failed(path, cause) => write!(f, "{}: {cause}", shown(path)),
            Event::Unread(path, range, cause) => {
                write!(f, "{}: bytes {} to {} were not read: {cause}", shown(path), range.start, range.end)
            }
            Event::Gap(path, "", cause) => {
                write!(f, "{}: its unallocated space is not known whole: {cause}", shown(path))
            }
            Event::Gap(path, part, cause) => {
                write!(f, "{}: the unallocated space of {part} is not known whole: {cause}", shown(path))
            }
            Event::Nothing(path) => write!(f, "{}: there is nothing to look at", shown(path)),
        }
    }
}

/// Receives the events of a run. An error ends the run with
/// [`Error::Output`](super::Error::Output).
pub type Sink<'a> = dyn FnMut(&Event<'_>) -> io::Result<()> + 'a;

/// Of one size of blocks.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Counted {
    /// Places of the media with a known block, overlapping ones included.
    pub blocks: u64,
    /// Those whose blocks say little of their files.
    pub flagged: u64,
    /// Fragments.
    pub fragments: u64,
    /// Places of the media whose blocks are at more places of known files than a set keeps.
    pub cut: u64,
}

/// The result of a run.
#[derive(Debug, Clone, Default)]
#[non_exhaustive]
pub struct Summary {
    /// Images that were read.
    pub images: u64,
    /// Bytes that were read.
    pub bytes: u64,
    /// Bytes that should have been, and could not.
    pub unread: u64,
    /// Images that could not be opened, or changed while they were read.
    pub failed: u64,
    /// Sets that were not compared with, and parts of images whose unallocated space is not known.
    pub gaps: u64,
    /// Sets in use.
    pub sets: u64,
    /// The algorithms by which blocks were compared.
    pub algorithms: Vec<Algorithm>,
    /// What was found, by the size of blocks.
    pub sizes: Vec<(u32, Counted)>,
    /// Fragments by verdict, without those of flagged blocks alone.
    pub counts: Counts,
    /// Fragments of flagged blocks alone that were not written.
    pub hidden: u64,
    /// Whether unallocated space alone was looked at.
    pub unallocated: bool,
    /// Whether the control cancelled the run.
    pub interrupted: bool,
}

impl Summary {
    /// Whether all that was asked for was compared.
    pub fn is_complete(&self) -> bool {
        self.unread + self.failed + self.gaps == 0 && self.is_comparable()
    }

    /// Whether anything was compared.
    pub fn is_comparable(&self) -> bool {
        self.bytes > 0 && self.sets > 0
    }

    /// Sentences for people.
    pub fn sentences(&self) -> Vec<String> {
        let algorithms: Vec<String> = self.algorithms.iter().map(ToString::to_string).collect();
        let mut lines = Vec::new();
        let of = if self.unallocated { " of unallocated space" } else { "" };
        lines.push(format!(
            "{} of {} read, {} compared with {} by {}",
            counted(self.bytes, "byte") + of,
            counted(self.images, "image"),
            if self.unread > 0 { format!("{} could not be;", counted(self.unread, "byte")) } else { "all".into() },
            counted(self.sets, "set"),
            algorithms.join(", "),
        ));
        for (size, Counted { blocks, flagged, fragments, .. }) in &self.sizes {
            let found = (counted(*blocks, "known block"), counted(*fragments, "fragment"));
            lines.push(format!("blocks of {size} bytes: {} ({flagged} flagged) in {}", found.0, found.1));
        }
        let cut: u64 = self.sizes.iter().map(|(_, of)| of.cut).sum();
        if cut > 0 {
            let blocks = counted(cut, "known block");
            lines.push(format!(
                "{blocks} with more than {PLACES} places in known files, of which a set keeps {PLACES}: other files may have them too, and what lies side by side may be several fragments"
            ));
        }
        if self.hidden > 0 {
            let fragments = counted(self.hidden, "fragment");
            lines.push(format!("{fragments} of flagged blocks alone, which other files have as well: no verdict rests on them; --flagged lists them"));
        }
        lines
    }
}

/// How many fragments have each verdict, for people.
pub fn verdicts(summary: &Summary) -> String {
    let said = summary.counts.words().into_iter().filter(|(word, _)| !matches!(*word, "unknown" | "error" | "maybe"));
    let words: Vec<String> = said.map(|(word, count)| format!("{count} {word}")).collect();
    format!("fragments: {}", words.join(", "))
}

/// A number of things.
pub(super) fn counted(count: u64, what: &str) -> String {
    if count == 1 { format!("1 {what}") } else { format!("{count} {what}s") }
}

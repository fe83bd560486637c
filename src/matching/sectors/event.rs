//! The events of a search, and its result.

use super::fragment::{Candidate, Fragment};
use crate::matching::Counts;
use crate::verdict::Verdict;
use pfh_digest::Algorithm;
use pfh_known::{Class, KnownSet, KnownStatus, Set};
use pfh_source::terminal::{render, shown};
use std::io;
use std::ops::Range;
use std::path::Path;

/// An event of a run. Events come on the thread that called [`run`](super::run).
#[derive(Clone, Copy)]
#[non_exhaustive]
pub enum Event<'a> {
    /// The sets are open, and images are read from here on.
    Opened,
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
    /// A result: known blocks side by side.
    Fragment(&'a KnownFragment<'a>),
}

impl Event<'_> {
    /// A sentence for people, if it needs one.
    pub fn sentence(&self) -> Option<String> {
        Some(match self {
            Event::OtherSizes(path) => {
                format!("{}: has blocks of none of these sizes: nothing is compared with it", shown(path))
            }
            Event::Empty(path, set) => format!("{}: the set {} holds no block", shown(path), render(set.as_bytes())),
            Event::Failed(path, cause) => format!("{}: {cause}", shown(path)),
            Event::Unread(path, range, cause) => {
                format!("{}: bytes {} to {} were not read: {cause}", shown(path), range.start, range.end)
            }
            Event::Gap(path, "", cause) => {
                format!("{}: its unallocated space is not known whole: {cause}", shown(path))
            }
            Event::Gap(path, part, cause) => {
                format!("{}: the unallocated space of {part} is not known whole: {cause}", shown(path))
            }
            Event::Nothing(path) => format!("{}: there is nothing to look at", shown(path)),
            _ => return None,
        })
    }
}

/// A fragment with the sets that know it.
#[derive(Clone, Copy)]
#[non_exhaustive]
pub struct KnownFragment<'a> {
    /// The image.
    pub image: &'a Path,
    /// The blocks.
    pub fragment: &'a Fragment,
    pub(super) sets: &'a [KnownSet],
}

impl KnownFragment<'_> {
    /// The set of a file that the fragment may be of.
    pub fn set(&self, of: &Candidate) -> &Set {
        &self.sets[of.known].sets()[of.file.set]
    }

    /// The gravest verdict of the sets of its files.
    pub fn verdict(&self) -> KnownStatus {
        let classes: Vec<Class> = self.fragment.files.iter().map(|of| self.set(of).class().clone()).collect();
        KnownStatus::of(classes.iter().map(Some))
    }

    /// Bytes from its first to its last known byte.
    pub fn length(&self) -> u64 {
        self.fragment.end() - self.fragment.offset
    }

    /// Known files that have its block as well and are not named, at least.
    pub fn more_files(&self) -> u64 {
        let files = &self.fragment.files;
        let is_new = |(at, of): &(usize, &Candidate)| {
            !files[..*at].iter().any(|other| other.known == of.known && other.file == of.file)
        };
        let named = files.iter().enumerate().filter(is_new).count() as u64;
        if self.fragment.blocks == 1 { u64::from(self.fragment.of_files).saturating_sub(named) } else { 0 }
    }
}

/// Receives the events of a run. An error ends the run with
/// [`Error::Sink`](crate::job::Error::Sink).
pub type Events<'a> = dyn FnMut(Event<'_>) -> io::Result<()> + 'a;

/// Of one size of blocks.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct BlockCounts {
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
    /// The results, by the size of blocks.
    pub sizes: Vec<(u32, BlockCounts)>,
    /// Fragments by verdict, without those of flagged blocks alone.
    pub counts: Counts,
    /// Fragments of flagged blocks alone that are not among the results.
    pub hidden: u64,
    /// Whether unallocated space alone was looked at.
    pub unallocated: bool,
    /// Whether blocks were also looked for where no sector begins.
    pub anywhere: bool,
    /// Whether the control cancelled the run.
    pub interrupted: bool,
}

impl Summary {
    /// Whether all that was asked for was compared.
    pub fn is_complete(&self) -> bool {
        self.unread + self.failed + self.gaps == 0 && !self.interrupted && self.is_comparable()
    }

    /// The verdict on the whole: negative if a fragment has one of the verdicts `fail_on`.
    pub fn conclusion(&self, fail_on: &[KnownStatus]) -> Verdict {
        match self {
            _ if !self.is_comparable() => Verdict::NothingToCompareWith,
            _ if self.counts.fails(fail_on, true) => Verdict::Differs,
            _ if self.is_complete() => Verdict::Verified,
            _ => Verdict::Incomplete,
        }
    }

    /// Whether anything was compared.
    pub fn is_comparable(&self) -> bool {
        self.bytes > 0 && self.sets > 0
    }
}

//! The events of a run, and its results.

use super::{Answer, Gap, Reference, Request};
use crate::verdict::Verdict;
use pfh_digest::Algorithm;
use pfh_engine::{Record, Summary as Run};
use pfh_known::{KnownStatus, Set};
use pfh_report::verdict::Place;
use pfh_source::terminal::{counted, render, shown};
use std::io;
use std::path::Path;

/// An event of a run. Events come on the thread that called [`run`](super::run), records in input
/// order.
#[derive(Clone, Copy)]
#[non_exhaustive]
pub enum Event<'a> {
    /// Something of the sets was not understood, or holds nothing.
    Gap(&'a Gap<'a>),
    /// Not every record of this set has a digest of the algorithms in use.
    LeftOut {
        /// The set.
        set: &'a Set,
        /// Records that can be compared.
        records: u64,
        /// The algorithms in use.
        algorithms: &'a [Algorithm],
    },
    /// This list has no class: its entries are neither good nor bad.
    NoClass(&'a Path),
    /// The sets are open, and files are hashed by these algorithms from here on.
    Opened {
        /// The sets and digests.
        reference: &'a Reference,
        /// The algorithms.
        algorithms: &'a [Algorithm],
    },
    /// An input was read, skipped, or failed, and this is known of it.
    Match(&'a Match<'a>),
    /// No record has come for a moment, and none is left at the end: writers let out the lines that
    /// they hold.
    Idle,
}

impl Event<'_> {
    /// A sentence for people, if it needs one.
    pub fn sentence(&self) -> Option<String> {
        Some(match self {
            Event::Gap(gap) => gap.to_string(),
            Event::LeftOut { set, records, algorithms } => {
                let names: Vec<&str> = algorithms.iter().map(|algorithm| algorithm.name()).collect();
                format!(
                    "{}: at most {records} of {} have a digest of {}: nothing is compared with the rest",
                    render(set.name.as_bytes()),
                    counted(set.records, "record"),
                    names.join(", ")
                )
            }
            Event::NoClass(list) => {
                format!("{}: a list of no class: files in it are `known`, neither good nor bad", shown(list))
            }
            _ => return None,
        })
    }
}

/// Receives the events of a run. An error ends the run with
/// [`Error::Sink`](crate::job::Error::Sink).
pub type Events<'a> = dyn FnMut(Event<'_>) -> io::Result<()> + 'a;

/// The sets' answer on one input.
#[derive(Clone, Copy)]
#[non_exhaustive]
pub struct Match<'a> {
    /// The input, with its digests or the reason why it has none.
    pub record: &'a Record,
    /// The verdict; `error` for an input that could not be read, `None` for one that was skipped.
    pub verdict: Option<KnownStatus>,
    /// The sets that hold it; nothing for an input without a digest.
    pub answer: &'a Answer,
    pub(super) reference: &'a Reference,
}

impl<'a> Match<'a> {
    /// The verdict's word; `skipped` for an input that was skipped.
    pub fn word(&self) -> &'static str {
        self.verdict.map_or("skipped", KnownStatus::name)
    }

    /// The sets that hold it.
    pub fn places(&self) -> Vec<Place<'a>> {
        self.reference.places(self.answer)
    }
}

/// The number of inputs with each verdict.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Counts([u64; KnownStatus::ALL.len()]);

impl Counts {
    /// Those with this verdict.
    pub fn of(&self, verdict: KnownStatus) -> u64 {
        self.0[verdict as usize]
    }

    /// Counts one more.
    pub fn add(&mut self, verdict: KnownStatus) {
        self.0[verdict as usize] += 1;
    }

    /// Whether any of these verdicts was given. That something is unknown counts only if all sets
    /// could be read (`complete`): files that were found stay found.
    pub fn fails(&self, verdicts: &[KnownStatus], complete: bool) -> bool {
        verdicts.iter().any(|verdict| self.of(*verdict) > 0 && (complete || *verdict != KnownStatus::Unknown))
    }

    /// Every verdict's word with its number.
    pub fn words(&self) -> Vec<(&'static str, u64)> {
        KnownStatus::ALL.iter().map(|verdict| (verdict.name(), self.of(*verdict))).collect()
    }
}

/// The result of a run.
#[derive(Debug, Clone, Copy, Default)]
#[non_exhaustive]
pub struct Summary {
    /// Whether any set holds a digest. Without one, nothing was read.
    pub comparable: bool,
    /// The counts of the run over the files.
    pub run: Run,
    /// Files by verdict.
    pub counts: Counts,
    /// Sets that were read in part, hold nothing or cannot be compared in full.
    pub gaps: u64,
}

impl Summary {
    /// The counts, for people.
    pub fn sentence(&self) -> String {
        let mut words: Vec<String> =
            self.counts.words().iter().map(|(word, count)| format!("{count} {word}")).collect();
        if self.run.skipped > 0 {
            words.push(format!("{} skipped", self.run.skipped));
        }
        words.join(", ")
    }

    /// The verdict on the whole: negative if a file has one of the verdicts `fail_on`, or if
    /// digests were sought and no file has one. That a file is unknown counts only where all sets
    /// could be read.
    pub fn conclusion(&self, request: &Request, fail_on: &[KnownStatus]) -> Verdict {
        let whole = self.gaps == 0;
        let nothing_found = !request.sets.digests.is_empty() && self.known() == 0;
        match self {
            Summary { comparable: false, .. } => Verdict::NothingToCompareWith,
            // A file that is known to be bad stays so, even if others could not be read.
            _ if self.counts.fails(fail_on, whole) || whole && nothing_found => Verdict::Differs,
            _ if !whole || self.run.faults > 0 => Verdict::Incomplete,
            _ => Verdict::Verified,
        }
    }

    /// Files that some set or digest knows, or may know.
    pub fn known(&self) -> u64 {
        let known = KnownStatus::ALL.iter().filter(|v| !matches!(v, KnownStatus::Unknown | KnownStatus::Error));
        known.map(|verdict| self.counts.of(*verdict)).sum()
    }
}

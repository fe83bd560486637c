//! The end that a manifest promises: whether it is there, and whether its counts are those of the
//! records that were read.

use crate::count::Count;
use crate::entry::{EndCounts, Item, Reason};

/// The outcome of the end of a manifest.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Ending {
    /// It promises none: a cut between two records is not seen.
    #[default]
    Unmarked,
    /// It is there, and its counts are those of the records that were read.
    Whole,
    /// It is not there: the manifest was cut off, or its writer was interrupted.
    Missing,
    /// It is there, and counts other records than were read.
    Contradicted {
        /// The counted things: `files`, `bytes`, `errors`, `skipped`, `records`.
        what: &'static str,
        /// How many the end states.
        stated: u64,
        /// How many were read.
        found: u64,
    },
    /// It is there, and states other names than were read, though as many.
    OtherNames,
    /// The document is not well-formed from some place on: the rest was not read.
    Broken,
}

/// Counts records up to the next end.
#[derive(Debug, Default)]
pub(crate) struct Tally {
    promised: bool,
    /// Whether every part of the manifest has an end, or only those that say so.
    always: bool,
    records: u64,
    files: u64,
    bytes: u64,
    failed: u64,
    skipped: u64,
    /// All of them, with and without digests.
    all: Count,
    /// Anything since the last end.
    open: bool,
    ended: bool,
    worst: Option<Ending>,
}

impl Tally {
    /// Starts to count; `always` says that manifests of this format have an end.
    pub(crate) fn new(always: bool) -> Tally {
        Tally { always, promised: always, ..Tally::default() }
    }

    /// An end is due.
    pub(crate) fn promise(&mut self) {
        // A list behind another that had no end of its own.
        if self.promised && self.open && !self.always {
            self.worsen(Ending::Missing);
        }
        self.promised = true;
        self.open = true;
    }

    /// Counts an item.
    pub(crate) fn count(&mut self, item: &Item) {
        self.open = true;
        match item {
            Item::Entry(entry) => {
                self.records += 1;
                self.name(&entry.name);
                if !entry.digests.is_empty() {
                    self.files += 1;
                    self.bytes = self.bytes.wrapping_add(entry.size.unwrap_or(0));
                }
            }
            Item::Unhashed(unhashed) => {
                self.name(&unhashed.name);
                match unhashed.reason {
                    Reason::Failed => self.failed += 1,
                    Reason::Skipped => self.skipped += 1,
                    // A fault says so.
                    Reason::Bare => {}
                }
            }
            Item::Fault(_) => {}
        }
    }

    /// Adds a name to the sum, if an end is due that may state it.
    fn name(&mut self, name: &[u8]) {
        if self.promised {
            self.all.add(name);
        }
    }

    /// Compares with the counts of an end, and starts again behind it.
    pub(crate) fn end(&mut self, stated: &EndCounts) {
        let counts = [
            ("records", stated.records, self.records),
            ("files", stated.files, self.files),
            ("bytes", stated.bytes, self.bytes),
            ("errors", stated.failed, self.failed),
            ("skipped", stated.skipped, self.skipped),
        ];
        let wrong = counts.into_iter().find_map(|(what, stated, found)| {
            let stated = stated.filter(|stated| *stated != found)?;
            Some(Ending::Contradicted { what, stated, found })
        });
        let is_other = self.promised && stated.names.is_some_and(|names| names != Some(self.all.names));
        if let Some(wrong) = wrong.or(is_other.then_some(Ending::OtherNames)) {
            self.worsen(wrong);
        }
        let (always, worst) = (self.always, self.worst);
        *self = Tally { always, promised: always, ended: true, worst, ..Tally::default() };
    }

    /// The document is broken.
    pub(crate) fn broken(&mut self) {
        self.worst = Some(Ending::Broken);
    }

    fn worsen(&mut self, ending: Ending) {
        self.worst = self.worst.or(Some(ending));
    }

    pub(crate) fn ending(&self) -> Ending {
        match (self.worst, self.promised && (self.open || !self.ended)) {
            (Some(worst), _) => worst,
            (None, true) => Ending::Missing,
            (None, false) if self.ended => Ending::Whole,
            (None, false) => Ending::Unmarked,
        }
    }
}

//! The findings of a verification, and its verdict.

use super::repeat::Repeat;
use super::{Event, Events, Finding};
use crate::job::Error;
use crate::verdict::{self, Comparison, Coverage, Evidence, Subject, Verdict};
use pfh_digest::Digest;
use pfh_source::Levels;
use std::io;

/// The subject of a comparison that a time stamp does not stand.
pub(super) const STAMP: &str = "the time stamp";

/// The findings of a verification.
#[derive(Debug)]
#[non_exhaustive]
pub struct Summary {
    /// The subjects that a good verdict must rest on.
    pub wanted: Vec<Subject>,
    /// All findings, in the order in which they were made.
    pub findings: Vec<Finding>,
    /// Everything that was compared: the verdict follows from it.
    pub comparisons: Vec<Comparison>,
    /// Digests of the image, or of the part of it that its log states; empty if it could not be
    /// read to its end.
    pub digests: Vec<Digest>,
    /// Second reads of what something contradicts.
    pub repeats: Vec<Repeat>,
    /// How much findings count.
    pub levels: Levels,
}

impl Summary {
    /// Whether all could be read, understood and compared.
    pub fn is_complete(&self) -> bool {
        !self.is_open() && self.comparisons.iter().all(|one| one.gaps().is_empty())
    }

    /// Whether a finding counts that is not a difference.
    fn is_open(&self) -> bool {
        let counts = |finding: &Finding| finding.finding().is_some_and(|id| self.levels.counts(id));
        self.findings.iter().any(|finding| !finding.is_difference() && counts(finding))
    }

    /// Comparisons without a difference.
    pub fn equal(&self) -> impl Iterator<Item = &Comparison> {
        self.comparisons.iter().filter(|one| !one.is_unequal())
    }

    /// The verdict.
    pub fn verdict(&self) -> Verdict {
        verdict::verdict(&self.wanted, &self.comparisons, self.is_open())
    }

    /// Reasons against a good verdict, one sentence each.
    pub fn missing(&self) -> Vec<String> {
        verdict::missing(&self.wanted, &self.comparisons)
    }

    /// The verdict in words: a good one names its evidence, a bad one the difference.
    pub fn sentence(&self) -> String {
        let mut with: Vec<String> = Vec::new();
        for equal in self.equal() {
            let text = format!("{} with {}", equal.what, equal.with);
            if !with.contains(&text) {
                with.push(text);
            }
        }
        let compared = with.join("; ");
        match (self.verdict(), with.is_empty()) {
            (Verdict::Verified, _) => format!("verified: {compared}"),
            (Verdict::Differs, _) => format!("NOT VERIFIED: {}", self.differing()),
            (Verdict::Incomplete | Verdict::NothingToCompareWith, true) => {
                "not verified: nothing to compare with".into()
            }
            (Verdict::Incomplete | Verdict::NothingToCompareWith, false) => {
                let missing = self.missing();
                let what = if missing.is_empty() { String::new() } else { format!(": {}", missing.join("; ")) };
                format!("not verified: not all could be compared{what}; equal: {compared}")
            }
        }
    }

    /// Which of image, log and signature differ.
    fn differing(&self) -> String {
        let is_stamp = |one: &Comparison| one.what == STAMP;
        let is_unequal = |about: Subject, of_stamp: bool| {
            self.comparisons.iter().any(|one| one.about == about && one.is_unequal() && is_stamp(one) == of_stamp)
        };
        let words = [
            (Subject::Image, false, "the image differs"),
            (Subject::Log, false, "the log is not what was written"),
            (Subject::Log, true, "the time stamp does not hold"),
            (Subject::Signer, false, "the signature is not of that key"),
        ];
        let found = words.iter().filter(|(about, of_stamp, _)| is_unequal(*about, *of_stamp));
        let found: Vec<&str> = found.map(|(.., word)| *word).collect();
        found.join(", ")
    }
}

/// Findings as they are made: each is an event, and enters the summary.
pub(super) struct Findings<'a> {
    events: &'a mut Events<'a>,
    /// Why the caller takes no more events: the run ends before its next step.
    refused: Option<io::Error>,
    pub(super) summary: Summary,
}

impl<'a> Findings<'a> {
    pub(super) fn new(events: &'a mut Events<'a>, wanted: Vec<Subject>, levels: Levels) -> Self {
        let (findings, comparisons, digests, repeats) = Default::default();
        Findings { events, refused: None, summary: Summary { wanted, findings, comparisons, digests, repeats, levels } }
    }

    fn send(&mut self, event: Event<'_>) {
        if self.refused.is_none() {
            self.refused = (self.events)(event).err();
        }
    }

    /// Whether the caller still takes events.
    pub(super) fn go_on(&mut self) -> Result<(), Error> {
        self.refused.take().map_or(Ok(()), |error| Err(Error::Sink(error)))
    }

    pub(super) fn enter(&mut self, finding: Finding) {
        self.send(Event::Found(&finding));
        self.summary.findings.push(finding);
    }

    /// How many comparisons are unequal so far.
    pub(super) fn unequal(&self) -> usize {
        self.summary.comparisons.iter().filter(|one| one.is_unequal()).count()
    }

    pub(super) fn note(&mut self, text: String) {
        self.enter(Finding::Note(text));
    }

    pub(super) fn open(&mut self, text: String) {
        self.enter(Finding::Open(text));
    }

    /// Enters that two things were compared, and are equal.
    pub(super) fn equal(&mut self, comparison: Comparison) {
        self.send(Event::Compared(&comparison));
        self.summary.comparisons.push(comparison);
    }

    /// Enters that two things were compared, and are unequal.
    pub(super) fn differs(&mut self, comparison: Comparison, text: String) {
        let unequal = if comparison.is_unequal() { comparison } else { comparison.unequal(Vec::new()) };
        self.send(Event::Compared(&unequal));
        self.summary.comparisons.push(unequal);
        self.enter(Finding::Differs(text));
    }

    /// Enters a contradiction: two facts on one thing.
    pub(super) fn contradicts(&mut self, about: Subject, what: &str, with: &str, text: String) {
        self.differs(Comparison::new(about, what, with, Evidence::Fact), text);
    }

    /// Compares a digest of the image that is stated with the one that was found.
    pub(super) fn compare(&mut self, what: &str, by: &str, (stated, found): (&Digest, &Digest), over: Coverage) {
        let one = Comparison::new(Subject::Image, what, by, Evidence::Digest(found.clone())).over(over);
        if stated == found {
            self.equal(one);
        } else {
            self.differs(one, format!("{what}: stated by {by}: {stated}, found: {found}: DIFFERENT"));
        }
    }
}

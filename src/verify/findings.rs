//! What a verification has found, and what it amounts to.

use super::{Event, Finding, Sink};
use crate::verdict::Verdict;
use pfh_digest::Digest;

/// Something that was compared and is equal.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Equal {
    /// What was compared.
    pub what: String,
    /// What it was compared with.
    pub with: String,
    /// By which digest, if it was one.
    pub digest: Option<Digest>,
}

/// What a verification has found.
#[derive(Debug, Clone, Default)]
#[non_exhaustive]
pub struct Summary {
    /// All findings, in the order in which they were made.
    pub findings: Vec<Finding>,
    /// What was compared and is equal: the evidence of a good verdict.
    pub compared: Vec<Equal>,
    /// Digests of the image; empty if it could not be read to its end.
    pub digests: Vec<Digest>,
}

impl Summary {
    /// Whether all could be read, understood and compared.
    pub fn is_complete(&self) -> bool {
        !self.findings.iter().any(|finding| matches!(finding, Finding::Open(_)))
    }

    /// What it amounts to.
    pub fn verdict(&self) -> Verdict {
        if self.findings.iter().any(|finding| matches!(finding, Finding::Differs(_))) {
            Verdict::Differs
        } else if self.compared.is_empty() || !self.is_complete() {
            Verdict::NothingToCompareWith
        } else {
            Verdict::Verified
        }
    }

    /// The verdict in words: a good one names its evidence.
    pub fn sentence(&self) -> String {
        let mut with: Vec<String> = Vec::new();
        for equal in &self.compared {
            let text = format!("{} with {}", equal.what, equal.with);
            if !with.contains(&text) {
                with.push(text);
            }
        }
        let compared = with.join("; ");
        match (self.verdict(), with.is_empty()) {
            (Verdict::Verified, _) => format!("verified: {compared}"),
            (Verdict::Differs, _) => "NOT VERIFIED: it differs".into(),
            (Verdict::Incomplete | Verdict::NothingToCompareWith, true) => {
                "not verified: nothing to compare with".into()
            }
            (Verdict::Incomplete | Verdict::NothingToCompareWith, false) => {
                format!("not verified: not all could be compared; equal: {compared}")
            }
        }
    }
}

/// Findings as they are made: each is an event, and enters the summary.
pub(super) struct Findings<'a> {
    sink: Sink<'a>,
    pub(super) summary: Summary,
}

impl<'a> Findings<'a> {
    pub(super) fn new(sink: Sink<'a>) -> Self {
        Findings { sink, summary: Summary::default() }
    }

    fn enter(&mut self, finding: Finding) {
        (self.sink)(&Event::Found(&finding));
        self.summary.findings.push(finding);
    }

    pub(super) fn note(&mut self, text: String) {
        self.enter(Finding::Note(text));
    }

    pub(super) fn differs(&mut self, text: String) {
        self.enter(Finding::Differs(text));
    }

    pub(super) fn open(&mut self, text: String) {
        self.enter(Finding::Open(text));
    }

    /// Enters that two things were compared, and are equal.
    pub(super) fn equal(&mut self, what: String, with: String, digest: Option<&Digest>) {
        self.summary.compared.push(Equal { what, with, digest: digest.cloned() });
    }

    /// Compares a digest that is stated with the one that was found.
    pub(super) fn compare(&mut self, what: &str, by: &str, stated: &Digest, found: &Digest) {
        if stated == found {
            self.note(format!("{what}: {found}, as stated by {by}"));
            self.equal(what.to_owned(), by.to_owned(), Some(found));
        } else {
            self.differs(format!("{what}: stated by {by}: {stated}, found: {found}: DIFFERENT"));
        }
    }
}

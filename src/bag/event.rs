//! Findings in a bag.

use pfh_manifest::row::Words;
use pfh_source::FindingId;
use std::io;

/// The weight of a finding for the bag.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
#[non_exhaustive]
pub enum Severity {
    /// The bag is valid all the same.
    Warning,
    /// A part of it has no verdict: it is yet to be fetched, cannot be read, or is of an algorithm
    /// that is not known here.
    Incomplete,
    /// The bag is not valid.
    Error,
}

impl Words for Severity {
    const ALL: &'static [Severity] = &[Severity::Warning, Severity::Incomplete, Severity::Error];

    fn word(self) -> &'static str {
        self.name()
    }
}

impl Severity {
    /// The finding that something of this weight is.
    pub fn finding(self) -> FindingId {
        match self {
            Severity::Warning => FindingId::BagWarning,
            Severity::Incomplete => FindingId::BagIncomplete,
            Severity::Error => FindingId::BagInvalid,
        }
    }

    /// The word in output.
    pub fn name(self) -> &'static str {
        match self {
            Severity::Warning => "warning",
            Severity::Incomplete => "incomplete",
            Severity::Error => "error",
        }
    }
}

/// Something that was found in a bag.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Finding {
    /// Its weight.
    pub severity: Severity,
    /// The file that it is about, below the bag.
    pub path: Vec<u8>,
    /// The finding, as a sentence without its subject.
    pub what: String,
}

impl Finding {
    pub(super) fn new(severity: Severity, path: &[u8], what: impl Into<String>) -> Finding {
        Finding { severity, path: path.to_vec(), what: what.into() }
    }

    pub(super) fn error(path: &[u8], what: impl Into<String>) -> Finding {
        Finding::new(Severity::Error, path, what)
    }
}

/// An event while a bag is validated or made. Events come on the thread that called.
#[derive(Debug, Clone, Copy)]
#[non_exhaustive]
pub enum Event<'a> {
    /// Something was found.
    Found(&'a Finding),
    /// A file that the manifests of an updated bag had not, or have no longer: its name, and
    /// whether it is there now.
    Updated(&'a [u8], bool),
    /// A file of the bag was written.
    Written(&'a [u8]),
}

/// Receives the events. An error ends the job with [`Error::Sink`](crate::job::Error::Sink).
pub type Events<'a> = dyn FnMut(Event<'_>) -> io::Result<()> + 'a;

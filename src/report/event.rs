//! The events of a report, and its result.

use crate::verdict::Verdict;
use pfh_report::case::{Case, Source};
use pfh_source::terminal::counted;
use std::io;

/// A finding. Events come on the thread that called [`run`](super::run), when all was read.
#[derive(Debug, Clone, Copy)]
#[non_exhaustive]
pub enum Event<'a> {
    /// A file, in the order in which files were found.
    Source(&'a Source),
    /// A file that was not understood, or could not be read, or ends before its end.
    Unknown(&'a Complaint<'a>),
    /// A seal or a chain that was verified again and does not hold.
    Broken(&'a Complaint<'a>),
    /// All that is on a page, the last event.
    Case(&'a Case),
}

/// Receives the events. An error ends the job with [`Error::Sink`](crate::job::Error::Sink).
pub type Events<'a> = dyn FnMut(Event<'_>) -> io::Result<()> + 'a;

/// The fault of a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct Complaint<'a> {
    /// The file's name.
    pub name: &'a [u8],
    /// The fault: a sentence.
    pub why: &'a str,
}

/// The findings, in numbers.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Summary {
    /// Files whose content is on the page.
    pub results: u64,
    /// Records in them.
    pub records: u64,
    /// Files that were not understood, or could not be read, or end before their end.
    pub unknown: u64,
    /// Seals and chains that were verified again and do not hold.
    pub broken: u64,
    /// Seals and chains that hold.
    pub holding: u64,
    /// Negative verdicts that the results state.
    pub negative: u64,
}

impl Summary {
    /// Whether seals and chains hold and everything was understood. The verdicts that results state
    /// are theirs.
    pub fn conclusion(&self) -> Verdict {
        match self {
            Summary { broken: 1.., .. } => Verdict::Differs,
            Summary { results: 0, holding: 0, unknown: 0, .. } => Verdict::NothingToCompareWith,
            Summary { unknown: 1.., .. } => Verdict::Incomplete,
            _ => Verdict::Verified,
        }
    }

    /// A sentence for people.
    pub fn sentence(&self) -> String {
        let Summary { results, records, holding, negative, broken, unknown, .. } = self;
        let are = if *results == 1 { "is" } else { "are" };
        let mut line =
            format!("{} with {} {are} on the page", counted(*results, "result"), counted(*records, "record"));
        if *holding > 0 {
            line += &if *holding == 1 {
                "; 1 seal or chain holds".into()
            } else {
                format!("; {holding} seals and chains hold")
            };
        }
        if *broken > 0 {
            line += &format!("; {broken} DO NOT HOLD");
        }
        if *negative > 0 {
            line += &format!("; {}", counted(*negative, "negative verdict"));
        }
        if *unknown > 0 {
            line += &format!("; {} not understood or not whole", counted(*unknown, "file"));
        }
        line
    }
}

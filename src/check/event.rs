//! The events of a check.

use super::Part;
use crate::job;
use pfh_custody::seal::HeldSeal;
use pfh_engine::Record;
use pfh_ledger::{Change, Ledger, Listing, Reread};
use pfh_source::FindingId;
use std::io;
use std::path::Path;

/// An event of a check. Events come on the thread that called [`run`](super::run).
#[derive(Debug, Clone, Copy)]
#[non_exhaustive]
pub enum Event<'a> {
    /// The manifest has a seal, and it holds.
    Sealed(&'a HeldSeal),
    /// A manifest was read, or all of an audit's.
    Read {
        /// The manifest; of an audit the first.
        manifest: &'a Path,
        /// Its records.
        ledger: &'a Ledger,
    },
    /// A file could not be read, or was skipped.
    Unread(&'a Record),
    /// A listed file was compared. These events come in the order of the manifest.
    Compared {
        /// The manifest's record of the file.
        entry: &'a Listing,
        /// The result of the comparison.
        found: FileOutcome,
        /// Details that the result does not tell.
        cause: Option<&'a str>,
        /// The second read of a file that is not as the manifest has it, where one was made.
        reread: Option<&'a Reread>,
    },
    /// A file of an audited tree has a class. Moved, copied, new and missing files come last.
    Classed(&'a Change),
    /// All files were read once.
    Passed(&'a pfh_engine::Summary),
    /// A manifest, or an audit, was checked to its end.
    Ended(&'a Part),
    /// One of several manifests could not be checked. The others are checked all the same.
    Unchecked {
        /// The manifest.
        manifest: &'a Path,
        /// Why.
        error: &'a job::Error,
    },
}

/// Receives the events of a check. An error ends the check with
/// [`Error::Sink`](crate::job::Error::Sink).
pub type Events<'a> = dyn FnMut(Event<'_>) -> io::Result<()> + 'a;

/// The outcome of one listed file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FileOutcome {
    /// It is as the manifest has it.
    Right,
    /// It is not.
    Wrong,
    /// It is not there.
    Missing,
    /// It could not be read.
    Unread,
    /// It is missing, which the request ignores.
    Ignored,
    /// A file is there whose name is probably another spelling of it; it was not compared.
    Likely,
    /// The digest that is stated without its algorithm is only a checksum of the file.
    Weak,
}

impl FileOutcome {
    /// The finding that it is, but for a file that is as listed.
    pub fn finding(self) -> Option<FindingId> {
        Some(match self {
            FileOutcome::Right => return None,
            FileOutcome::Wrong => FindingId::CheckDiffers,
            FileOutcome::Missing | FileOutcome::Ignored => FindingId::CheckMissing,
            FileOutcome::Unread => FindingId::CheckUnread,
            FileOutcome::Likely => FindingId::CheckSpelling,
            FileOutcome::Weak => FindingId::CheckWeak,
        })
    }
}

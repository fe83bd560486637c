//! What happens during a check.

use super::{Change, Expectations, Expected};
use pfh_custody::seal::Held;
use pfh_engine::Record;
use std::io;

/// What happens during a check. Events come on the thread that called [`run`](super::run).
#[derive(Debug, Clone, Copy)]
#[non_exhaustive]
pub enum Event<'a> {
    /// The manifest has a seal, and it holds.
    Sealed(&'a Held),
    /// The manifest was read.
    Read(&'a Expectations),
    /// A file could not be read, or was skipped.
    Unread(&'a Record),
    /// A listed file was compared. These events come in the order of the manifest.
    Compared {
        /// What the manifest says of the file.
        entry: &'a Expected,
        /// What the comparison gave.
        found: Checked,
    },
    /// A file of an audited tree has a class. Moved, copied, new and missing files come last.
    Classed(&'a Change),
    /// All files were read once.
    Passed(&'a pfh_engine::Summary),
}

/// Receives the events of a check. An error ends the check with
/// [`Error::Sink`](super::Error::Sink).
pub type Sink<'a> = dyn FnMut(Event<'_>) -> io::Result<()> + 'a;

/// What became of one listed file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Checked {
    /// It is as the manifest has it.
    Right,
    /// It is not.
    Wrong,
    /// It is missing or could not be read.
    Unread,
    /// It is missing, which the request ignores.
    Ignored,
}

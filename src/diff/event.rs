//! The events of a comparison.

use super::class::Difference;
use super::side::DiffSide;
use crate::check::Ledger;
use crate::hash::CacheError;
use pfh_custody::seal::HeldSeal;
use pfh_engine::Record;
use std::io;

/// An event of a comparison. Events come on the thread that called [`run`](super::run).
#[derive(Debug, Clone, Copy)]
#[non_exhaustive]
pub enum Event<'a> {
    /// A list has a seal, and it holds.
    Sealed(&'a HeldSeal),
    /// A list was read.
    Read(DiffSide, &'a Ledger),
    /// Something in a directory could not be read, or is not a file.
    Unread(&'a Record),
    /// The content of this file changed though the cache has the same size and times.
    Cached(&'a Record),
    /// The cache is not used from here on, for this reason: all files are read.
    Uncached(&'a CacheError),
    /// A name has its class. Files that were moved, copied, added or removed, or changed their
    /// content, come last, by name.
    Classed(&'a Difference),
    /// All files were read.
    Passed(&'a pfh_engine::Summary),
}

/// Receives the events of a comparison. An error ends it with
/// [`Error::Sink`](crate::job::Error::Sink).
pub type Events<'a> = dyn FnMut(Event<'_>) -> io::Result<()> + 'a;

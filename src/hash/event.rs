//! The events of a run, and its result.

use super::{CacheError, Use};
use pfh_engine::{Record, Summary as Run};
use pfh_manifest::Unrepresentable;
use std::io;

/// An event of a run. Events come on the thread that called [`run`](super::run), in input order.
#[derive(Debug, Clone, Copy)]
#[non_exhaustive]
pub enum Event<'a> {
    /// An input has a record: a file was hashed or skipped, or failed.
    Record(&'a Record),
    /// The content of this file changed though its size and times did not.
    Changed(&'a Record),
    /// The format cannot hold this record: it is not in the manifest.
    NotWritten(&'a Record, &'a Unrepresentable),
    /// The cache is not used from here on, for this reason: all files are read. Digests are the
    /// same.
    Uncached(&'a CacheError),
    /// No record has come for a moment, and none is left at the end: writers let out the lines that
    /// they hold.
    Idle,
}

/// Receives the events of a run. An error ends the run with
/// [`Error::Sink`](crate::job::Error::Sink).
pub type Events<'a> = dyn FnMut(Event<'_>) -> io::Result<()> + 'a;

/// The result of a run.
#[derive(Debug, Clone, Copy)]
#[non_exhaustive]
pub struct Summary {
    /// The counts, and where the time went.
    pub run: Run,
    /// How the cache was used, if there is one.
    pub cache: Option<Use>,
}

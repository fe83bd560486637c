//! The events while a plan is made, carried out and merged.

use pfh_engine::Record;
use pfh_manifest::Unrepresentable;
use std::io;

/// An event while a plan is made, a unit carried out, or units are merged. Events come on the
/// thread that called `run`.
#[derive(Debug, Clone, Copy)]
#[non_exhaustive]
pub enum Event<'a> {
    /// `make`: an entry that is not a file, or cannot be listed, has this record; `unit`: a file of
    /// the unit has.
    Record(&'a Record),
    /// `make`: nothing of this name is there. It is in the plan: a unit that runs later may find
    /// it.
    Missing(&'a [u8]),
    /// `unit`: the format cannot hold this record: it will not be in the manifest.
    NotWritten(&'a Record, &'a Unrepresentable),
    /// `merge`: the next record of the manifest, in input order.
    Merged(&'a MergedRecord<'a>),
}

/// A record as the manifest has it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct MergedRecord<'a> {
    /// Its number among all inputs, from 0.
    pub number: u64,
    /// Its bytes in the manifest; none where the format has no place for it.
    pub bytes: &'a [u8],
    /// The size of a hashed file, in bytes; `None` for an entry that was skipped or failed.
    pub size: Option<u64>,
    /// Why the input has no digest in the manifest: a sentence with its name.
    pub complaint: Option<&'a str>,
}

/// Receives the events. An error ends the job with [`Error::Sink`](crate::job::Error::Sink).
pub type Events<'a> = dyn FnMut(Event<'_>) -> io::Result<()> + 'a;

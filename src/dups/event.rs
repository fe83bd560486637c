//! The events of a search for duplicates.

use super::group::{Folders, Group, SharedPair};
use pfh_source::{Level, Problem, Skip};
use std::io;

/// An event of a search. Events come on the thread that called [`run`](super::run).
#[derive(Debug, Clone, Copy)]
#[non_exhaustive]
pub enum Event<'a> {
    /// A name could not be listed or read, or changed while it was: it is in no group.
    Unread(&'a [u8], &'a Problem),
    /// A link or another thing that is not a file, and how much that counts.
    Skipped(&'a [u8], Skip, Level),
    /// Files of one content. Groups come by their wasted bytes, the most first.
    Group(&'a Group),
    /// Folders that are equal as wholes.
    Folders(&'a Folders),
    /// Two files that share chunks, where chunks are asked for; the most bytes first.
    Shared(&'a SharedPair<'a>),
}

/// Receives the events of a search. An error ends it with [`Error::Sink`](crate::job::Error::Sink).
pub type Events<'a> = dyn FnMut(Event<'_>) -> io::Result<()> + 'a;

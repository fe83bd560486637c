//! The events of all verbs.

use super::rows::{Difference, FileComparison, Judgement, Root};
use super::{Failure, Summary};
use crate::outputs::OutputRefusal;
use pfh_source::Level;
use std::io;

/// An event of a verb. Events come on the thread that called its `run`.
#[derive(Debug)]
#[non_exhaustive]
pub enum Event<'a> {
    /// A file and its tree have this result.
    Done(&'a Summary),
    /// Two files compare like this, by their trees.
    Compared(&'a FileComparison),
    /// A proof was judged.
    Judged(&'a Judgement),
    /// A file has this root under another program's scheme.
    Computed(&'a Root),
    /// A file differs from its entry in a catalogue, and how much that counts; after an update the
    /// entry is as the file, and nothing counts.
    Differs(&'a [u8], Difference, Option<Level>),
    /// A file cannot be read; a catalogue keeps its entry.
    Unread {
        /// Its name.
        name: &'a [u8],
        /// Why.
        problem: &'a pfh_source::Problem,
    },
    /// The tree of a file below a directory would take the place of another file.
    Refused(&'a OutputRefusal),
    /// The catalogue of a watched directory was brought up to date.
    Watched(&'a super::catalogued::Summary),
    /// A directory below a watched one cannot be watched.
    Unwatched {
        /// The directory.
        directory: &'a std::path::Path,
        /// Why.
        why: &'a str,
    },
    /// A sender of a file's part is awaited at this address.
    Listening(std::net::SocketAddr),
    /// More changed in a watched directory than the system could list: all files are compared.
    Overflowed,
    /// A file has no result for another reason.
    Failed(&'a Failure),
}

/// Receives the events. An error ends the verb with [`Error::Sink`](crate::job::Error::Sink).
pub type Events<'a> = dyn FnMut(Event<'_>) -> io::Result<()> + 'a;

//! The content of a result, and its outcome.

use pfh_report::export::Row;
use std::io;

/// The content of a result. Events come on the thread that called [`run`](super::run), in the order
/// of the result.
#[derive(Debug, Clone, Copy)]
#[non_exhaustive]
pub enum Event<'a> {
    /// Before the first row: the facts of all rows.
    Columns(&'a Columns),
    /// A record.
    Row(&'a Row),
    /// A line that is not a record of a file, or a fault of the end: the first ten of them.
    Fault(&'a str),
}

/// Receives the events. An error ends the job with [`Error::Sink`](crate::job::Error::Sink).
pub type Events<'a> = dyn FnMut(Event<'_>) -> io::Result<()> + 'a;

/// The facts of the rows of a result.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Columns {
    /// The algorithms of all digests, by their first appearance.
    pub algorithms: Vec<String>,
    /// How many rows there are.
    pub rows: u64,
    /// Those that have a time.
    pub timed: u64,
}

/// The counts of the records.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Summary {
    /// Records of files: with digests, without, skipped ones.
    pub records: u64,
    /// Lines that are not records of files, and faults of the end.
    pub faulty: u64,
}

/// Whether a row is of a file, and not of a part of one.
pub(super) fn is_file(row: &Row) -> bool {
    !matches!(row.kind.as_str(), "piece" | "base")
}

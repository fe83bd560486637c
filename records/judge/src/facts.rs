//! Facts about the content of one file, which was read or comes from a list.

use pfh_digest::Digest;
use pfh_engine::{Hashed, Piece};
use pfh_manifest::Times;
use pfh_source::{Note, Time};

/// Facts about the content of one file.
#[derive(Debug, Clone, Copy)]
pub struct Facts<'a> {
    /// The size in bytes.
    pub size: Option<u64>,
    /// Digests of the whole.
    pub digests: &'a [Digest],
    /// Digests of windows.
    pub pieces: &'a [Piece],
    /// Timestamps.
    pub times: Times,
    /// Whether the file was read for this comparison: a digest or a window that is not here is not
    /// of the file. A list may just not have it.
    pub read: bool,
    /// Whether its file system keeps no change times.
    pub untimed: bool,
}

impl<'a> From<&'a Hashed> for Facts<'a> {
    fn from(hashed: &'a Hashed) -> Self {
        Facts {
            size: Some(hashed.closed.size),
            digests: &hashed.digests,
            pieces: &hashed.pieces,
            times: Times::of(&hashed.closed),
            read: true,
            untimed: hashed.closed.notes.contains(&Note::Untimed),
        }
    }
}

/// Whether two times are the same, where both are known. One without fractions of a second is
/// compared without them.
pub fn is_same(one: Option<Time>, other: Option<Time>) -> Option<bool> {
    let (one, other) = (one?, other?);
    let whole = one.nanoseconds == 0 || other.nanoseconds == 0;
    Some(one.seconds == other.seconds && (whole || one.nanoseconds == other.nanoseconds))
}

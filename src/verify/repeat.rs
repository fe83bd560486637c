//! The result of a second read of an image.

use pfh_ledger::Reread;

/// A second read of an image, of a part of it, or of one of its files.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Repeat {
    /// The bytes that were read twice, in words.
    pub what: String,
    /// The conclusion, and the digests of both reads.
    pub read: Reread,
}

impl Repeat {
    /// The conclusion with the digests of each read.
    pub fn sentence(&self) -> String {
        format!("{}: read a second time: {}", self.what, self.read.sentence())
    }
}

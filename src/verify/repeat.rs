//! The result of a second read of an image.

use pfh_digest::Digest;
use pfh_ledger::Twice;

/// A second read of an image, of a part of it, or of one of its files.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Repeat {
    /// The bytes that were read twice, in words.
    pub what: String,
    /// The conclusion.
    pub twice: Twice,
    /// The digests of the first read.
    pub first: Vec<Digest>,
    /// The digests of the second read; none where it failed.
    pub second: Vec<Digest>,
    /// Whether the second read went past the system's cache, as far as that is known.
    pub is_uncached: bool,
}

impl Repeat {
    /// The conclusion with the digests of each read.
    pub fn sentence(&self) -> String {
        let listed = |digests: &[Digest]| {
            let named = digests.iter().map(|digest| format!("{} {digest}", digest.algorithm()));
            named.collect::<Vec<_>>().join(", ")
        };
        let past = if self.is_uncached { " past the cache" } else { "" };
        let mut text = format!("{}: read a second time{past}: {}", self.what, self.twice.sentence());
        if self.twice != Twice::Same && !self.second.is_empty() {
            text += &format!("; first read: {}; second read: {}", listed(&self.first), listed(&self.second));
        }
        text
    }
}

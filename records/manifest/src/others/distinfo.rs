//! Sizes in lines of their own, as the BSDs' distinfo has them: `SIZE (name) = 3`, before or behind
//! the digest of the same file.

use std::collections::BTreeMap;

use pfh_digest::Digest;

use crate::bsd::{self, SizeStatement};
use crate::entry::{Entry, ParsedLine};
use crate::sample::Sample;

/// The sizes of a list, and the digests that they stand beside.
#[derive(Default)]
pub(crate) struct Sizes {
    /// Whether the list has such lines: of others nothing is kept.
    are_there: bool,
    sizes: BTreeMap<Vec<u8>, u64>,
    entries: BTreeMap<Vec<u8>, (Vec<u8>, Digest)>,
}

impl Sizes {
    /// Those of a list that begins so.
    pub(crate) fn of(sample: &Sample<'_>) -> Sizes {
        let are_there = sample.lines.iter().any(|line| matches!(bsd::beside(line), Some(SizeStatement::Size(..))));
        Sizes { are_there, ..Sizes::default() }
    }

    /// The record of a line of this kind: the digest of that file again, with the size. `None` of
    /// other lines.
    pub(crate) fn line(&mut self, line: &[u8]) -> Option<ParsedLine> {
        let (name, size) = match bsd::beside(line)? {
            SizeStatement::Size(name, size) if self.are_there => (name, size),
            _ => return Some(ParsedLine::Neutral),
        };
        let Some((written, digest)) = self.entries.get(name) else {
            self.sizes.insert(name.to_vec(), size);
            return Some(ParsedLine::Neutral);
        };
        let (name, digests) = (written.clone(), vec![digest.clone()]);
        Some(Ok(Entry { name, size: Some(size), digests, ..Entry::default() }).into())
    }

    /// The entry of a tagged line with the size that was stated in front of it.
    pub(crate) fn sized(&mut self, tagged: &[u8], entry: Entry) -> Entry {
        if let Some(digest) = entry.digests.first().filter(|_| self.are_there) {
            self.entries.insert(tagged.to_vec(), (entry.name.clone(), digest.clone()));
        }
        Entry { size: self.sizes.get(tagged).copied(), ..entry }
    }
}

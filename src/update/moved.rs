//! Files that have the content of another listed name: they were moved, if that name has it no
//! more.

use crate::check::{Comparison, Facts, Ledger};
use pfh_digest::Digest;
use pfh_engine::HashedFile;
use std::cell::OnceCell;

/// The number of listed names of one content that are looked at for a file.
const ALIKE: usize = 64;

/// Listed contents by their digests, and which of them are still in their places.
#[derive(Default)]
pub struct Contents {
    by_digest: OnceCell<Vec<usize>>,
    /// Entries that still have their content, and those that a file was moved from.
    held: Vec<bool>,
    /// Whether some file agreed with a digest whose algorithm is a guess.
    pub is_confirmed: bool,
}

impl Contents {
    /// A ledger with this number of entries.
    pub fn new(entries: usize) -> Contents {
        Contents { held: vec![false; entries], ..Contents::default() }
    }

    /// An entry has its content.
    pub fn hold(&mut self, at: usize) {
        self.held[at] = true;
    }

    /// Whether a file was moved from an entry, or has its content still.
    pub fn is_held(&self, at: usize) -> bool {
        self.held[at]
    }

    /// The entries whose content a file has.
    pub fn alike(&self, ledger: &Ledger, hashed: &HashedFile) -> Vec<usize> {
        let entries = &ledger.entries;
        let first = |at: &usize| entries[*at].digests.first();
        let by_digest = self.by_digest.get_or_init(|| {
            let mut all: Vec<usize> = (0..entries.len()).filter(|at| first(at).is_some()).collect();
            all.sort_by(|one, other| first(one).cmp(&first(other)).then(one.cmp(other)));
            all
        });
        let facts = Facts::from(hashed);
        let of = |digest: &Digest| {
            let start = by_digest.partition_point(|at| first(at) < Some(digest));
            let alike = by_digest[start..].iter().take_while(|at| first(at) == Some(digest)).copied();
            alike.take(ALIKE).collect::<Vec<usize>>()
        };
        let found = hashed.digests.iter().flat_map(of);
        found.filter(|at| entries[*at].compare_with(&facts) == Comparison::Same).collect()
    }

    /// The entry that a file was moved from: one of these that has its content no more.
    pub fn take(&mut self, alike: &[usize]) -> Option<usize> {
        let from = alike.iter().copied().find(|at| !self.held[*at])?;
        self.held[from] = true;
        Some(from)
    }
}

//! The result for a directory and its catalogue.

use super::rows::Difference;
use pfh_source::Levels;
use std::path::PathBuf;

/// The result for a directory and its catalogue.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Summary {
    /// The directory.
    pub directory: PathBuf,
    /// The catalogue.
    pub tree: PathBuf,
    /// The work: `built`, `updated` or `checked`.
    pub done: &'static str,
    /// The algorithm of the digests.
    pub algorithm: String,
    /// The root of the catalogue, after the work.
    pub root: [u8; 32],
    /// Entries of the catalogue.
    pub entries: u64,
    /// Files that were read.
    pub read: u64,
    /// Files that were not, since the file system says that they are the same.
    pub unread: u64,
    /// Entries that were added, or files that the catalogue has not.
    pub added: u64,
    /// Entries that changed, or files that differ.
    pub changed: u64,
    /// Entries that were removed, or whose files are gone.
    pub removed: u64,
    /// Files and directories that cannot be read.
    pub failed: u64,
    /// Values of the tree that were computed.
    pub computed: u64,
    /// How much the findings of a check count.
    pub levels: Levels,
}

impl Summary {
    /// Whether a check found a difference that counts.
    pub fn differs(&self) -> bool {
        self.done == "checked" && self.finding().is_some()
    }

    /// The first difference that counts.
    pub(super) fn finding(&self) -> Option<Difference> {
        let all =
            [(Difference::Changed, self.changed), (Difference::Removed, self.removed), (Difference::Added, self.added)];
        let counts = |(how, count): &(Difference, u64)| *count > 0 && self.levels.counts(how.finding());
        all.into_iter().find(counts).map(|(how, _)| how)
    }

    /// Whether nothing was compared, or something could not be.
    pub fn is_incomplete(&self) -> bool {
        self.failed > 0 || (self.done == "checked" && self.read == 0 && !self.differs())
    }
}

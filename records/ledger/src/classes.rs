//! Classes of files between two states of a tree, a sentence for each file, and the counts. Which
//! class a file has is decided by [`Auditor`](super::Auditor) alone.

use super::reread::Reread;
use crate::verdict::Tally;
use pfh_manifest::row::Words;
use pfh_source::{FindingId, Levels};

/// The outcome of a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Class {
    /// Content and modification time are as the manifest has them; ctime, which no copy keeps, does
    /// not count.
    Matched,
    /// The content is; the modification time is not.
    MetadataOnly,
    /// The content is another.
    Modified,
    /// The content is another though size, mtime and ctime say that nothing was written.
    BitRot,
    /// It has the content of another name in the manifest, under which that content is not any
    /// more.
    Moved,
    /// It is a file of the manifest that is still there under its own name, or that another file
    /// was moved from already.
    Copied,
    /// The manifest has neither its name nor its content.
    New,
    /// The manifest has it, the tree does not.
    Missing,
    /// The manifest has it, and nobody looked: it is outside of the part that is audited, or behind
    /// a directory that cannot be read or a link that is not followed.
    Unverified,
    /// It cannot be said: it could not be read, or the manifest has no digest of it.
    Error,
}

impl Words for Class {
    const ALL: &'static [Class] = &Class::ALL;

    fn word(self) -> &'static str {
        self.name()
    }
}

impl Class {
    /// Every class.
    pub const ALL: [Class; 10] = [
        Class::Matched,
        Class::MetadataOnly,
        Class::Modified,
        Class::BitRot,
        Class::Moved,
        Class::Copied,
        Class::New,
        Class::Missing,
        Class::Unverified,
        Class::Error,
    ];

    /// Whether it is an alarm: a copy has other times.
    pub fn is_alarm(self) -> bool {
        !matches!(self, Class::Matched | Class::MetadataOnly)
    }

    /// The finding that it is, but for a file that is as listed.
    pub fn finding(self) -> Option<FindingId> {
        Some(match self {
            Class::Matched => return None,
            Class::MetadataOnly => FindingId::AuditTimes,
            Class::Modified => FindingId::AuditModified,
            Class::BitRot => FindingId::AuditBitRot,
            Class::Moved => FindingId::AuditMoved,
            Class::Copied => FindingId::AuditCopied,
            Class::New => FindingId::AuditNew,
            Class::Missing => FindingId::AuditMissing,
            Class::Unverified => FindingId::AuditUnverified,
            Class::Error => FindingId::AuditUnread,
        })
    }

    /// The word in output.
    pub fn name(self) -> &'static str {
        match self {
            Class::Matched => "matched",
            Class::MetadataOnly => "metadata-only",
            Class::Modified => "modified",
            Class::BitRot => "bit-rot",
            Class::Moved => "moved",
            Class::Copied => "copied",
            Class::New => "new",
            Class::Missing => "missing",
            Class::Unverified => "unverified",
            Class::Error => "error",
        }
    }
}

/// The result for one file.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Change {
    /// Its name; of a missing one that in the manifest.
    pub name: Vec<u8>,
    /// Its outcome.
    pub class: Class,
    /// The name in the manifest of the file that was moved or copied.
    pub from: Option<Vec<u8>>,
    /// Why nothing can be said.
    pub cause: Option<String>,
    /// Whether some of several digests are as they were, others not: no accident does that.
    pub partly: bool,
    /// Of another content under the same size and modification time: further evidence for decay and
    /// against a write.
    pub rot: Option<Rot>,
    /// The second read of a file that is not as stated, where one was made.
    pub reread: Option<Box<Reread>>,
}

/// How well it is proved that content changed without a write. Size and modification time are as
/// they were in each case.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
#[non_exhaustive]
pub enum Rot {
    /// The change time is another: the file was copied or restored, its mode was changed, or a
    /// write put the modification time back.
    Touched,
    /// Nothing is known of the change time.
    Untold,
    /// The change time is as it was too: nothing was written through the file system.
    AtRest,
}

impl Words for Rot {
    const ALL: &'static [Rot] = &[Rot::Touched, Rot::Untold, Rot::AtRest];

    fn word(self) -> &'static str {
        self.name()
    }
}

impl Rot {
    /// The word in output.
    pub fn name(self) -> &'static str {
        match self {
            Rot::Touched => "ctime-differs",
            Rot::Untold => "ctime-unknown",
            Rot::AtRest => "ctime-same",
        }
    }

    /// The result for it.
    pub fn sentence(self) -> &'static str {
        match self {
            Rot::Touched => "size and mtime are the same, ctime is not",
            Rot::Untold => "size and mtime are the same, ctime is not known",
            Rot::AtRest => "size, mtime and ctime are the same",
        }
    }
}

impl Change {
    /// Of this name and class, with nothing else to be said.
    pub(crate) fn of(name: Vec<u8>, class: Class) -> Change {
        Change { name, class, from: None, cause: None, partly: false, rot: None, reread: None }
    }
}

/// How many files of each class. Files of the tree are all but the missing and unverified; entries
/// of the manifest are those matched, changed in metadata or content, moved, missing, unverified,
/// and those of errors that have a digest in the manifest.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Counts {
    pub(crate) classes: [u64; Class::ALL.len()],
    /// Files of the tree.
    pub examined: u64,
    /// Entries of the manifest that have digests.
    pub expected: u64,
    /// Entries without a verdict: those of class unverified, and those whose file is of class
    /// error.
    pub unverified: u64,
    /// Of these the ones outside of the part that was asked for.
    pub beyond: u64,
    /// Modified files with some unchanged digests.
    pub partly: u64,
}

impl Counts {
    /// Those of a class.
    pub fn of(&self, class: Class) -> u64 {
        self.classes[class as usize]
    }

    /// Whether every file of the tree and every entry of the manifest was counted in just one
    /// class.
    pub fn add_up(&self) -> bool {
        let sum = |classes: &[Class]| classes.iter().map(|class| self.of(*class)).sum::<u64>();
        use Class::{BitRot, Copied, Error, Matched, MetadataOnly, Missing, Modified, Moved, New};
        let own = sum(&[Matched, MetadataOnly, Modified, BitRot]);
        self.examined == own + sum(&[Moved, Copied, New, Error])
            && self.expected == own + sum(&[Moved, Missing]) + self.unverified
    }

    /// Files that are as the manifest has them, but for times.
    pub fn fine(&self) -> u64 {
        self.of(Class::Matched) + self.of(Class::MetadataOnly)
    }

    /// Files and entries that are not as the manifest has them.
    pub fn negative(&self) -> u64 {
        use Class::{BitRot, Copied, Missing, Modified, Moved, New};
        [Modified, BitRot, Moved, Copied, New, Missing].iter().map(|class| self.of(*class)).sum()
    }

    /// Requested files and entries without a verdict.
    pub fn unread(&self) -> u64 {
        self.of(Class::Error) + self.unverified.saturating_sub(self.beyond)
    }

    /// The counts that the verdict follows from, where findings have these levels.
    pub fn tally(&self, levels: &Levels) -> Tally {
        use Class::{BitRot, Copied, MetadataOnly, Missing, Modified, Moved, New};
        let counts = |class: &&Class| class.finding().is_some_and(|finding| levels.counts(finding));
        let unequal = [MetadataOnly, Modified, BitRot, Moved, Copied, New, Missing];
        Tally {
            equal: self.fine(),
            unequal: unequal.iter().filter(counts).map(|class| self.of(*class)).sum(),
            open: self.unread(),
        }
    }

    /// How many findings of each kind there are, but for entries outside of the part that was asked
    /// for.
    pub fn findings(&self) -> Vec<(FindingId, u64)> {
        let found = |class: Class| {
            let beyond = if class == Class::Unverified { self.beyond } else { 0 };
            Some((class.finding()?, self.of(class).saturating_sub(beyond)))
        };
        Class::ALL.into_iter().filter_map(found).filter(|(_, count)| *count > 0).collect()
    }

    /// Whether nothing but metadata changed.
    pub fn passed(&self) -> bool {
        self.examined == self.of(Class::Matched) + self.of(Class::MetadataOnly)
            && self.of(Class::Missing) == 0
            && self.unverified == self.beyond
    }
}

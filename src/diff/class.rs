//! The classes of a comparison, and how many names are of each.

use crate::check::{self, Change, Rot};
use crate::verdict::Tally;
use pfh_manifest::row::Words;
use pfh_source::{FindingId, Levels};
use std::fmt;
use std::str::FromStr;

/// The outcome of a name between A and B.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[non_exhaustive]
pub enum Class {
    /// The content is the same.
    Same,
    /// The content is the same, the modification time is not, and metadata are compared.
    Metadata,
    /// The content is another.
    Changed,
    /// The content is another, though size and modification time are the same.
    BitRot,
    /// B has the content of a name that is not in B any more.
    Moved,
    /// B has the content of a name that still has it, once more.
    Copied,
    /// B has it, A has neither the name nor the content.
    Added,
    /// A has it, B does not.
    Removed,
    /// Nothing can be said: one side could not be read, or has no digest that the other has.
    Error,
}

/// A word that is not a class.
#[derive(Debug, thiserror::Error)]
#[error("{0:?} is not a class: they are {names}", names = Class::ALL.map(Class::name).join(", "))]
pub struct UnknownClass(String);

impl Words for Class {
    const ALL: &'static [Class] = &Class::ALL;

    fn word(self) -> &'static str {
        self.name()
    }
}

impl Class {
    /// Every class.
    pub const ALL: [Class; 9] = [
        Class::Same,
        Class::Metadata,
        Class::Changed,
        Class::BitRot,
        Class::Moved,
        Class::Copied,
        Class::Added,
        Class::Removed,
        Class::Error,
    ];

    /// The word in output.
    pub fn name(self) -> &'static str {
        match self {
            Class::Same => "same",
            Class::Metadata => "metadata",
            Class::Changed => "changed",
            Class::BitRot => "bit-rot",
            Class::Moved => "moved",
            Class::Copied => "copied",
            Class::Added => "added",
            Class::Removed => "removed",
            Class::Error => "error",
        }
    }

    /// The finding that it is, but for equal names.
    pub fn finding(self) -> Option<FindingId> {
        Some(match self {
            Class::Same => return None,
            Class::Metadata => FindingId::DiffMetadata,
            Class::Changed => FindingId::DiffChanged,
            Class::BitRot => FindingId::DiffBitRot,
            Class::Moved => FindingId::DiffMoved,
            Class::Copied => FindingId::DiffCopied,
            Class::Added => FindingId::DiffAdded,
            Class::Removed => FindingId::DiffRemoved,
            Class::Error => FindingId::DiffUnread,
        })
    }

    /// Whether the two sides differ by it.
    pub fn is_difference(self) -> bool {
        !matches!(self, Class::Same | Class::Error)
    }

    /// That of a change that `check` found. Metadata count if they are compared.
    pub(super) fn of(change: &Change, metadata: bool) -> Class {
        match change.class {
            check::Class::Matched => Class::Same,
            check::Class::MetadataOnly if metadata => Class::Metadata,
            check::Class::MetadataOnly => Class::Same,
            check::Class::BitRot => Class::BitRot,
            check::Class::Modified => Class::Changed,
            check::Class::Moved => Class::Moved,
            check::Class::Copied => Class::Copied,
            check::Class::New => Class::Added,
            check::Class::Missing => Class::Removed,
            check::Class::Unverified | check::Class::Error => Class::Error,
        }
    }
}

impl fmt::Display for Class {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for Class {
    type Err = UnknownClass;

    fn from_str(word: &str) -> Result<Class, UnknownClass> {
        Class::ALL.into_iter().find(|class| class.name() == word).ok_or_else(|| UnknownClass(word.to_owned()))
    }
}

/// The result for one name.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Difference {
    /// The name below the sides: that in B, of a removed file that in A.
    pub name: Vec<u8>,
    /// Its outcome.
    pub class: Class,
    /// The name in A of a file that was moved or copied.
    pub from: Option<Vec<u8>>,
    /// How well bit rot is proved.
    pub rot: Option<Rot>,
    /// Whether some of several digests are the same, others not.
    pub partly: bool,
    /// Why nothing can be said, or a further remark.
    pub cause: Option<String>,
}

/// How many names are of each class.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Counts([u64; Class::ALL.len()]);

impl Counts {
    /// Those of a class.
    pub fn of(&self, class: Class) -> u64 {
        self.0[class as usize]
    }

    /// Names by which the sides differ.
    pub fn differing(&self) -> u64 {
        Class::ALL.into_iter().filter(|class| class.is_difference()).map(|class| self.of(class)).sum()
    }

    /// The counts that the verdict follows from, where findings have these levels.
    pub fn tally(&self, levels: &Levels) -> Tally {
        let counts = |class: &Class| class.finding().is_some_and(|finding| levels.counts(finding));
        let unequal = Class::ALL.into_iter().filter(|class| class.is_difference() && counts(class));
        Tally {
            equal: self.of(Class::Same),
            unequal: unequal.map(|class| self.of(class)).sum(),
            open: self.of(Class::Error),
        }
    }

    pub(super) fn count(&mut self, class: Class) {
        self.0[class as usize] += 1;
    }
}

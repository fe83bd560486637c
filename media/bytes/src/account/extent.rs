//! Ranges of a medium and their uses.

use crate::node::Failure;

/// The use of a range of a medium.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Holds {
    /// Bytes of a member.
    Content,
    /// Bytes of the format itself: headers, tables, journals.
    Structure,
    /// In no use, as the format's own tables say.
    Free,
    /// The rest of a member's last block.
    Slack,
    /// Bytes of one value that nothing claims.
    Padding,
    /// Set apart by the format for others: boot code, signatures of packages.
    Reserved,
    /// Bytes that nothing claims, and that are not all one byte.
    Residue,
}

impl Holds {
    /// All of them, in the order of output.
    pub const ALL: [Holds; 7] =
        [Holds::Content, Holds::Structure, Holds::Free, Holds::Slack, Holds::Padding, Holds::Reserved, Holds::Residue];

    /// Its name in output.
    pub fn name(self) -> &'static str {
        match self {
            Holds::Content => "content",
            Holds::Structure => "structure",
            Holds::Free => "free",
            Holds::Slack => "slack",
            Holds::Padding => "padding",
            Holds::Reserved => "reserved",
            Holds::Residue => "residue",
        }
    }
}

/// A range of a medium and its use.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Extent {
    /// Where it begins, in bytes.
    pub start: u64,
    /// How many bytes.
    pub length: u64,
    /// Its use.
    pub holds: Holds,
    /// The member, the structure, or what residue looks like; empty if nothing is to be said.
    pub name: Vec<u8>,
}

impl Extent {
    /// The byte behind it.
    pub fn end(&self) -> u64 {
        self.start + self.length
    }
}

/// The use of each byte of a medium: the extents are in order and tile it.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Account {
    /// Bytes of the medium.
    pub size: u64,
    /// In order of place, without a gap and without overlap.
    pub extents: Vec<Extent>,
    /// Claims on bytes that an earlier claim had, as they were made.
    pub overlaps: Vec<Extent>,
    /// Parts whose structures the reader does not itemise: residue is not known there.
    pub opaque: Vec<Vec<u8>>,
    /// Faults found on the way: tables and members that contradict themselves or are cut.
    pub faults: Vec<Failure>,
}

impl Account {
    /// How many bytes have this use.
    pub fn sum(&self, holds: Holds) -> u64 {
        self.extents.iter().filter(|extent| extent.holds == holds).map(|extent| extent.length).sum()
    }

    /// The extents that nothing accounts for.
    pub fn residue(&self) -> impl Iterator<Item = &Extent> {
        self.extents.iter().filter(|extent| extent.holds == Holds::Residue)
    }
}

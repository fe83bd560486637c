//! A row of the table of formats.

/// The kind of format behind a signature.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Holds {
    /// An archive, a compressed stream or a backup: files, or a disk.
    Files,
    /// An image, and its name in other programs.
    Image(&'static str),
    /// A volume that needs a key.
    Encrypted,
    /// A file system or a part of a volume: it goes before a format whose signature it may leave in
    /// place.
    Volume,
    /// A division of a medium, or a part of an array. It counts only where nothing else is read: a
    /// disc has one beside its own file system.
    Division,
}

/// Where a signature stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum At {
    /// From the first byte on.
    Start(usize),
    /// This number of bytes in front of the end.
    End(usize),
}

/// A row of the table.
#[derive(Debug, Clone, Copy)]
pub struct Signature {
    /// The name of the format.
    pub name: &'static str,
    /// Where it stands.
    pub at: At,
    /// The bytes.
    pub bytes: &'static [u8],
    /// The kind of the format.
    pub holds: Holds,
    /// A further check of the first bytes; of [`TAIL`] bytes from its place on where that is
    /// counted from the end.
    pub(super) check: fn(&[u8]) -> bool,
}

/// Bytes of a signature in front of the end that a check looks at.
pub const TAIL: usize = 512;

impl Signature {
    /// Whether the bytes at its place, [`TAIL`] of them as far as there are, have this signature.
    pub fn is_there(&self, bytes: &[u8]) -> bool {
        bytes.starts_with(self.bytes) && (matches!(self.at, At::Start(_)) || (self.check)(bytes))
    }

    /// Whether the first bytes of a file have this signature, as far as they reach.
    pub fn is_in(&self, start: &[u8]) -> bool {
        let At::Start(at) = self.at else { return false };
        start.get(at..).is_some_and(|rest| rest.starts_with(self.bytes)) && (self.check)(start)
    }
}

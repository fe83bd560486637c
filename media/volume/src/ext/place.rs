//! The start of a walk, and the inodes that it came across.

use crate::listed::NumberSet;

/// The start of a list.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Place {
    Directory(u32),
    /// Inodes that no directory lists: directories that begin a tree, or all the rest.
    Roots,
    Rest,
}

/// The inodes that the walk of live names came across.
#[derive(Default)]
pub struct SeenInodes {
    /// Inodes that some directory lists.
    pub listed: NumberSet,
    /// Inodes in use that no directory lists.
    pub orphans: NumberSet,
    /// Whether a directory could not be listed because its names are encrypted.
    pub has_encrypted: bool,
}

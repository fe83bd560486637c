//! How operands are followed down.

use crate::select::Selection;

/// Whether directories among the operands are walked.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Recurse {
    /// A directory is an error.
    #[default]
    No,
    /// The files in it are hashed; directories in it are listed as skipped (the paper's form
    /// without `-r`).
    Flat,
    /// Everything below it is hashed.
    Yes,
}

/// The treatment of symbolic links found while walking. Links named as operands are always
/// followed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Links {
    /// List them as skipped.
    #[default]
    Keep,
    /// Go where they point.
    Follow,
    /// Go where they point, but never out of the directory in which the path starts.
    Within,
}

/// The treatment of FIFOs, sockets and devices named as operands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Special {
    /// Never open them for data (block devices named as operands excepted: they are there to be
    /// hashed).
    #[default]
    Skip,
    /// Read them.
    Read,
}

/// How operands are followed down.
#[derive(Debug, Clone, Default)]
pub struct Descend {
    /// Walk directories?
    pub recurse: Recurse,
    /// Follow links while walking?
    pub links: Links,
    /// Read special files among the operands?
    pub special: Special,
    /// Stay on the file system of each operand?
    pub one_file_system: bool,
    /// Read also the streams that files have beside their content, where
    /// [the system](crate::os::STREAMS) has streams?
    pub streams: bool,
    /// Keep writers out of files while they are read, where [the system](crate::os::HOLDS) can?
    pub hold: bool,
    /// Which names and sizes.
    pub selection: Selection,
}

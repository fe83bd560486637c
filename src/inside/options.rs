//! How far containers are opened.

use pfh_source::Selection;
use pfh_volume::archive::Limits;

/// How far containers are opened, and what is taken of them.
#[derive(Debug, Clone, Default)]
#[non_exhaustive]
pub struct Options {
    /// How many containers deep, and how much may come out of one.
    pub limits: Limits,
    /// Whether deleted files are taken too, as `name!deleted-INODE`.
    pub deleted: bool,
    /// Whether each entry has the places of its bytes.
    pub runs: bool,
    /// Which members are taken.
    pub selection: Selection,
}

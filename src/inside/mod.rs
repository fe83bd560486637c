//! What is inside images and archives, as entries like any others.
//!
//! [`Expanding`] reads a source and puts behind each container what is in it, in the order of the
//! container: the same pipeline, orders, formats and rules of consistency hold. Names read
//! `case.E01!/p2/Users/a.zip!/b.doc` ([`name`]).

mod detect;
mod expanding;
mod level;
mod lookup;
mod medium;
mod member;
pub mod name;
mod spool;

pub use expanding::Expanding;
pub use lookup::{Lookup, is_inside};
pub use pfh_volume::archive::Limits;

use pfh_source::Selection;

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

//! Shadow copies of NTFS (VSS), after the specification of the libyal project: a catalogue, and for
//! each copy a store of the blocks that were written to since. Own code: existing crates want
//! `Read + Seek`, hold all in memory, or take damaged structures for empty ones.

mod bitmap;
mod block;
mod catalog;
mod copies;
mod store;
mod table;
#[cfg(test)]
mod tests;
mod view;

pub use copies::{Copies, Copy};
pub use view::View;

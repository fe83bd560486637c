//! APFS, after Apple's reference of 2020: containers of several volumes, with their snapshots. Own
//! code: existing crates want `Read + Seek`, verify no checksums, or give no runs.

mod attribute;
mod blocks;
mod btree;
mod container;
mod map;
mod node;
mod object;
mod orphans;
mod record;
mod sealed;
mod space;
mod superblock;
mod tree;
mod volume;

pub use container::open;
pub use superblock::spares;

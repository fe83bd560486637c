//! HFS+ and HFSX, after Apple's Technical Note 1150: the catalog, extents and attributes are
//! B-trees in files of the volume. Own code: existing crates hold volumes in memory, or give no
//! runs.

mod attribute;
mod btree;
mod catalog;
mod deleted;
mod fork;
mod header;
mod journal;
mod link;
mod node;
mod orphans;
mod space;
mod tree;
mod volume;

pub use header::spare;
pub use volume::{open, open_at};

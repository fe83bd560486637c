//! XFS of versions 4 and 5, after "XFS Algorithms & Data Structures": groups of blocks, each with
//! trees of its inodes and free runs, and files in lists and trees of extents. Own code: existing
//! crates mount volumes, are under the GPL, or know version 5 alone.

mod attribute;
mod bmap;
mod btree;
mod deleted;
mod directory;
mod group;
mod index;
mod inode;
mod inodes;
mod log;
mod node;
mod open;
mod orphans;
mod seal;
mod space;
mod sum;
mod superblock;
mod symlink;
mod tree;
mod volume;
mod walk;

pub use open::open;
pub use superblock::spares;

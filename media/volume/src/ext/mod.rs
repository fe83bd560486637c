//! ext2, ext3 and ext4. Own code: `ext4-view` 1.0 gives neither runs nor deleted inodes, and ends
//! at the first structure that contradicts itself.

mod blocks;
mod content;
mod directory;
mod extent;
mod group;
mod indirect;
mod inode;
mod node;
mod orphans;
mod place;
mod superblock;
mod tree;
mod walk;

pub use walk::open;

//! F2FS, after the kernel's documentation (`filesystems/f2fs.rst`) and images: the format of
//! Android's user data. Own code: no crate reads it.

mod attribute;
mod blocks;
mod checkpoint;
mod dead;
mod directory;
mod file;
mod inode;
mod maps;
mod node;
mod open;
mod superblock;
mod tree;
mod volume;

pub use open::open;

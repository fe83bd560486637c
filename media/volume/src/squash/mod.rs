//! Squashfs 4.0, after the kernel's documentation (`filesystems/squashfs.rst`) and images: the
//! format of snaps, AppImages, live systems and firmware. Own code: the crate `backhand` wants
//! `Read + Seek` for one reader at a time, and ends at the first fault.

mod attribute;
mod directory;
mod file;
mod inode;
mod metadata;
mod open;
mod packed;
mod superblock;
mod volume;

pub use open::open;

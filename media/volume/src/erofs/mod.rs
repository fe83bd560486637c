//! EROFS, after the kernel's documentation (`filesystems/erofs.rst`), the definition of the format
//! (`erofs_fs.h`, Apache-2.0) and images: the format of Android's partitions, of live systems and
//! of container images. Own code: existing crates write images, or read no compression.

mod attribute;
mod content;
mod directory;
mod flat;
mod index;
mod inode;
mod lz4;
mod open;
mod packed;
mod superblock;
mod unpack;
mod volume;

pub use open::open;

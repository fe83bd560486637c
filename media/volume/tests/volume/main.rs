//! Images that other programs write, against the crate's reading of them.
#![cfg(unix)]

mod apfs;
mod backups;
mod btrfs;
mod erofs;
mod ext;
mod f2fs;
mod fat;
mod hfs;
mod image;
mod iso;
mod listing;
mod lvm;
mod mutants;
mod ntfs;
mod partitions;
mod raid;
mod squash;
mod tree;
mod udf;
mod unlisted;
mod unreadable;
mod vss;
mod xfs;

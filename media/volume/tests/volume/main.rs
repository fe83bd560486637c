//! Media that other programs and small writers after the formats' documents make, against the
//! crate's reading of them.

#[cfg(unix)]
mod accounts_volumes;
#[cfg(unix)]
mod apfs;
#[cfg(unix)]
mod backups;
#[cfg(unix)]
mod behind;
#[cfg(unix)]
mod btrfs;
#[cfg(unix)]
mod erofs;
#[cfg(unix)]
mod example;
#[cfg(unix)]
mod ext;
#[cfg(unix)]
mod f2fs;
#[cfg(unix)]
mod fat;
#[cfg(unix)]
mod hfs;
#[cfg(unix)]
mod image;
#[cfg(unix)]
mod iso;
#[cfg(unix)]
mod listing;
#[cfg(unix)]
mod lvm;
#[cfg(unix)]
mod mutants;
#[cfg(unix)]
#[path = "../../../archive/tests/archive/noise.rs"]
mod noise;
#[cfg(unix)]
mod ntfs;
#[cfg(unix)]
mod partitions;
#[cfg(unix)]
mod raid;
#[cfg(unix)]
mod squash;
#[cfg(unix)]
mod tree;
#[cfg(unix)]
mod udf;
#[cfg(unix)]
mod unlisted;
#[cfg(unix)]
mod unreadable;
#[cfg(unix)]
mod vss;
#[cfg(unix)]
mod xfs;

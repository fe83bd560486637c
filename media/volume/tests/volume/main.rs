//! Media that other programs and small writers after the formats' documents make, against the
//! crate's reading of them.

#[cfg(unix)]
mod accounts;
mod accounts_volumes;
#[cfg(unix)]
mod apfs;
mod archives;
#[cfg(unix)]
mod backups;
#[cfg(unix)]
mod btrfs;
mod coded;
mod collections;
#[cfg(unix)]
mod deep;
#[cfg(unix)]
mod erofs;
mod evidence;
#[cfg(unix)]
mod ext;
#[cfg(unix)]
mod f2fs;
#[cfg(unix)]
mod fat;
#[cfg(unix)]
mod hfs;
#[cfg(unix)]
mod hidden;
mod holders;
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
mod mutated;
#[cfg(unix)]
mod ntfs;
mod oci;
#[cfg(unix)]
mod packages;
#[cfg(unix)]
mod partitions;
mod pdf;
#[cfg(unix)]
mod raid;
mod rar;
mod sets;
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
mod wim;
#[cfg(unix)]
mod xfs;
#[cfg(unix)]
mod zip_passwords;

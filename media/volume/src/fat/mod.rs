//! FAT12, FAT16, FAT32 and exFAT: tables of clusters, and directories of records of 32 bytes.

mod boot;
mod chain;
mod entry;
mod exfat_boot;
mod exfat_entry;
mod fat_entry;
mod records;
mod tree;

pub use tree::{open, open_exfat};

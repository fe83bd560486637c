//! The content of a medium: partitions, file systems, and volumes in pieces. Everything is read
//! only, from [`Bytes`] at any position, in bounded memory, and each hostile, contradictory or
//! unknown structure is a [`Failure`] with its place, never an empty answer.

#![forbid(unsafe_code)]

pub mod account;
mod apfs;
mod backup;
mod bits;
mod bridge;
mod btrfs;
mod changed;
mod composed;
mod decmpfs;
mod detect;
mod erofs;
mod ext;
mod f2fs;
mod fat;
mod file_system;
mod foresight;
mod hfs;
mod iso;
mod listed;
mod locked;
mod lvm;
mod lzo;
mod ntfs;
mod partition;
mod raid;
mod recognise;
mod shifted;
mod squash;
mod udf;
mod unallocated;
mod vss;
mod walk;
mod windows;
mod xfs;

pub use composed::{ComposedVolume, Composition, Key, Piece, compose, is_piece, is_whole_member};
pub use detect::{file_system, may_be_small, small_file_system};
pub use file_system::{FileSystem, LockedVolume, Member, OpenSnapshot, Options, Snapshot, VolumeContent, Volumes};
pub use locked::{Decrypt, Keybag};
pub use lvm::free as free_extents;
pub use partition::{Partition, PartitionTable, Scheme, Usage, partitions};
pub use pfh_bytes::bytes::{Bytes, Slice};
pub use pfh_bytes::node::{Allocation, Content, Failure, Flaw, Kind, Node, Nodes, Run, Times};
pub use shifted::shifted;
pub use unallocated::gap;

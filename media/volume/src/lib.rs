//! The content of a medium: partitions, file systems and archives. Everything is read only, from
//! [`Bytes`] at any position, in bounded memory, and each hostile, contradictory or unknown
//! structure is a [`Failure`] with its place, never an empty answer.

#![forbid(unsafe_code)]

pub mod account;
mod apart;
mod apfs;
pub mod archive;
mod backup;
mod bits;
mod bridge;
mod btrfs;
mod bytes;
mod changed;
mod composed;
mod crc16;
mod decmpfs;
mod detect;
mod erofs;
mod ext;
mod f2fs;
mod fat;
mod field;
mod file_system;
mod foresight;
mod hfs;
mod iso;
mod layout;
mod listed;
mod locked;
mod lvm;
mod lzo;
mod node;
mod ntfs;
mod partition;
mod raid;
mod reading;
mod recognise;
mod shifted;
mod squash;
mod stored;
mod text;
mod time;
mod udf;
mod unallocated;
mod vss;
mod walk;
mod windows;
mod xfs;

pub use bytes::{Bytes, Slice};
pub use composed::{ComposedVolume, Composition, Key, Piece, compose, is_piece, is_whole_member};
pub use detect::{file_system, may_be_small, small_file_system};
pub use file_system::{FileSystem, Locked, Member, OpenSnapshot, Options, Recognised, Snapshot, Volumes};
pub use locked::{Decrypt, Keybag};
pub use lvm::free as free_extents;
pub use node::{Allocation, Content, Failure, Flaw, Kind, Node, Nodes, Run, Times};
pub use partition::{Partition, PartitionTable, Scheme, Usage, partitions};
pub use shifted::shifted;
pub use unallocated::gap;

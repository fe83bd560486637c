//! Btrfs, after its documentation of the format on disk: subvolumes and snapshots as volumes of one
//! space, over one device or several. Own code: existing crates need the whole in memory, verify no
//! checksums of data, or call a kernel.

mod btree;
mod checksum;
mod chunk;
mod container;
mod described;
mod devices;
mod file;
mod layout;
mod lzo;
mod members;
mod names;
mod node;
mod orphans;
mod pool;
mod record;
mod roots;
mod space;
mod sums;
mod superblock;
mod together;
mod unpack;
mod volume;

pub use container::open;
pub use superblock::{PLACES, Superblock, spares};
pub use together::{joined_volumes, of_several};

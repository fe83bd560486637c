//! Disks and volumes of Windows: the questions of Microsoft's documentation (winioctl.h,
//! ntddstor.h, ntddvol.h, mountdev.h), and the answers decoded from their bytes.
//!
//! Nothing here calls the system: `os/windows` implements [`Asks`] for a handle. So it is compiled
//! and tested on every system, with devices that answer as documented. An answer that is short, or
//! contradicts itself, is [`Fault::Answer`], never a number.

mod answer;
mod asks;
mod bounce;
mod bytes;
pub mod code;
mod descriptor;
pub mod error;
mod extents;
mod facts;
#[cfg(test)]
mod fake;
mod identifier;
mod listed;
mod lock;
mod name;
mod number;
mod size;
mod state;

pub use asks::{Asks, Fault};
pub use bounce::{BOUNCED, bounced, patched};
pub use descriptor::{Descriptor, descriptor};
pub use extents::{Extent, extents};
pub use facts::{Facts, facts, words};
pub use identifier::wwid;
pub use listed::{StorageEntry, Volume, disks, names, shadow_copies, shadow_path};
pub use lock::{allow_all_sectors, dismount, lock};
pub use name::{DeviceName, named, volume_of_drive};
pub use number::{Number, number, number_of, whole_disk};
pub use size::{length, sectors};
pub use state::{has_medium, is_rotational, is_write_blocked};

//! Disk images of virtual machines, of macOS and of other imagers: VHD, VHDX, VMDK, QCOW2, UDIF
//! (`.dmg`), AFF4 and Ex01, as bytes of the disk.
//!
//! [`open`] recognises a format by its bytes and reads the description of the disk; content is read
//! by position when it is asked for. All images may be hostile: memory is bounded by constants and
//! by the size of the file, never by sizes that the file states, and an image that contradicts
//! itself is a [`Failure`]. A feature that is not read (encryption) is refused with its name.

mod adc;
pub(crate) mod aff4;
mod dmg;
pub(crate) mod ex01;
mod failure;
mod image;
mod kind;
mod open;
pub(crate) mod paged;
mod parent;
mod qcow2;
mod siblings;
pub(crate) mod unpack;
mod vhd;
mod vhdx;
mod vmdk;

pub use failure::{Damage, Failure};
pub use image::{Check, Disk};
pub(crate) use image::{stored, within_unit};
pub use kind::{END, Kind, START};
pub use open::open;
use siblings::sibling;
pub use siblings::{Alone, Siblings};

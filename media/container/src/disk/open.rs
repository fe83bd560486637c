//! Opens a disk image of any kind.

use super::failure::Failure;
use super::image::Disk;
use super::kind::Kind;
use super::siblings::Siblings;
use super::{aff4, dmg, ex01, qcow2, vhd, vhdx, vmdk};
use crate::Bytes;
use std::sync::Arc;

/// Opens a disk image of this kind.
///
/// # Errors
/// See [`Failure`].
pub fn open(kind: Kind, file: Arc<dyn Bytes>, files: &dyn Siblings) -> Result<Box<dyn Disk>, Failure> {
    match kind {
        Kind::Vhd => vhd::open(file, files),
        Kind::Vhdx => vhdx::open(file, files),
        Kind::Vmdk => vmdk::open(file, files),
        Kind::Qcow2 => qcow2::open(file, files),
        Kind::Dmg => dmg::open(file),
        Kind::Aff4 => aff4::open(file),
        Kind::Ex01 => ex01::open(file, files),
    }
}

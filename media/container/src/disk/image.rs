//! The interface of all disk images.

use super::failure::Failure;
use super::kind::Kind;
use crate::Bytes;
use pfh_digest::Digest;

/// The result of comparing a part of an image with its stated digest or checksum.
#[derive(Debug)]
pub struct Check {
    /// The part, and its digest or checksum.
    pub what: String,
    /// `None` if it is equal; otherwise the fault.
    pub wrong: Option<Failure>,
}

/// A disk, read at any position out of its image. An error of a read holds
/// [`Damage`](super::Damage) if the image contradicts itself there.
pub trait Disk: Bytes {
    /// The format of the image.
    fn kind(&self) -> Kind;

    /// Bytes of a sector.
    fn sector(&self) -> u32 {
        512
    }

    /// Remarks on the image, in sentences for people: a part that was never written, the state in
    /// which it was left.
    fn notes(&self) -> Vec<String> {
        Vec::new()
    }

    /// The identifier that a difference to this disk states: it changes whenever the disk does;
    /// `None` if the format has none.
    fn identity(&self) -> Option<String> {
        None
    }

    /// The digests that the image states of the content of the disk.
    fn digests(&self) -> Vec<Digest> {
        Vec::new()
    }

    /// Compares all digests and checksums that the image states of its parts. `go_on` is asked
    /// between reads of some megabytes; `false` ends the comparison.
    fn check(&self, go_on: &mut dyn FnMut() -> bool) -> Vec<Check> {
        let _ = go_on;
        Vec::new()
    }
}

/// Where a read of units of one length goes: number of the unit, place within it, and how many of
/// `room` bytes it holds; `None` behind the end.
pub(crate) fn within_unit(size: u64, unit: u64, offset: u64, room: usize) -> Option<(u64, u64, usize)> {
    let left = size.checked_sub(offset).filter(|left| *left > 0)?;
    let inside = offset % unit;
    let most = left.min(unit - inside);
    let take = usize::try_from(most).unwrap_or(usize::MAX).min(room);
    (take > 0).then_some((offset / unit, inside, take))
}

//! Logical images: files that were acquired without their disk. L01 and Lx01 (EnCase), AD1 (FTK
//! Imager) and AFF4-L.
//!
//! [`open`] takes the segments of an image in order and gives its [`Entry`]s one after the other.
//! Their descriptions are bounded by constants; content is read by position when it is asked for.

mod ad1;
mod aff4;
mod entry;
mod ewf;
mod ewf2;
mod listing;
mod tree;

use crate::Bytes;
use crate::disk::{Failure, Kind};
use crate::field::le32;
use std::sync::Arc;

pub use entry::{Entries, Entry, Stamps, UnlistedEntry};

/// A format of logical images that is read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Logical {
    /// EnCase's logical evidence, EWF-L01.
    L01,
    /// EnCase 7's, EWF2-Lx01.
    Lx01,
    /// FTK Imager's logical image.
    Ad1,
    /// Files in a volume of AFF4.
    Aff4,
}

impl Logical {
    /// Its name in output.
    pub fn name(self) -> &'static str {
        match self {
            Logical::L01 => "L01",
            Logical::Lx01 => "Lx01",
            Logical::Ad1 => "AD1",
            Logical::Aff4 => "AFF4-L",
        }
    }

    /// The format that a file's first bytes state; AFF4 is known only by the volume itself.
    pub fn recognize(start: &[u8]) -> Option<Logical> {
        match start {
            _ if start.starts_with(ewf::MAGIC) => Some(Logical::L01),
            _ if start.starts_with(ewf2::MAGIC) => Some(Logical::Lx01),
            _ if start.starts_with(ad1::MAGIC) => Some(Logical::Ad1),
            _ => None,
        }
    }

    /// As [`recognize`](Logical::recognize), and also AFF4 for a volume that holds files and no
    /// disk. `end` are the last bytes.
    pub fn of(start: &[u8], end: &[u8], file: &Arc<dyn Bytes>) -> Option<Logical> {
        let is_aff4 = || Kind::recognize(start, end) == Some(Kind::Aff4) && aff4::holds_files(file.clone());
        Logical::recognize(start).or_else(|| is_aff4().then_some(Logical::Aff4))
    }

    /// The number of the segment that begins so, from 1.
    pub fn segment(self, start: &[u8]) -> u32 {
        match self {
            Logical::L01 => start.get(9..11).map_or(1, |number| u32::from(u16::from_le_bytes([number[0], number[1]]))),
            Logical::Lx01 => le32(start, 12),
            Logical::Ad1 => le32(start, 24),
            Logical::Aff4 => 1,
        }
    }

    /// The ending of the name of a segment, as the format's programs write it; `None` beyond the
    /// last one.
    pub fn ending(self, segment: u32) -> Option<String> {
        match self {
            Logical::L01 => ewf::ending(segment),
            Logical::Lx01 => ewf2::ending('L', segment),
            Logical::Ad1 => (segment <= 9_999).then(|| format!("AD{segment}")),
            Logical::Aff4 => None,
        }
    }
}

/// Opens an image by its segments, in order.
///
/// # Errors
/// When a segment is missing, or the description of the entries is damaged or encrypted.
pub fn open(format: Logical, segments: Vec<Arc<dyn Bytes>>) -> Result<Entries, Failure> {
    match format {
        Logical::L01 => ewf::open(segments),
        Logical::Lx01 => ewf2::open(segments),
        Logical::Ad1 => ad1::open(segments),
        Logical::Aff4 => {
            let first = segments.into_iter().next();
            aff4::open(first.ok_or_else(|| Failure::malformed("no file"))?)
        }
    }
}

//! Logical images: files that were acquired without their disk. L01 (EnCase), AD1 (FTK Imager) and
//! AFF4-L.
//!
//! [`open`] takes the segments of an image in order and gives its [`Entry`]s one after the other.
//! What describes them is bounded by constants; content is read by position when it is asked for.

mod ad1;
mod aff4;
mod ewf;
mod tree;

use crate::Bytes;
use crate::disk::{Failure, Kind};
use crate::field::le32;
use pfh_digest::Digest;
use std::sync::Arc;

/// A format of logical images that is read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Logical {
    /// EnCase's logical evidence, EWF-L01.
    L01,
    /// FTK Imager's logical image.
    Ad1,
    /// Files in a volume of AFF4.
    Aff4,
}

/// Times of an entry, in nanoseconds since 1970.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Stamps {
    /// Last change of the content.
    pub modified: Option<i128>,
    /// Last access.
    pub accessed: Option<i128>,
    /// Last change of the metadata.
    pub changed: Option<i128>,
    /// Creation.
    pub born: Option<i128>,
    /// Deletion.
    pub deleted: Option<i128>,
}

/// A file or directory of a logical image.
pub struct Entry {
    /// Names from the root on, each as the image has it; a name may hold a slash.
    pub path: Vec<Vec<u8>>,
    /// Whether it is a directory.
    pub is_directory: bool,
    /// The number by which the image knows it.
    pub id: Option<u64>,
    /// Its times.
    pub stamps: Stamps,
    /// The digests of its content that the image states.
    pub digests: Vec<Digest>,
    /// What it holds; `None` for a directory. An error stands in the place of a content that is
    /// not there.
    pub content: Option<Result<Arc<dyn Bytes>, Failure>>,
}

/// What cannot be listed, with the names above it.
pub type Unlisted = (Vec<Vec<u8>>, Failure);

/// The entries of an image, in its order.
pub type Entries = Box<dyn Iterator<Item = Result<Entry, Unlisted>> + Send>;

/// What a segment of L01 begins with.
const L01: &[u8] = b"LVF\x09\x0d\x0a\xff\x00";
/// What a segment of AD1 begins with.
const AD1: &[u8] = b"ADSEGMENTEDFILE\0";

impl Logical {
    /// Its name in output.
    pub fn name(self) -> &'static str {
        match self {
            Logical::L01 => "L01",
            Logical::Ad1 => "AD1",
            Logical::Aff4 => "AFF4-L",
        }
    }

    /// The format that a file's first bytes state; of AFF4 the volume itself must be asked.
    pub fn recognize(start: &[u8]) -> Option<Logical> {
        match start {
            _ if start.starts_with(L01) => Some(Logical::L01),
            _ if start.starts_with(AD1) => Some(Logical::Ad1),
            _ => None,
        }
    }

    /// The same, and a volume of AFF4 that holds files and no disk. `end` are the last bytes.
    pub fn of(start: &[u8], end: &[u8], file: &Arc<dyn Bytes>) -> Option<Logical> {
        let is_aff4 = || Kind::recognize(start, end) == Some(Kind::Aff4) && aff4::holds_files(file.clone());
        Logical::recognize(start).or_else(|| is_aff4().then_some(Logical::Aff4))
    }

    /// The number of the segment that begins so, from 1.
    pub fn segment(self, start: &[u8]) -> u32 {
        match self {
            Logical::L01 => start.get(9..11).map_or(1, |number| u32::from(u16::from_le_bytes([number[0], number[1]]))),
            Logical::Ad1 => le32(start, 24),
            Logical::Aff4 => 1,
        }
    }

    /// The ending of the name of a segment, in upper case; `None` beyond the last one.
    pub fn ending(self, segment: u32) -> Option<String> {
        match self {
            Logical::L01 => ewf::ending(segment),
            Logical::Ad1 => (segment <= 9_999).then(|| format!("AD{segment}")),
            Logical::Aff4 => None,
        }
    }
}

/// Opens an image by its segments, in order.
///
/// # Errors
/// When a segment is missing, or what describes the entries is damaged or encrypted.
pub fn open(format: Logical, segments: Vec<Arc<dyn Bytes>>) -> Result<Entries, Failure> {
    match format {
        Logical::L01 => ewf::open(segments),
        Logical::Ad1 => ad1::open(segments),
        Logical::Aff4 => {
            let first = segments.into_iter().next();
            aff4::open(first.ok_or_else(|| Failure::malformed("no file"))?)
        }
    }
}

/// A failure in a segment, from 1.
fn within(segment: usize, failure: Failure) -> Failure {
    match failure {
        Failure::Malformed { offset, what } => {
            Failure::Malformed { offset, what: format!("in segment {segment}: {what}") }
        }
        other => other,
    }
}

//! EWF-E01 in the form that EnCase 6 writes, after J. Metz, "Expert Witness Compression Format
//! (EWF)", the libewf project's specification.
//!
//! An image is a set of segment files. A segment is a [file header](FileHeader) and sections, each
//! behind a [`Descriptor`] of 76 bytes. Media data are chunks of (by default) 64 sectors, deflated
//! or stored, which `sectors` sections hold and `table` sections point at; `table2` is the table's
//! copy. All numbers are little-endian, all checksums Adler-32.
//!
//! [`Writer`] lays an image out as positioned writes; [`Index`] finds the way through one that may
//! be hostile.

mod about;
mod chunk;
mod index;
mod noise;
mod section;
mod table;
mod tail;
mod volume;
mod writer;

pub use about::CaseData;
pub use chunk::{Compression, Compressor, Decompressor, PackedChunk};
pub use index::{Failure, Index, Location, ReadAt};
pub use section::{Descriptor, FileHeader, extension};
pub use table::{MOST_ENTRIES, Table};
pub use tail::{Digests, Errors};
pub use volume::{Media, SMART, Volume};
pub use writer::{Geometry, Section, TooLarge, Write, Writer};

/// Why bytes are not a sound E01 image.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EwfFault {
    /// Which segment file, from 1; 0 where that is not known.
    pub segment: u16,
    /// Where in the segment, in bytes.
    pub offset: u64,
    /// The fault, in words.
    pub what: &'static str,
}

impl EwfFault {
    pub(crate) fn new(what: &'static str) -> Self {
        EwfFault { segment: 0, offset: 0, what }
    }

    pub(crate) fn at(self, segment: u16, offset: u64) -> Self {
        EwfFault { segment, offset, ..self }
    }
}

impl std::fmt::Display for EwfFault {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "segment {}, offset {}: {}", self.segment, self.offset, self.what)
    }
}

impl std::error::Error for EwfFault {}

/// Adler-32 as the format uses it (RFC 1950, initial value 1).
pub fn checksum(bytes: &[u8]) -> u32 {
    libdeflater::adler32(bytes)
}

pub(crate) fn u32_at(bytes: &[u8], at: usize) -> u32 {
    bytes.get(at..at + 4).and_then(|b| b.try_into().ok()).map_or(0, u32::from_le_bytes)
}

pub(crate) fn u64_at(bytes: &[u8], at: usize) -> u64 {
    bytes.get(at..at + 8).and_then(|b| b.try_into().ok()).map_or(0, u64::from_le_bytes)
}

/// Appends the checksum of everything in `bytes` from `from` on.
pub(crate) fn seal(bytes: &mut Vec<u8>, from: usize) {
    let sum = checksum(&bytes[from..]);
    bytes.extend_from_slice(&sum.to_le_bytes());
}

/// Whether the last four bytes are the checksum of those before.
pub(crate) fn is_sealed(bytes: &[u8]) -> bool {
    bytes.len() >= 4 && checksum(&bytes[..bytes.len() - 4]) == u32_at(bytes, bytes.len() - 4)
}

//! The parts of a stream that was cut.

use crate::crew::Open;

/// Parts are as long as this, in bytes that come out, where frames are shorter.
pub const ENOUGH: u64 = 1 << 20;

/// Parts of one stream at most, where an index lists them: 32 MiB of memory.
pub const MOST: usize = 1 << 20;

/// A part of a stream that a decoder of its own can read.
pub struct Part {
    /// Bytes that it gives, where the stream says so.
    pub size: Option<u64>,
    /// Bytes that it gives at most, where the stream says that alone.
    pub most: Option<u64>,
    /// Bytes of memory that its decoder takes for its window.
    pub window: u64,
    /// Opens its decoder. It ends where the part does, or fails.
    pub open: Open,
    /// Whether its bytes go into a checksum that stands behind this part or a later one.
    pub sum: Sum,
}

/// A checksum (XXH32) of several parts.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Sum {
    /// There is none.
    None,
    /// It goes on behind this part.
    GoesOn,
    /// It ends with this part, and is this.
    Ends(u32),
}

/// The parts of a stream in their order; an error where it cannot be cut any further.
pub type Parts = Box<dyn Iterator<Item = Result<Part, Uncut>> + Send>;

/// The stream is not as expected here.
pub struct Uncut;

/// The parts, if there are several.
pub fn several(mut parts: Parts) -> Option<Parts> {
    let (first, second) = (parts.next()?.ok()?, parts.next()?.ok()?);
    Some(Box::new([Ok(first), Ok(second)].into_iter().chain(parts)))
}

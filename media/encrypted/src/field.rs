//! Reads metadata from the medium, and numbers from metadata.

use crate::failure::Failure;
use pfh_container::Bytes;
pub use pfh_container::field::{array, be32, le16, le32, le64};

/// The number of these eight bytes, big-endian; zero beyond the end.
pub fn be64(bytes: &[u8], at: usize) -> u64 {
    u64::from_be_bytes(array(bytes, at))
}

/// Exactly `length` bytes from `offset` on. `length` is bounded by the caller.
pub fn read(bytes: &dyn Bytes, offset: u64, length: usize) -> Result<Vec<u8>, Failure> {
    let mut buffer = vec![0; length];
    match bytes.read_exact_at(offset, &mut buffer) {
        Ok(()) => Ok(buffer),
        Err(error) => Err(Failure::Unreadable(offset, error)),
    }
}

/// As [`read`], of the bytes that are there.
pub fn read_some(bytes: &dyn Bytes, offset: u64, length: usize) -> Result<Vec<u8>, Failure> {
    let there = usize::try_from(bytes.size().saturating_sub(offset)).unwrap_or(usize::MAX);
    read(bytes, offset, length.min(there))
}

//! Functions of NTFS that no Unix has.

use super::handles::BorrowedFd;
use super::platform::Errno;
use crate::base::Base;

/// Whether files have [`streams`] beside their content.
pub const STREAMS: bool = false;

/// Whether a reader can keep writers out.
pub const HOLDS: bool = false;

/// The streams of a file beside its content: none here.
pub fn streams(_: &Base, _: &[u8]) -> Result<Vec<(Vec<u8>, u64)>, Errno> {
    Ok(Vec::new())
}

/// The number of a file's last change in the journal of its volume: Unix has none.
pub fn usn(_: BorrowedFd<'_>) -> Option<i64> {
    None
}

//! Functions of NTFS that no Unix has; but for streams, which macOS has in its own form.

use super::handles::BorrowedFd;
#[cfg(not(target_os = "macos"))]
use crate::base::Base;
#[cfg(not(target_os = "macos"))]
use crate::os::{Beside, Errno};

/// Whether files have [`streams`] beside their content.
#[cfg(not(target_os = "macos"))]
pub const STREAMS: bool = false;

/// Whether a reader can keep writers out.
pub const HOLDS: bool = false;

/// The streams of a file beside its content: none here.
#[cfg(not(target_os = "macos"))]
pub fn streams(_: &Base, _: &[u8]) -> Result<Vec<Beside>, Errno> {
    Ok(Vec::new())
}

/// The number of a file's last change in the journal of its volume: Unix has none.
pub fn usn(_: BorrowedFd<'_>) -> Option<i64> {
    None
}

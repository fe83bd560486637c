//! Which file system a volume holds.

use std::sync::Arc;

use crate::bytes::Bytes;
use crate::file_system::Recognised;
use crate::node::Failure;
use crate::recognise::{Magic, recognise};

/// Finds out which file system `bytes` hold, from the first byte on, and opens it. Offsets in
/// failures and runs are those of `bytes`.
///
/// # Errors
/// If the medium cannot be read there, or the structures of a known file system contradict
/// themselves.
pub fn file_system(bytes: Arc<dyn Bytes>) -> Result<Recognised, Failure> {
    Ok(match recognise(&*bytes)? {
        Some(Magic::Encrypted(name)) => Recognised::Encrypted(name),
        Some(Magic::Unread(name)) => Recognised::Unread(name.to_owned()),
        None => Recognised::Unknown,
    })
}

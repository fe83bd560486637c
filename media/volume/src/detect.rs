//! Which file system a volume holds.

use std::sync::Arc;

use crate::bytes::Bytes;
use crate::ext;
use crate::fat;
use crate::file_system::Recognised;
use crate::iso;
use crate::node::Failure;
use crate::ntfs;
use crate::recognise::{Magic, recognise};
use crate::windows::Windows;

/// Opens one kind of file system; `None` if it is another.
type Open = fn(&Arc<dyn Bytes>) -> Result<Option<Recognised>, Failure>;

/// All that are read.
const READERS: &[Open] = &[ntfs::open, fat::open_exfat, fat::open, ext::open, iso::open];

/// Finds out which file system `bytes` hold, from the first byte on, and opens it. Offsets in
/// failures and runs are those of `bytes`.
///
/// # Errors
/// If the medium cannot be read there, or the structures of a known file system contradict
/// themselves.
pub fn file_system(bytes: Arc<dyn Bytes>) -> Result<Recognised, Failure> {
    // What the table knows goes first: a container may be written over an old file system's start.
    match recognise(&*bytes)? {
        Some(Magic::Encrypted(name)) => return Ok(Recognised::Encrypted(name)),
        Some(Magic::Unread(name)) => return Ok(Recognised::Unread(name.to_owned())),
        None => {}
    }
    let bytes: Arc<dyn Bytes> = Arc::new(Windows::new(bytes));
    for open in READERS {
        if let Some(found) = open(&bytes)? {
            return Ok(found);
        }
    }
    Ok(Recognised::Unknown)
}

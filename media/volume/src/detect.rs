//! Which file system a volume holds.

use std::sync::Arc;

use crate::backup::{self, Of};
use crate::bridge;
use crate::bytes::Bytes;
use crate::ext;
use crate::fat;
use crate::file_system::Recognised;
use crate::node::Failure;
use crate::ntfs;
use crate::recognise::{Magic, recognise};
use crate::windows::Windows;

/// Opens one kind of file system; `None` if it is another.
type Open = fn(&Arc<dyn Bytes>) -> Result<Option<Recognised>, Failure>;

/// All that are read, each with the copies of what it begins with.
const READERS: &[(Open, Option<Of>)] = &[
    (ntfs::open, Some(Of::Ntfs)),
    (fat::open_exfat, Some(Of::Exfat)),
    (fat::open, Some(Of::Fat)),
    (ext::open, Some(Of::Ext)),
    (bridge::open, None),
];

/// Finds out which file system `bytes` hold, from the first byte on, and opens it; by a copy of
/// its first sectors if these are damaged or lost. Offsets in failures and runs are those of
/// `bytes`.
///
/// # Errors
/// If the medium cannot be read there, or the structures of a known file system contradict
/// themselves.
pub fn file_system(bytes: Arc<dyn Bytes>) -> Result<Recognised, Failure> {
    // What the table knows goes first: a container may be written over an old file system's start.
    match recognise(&*bytes) {
        Ok(Some(Magic::Encrypted(name))) => return Ok(Recognised::Encrypted(name)),
        Ok(Some(Magic::Unread(name))) => return Ok(Recognised::Unread(name.to_owned())),
        Ok(None) => {}
        // The start is lost: what stands elsewhere says what it was.
        Err(failed) => {
            let bytes: Arc<dyn Bytes> = Arc::new(Windows::new(bytes));
            return by_copy(&bytes, "cannot be read").ok_or(failed);
        }
    }
    let bytes: Arc<dyn Bytes> = Arc::new(Windows::new(bytes));
    for (open, of) in READERS {
        match open(&bytes) {
            Ok(Some(found)) => return Ok(found),
            Ok(None) => {}
            Err(failed) => {
                let why = format!("is damaged ({})", failed.cause);
                return of.and_then(|of| backup::open(of, &bytes, &why)).ok_or(failed);
            }
        }
    }
    Ok(by_copy(&bytes, "is lost").unwrap_or(Recognised::Unknown))
}

/// The file system whose copy is found.
fn by_copy(bytes: &Arc<dyn Bytes>, why: &str) -> Option<Recognised> {
    READERS.iter().filter_map(|(_, of)| *of).find_map(|of| backup::open(of, bytes, why))
}

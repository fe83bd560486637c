//! Volumes on a disk that is to be written: locked, and taken off their file systems.

use super::{Asks, code};

/// Locks a volume: it belongs to this handle alone until the handle is closed.
///
/// # Errors
/// ERROR_ACCESS_DENIED while a program has a file open on it.
pub fn lock(asks: &dyn Asks) -> Result<(), u32> {
    asks.ask(code::LOCK_VOLUME, &[], 0).map(drop)
}

/// Takes the file system off a locked volume, so that it does not write what it keeps.
///
/// # Errors
/// The system's.
pub fn dismount(asks: &dyn Asks) -> Result<(), u32> {
    asks.ask(code::DISMOUNT_VOLUME, &[], 0).map(drop)
}

/// Allows reads of the last sectors of a volume, which lie behind its file system; false where the
/// file system knows no such thing.
pub fn allow_all_sectors(asks: &dyn Asks) -> bool {
    asks.ask(code::ALLOW_EXTENDED_DASD_IO, &[], 0).is_ok()
}

//! Devices that are written by one process alone.

use super::handles::OwnedFd;

/// Locks that keep others off a device that is being written, until this is dropped: on Windows
/// those of the volumes on it. Linux needs none, where the device itself is opened so.
#[derive(Debug, Default)]
pub struct VolumeLocks {
    _locks: Vec<OwnedFd>,
}

#[cfg(windows)]
impl VolumeLocks {
    /// Holds these.
    pub(super) fn of(locks: Vec<OwnedFd>) -> Self {
        VolumeLocks { _locks: locks }
    }
}

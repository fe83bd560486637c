//! A volume that was opened.

use crate::failure::Failure;
use pfh_container::Bytes;
use std::sync::Arc;

/// A volume that was opened.
pub struct OpenedVolume {
    /// The format: `BitLocker`, `LUKS1`, `LUKS2`.
    pub format: &'static str,
    /// The plain volume.
    pub bytes: Arc<dyn Bytes>,
    /// The kind of key that opened it: `recovery password`, `key slot 0` …
    pub by: String,
    /// Faults that did not keep the volume from being opened: a damaged copy of its metadata.
    pub warnings: Vec<Failure>,
}

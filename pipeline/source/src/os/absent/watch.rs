//! Watching of directories, which always fails here.

use crate::os::Notice;
use std::io;
use std::path::Path;
use std::time::Duration;

/// Watches directories, where the system can.
pub struct Watcher(());

impl Watcher {
    /// Watches nothing yet.
    ///
    /// # Errors
    /// Always: the portable system layer cannot watch.
    pub fn new() -> io::Result<Watcher> {
        Err(io::ErrorKind::Unsupported.into())
    }

    /// Watches a directory, and gives its number.
    ///
    /// # Errors
    /// Always.
    pub fn add(&self, _directory: &Path) -> io::Result<i32> {
        Err(io::ErrorKind::Unsupported.into())
    }

    /// The changes.
    ///
    /// # Errors
    /// Always.
    pub fn wait(&self, _patience: Duration) -> io::Result<Vec<Notice>> {
        Err(io::ErrorKind::Unsupported.into())
    }
}

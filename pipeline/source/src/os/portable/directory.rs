//! Directories.

use std::fs::File;
use std::io;
use std::os::fd::{AsFd, BorrowedFd};
use std::path::PathBuf;

/// A directory that is open for listing and for opening files below it: its path, and a handle by
/// which it is known again.
#[derive(Debug)]
pub struct Directory {
    pub(super) path: PathBuf,
    pub(super) handle: File,
    pub(super) identity: (u64, u128),
}

impl AsFd for Directory {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.handle.as_fd()
    }
}

impl Directory {
    /// The same directory once more.
    ///
    /// # Errors
    /// When no file can be opened any more.
    pub fn try_clone(&self) -> io::Result<Self> {
        Ok(Directory { path: self.path.clone(), handle: self.handle.try_clone()?, identity: self.identity })
    }
}

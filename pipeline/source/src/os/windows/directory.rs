//! Directories that are open.

use super::super::FileType;
use super::errno::Errno;
use super::facts::{stat, stat_path};
use crate::os::handles::{AsFd, BorrowedFd};
use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};

/// A directory that is open for listing and for opening files below it: its path, and a handle by
/// which it is known again.
#[derive(Debug)]
pub struct Directory {
    pub(super) path: PathBuf,
    pub(super) handle: File,
    identity: (u64, u128),
}

impl std::os::windows::io::AsHandle for Directory {
    fn as_handle(&self) -> BorrowedFd<'_> {
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

    pub(super) fn of(path: PathBuf, handle: File) -> Result<Self, Errno> {
        let stat = stat(&handle)?;
        if super::super::file_type(stat.mode) != FileType::Directory {
            return Err(Errno::NOTDIR);
        }
        Ok(Directory { path, handle, identity: stat.identity() })
    }

    /// The path, if it still leads to this directory.
    pub(super) fn path(&self) -> Result<&Path, Errno> {
        let now = stat_path(&self.path)?.0;
        if now.identity() == self.identity { Ok(&self.path) } else { Err(Errno::STALE) }
    }
}

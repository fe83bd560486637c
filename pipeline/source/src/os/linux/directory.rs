//! Directories.

use std::os::fd::OwnedFd;

/// A directory that is open for listing and for opening what is below it.
pub type Directory = OwnedFd;

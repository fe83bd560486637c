//! Directories.

use std::os::fd::OwnedFd;

/// A directory that is open for listing and for opening files below it.
pub type Directory = OwnedFd;

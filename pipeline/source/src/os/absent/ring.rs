//! An empty type in the place of Linux's io_uring.

use crate::base::Base;
use crate::os::Errno;
use crate::os::handles::{BorrowedFd, OwnedFd};

/// A ring, which never exists here.
pub enum Ring {}

impl Ring {
    /// Most requests at once.
    pub const WIDTH: usize = 16;

    /// `None`: files are read one after the other.
    pub fn new() -> Option<Ring> {
        None
    }

    /// Whether the kernel has refused to resume it.
    pub fn is_broken(&self) -> bool {
        match *self {}
    }

    /// Opens files below their bases for reading.
    pub fn open(&mut self, _: &[(&Base, &[u8])]) -> Vec<Option<OwnedFd>> {
        match *self {}
    }

    /// Reads each file at its offset into its buffer.
    pub fn read(&mut self, _: &mut [(BorrowedFd<'_>, u64, &mut [u8])]) -> Vec<Option<Result<usize, Errno>>> {
        match *self {}
    }
}

//! Events and the summary.

use super::row::Disk;
use std::io;

/// A result row.
#[derive(Debug, Clone, Copy)]
pub enum Event<'a> {
    /// A disk with its partitions.
    Disk(&'a Disk),
}

/// Takes the events, in the order of the disks' names, those of other devices (LVM, RAID, loop
/// devices) last; an error ends the job.
pub type Events<'a> = dyn FnMut(Event<'_>) -> io::Result<()> + 'a;

/// The counts.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Summary {
    /// Disks that were listed.
    pub disks: u64,
    /// Disks whose content, or that of a partition, was to be read and could not be.
    pub unread: u64,
}

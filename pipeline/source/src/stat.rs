//! The metadata of a file.

/// What `fstat` says of a file, reduced to what a digest must be consistent with. Times are
/// (seconds, nanoseconds) since 1970-01-01 UTC.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Stat {
    /// The device that holds the file.
    pub device: u64,
    /// The inode number.
    pub inode: u64,
    /// The stated size in bytes. Never trusted: only compared.
    pub size: u64,
    /// The mode bits, file type included.
    pub mode: u32,
    /// Last change of the content.
    pub mtime: (i64, u32),
    /// Last change of the inode.
    pub ctime: (i64, u32),
    /// Last access.
    pub atime: (i64, u32),
}

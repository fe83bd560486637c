//! Facts about an entry inside an image or an archive.

use pfh_container::Time;

/// Facts about an entry from the image, the file system or the archive.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Inside {
    /// The name of the container as printed.
    pub container: Vec<u8>,
    /// Number of the partition, from 1.
    pub partition: Option<u32>,
    /// The file system or the format of the archive.
    pub kind: &'static str,
    /// Where the file system starts on the medium, in bytes.
    pub volume_offset: Option<u64>,
    /// Inode, number of the MFT record, first cluster.
    pub id: Option<u64>,
    /// Last change of the content.
    pub modified: Option<Time>,
    /// Last access.
    pub accessed: Option<Time>,
    /// Last change of the metadata.
    pub changed: Option<Time>,
    /// Creation.
    pub born: Option<Time>,
    /// Deletion.
    pub deleted_at: Option<Time>,
    /// Whether it is deleted.
    pub deleted: bool,
    /// Whether it is space that no file has: free blocks, or the rest of a file's last block.
    pub unallocated: bool,
    /// Whether some of its content may belong to another file now.
    pub overwritten: bool,
    /// Whether its bytes are in its metadata.
    pub resident: bool,
    /// Whether its bytes are compressed where they lie.
    pub compressed: bool,
    /// Where its bytes are; empty where they are not stored as they are.
    pub runs: Vec<Extent>,
}

/// A range of a file, and where it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Extent {
    /// Where in the file, in bytes.
    pub file_offset: u64,
    /// Where in the volume, in bytes; `None` for a hole.
    pub offset: Option<u64>,
    /// How many bytes.
    pub length: u64,
}

impl Inside {
    /// Nanoseconds since 1970 as a time.
    pub fn time(nanoseconds: i128) -> Option<Time> {
        let seconds = i64::try_from(nanoseconds.div_euclid(1_000_000_000)).ok()?;
        Some(Time { seconds, nanoseconds: nanoseconds.rem_euclid(1_000_000_000) as u32 })
    }
}

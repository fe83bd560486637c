//! What a volume holds: a file system and its files, or a format that is not read.

use std::sync::Arc;

use crate::node::{Failure, Nodes};

/// What a list of files holds beyond those that the file system lists.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Options {
    /// Also deleted files whose metadata is still there, marked as such, after the live ones.
    pub deleted: bool,
    /// Also what belongs to no file: unallocated runs and the slack of files, after all files.
    pub unallocated: bool,
}

/// What a volume holds.
pub enum Recognised {
    /// A file system that is read.
    FileSystem(FileSystem),
    /// Several file systems that share one space.
    Volumes(Volumes),
    /// Encrypted, by the name of the format. VeraCrypt and TrueCrypt have no magic: their volumes
    /// look like noise and are [`Recognised::Unknown`].
    Encrypted(&'static str),
    /// Known by its magic and not read: the name of the format, and what of it is in the way.
    Unread(String),
    /// No known magic: not empty, but not understood.
    Unknown,
}

/// Several file systems in one space, as APFS has them. Places in all of them are places on the
/// medium.
pub struct Volumes {
    /// The name of the format.
    pub kind: &'static str,
    /// The UUID of the space.
    pub id: String,
    /// Each volume, followed by its snapshots.
    pub members: Vec<Member>,
    /// What an examiner must know of the space as a whole.
    pub warnings: Vec<Failure>,
    /// What belongs to none of them.
    pub(crate) space: Arc<dyn Free>,
}

impl Volumes {
    /// The runs that are free, in order of place: they belong to no volume.
    pub fn unallocated(&self) -> Nodes {
        self.space.runs()
    }
}

/// The free space of several file systems.
pub(crate) trait Free: Send + Sync {
    /// Its runs.
    fn runs(&self) -> Nodes;
}

/// One of several file systems.
pub struct Member {
    /// Its name, which no other has: a path of one part.
    pub name: Vec<u8>,
    /// What it holds, or why it cannot be opened.
    pub found: Result<Recognised, Failure>,
}

/// A file system whose files can be listed.
pub struct FileSystem {
    /// Its name: `ext4`, `FAT32`, `exFAT`, `NTFS`, `ISO 9660`.
    pub kind: &'static str,
    /// The volume's label as bytes, empty if it has none.
    pub label: Vec<u8>,
    /// UUID or serial number as the system's tools write it; empty if there is none.
    pub id: String,
    /// Block or cluster, in bytes.
    pub block_size: u32,
    /// How many bytes the file system says it has.
    pub size: u64,
    /// What an examiner must know of it: a journal that was not replayed, a volume that was not
    /// unmounted, a backup structure that had to serve, more bytes stated than there are.
    pub warnings: Vec<Failure>,
    /// What else is on the volume and is not read: shadow copies, the table of another system.
    pub unread: Vec<Failure>,
    /// What reads it.
    pub(crate) volume: Arc<dyn Volume>,
}

/// The reader of one kind of file system.
pub(crate) trait Volume: Send + Sync {
    /// Its names, live ones first.
    fn nodes(self: Arc<Self>, options: Options) -> Nodes;
}

impl FileSystem {
    /// A file system of `size` bytes in blocks of `block_size`, beside which nothing is unread.
    pub(crate) fn alone(
        kind: &'static str,
        (label, id): (Vec<u8>, String),
        (block_size, size): (u32, u64),
        warnings: Vec<Failure>,
        volume: Arc<dyn Volume>,
    ) -> Recognised {
        let unread = Vec::new();
        Recognised::FileSystem(FileSystem { kind, label, id, block_size, size, warnings, unread, volume })
    }

    /// All names in the file system, in the same order each time.
    pub fn nodes(&self, options: Options) -> Nodes {
        self.volume.clone().nodes(options)
    }
}

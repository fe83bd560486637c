//! The content of a volume: a file system and its files, or a format that is not read.

use std::sync::Arc;

use crate::locked::{Decrypt, Keybag};
use pfh_bytes::account::Layers;
use pfh_bytes::bytes::Bytes;
use pfh_bytes::node::{Failure, Nodes};

/// The files that a list holds beyond those that the file system lists.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Options {
    /// Also deleted files whose metadata is still there, marked as such, after the live ones.
    pub deleted: bool,
    /// Also the space that belongs to no file: unallocated runs and the slack of files, after all
    /// files.
    pub unallocated: bool,
}

/// The content of a volume.
pub enum VolumeContent {
    /// A file system that is read.
    FileSystem(FileSystem),
    /// Several file systems that share one space.
    Volumes(Volumes),
    /// Encrypted, by the name of the format. VeraCrypt and TrueCrypt have no magic: their volumes
    /// look like noise and are [`VolumeContent::Unknown`].
    Encrypted(&'static str),
    /// A file system whose files its own key opens: see [`LockedVolume::open`].
    Locked(LockedVolume),
    /// Known by its magic and not read: the name of the format, and the feature that is in the way.
    Unread(String),
    /// No known magic: not empty, but not understood.
    Unknown,
}

/// Opens a volume with a key.
type Open = dyn Fn(Arc<dyn Decrypt>) -> Result<VolumeContent, Failure> + Send + Sync;

/// A volume that has no key yet.
pub struct LockedVolume {
    /// The name of the format.
    pub format: &'static str,
    /// The volume's UUID: by it the container keeps the key.
    pub volume: [u8; 16],
    /// Where its container keeps keys.
    pub bag: Keybag,
    open: Box<Open>,
}

impl LockedVolume {
    /// A volume that `open` opens with its cipher.
    pub(crate) fn new(
        format: &'static str,
        (volume, bag): ([u8; 16], Keybag),
        open: impl Fn(Arc<dyn Decrypt>) -> Result<VolumeContent, Failure> + Send + Sync + 'static,
    ) -> LockedVolume {
        LockedVolume { format, volume, bag, open: Box::new(open) }
    }

    /// Opens the volume with its cipher.
    ///
    /// # Errors
    /// If its metadata contradict themselves when they are decrypted.
    pub fn open(&self, cipher: Arc<dyn Decrypt>) -> Result<VolumeContent, Failure> {
        (self.open)(cipher)
    }
}

/// Several file systems in one space, as APFS and Btrfs have them. Places in all of them are places
/// on the medium.
pub struct Volumes {
    /// The name of the format.
    pub kind: &'static str,
    /// The UUID of the space.
    pub id: String,
    /// Each volume, followed by its snapshots.
    pub members: Vec<Member>,
    /// Faults and states of the space as a whole that an examiner must know.
    pub warnings: Vec<Failure>,
    /// The space that belongs to none of them.
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
    /// Its name, which no other has: a path, of one part but for subvolumes below others.
    pub name: Vec<u8>,
    /// Whether it is an older state of the one before that is not.
    pub is_snapshot: bool,
    /// Its content, or why it cannot be opened.
    pub found: Result<VolumeContent, Failure>,
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
    /// Faults and states that an examiner must know: a journal that was not replayed, a volume that
    /// was not unmounted, a backup structure that had to serve, more bytes stated than there are.
    pub warnings: Vec<Failure>,
    /// Other structures on the volume that are not read: a damaged catalogue of shadow copies, the
    /// table of another system.
    pub unread: Vec<Failure>,
    /// Older states of it, oldest first.
    pub snapshots: Vec<Snapshot>,
    /// Its reader.
    pub(crate) volume: Arc<dyn Volume>,
}

/// An older state of a file system, kept beside it.
#[derive(Clone)]
pub struct Snapshot {
    /// Its place in the order of age, from 1.
    pub number: u32,
    /// Its GUID.
    pub id: String,
    /// The GUID of the set that it was made in; empty if that is not known.
    pub set: String,
    /// When it was made, in nanoseconds since 1970.
    pub created: Option<i128>,
    /// Opens it.
    pub(crate) older: Arc<dyn Older>,
}

/// A stored older state that can be opened.
pub(crate) trait Older: Send + Sync {
    /// Opens it.
    fn open(&self) -> Result<OpenSnapshot, Failure>;
}

/// A snapshot that is open.
pub struct OpenSnapshot {
    /// The file system in its older state.
    pub system: FileSystem,
    /// The bytes of the volume in its older state.
    pub bytes: Arc<dyn Bytes>,
    /// Its names.
    pub(crate) states: Arc<dyn States>,
}

/// The names of an older state.
pub(crate) trait States: Send + Sync {
    /// All of them.
    fn nodes(&self, options: Options) -> Nodes;

    /// The names of files that differ from today's.
    fn changed(&self, options: Options) -> Nodes;
}

impl Snapshot {
    /// Opens the file system in its older state.
    ///
    /// # Errors
    /// When the stored blocks of it cannot be read, or contradict themselves.
    pub fn open(&self) -> Result<OpenSnapshot, Failure> {
        self.older.open()
    }
}

impl OpenSnapshot {
    /// All names in the snapshot. Free space is not kept in it and is not listed; the bytes of a
    /// deleted file may have been written over since.
    pub fn nodes(&self, options: Options) -> Nodes {
        self.states.nodes(options)
    }

    /// The names of files that differ from the live file system: those of that name, kind, number,
    /// size, times (the last access aside) and content are left out. Content is the same where it
    /// lies at the same places and has the same bytes there.
    pub fn changed(&self, options: Options) -> Nodes {
        self.states.changed(options)
    }
}

/// The reader of one kind of file system.
pub(crate) trait Volume: Send + Sync {
    /// Its names, live ones first.
    fn nodes(self: Arc<Self>, options: Options) -> Nodes;

    /// Its claims beside the bytes of files. A reader that does not itemise its structures
    /// claims nothing.
    fn layers(self: Arc<Self>) -> Result<Layers, Failure> {
        Ok(Layers::default())
    }
}

impl FileSystem {
    /// A file system of `size` bytes in blocks of `block_size`, beside which nothing is unread.
    pub(crate) fn alone(
        kind: &'static str,
        (label, id): (Vec<u8>, String),
        (block_size, size): (u32, u64),
        warnings: Vec<Failure>,
        volume: Arc<dyn Volume>,
    ) -> VolumeContent {
        let (unread, snapshots) = (Vec::new(), Vec::new());
        VolumeContent::FileSystem(FileSystem { kind, label, id, block_size, size, warnings, unread, snapshots, volume })
    }

    /// All names in the file system, in the same order each time.
    pub fn nodes(&self, options: Options) -> Nodes {
        self.volume.clone().nodes(options)
    }
}

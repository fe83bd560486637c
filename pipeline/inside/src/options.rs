//! How far containers are opened.

use super::name;
use pfh_archive::Limits;
use pfh_encrypted::Keys;
use pfh_source::{Alone, Selection, Volumes};
use std::sync::Arc;
use std::time::Duration;

/// Which snapshots of volumes are taken: shadow copies of NTFS, snapshots of APFS and Btrfs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub enum Snapshots {
    /// All, with all their files.
    #[default]
    All,
    /// All; of shadow copies the files alone that differ from the live volume.
    Changed,
    /// None: each is named as skipped.
    None,
}

/// How far containers are opened, and which of their entries are taken.
#[derive(Debug, Clone, Default)]
#[non_exhaustive]
pub struct Options {
    /// How many containers deep, and how much may come out of one.
    pub limits: Limits,
    /// Whether deleted files are taken too, as `name!deleted-INODE`.
    pub deleted: bool,
    /// Whether space that no file has is taken too: free blocks and gaps between partitions as
    /// `OFFSET!unallocated`, the rest of a file's last block as `name!slack`.
    pub unallocated: bool,
    /// Which snapshots are taken.
    pub snapshots: Snapshots,
    /// Whether containers of the input have no record of their own. A container that is not opened
    /// has one, and so have containers in containers.
    pub members: bool,
    /// Whether a container of a format that is not read counts as skipped, not as a problem. A
    /// damaged one is always a problem.
    pub lenient: bool,
    /// Whether documents (PDF) are opened too, for the streams in them. Such a file keeps its
    /// record even with `members`.
    pub documents: bool,
    /// Whether the files of the input are raw media, even if their first and last bytes say
    /// otherwise.
    pub raw: bool,
    /// How long a container of the input may be worked on, with all its entries; `None` for as long
    /// as it takes.
    pub time: Option<Duration>,
    /// The keys that may open encrypted volumes (BitLocker, LUKS, FileVault), and the passwords of
    /// members of a zip.
    pub keys: Arc<Keys>,
    /// Whether each entry has the places of its bytes.
    pub runs: bool,
    /// Where file systems are added as they are met, for formats that state of each file in which
    /// it lies.
    pub volumes: Option<Arc<Volumes>>,
    /// Whether file systems are read in the order of places also on media that are not rotational.
    pub places: bool,
    /// Which members are taken.
    pub selection: Selection,
    /// Who decodes contents ahead of those who read them. With a limit of time everything is
    /// decoded by its reader.
    pub decoding: Decoding,
}

/// How far contents are decoded ahead: the default is not at all.
#[derive(Debug, Clone, Default)]
pub struct Decoding {
    /// Threads that decode; fewer than two are none, since the one that reads does it itself.
    pub threads: usize,
    /// Bytes that they decode ahead at most.
    pub memory: usize,
    /// Where streams are counted that only one of them can decode.
    pub alone: Alone,
}

impl Options {
    /// The limits of archives, with what else decides on their members.
    pub(crate) fn of_archives(&self) -> Limits {
        let passwords = self.keys.passwords().collect();
        Limits { hidden: self.deleted, passwords, ..self.limits.clone() }
    }

    /// Turns on the kinds of entries that this printed name may be of: deleted files, space that no
    /// file has, members that are salvaged.
    pub fn look_for(&mut self, name: &[u8]) {
        let (deleted, unallocated) = name::kinds(name);
        self.deleted |= deleted;
        self.unallocated |= unallocated;
        self.documents |= name::is_in_document(name);
        let has = |mark: &[u8]| name.windows(mark.len()).any(|part| part == mark);
        self.limits.salvage |= SALVAGED.into_iter().any(has);
    }
}

/// The ends of names of members that are salvaged, and of bytes that no member has, before an
/// offset.
const SALVAGED: [&[u8]; 2] = [b"!salvaged-", b"!residue-"];

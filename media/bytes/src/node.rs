//! The content of a file system or an archive: one [`Node`] for each name.

use std::fmt;
use std::io::Read;
use std::sync::Arc;

use crate::bytes::Bytes;

/// The kind of a name.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Kind {
    /// A file with content.
    File,
    /// A further stream of a file (NTFS); its name ends with `:stream`.
    Stream,
    /// A directory.
    Directory,
    /// A symbolic link or a reparse point, with the bytes of its target.
    Link(Vec<u8>),
    /// A named pipe, socket or device, by its name in output.
    Special(&'static str),
    /// A range that belongs to no file: `unallocated` or `slack`.
    Unallocated,
}

/// Bytes that no target of a symbolic link has, `PATH_MAX` of Linux.
pub const LONGEST_TARGET: usize = 4096;

/// Whether these bytes can be the target of a link, and are not a content that calls itself one: no
/// system takes a longer target or a zero byte in it, and nobody breaks its line.
pub fn is_target(bytes: &[u8]) -> bool {
    bytes.len() < LONGEST_TARGET && !bytes.iter().any(|byte| matches!(byte, 0 | b'\n'))
}

impl Kind {
    /// A device, pipe or socket, by the type in a mode of POSIX.
    ///
    /// # Errors
    /// The cause, for any other type.
    pub fn special(kind: impl Into<u32>) -> Result<Kind, String> {
        Ok(Kind::Special(match kind.into() {
            0x1000 => "fifo",
            0x2000 => "character device",
            0x6000 => "block device",
            0xc000 => "socket",
            other => return Err(format!("an inode of the type {other:#x}")),
        }))
    }
}

/// Whether the metadata of a name and its content are still in use.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Allocation {
    /// A file that the file system lists.
    #[default]
    Live,
    /// Deleted; its metadata is there, and no file in use lays claim to its content. Another
    /// deleted file may: whose bytes they are is not known then.
    Deleted,
    /// Deleted; some of its content belongs to another file now, or may.
    Overwritten,
}

/// Times of a file in nanoseconds since 1970 (negative before), each `None` where the file system
/// has none.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Times {
    /// Last change of the content.
    pub modified: Option<i128>,
    /// Last access.
    pub accessed: Option<i128>,
    /// Last change of the metadata.
    pub changed: Option<i128>,
    /// Creation.
    pub born: Option<i128>,
    /// Deletion (ext).
    pub deleted: Option<i128>,
}

/// A range of the medium that holds a range of a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Run {
    /// Where in the file, in bytes.
    pub file_offset: u64,
    /// Where on the medium that was given, in bytes; `None` for a hole.
    pub medium_offset: Option<u64>,
    /// How many bytes.
    pub length: u64,
}

/// The kind of a [`Failure`], where it has one of its own.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub enum Flaw {
    /// Something is damaged, or stored in a way that is not read.
    #[default]
    Unread,
    /// Bytes that no member has.
    Residue,
    /// A member that the archive's directory does not list.
    Unlisted,
    /// Bytes in front of or behind an archive.
    Around,
    /// Two tables of an archive contradict each other.
    Contradiction,
}

/// Why something inside a medium cannot be read.
#[derive(Debug, Clone, Default, PartialEq, Eq, thiserror::Error)]
pub struct Failure {
    /// Its kind.
    pub flaw: Flaw,
    /// The name that it concerns, from the root of the volume; empty for the volume itself.
    pub path: Vec<u8>,
    /// Where on the medium that was given, in bytes, where that is known.
    pub offset: Option<u64>,
    /// The fault.
    pub cause: String,
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.offset {
            Some(offset) => write!(f, "offset {offset}: {}", self.cause),
            None => write!(f, "{}", self.cause),
        }
    }
}

/// The bytes of a file inside a medium.
pub trait Content: Send + Sync {
    /// Opens them for one sequential read. The reader gives exactly as many bytes as the node
    /// states, or fails: an error of the kind `InvalidData` holds a [`Failure`] as its inner error.
    ///
    /// # Errors
    /// If the metadata contradicts itself or leads out of the volume.
    fn open(&self) -> Result<Box<dyn Read + Send>, Failure>;

    /// Opens them at an offset, for several reads of one content side by side; `None` where that
    /// would decode all that is in front.
    ///
    /// # Errors
    /// As [`open`](Content::open).
    fn open_at(&self, _offset: u64) -> Result<Option<Box<dyn Read + Send>>, Failure> {
        Ok(None)
    }

    /// Where they lie on the medium, in order of the file; `None` where they are not stored as they
    /// are (compressed, resident, in an archive).
    fn runs(&self) -> Option<Vec<Run>> {
        None
    }

    /// Where its stored bytes lie on the medium, compressed ones as well; `None` where they do not
    /// lie in blocks of their own.
    fn places(&self) -> Option<Vec<Run>> {
        self.runs()
    }

    /// The same bytes at any position, where reading its runs would not do: bytes that have several
    /// copies, where a checksum tells the right one.
    fn bytes(&self) -> Option<Arc<dyn Bytes>> {
        None
    }

    /// Opens its bytes as they are stored, before they are decompressed; `None` if none are its
    /// own, as in one compressed stream with others.
    ///
    /// # Errors
    /// As [`open`](Content::open).
    fn stored(&self) -> Result<Option<Box<dyn Read + Send>>, Failure> {
        if self.is_shared() || self.runs().is_none() { Ok(None) } else { self.open().map(Some) }
    }

    /// Whether it is a part of one compressed stream with others: to read it after a later node was
    /// asked for, the stream is decompressed again from its start.
    fn is_shared(&self) -> bool {
        false
    }

    /// The member of the archive that it lies in, where that is a part of the archive's tree: the
    /// layer of a container image.
    fn within(&self) -> Option<&[u8]> {
        None
    }

    /// Whether it is such a member, whose files are listed behind the archive's own.
    fn is_layer(&self) -> bool {
        false
    }
}

/// One name inside a file system or an archive.
#[derive(Clone)]
pub struct Node {
    /// The name from the root of the volume, without a slash at its start, separated by slashes:
    /// bytes as the file system has them. UTF-16 is written as UTF-8, with lone surrogates in the
    /// three bytes of WTF-8.
    pub path: Vec<u8>,
    /// Its kind.
    pub kind: Kind,
    /// Size in bytes as the metadata states it; `None` where only reading says it.
    pub size: Option<u64>,
    /// The number that the file system names it by: inode, number of the MFT record, first cluster.
    pub id: Option<u64>,
    /// Times of the file.
    pub times: Times,
    /// Whether it is still in use.
    pub allocation: Allocation,
    /// Whether its bytes are in its metadata.
    pub resident: bool,
    /// Whether its bytes are compressed where they lie.
    pub compressed: bool,
    /// Its content; `None` if it has none.
    pub content: Option<Arc<dyn Content>>,
}

impl Node {
    /// A name in use whose content, if it has any, is not known yet.
    pub fn bare(path: &[u8], kind: Kind, id: Option<u64>, times: Times) -> Node {
        Node {
            path: path.to_vec(),
            kind,
            size: None,
            id,
            times,
            allocation: Allocation::Live,
            resident: false,
            compressed: false,
            content: None,
        }
    }
}

/// The names of a volume, each once, in an order that is the same in every run. A directory that
/// cannot be read is an error in its place, and the other names still follow.
pub type Nodes = Box<dyn Iterator<Item = Result<Node, Failure>> + Send>;

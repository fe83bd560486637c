//! The types that a source hands on: [`Item`], [`Entry`] and their parts.

use crate::base::Base;
use crate::descend::Special;
use crate::finding::FindingId;
use crate::inside::{Extent, Inside};
use crate::loan::{CopiedReader, Lender};
use crate::os;
use crate::os::handles::AsFd;
use crate::problem::Problem;
use crate::read::{ReadResult, Reading};
use crate::stat::Stat;
use crate::stream::Stream;
use pfh_digest::Digest;
use std::sync::Arc;

/// Why an entry is listed but not read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Skip {
    /// A symbolic link, and links are not followed.
    Symlink,
    /// A named pipe.
    Fifo,
    /// A socket.
    Socket,
    /// A character device.
    CharacterDevice,
    /// A block device met while walking.
    BlockDevice,
    /// A directory on another file system, with `--one-file-system`.
    OtherFileSystem,
    /// A directory below one whose files alone were asked for.
    Directory,
    /// An extended attribute of a file of macOS, which is not opened as a file.
    Attribute,
    /// An output of the run itself.
    Own,
    /// The hidden file that an output of the run is until it is whole.
    Unfinished,
    /// Something inside a container that is not a file with content, or a container that is not
    /// opened: in these words.
    Inside(&'static str),
    /// A container that is recognised and not read, where that does not count as a problem.
    Unopened,
}

impl Skip {
    /// The reason in output.
    pub fn reason(self) -> &'static str {
        match self {
            Skip::Symlink => "symbolic link",
            Skip::Fifo => "FIFO",
            Skip::Socket => "socket",
            Skip::CharacterDevice => "character device",
            Skip::BlockDevice => "block device",
            Skip::OtherFileSystem => "other file system",
            Skip::Directory => "directory",
            Skip::Attribute => "extended attribute",
            Skip::Own => "output of this run",
            Skip::Unfinished => "unfinished output of this run",
            Skip::Inside(what) => what,
            Skip::Unopened => "a container that is not read",
        }
    }
}

impl Skip {
    /// The finding that it is.
    pub fn finding(self) -> FindingId {
        use FindingId as Id;
        match self {
            Skip::Symlink => Id::SkipLink,
            Skip::Fifo | Skip::Socket | Skip::CharacterDevice | Skip::BlockDevice => Id::SkipSpecial,
            Skip::OtherFileSystem => Id::SkipFileSystem,
            Skip::Directory => Id::SkipDirectory,
            Skip::Attribute => Id::SkipAttribute,
            Skip::Own | Skip::Unfinished => Id::SkipOutput,
            Skip::Inside(_) => Id::SkipMember,
            Skip::Unopened => Id::SkipContainer,
        }
    }
}

/// Something that a library user or an image reader brings in place of a file.
pub trait Object: Send + Sync {
    /// Opens it for one sequential read.
    fn open(&self) -> Result<Box<dyn std::io::Read + Send>, Problem>;
    /// The same, for a reader that takes bytes where they are in memory.
    fn lender(&self) -> Result<Box<dyn Lender>, Problem> {
        self.open().map(|reader| Box::new(CopiedReader(reader)) as Box<dyn Lender>)
    }
    /// The size in bytes where it is known; a hint only.
    fn size_hint(&self) -> Option<u64> {
        None
    }
    /// Opens its bytes as they are stored, before they are decompressed; `None` if none are its
    /// own.
    fn stored(&self) -> Result<Option<Box<dyn std::io::Read + Send>>, Problem> {
        self.open().map(Some)
    }
    /// The headers that its store states of it, as names and values, once it is open; `None` where
    /// no store was asked.
    fn stated(&self) -> Option<Vec<(Box<str>, Box<str>)>> {
        None
    }
    /// Where its bytes are in its container; `None` where they are not stored as they are.
    fn runs(&self) -> Option<Vec<Extent>> {
        None
    }
    /// Its container's facts about it, if it is in one.
    fn inside(&self) -> Option<Arc<Inside>> {
        None
    }
    /// Where it lies, if objects shall be read in the order of their places: the number of a
    /// medium, and the offset of its first byte there.
    fn place(&self) -> Option<(u64, u64)> {
        None
    }
    /// The device (`st_dev`) that holds it, if it matters how many read from that at a time.
    fn device(&self) -> Option<u64> {
        None
    }
}

/// Where an entry's bytes are.
#[derive(Clone)]
pub enum Origin {
    /// A file below a base; the path is relative to it.
    File {
        /// Where the path starts.
        base: Arc<Base>,
        /// The path from there; bytes, not text.
        path: Box<[u8]>,
        /// Whether a FIFO or device is read too.
        special: Special,
    },
    /// Standard input, or another stream that the process was started with.
    Stream(Stream),
    /// Something that the caller brings.
    Object {
        /// The name under which it appears in the output.
        name: Box<[u8]>,
        /// The bytes.
        object: Arc<dyn Object>,
    },
}

impl Origin {
    /// The metadata that a file has now, without opening it; `None` where there is none to be had.
    pub(crate) fn stat(&self) -> Option<Stat> {
        let Origin::File { base, path, .. } = self else { return None };
        let found = match &base.directory {
            Some(directory) => os::stat_at(directory, path, base.links),
            None => os::stat_operand(path),
        };
        found.ok().map(|stat| stat.of_stream(base.stream(path)))
    }
}

/// One thing to read, with its place in the input order.
#[derive(Clone)]
pub struct Entry {
    /// Position in input order, from 0.
    pub number: u64,
    /// Where the bytes are.
    pub origin: Origin,
    /// The metadata that the walk saw, where it had to look (size filters and orders need it).
    pub stat: Option<Stat>,
}

impl Entry {
    /// The name as printed: bytes, as given on the command line or found in the directory; `-` for
    /// standard input.
    pub fn name(&self) -> Vec<u8> {
        match &self.origin {
            Origin::File { base, path, .. } => [&base.prefix, &path[..]].concat(),
            Origin::Stream(stream) => stream.name().to_vec(),
            Origin::Object { name, .. } => name.to_vec(),
        }
    }

    /// The metadata that its name has now, without opening it; `None` where there is none to be
    /// had.
    pub fn look(&self) -> Option<Stat> {
        self.origin.stat()
    }

    /// Its bytes as far as they are known without opening it; a hint only.
    pub fn size_hint(&self) -> Option<u64> {
        match &self.origin {
            Origin::Object { object, .. } => object.size_hint(),
            Origin::File { .. } | Origin::Stream(_) => self.stat.or_else(|| self.look()).map(|stat| stat.size),
        }
    }

    /// Where its first byte lies on its device, in bytes: files with one place share storage.
    /// `None` where there is none (empty, kept in the inode) or the file system does not say.
    pub fn first_place(&self) -> Option<u64> {
        let Origin::File { base, path, .. } = &self.origin else { return None };
        os::open_file(base, path).ok().and_then(|fd| os::first_physical_offset(fd.as_fd())).filter(|place| *place > 0)
    }

    /// How far the change times of its file system can be trusted; `None` where that cannot be
    /// asked.
    pub fn change_times(&self) -> Option<os::ChangeTimes> {
        match &self.origin {
            Origin::File { base, path, .. } => os::change_times(base, path),
            Origin::Stream(_) | Origin::Object { .. } => None,
        }
    }

    /// Opens the entry for reading. Evidence is only ever opened for reading, never through a
    /// symbolic link inside a walked tree (unless links are followed), and never outside the walked
    /// directory.
    pub fn open(&self) -> Result<Reading, Problem> {
        match &self.origin {
            Origin::File { base, path, special } => Reading::file(os::open_file(base, path)?, *special, base, path),
            Origin::Stream(stream) => Ok(Reading::stream(stream.opened()?)),
            Origin::Object { object, .. } => {
                let reading = Reading::object(object.lender()?, object.size_hint(), object.inside());
                Ok(reading.on(object.device()))
            }
        }
    }
}

/// An item of a source: an entry to read, or the reason why a name cannot be one. Each has its
/// number, so that every input path appears exactly once in the output.
pub enum Item {
    /// To be read.
    Entry(Entry),
    /// Listed, not read.
    Skipped {
        /// Position in input order.
        number: u64,
        /// The name as printed.
        name: Vec<u8>,
        /// Why.
        skip: Skip,
    },
    /// Not read again: its digests are known from an earlier read of the same, unchanged file.
    Settled {
        /// Position in input order.
        number: u64,
        /// The name as printed.
        name: Vec<u8>,
        /// Size and metadata as they are now.
        closed: ReadResult,
        /// One digest per algorithm of the plan, in its order.
        digests: Vec<Digest>,
    },
    /// Could not be listed or named.
    Problem {
        /// Position in input order.
        number: u64,
        /// The name as printed.
        name: Vec<u8>,
        /// Why.
        problem: Problem,
    },
}

impl Item {
    /// Position in input order.
    pub fn number(&self) -> u64 {
        match self {
            Item::Entry(entry) => entry.number,
            Item::Skipped { number, .. } | Item::Settled { number, .. } | Item::Problem { number, .. } => *number,
        }
    }
}

//! How records are written, in any format.

use std::error::Error;
use std::fmt;
use std::sync::Arc;

use crate::count::Count;
use pfh_digest::Algorithm;
use pfh_engine::{Record, Summary};
use pfh_source::os::{self, FileType};
use pfh_source::{ReadResult, Time, Volumes};

/// Facts known before the first record.
#[derive(Clone, Copy, Debug, Default)]
pub struct Preamble<'a> {
    /// The algorithms of every record, in the order of its digests.
    pub algorithms: &'a [Algorithm],
    /// The command line as it was given, arguments joined by spaces; raw bytes. Left out of the
    /// output where `None`.
    pub command_line: Option<&'a [u8]>,
    /// The working directory; raw bytes.
    pub working_directory: Option<&'a [u8]>,
    /// The absolute path of the directory in which relative names start, where it is not the one in
    /// which the manifest lies; raw bytes. Formats that can hold it do.
    pub base: Option<&'a [u8]>,
    /// The version of the program that writes.
    pub version: &'a str,
    /// When the run began; formats that can hold it do. Leave it out where two runs must give equal
    /// bytes.
    pub start: Option<Time>,
    /// The file systems that the source goes into; formats that can hold them do.
    pub volumes: Option<&'a Arc<Volumes>>,
}

/// The kind of entry that a record's bytes came from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    /// A regular file.
    File,
    /// A block device.
    BlockDevice,
    /// A character device.
    CharacterDevice,
    /// A named pipe.
    Fifo,
    /// A stream without a name, such as standard input.
    Stream,
}

impl Kind {
    /// The kind of a file that was read.
    pub(crate) fn of(closed: &ReadResult) -> Kind {
        if closed.inside.is_some() {
            return Kind::File;
        }
        match closed.stat.as_ref().map(|stat| os::file_type(stat.mode)) {
            Some(FileType::RegularFile) => Kind::File,
            Some(FileType::BlockDevice) => Kind::BlockDevice,
            Some(FileType::CharacterDevice) => Kind::CharacterDevice,
            Some(FileType::Fifo) => Kind::Fifo,
            _ => Kind::Stream,
        }
    }

    /// The kind in output: `file`, `block-device`, `character-device`, `fifo`, `stream`.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Kind::File => "file",
            Kind::BlockDevice => "block-device",
            Kind::CharacterDevice => "character-device",
            Kind::Fifo => "fifo",
            Kind::Stream => "stream",
        }
    }
}

/// Whether a format has a place for the record that it was handed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[must_use]
pub enum FormatFit {
    /// It was written.
    Yes,
    /// The format cannot hold such records; nothing was written. Say it elsewhere.
    No,
}

/// Why a format cannot hold something. Nothing was written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unrepresentable {
    /// The reason, for people; it holds no part of the name.
    pub why: String,
}

impl Unrepresentable {
    pub(crate) fn new(why: impl Into<String>) -> Unrepresentable {
        Unrepresentable { why: why.into() }
    }
}

impl fmt::Display for Unrepresentable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.why)
    }
}

impl Error for Unrepresentable {}

/// Writes a manifest: `head` once, then every record, then `tail` once. Everything is appended to
/// `out`; when a method gives an error, `out` is as it was.
pub trait Encode: Send {
    /// Starts the manifest.
    ///
    /// # Errors
    /// The format cannot hold these algorithms.
    fn head(&mut self, out: &mut Vec<u8>, preamble: &Preamble<'_>) -> Result<(), Unrepresentable>;

    /// Writes a record: an input with its digests, or, in formats that have a place for it, one
    /// without.
    ///
    /// # Errors
    /// The format cannot hold its name, its pieces or its digests.
    fn record(&mut self, out: &mut Vec<u8>, record: &Record) -> Result<FormatFit, Unrepresentable>;

    /// Records that were written so far, as the end counts them; none in formats without an end.
    fn count(&self) -> Count {
        Count::default()
    }

    /// Counts records that another writer of this format wrote, and that stand in this manifest as
    /// if this one had.
    fn adopt(&mut self, records: Count) {
        let _ = records;
    }

    /// Ends the manifest, whose records the summary counts.
    fn tail(&mut self, out: &mut Vec<u8>, summary: &Summary);
}

//! What a manifest holds, whatever its format, and the trait that its formats share.

use std::error::Error;
use std::fmt;
use std::str::FromStr;

use pfh_digest::{Algorithm, Digest};

use crate::times::Times;
use crate::{bsd, csv, dfxml, hashdeep, jsonl, similarity, sums};

/// What is known before the first record.
#[derive(Clone, Copy, Debug, Default)]
pub struct Preamble<'a> {
    /// The algorithms of every row, in the order of its digests.
    pub algorithms: &'a [Algorithm],
    /// The command line as it was given, arguments joined by spaces; raw bytes. Left out of the output where `None`.
    pub command_line: Option<&'a [u8]>,
    /// The working directory; raw bytes.
    pub working_directory: Option<&'a [u8]>,
    /// The absolute path of the directory in which relative names start, where it is not the one in which the manifest lies; raw
    /// bytes. Formats that can hold it do.
    pub base: Option<&'a [u8]>,
    /// The version of the program that writes.
    pub version: &'a str,
    /// When the run began; formats that can hold it do. Leave it out where two runs must give equal bytes.
    pub start: Option<crate::Time>,
}

/// What kind of entry a row's bytes came from.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Kind {
    /// A regular file.
    #[default]
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
    /// The kind in output: `file`, `block-device`, `character-device`, `fifo`, `stream`.
    pub fn name(self) -> &'static str {
        match self {
            Kind::File => "file",
            Kind::BlockDevice => "block-device",
            Kind::CharacterDevice => "character-device",
            Kind::Fifo => "fifo",
            Kind::Stream => "stream",
        }
    }
}

/// One entry whose digests stand.
#[derive(Clone, Copy, Debug, Default)]
pub struct Row<'a> {
    /// The name: raw bytes, without NUL.
    pub name: &'a [u8],
    /// Bytes read.
    pub size: u64,
    /// One digest per algorithm of the preamble, in its order.
    pub digests: &'a [Digest],
    /// The timestamps, where the entry has them.
    pub times: Times,
    /// What it is.
    pub kind: Kind,
    /// Digests of its windows in offset order; empty for an ordinary run.
    pub pieces: &'a [Piece<'a>],
    /// Words about how the digests came to be: `reused`, `retried`, `virtual`. Formats without room for them drop them.
    pub notes: &'a [&'a str],
}

/// One window of an entry.
#[derive(Clone, Copy, Debug)]
pub struct Piece<'a> {
    /// Where it starts, in bytes.
    pub offset: u64,
    /// Its length in bytes.
    pub length: u64,
    /// One digest per algorithm of the preamble, in its order.
    pub digests: &'a [Digest],
}

/// Why a problem's entry has no digest.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// Reading it failed, or what was read cannot be trusted.
    Failed,
    /// It was listed and, by the rules of the run, not read.
    Skipped,
}

/// One entry without digests.
#[derive(Clone, Copy, Debug)]
pub struct Problem<'a> {
    /// The name: raw bytes, without NUL.
    pub name: &'a [u8],
    /// Failed or skipped.
    pub outcome: Outcome,
    /// Where it arose: `walk`, `open`, `read`, `check`, `hash`; empty for skipped entries.
    pub stage: &'a str,
    /// The offset in bytes at which reading failed.
    pub offset: Option<u64>,
    /// How many bytes from `offset` on are known to be unreadable.
    pub length: Option<u64>,
    /// The cause as a word for machines: `EIO`, `changed`, `symbolic link`.
    pub code: &'a str,
    /// The cause as a sentence for people.
    pub cause: &'a str,
}

impl<'a> Problem<'a> {
    /// Of an entry that was listed and not read.
    pub fn skipped(name: &'a [u8], reason: &'a str) -> Self {
        Problem { name, outcome: Outcome::Skipped, stage: "", offset: None, length: None, code: reason, cause: reason }
    }
}

/// What is known after the last record.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Summary {
    /// Entries with digests.
    pub files: u64,
    /// Bytes read for them.
    pub bytes: u64,
    /// Entries that failed.
    pub failed: u64,
    /// Entries that were skipped.
    pub skipped: u64,
}

/// Whether a format has a place for what it was handed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[must_use]
pub enum Carried {
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

/// Writes a manifest: `head` once, then rows and problems in any order, then `tail` once. Everything is appended to `out`; where
/// a method gives an error, `out` is as it was.
pub trait Encode: Send {
    /// Starts the manifest. An error where the format cannot hold these algorithms.
    fn head(&mut self, out: &mut Vec<u8>, preamble: &Preamble<'_>) -> Result<(), Unrepresentable>;

    /// Writes an entry. An error where the format cannot hold its name or its pieces.
    fn row(&mut self, out: &mut Vec<u8>, row: &Row<'_>) -> Result<(), Unrepresentable>;

    /// Writes an entry without digests, where the format has such records.
    fn problem(&mut self, out: &mut Vec<u8>, problem: &Problem<'_>) -> Carried;

    /// Ends the manifest.
    fn tail(&mut self, out: &mut Vec<u8>, summary: &Summary);
}

/// The formats of manifests.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Format {
    /// Digest and name, as `sha256sum` prints.
    Sums,
    /// Algorithm, name and digest, as `cksum --tag` and the BSDs print.
    Bsd,
    /// hashdeep 1.0.
    Hashdeep,
    /// Digital Forensics XML.
    Dfxml,
    /// One JSON object per line.
    Jsonl,
    /// Comma-separated values with a header line.
    Csv,
    /// ssdeep's own.
    Ssdeep,
    /// sdhash's own.
    Sdbf,
    /// mrsh-v2's own.
    Mrsh,
}

impl Format {
    /// Every format, in the order of the documentation.
    pub const ALL: [Format; 9] = [
        Format::Sums,
        Format::Bsd,
        Format::Hashdeep,
        Format::Dfxml,
        Format::Jsonl,
        Format::Csv,
        Format::Ssdeep,
        Format::Sdbf,
        Format::Mrsh,
    ];

    /// The name on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Format::Sums => "sums",
            Format::Bsd => "bsd",
            Format::Hashdeep => "hashdeep",
            Format::Dfxml => "dfxml",
            Format::Jsonl => "jsonl",
            Format::Csv => "csv",
            Format::Ssdeep => "ssdeep",
            Format::Sdbf => "sdbf",
            Format::Mrsh => "mrsh",
        }
    }

    /// A writer of this format. An error for records that end with NUL in a format that knows no such thing.
    pub fn encoder(self, layout: Layout) -> Result<Box<dyn Encode>, Unrepresentable> {
        if layout.end == End::Nul && !matches!(self, Format::Sums | Format::Bsd) {
            return Err(Unrepresentable::new(format!("{} has no form whose records end with NUL", self.name())));
        }
        Ok(match self {
            Format::Sums => Box::new(sums::Encoder::new(layout)),
            Format::Bsd => Box::new(bsd::Encoder::new(layout.end)),
            Format::Hashdeep => Box::new(hashdeep::Encoder::new()),
            Format::Dfxml => Box::new(dfxml::Encoder::new()),
            Format::Jsonl => Box::new(jsonl::Encoder::new()),
            Format::Csv => Box::new(csv::Encoder::new()),
            Format::Ssdeep => Box::new(similarity::ssdeep::Encoder::new()),
            Format::Sdbf => Box::new(similarity::sdbf::Encoder::new()),
            Format::Mrsh => Box::new(similarity::mrsh::Encoder::new()),
        })
    }
}

impl fmt::Display for Format {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// A text that names no format.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnknownFormat {
    text: String,
    known: Vec<&'static str>,
}

impl UnknownFormat {
    /// The error of a `text` that is none of the names in `known`.
    pub fn of(text: &str, known: &[&'static str]) -> UnknownFormat {
        UnknownFormat { text: text.to_owned(), known: known.to_vec() }
    }
}

impl fmt::Display for UnknownFormat {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "unknown format {:?}; known are {}", self.text, self.known.join(", "))
    }
}

impl Error for UnknownFormat {}

impl FromStr for Format {
    type Err = UnknownFormat;

    fn from_str(text: &str) -> Result<Format, UnknownFormat> {
        Format::ALL
            .into_iter()
            .find(|format| format.name() == text)
            .ok_or_else(|| UnknownFormat::of(text, &Format::ALL.map(Format::name)))
    }
}

/// What ends a record of a line-based format.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum End {
    /// LF; names are escaped where they need it.
    #[default]
    Line,
    /// NUL; no name needs escaping.
    Nul,
}

impl End {
    pub(crate) fn byte(self) -> u8 {
        match self {
            End::Line => b'\n',
            End::Nul => 0,
        }
    }
}

/// GNU's marker between digest and name.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Marker {
    /// A space: the file was read in text mode, which on POSIX systems means nothing.
    #[default]
    Text,
    /// An asterisk: the file was read in binary mode.
    Binary,
}

/// Choices within a format; only `sums` and `bsd` heed them.
#[derive(Clone, Copy, Debug, Default)]
pub struct Layout {
    /// What ends a record.
    pub end: End,
    /// The marker in front of a name.
    pub marker: Marker,
}

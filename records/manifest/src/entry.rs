//! The entry of a list, as far as its reader can say. This is not a record: a list may lack sizes
//! or times, name algorithms that are not known here, or leave a digest's algorithm open.

use std::fmt;

use pfh_digest::{Algorithm, Digest};
use pfh_engine::Piece;
use pfh_source::FindingId;

use crate::count::Names;
use crate::format::{End, Format};
use crate::lines::LIMIT;
use crate::strict::Wrong;
use crate::times::Times;

/// How to read.
#[derive(Clone, Debug)]
pub struct Options {
    /// The format; `None` to tell it from the first bytes.
    pub format: Option<Format>,
    /// The algorithms that a digest without a name may be of, first fit by length. Empty for the
    /// usual ones by length: MD5, SHA-1 and SHA-2.
    pub assumed: Vec<Algorithm>,
    /// Where `assumed` is empty: the algorithms to try first by length, such as those that the name
    /// of the list hints at.
    pub hints: Vec<Algorithm>,
    /// An algorithm that is not known here and that the name of the list states, and the length of
    /// its digests: those without a name are of it.
    pub foreign: Option<(&'static str, usize)>,
    /// Take digests without a name of every length that some algorithm has by default, not only of
    /// the usual ones.
    pub any: bool,
    /// Take digests that stand alone on their lines too: the names of such entries are empty.
    pub bare: bool,
    /// Whether the key of digests that are made under one is at hand: without it they are as good
    /// as those of unknown algorithms.
    pub keyed: bool,
    /// The labels of the columns of a list, in their order: `name`, `size`, `algorithm`, `digest`,
    /// an algorithm, or anything else for a column that is passed over. Empty to find them out.
    pub columns: Vec<String>,
    /// The end of a record of `sums` and `bsd`.
    pub end: End,
    /// The longest line, and for XML the longest token, in bytes.
    pub limit: usize,
}

impl Default for Options {
    fn default() -> Options {
        Options {
            format: None,
            assumed: Vec::new(),
            hints: Vec::new(),
            foreign: None,
            any: false,
            bare: false,
            keyed: false,
            columns: Vec::new(),
            end: End::Line,
            limit: LIMIT,
        }
    }
}

impl Options {
    /// The algorithm of unnamed digests, if the caller states it.
    pub(crate) fn named(&self) -> &[Algorithm] {
        if self.assumed.is_empty() { &self.hints } else { &self.assumed }
    }
}

/// An entry that a manifest lists with digests.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Entry {
    /// The name: raw bytes, without NUL; empty only where [`Options::bare`] takes digests alone.
    pub name: Vec<u8>,
    /// Its size in bytes, where the format says.
    pub size: Option<u64>,
    /// Digests of the whole entry, of algorithms that the registry knows; empty only where there
    /// are pieces.
    pub digests: Vec<Digest>,
    /// Digests of windows. Formats with a line per piece give an entry per piece.
    pub pieces: Vec<Piece>,
    /// Timestamps, where the format has them.
    pub times: Times,
    /// Whether the algorithm of its only digest is known by the digest's form alone: it may be of
    /// another of that form.
    pub guessed: bool,
    /// The names of unknown algorithms whose digests it has as well.
    pub foreign: Vec<Box<str>>,
}

impl Entry {
    /// The fault of an entry whose only digest is of the algorithm that the name of the list
    /// states, and that is not known here.
    pub fn of_foreign(&self, options: &Options) -> Option<Fault> {
        let (name, length) = options.foreign.filter(|_| self.guessed && options.assumed.is_empty())?;
        let is_one = self.digests.iter().all(|digest| digest.bytes().len() == length);
        is_one.then(|| Fault::OfUnknown(self.name.as_slice().into(), name.into()))
    }
}

/// Why an entry of a manifest has no digests.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reason {
    /// Reading it failed, or the bytes read could not be trusted.
    Failed,
    /// It was listed and, by the rules of the run, not read.
    Skipped,
    /// The list names it and states no digest of an algorithm that is known here.
    Bare,
}

/// An entry that a manifest lists without digests, because reading it failed or it was skipped.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnhashedEntry {
    /// The name: raw bytes.
    pub name: Vec<u8>,
    /// Failed or skipped.
    pub reason: Reason,
    /// The cause as the manifest gives it, for machines.
    pub code: String,
}

/// Why a line is not a record.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Fault {
    /// Longer than the limit; it was skipped to its end.
    TooLong,
    /// It holds a NUL byte.
    Nul,
    /// It has not the form of the format; the text names the fault.
    Malformed(&'static str),
    /// The digits are not as many as the algorithm (or any that is assumed) has.
    WrongLength,
    /// It names this algorithm, which is not known, and no other.
    UnknownAlgorithm(Box<str>),
    /// It names this file, and only digests of these algorithms, which are not known.
    OfUnknown(Box<[u8]>, Box<str>),
    /// It is JSON with this member twice: which of the two counts is open (RFC 8259, 4).
    Twice(Box<str>),
    /// Its digests are of these algorithms, which compute nothing without the key.
    NeedsKey(Box<str>),
    /// It is of another algorithm than those that are assumed.
    Unasked,
    /// It has digests of something that is not a file: a directory, a link.
    NoFile(&'static str),
    /// It names this file, and no digest of it.
    NoDigest(Box<[u8]>),
    /// The whole document is of another kind: an XML document `<rss>`, a page in HTML.
    NotUnderstood(Box<str>),
}

impl Fault {
    /// The same fault as one of this file, where it is that of algorithms.
    #[must_use]
    pub(crate) fn of(self, name: &[u8]) -> Fault {
        match self {
            Fault::UnknownAlgorithm(of) if !name.is_empty() => Fault::OfUnknown(name.into(), of),
            fault => fault,
        }
    }

    /// The finding that it is.
    pub fn finding(&self) -> FindingId {
        match self {
            Fault::TooLong => FindingId::ListLongLine,
            Fault::Nul => FindingId::ListNul,
            Fault::Malformed(_) => FindingId::ListMalformed,
            Fault::WrongLength => FindingId::ListDigestLength,
            Fault::UnknownAlgorithm(_) | Fault::OfUnknown(..) => FindingId::ListUnknownAlgorithm,
            Fault::Twice(_) => FindingId::ListMemberTwice,
            Fault::NeedsKey(_) => FindingId::ListNeedsKey,
            Fault::Unasked => FindingId::ListOtherAlgorithm,
            Fault::NoFile(_) => FindingId::ListKind,
            Fault::NoDigest(_) => FindingId::ListNoDigest,
            Fault::NotUnderstood(_) => FindingId::ListNotUnderstood,
        }
    }

    /// The file that it leaves without a digest, where it names one.
    pub fn bare(&self) -> Option<&[u8]> {
        match self {
            Fault::NoDigest(name) | Fault::OfUnknown(name, _) => Some(name),
            _ => None,
        }
    }
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Fault::TooLong => f.write_str("line too long"),
            Fault::Nul => f.write_str("holds a NUL byte"),
            Fault::Malformed(why) => f.write_str(why),
            Fault::WrongLength => f.write_str("digest of a wrong length"),
            Fault::UnknownAlgorithm(name) if name.is_empty() => f.write_str("unknown algorithm"),
            Fault::UnknownAlgorithm(name) | Fault::OfUnknown(_, name) => {
                write!(f, "unknown algorithm {}", pfh_source::terminal::render(name.as_bytes()))
            }
            Fault::Twice(member) => {
                write!(f, "the member {} is there twice", pfh_source::terminal::render(member.as_bytes()))
            }
            Fault::NeedsKey(name) => write!(f, "a digest of {name}"),
            Fault::Unasked => f.write_str("a digest of another algorithm than was asked for"),
            Fault::NoDigest(name) => write!(f, "no digest of {}", pfh_source::terminal::render(name)),
            Fault::NotUnderstood(what) => {
                write!(f, "no list that is understood: {}", pfh_source::terminal::render(what.as_bytes()))
            }
            Fault::NoFile(kind) => write!(f, "digests of a {kind}, not of a file"),
        }
    }
}

impl std::error::Error for Fault {}

impl From<Wrong> for Fault {
    fn from(wrong: Wrong) -> Fault {
        match wrong {
            Wrong::Malformed => Fault::Malformed("not JSON"),
            Wrong::Twice(member) => Fault::Twice(member.into()),
        }
    }
}

/// The item at a place in a manifest.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Item {
    /// An entry with digests.
    Entry(Entry),
    /// An entry without.
    Unhashed(UnhashedEntry),
    /// Something that is not a record.
    Fault(Fault),
}

/// An item and the line on which it ends, from 1.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LocatedItem {
    /// The number of the physical line.
    pub line: u64,
    /// The item.
    pub item: Item,
}

/// The result of a format's decoder for one line.
pub(crate) enum ParsedLine {
    Item(Item),
    /// A comment, an empty line or a header.
    Neutral,
    /// The manifest says that it will have an end.
    Promise,
    /// The directory in which relative names start.
    Base(Vec<u8>),
    /// The end, and the counts that it states.
    End(EndCounts),
}

impl From<Fault> for ParsedLine {
    fn from(fault: Fault) -> ParsedLine {
        ParsedLine::Item(Item::Fault(fault))
    }
}

impl From<Result<Entry, Fault>> for ParsedLine {
    fn from(result: Result<Entry, Fault>) -> ParsedLine {
        ParsedLine::Item(match result {
            Ok(entry) => Item::Entry(entry),
            Err(fault) => Item::Fault(fault),
        })
    }
}

/// Decodes the lines of one format.
pub(crate) trait DecodeLine: Send {
    fn line(&mut self, line: &[u8]) -> ParsedLine;

    /// An item of lines that were held back as neutral until others came, or until the end. It is
    /// asked for as long as there is one.
    fn held(&mut self, _ended: bool) -> Option<Item> {
        None
    }
}

/// The counts that an end states.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct EndCounts {
    /// Records with digests: lines, or pieces where each is a line.
    pub(crate) records: Option<u64>,
    /// Entries with digests of the whole.
    pub(crate) files: Option<u64>,
    /// The sum of their sizes.
    pub(crate) bytes: Option<u64>,
    /// Entries that failed.
    pub(crate) failed: Option<u64>,
    /// Entries that were skipped.
    pub(crate) skipped: Option<u64>,
    /// The sum of all names; the inner `None` is one that cannot be read.
    pub(crate) names: Option<Option<Names>>,
}

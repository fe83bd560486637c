//! What a manifest says that files are.

use pfh_digest::{Algorithm, Digest, Registry};
use pfh_engine::{Hashed, Piece};
use pfh_format::{Decoder, Entry, Fault, Format, Item, Options, Time, Times, Unhashed, Window};
use pfh_source::Stat;
use std::collections::HashMap;
use std::fmt;
use std::io::{self, BufRead};

/// A file as a manifest lists it; lines that name the same file are one.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Expected {
    /// The name, as the manifest has it.
    pub name: Vec<u8>,
    /// The size in bytes, where it says.
    pub size: Option<u64>,
    /// Digests of the whole.
    pub digests: Vec<Digest>,
    /// Digests of windows.
    pub pieces: Vec<Window>,
    /// Timestamps, where it says.
    pub times: Times,
    /// Whether its lines contradict each other: nothing can be right then.
    pub contradictory: bool,
}

/// How a file compares with what is expected.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Comparison {
    /// Every digest that the manifest has is the file's, and so is the size.
    Same,
    /// Some digests are, others are not.
    Partly,
    /// None is.
    Different,
}

/// Why a manifest cannot be checked at all.
#[derive(Debug)]
pub enum ReadError {
    /// It cannot be read.
    Io(io::Error),
    /// Its pieces are cut at different lengths, which one run cannot do.
    Pieces,
}

impl fmt::Display for ReadError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ReadError::Io(error) => error.fmt(f),
            ReadError::Pieces => f.write_str("its pieces are of different lengths: they cannot be checked in one run"),
        }
    }
}

impl std::error::Error for ReadError {}

/// A manifest in memory.
#[derive(Debug, Default)]
pub struct Expectations {
    /// What it was written in.
    pub format: Option<Format>,
    /// The files, in the order in which they come first.
    pub entries: Vec<Expected>,
    /// Entries without digests.
    pub unhashed: Vec<Unhashed>,
    /// Lines that are no records.
    pub faults: Vec<(u64, Fault)>,
    /// Every algorithm that occurs.
    pub algorithms: Vec<Algorithm>,
    /// The length of its pieces in bytes, where it has some.
    pub piecewise: Option<u64>,
}

impl Expectations {
    /// Reads a manifest of any format. Takes memory for all of it.
    ///
    /// # Errors
    /// The reader's, and pieces of different lengths.
    pub fn read(reader: impl BufRead, options: &Options, registry: Registry) -> Result<Self, ReadError> {
        let decoder = Decoder::with_registry(reader, options, registry).map_err(ReadError::Io)?;
        let mut read = Expectations { format: Some(decoder.format()), ..Expectations::default() };
        let mut places: HashMap<Vec<u8>, usize> = HashMap::new();
        for located in decoder {
            let located = located.map_err(ReadError::Io)?;
            match located.item {
                Item::Fault(fault) => read.faults.push((located.line, fault)),
                Item::Unhashed(unhashed) => read.unhashed.push(unhashed),
                Item::Entry(entry) => {
                    let at = *places.entry(entry.name.clone()).or_insert_with(|| {
                        read.entries.push(Expected { name: entry.name.clone(), ..Expected::default() });
                        read.entries.len() - 1
                    });
                    let pieces = entry.pieces.iter().flat_map(|piece| &piece.digests);
                    for digest in entry.digests.iter().chain(pieces) {
                        if !read.algorithms.contains(&digest.algorithm()) {
                            read.algorithms.push(digest.algorithm());
                        }
                    }
                    read.entries[at].add(entry);
                }
            }
        }
        read.piecewise = read.window()?;
        Ok(read)
    }

    /// The one length at which all pieces are cut: each starts at a multiple of it, and only a last one is shorter.
    fn window(&self) -> Result<Option<u64>, ReadError> {
        let pieces = || self.entries.iter().flat_map(|entry| &entry.pieces);
        let Some(longest) = pieces().map(|piece| piece.length).max() else { return Ok(None) };
        let length = longest.max(1);
        let fits = |piece: &Window| piece.offset.is_multiple_of(length) && piece.length <= length;
        if pieces().all(fits) { Ok(Some(length)) } else { Err(ReadError::Pieces) }
    }
}

impl Expected {
    fn add(&mut self, entry: Entry) {
        // The size of a line about a piece is the piece's own.
        if entry.pieces.is_empty() || !entry.digests.is_empty() {
            self.contradictory |= self.size.is_some() && entry.size.is_some() && self.size != entry.size;
            self.size = self.size.or(entry.size);
        }
        for digest in entry.digests {
            match self.digests.iter().find(|known| known.algorithm() == digest.algorithm()) {
                Some(known) => self.contradictory |= *known != digest,
                None => {
                    // Most files have one, and a first push would make room for four.
                    self.digests.reserve_exact(1);
                    self.digests.push(digest);
                }
            }
        }
        self.pieces.extend(entry.pieces);
        self.times.modified = self.times.modified.or(entry.times.modified);
        self.times.changed = self.times.changed.or(entry.times.changed);
    }

    /// Compares with a file that was read.
    pub fn compare(&self, hashed: &Hashed) -> Comparison {
        let (mut same, mut other) = (0_u64, 0_u64);
        let mut count = |equal: bool| if equal { same += 1 } else { other += 1 };
        for digest in &self.digests {
            count(hashed.digests.contains(digest));
        }
        for piece in &self.pieces {
            let of = |found: &&Piece| found.offset == piece.offset && found.length == piece.length;
            let found = hashed.pieces.iter().find(of);
            for digest in &piece.digests {
                count(found.is_some_and(|found| found.digests.contains(digest)));
            }
        }
        // Pieces without a digest of the whole say nothing of what was added behind the last.
        let end = self.pieces.iter().map(|piece| piece.offset.saturating_add(piece.length)).max();
        let grown = self.digests.is_empty() && end.is_some_and(|end| hashed.closed.size > end);
        let resized = grown || self.size.is_some_and(|size| size != hashed.closed.size) || self.contradictory;
        match (same, other) {
            (1.., 0) if !resized => Comparison::Same,
            (1.., _) => Comparison::Partly,
            (0, _) => Comparison::Different,
        }
    }

    /// Whether the times that the manifest has are the file's. Times without fractions of a second are compared without them.
    pub fn has_times_of(&self, stat: &Stat) -> bool {
        let same = |expected: Option<Time>, (seconds, nanoseconds): (i64, u32)| {
            expected.is_none_or(|time| {
                time.seconds == seconds && (time.nanoseconds == 0 || time.nanoseconds == nanoseconds)
            })
        };
        same(self.times.modified, stat.mtime) && same(self.times.changed, stat.ctime)
    }

    /// Whether size and both times are known and the file's: then a change of its content was no writing.
    pub fn is_at_rest(&self, hashed: &Hashed) -> bool {
        let told = self.size.is_some() && self.times.modified.is_some() && self.times.changed.is_some();
        told && self.size == Some(hashed.closed.size)
            && hashed.closed.stat.as_ref().is_some_and(|stat| self.has_times_of(stat))
    }
}

//! The files as a manifest lists them.

use super::classes::Rot;
use super::facts::{Facts, is_same};
use super::names::plain;
use pfh_digest::{Algorithm, Digest, Registry};
use pfh_engine::{Hashed, Piece};
use pfh_manifest::{Decoder, Ending, Entry, Fault, Format, Item, Options, Times, Unhashed, digits};
use std::collections::{BTreeMap, HashMap};
use std::io::{self, BufRead};

/// A file as a manifest lists it; lines that name the same file are one.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Expected {
    /// The name, as the manifest has it.
    pub name: Vec<u8>,
    /// The size in bytes, where it says.
    pub size: Option<u64>,
    /// Digests of the whole.
    pub digests: Vec<Digest>,
    /// Digests of windows.
    pub pieces: Vec<Piece>,
    /// Timestamps, where it says.
    pub times: Times,
    /// Whether its lines contradict each other: nothing can be right then.
    pub contradictory: bool,
    /// A bit for each digest whose algorithm is known by its length alone, lowest first; of more
    /// than 64 the others are taken as known.
    pub guessed: u64,
}

/// How a file compares with its expected state.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Comparison {
    /// Every digest that the manifest has is the file's, and so is the size.
    Same,
    /// Some digests are, others are not.
    Partly,
    /// None is.
    Different,
    /// There is no digest of an algorithm that both have, and no other size.
    Unknown,
}

/// Why a manifest cannot be checked at all.
#[derive(Debug, thiserror::Error)]
pub enum ReadError {
    /// It cannot be read.
    #[error("{0}")]
    Io(#[source] io::Error),
    /// Its pieces are cut at different lengths, which one run cannot do.
    #[error("its pieces are of different lengths: they cannot be checked in one run")]
    Pieces,
}

/// A manifest in memory.
#[derive(Debug, Default)]
pub struct Expectations {
    /// The format of the manifest.
    pub format: Option<Format>,
    /// The files, in the order in which they come first.
    pub entries: Vec<Expected>,
    /// Entries without digests.
    pub unhashed: Vec<Unhashed>,
    /// Lines that are not records, or none that can be compared.
    pub faults: Vec<(u64, Fault)>,
    /// Digests of algorithms that are not known here, by name, in records that have others as well.
    pub foreign: BTreeMap<Box<str>, u64>,
    /// The outcome of the end that it promises.
    pub ending: Ending,
    /// The directory in which its relative names start, where it says so.
    pub base: Option<Vec<u8>>,
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
        let mut decoder = Decoder::with_registry(reader, options, registry).map_err(ReadError::Io)?;
        let mut read = Expectations { format: Some(decoder.format()), ..Expectations::default() };
        let mut places: HashMap<Vec<u8>, usize> = HashMap::new();
        for located in decoder.by_ref() {
            let located = located.map_err(ReadError::Io)?;
            match located.item {
                Item::Fault(fault) => read.faults.push((located.line, fault)),
                Item::Unhashed(unhashed) => read.unhashed.push(unhashed),
                Item::Entry(mut entry) => {
                    if !options.keyed
                        && let Some(fault) = without_keyed(&mut entry)
                    {
                        read.faults.push((located.line, fault));
                        continue;
                    }
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
                    for name in &entry.foreign {
                        *read.foreign.entry(name.clone()).or_default() += 1;
                    }
                    read.entries[at].add(entry);
                }
            }
        }
        read.ending = decoder.ending();
        read.base = decoder.base().map(<[u8]>::to_vec);
        read.piecewise = read.window()?;
        Ok(read)
    }

    /// The one length at which all pieces are cut: each starts at a multiple of it, and only a last
    /// one is shorter.
    fn window(&self) -> Result<Option<u64>, ReadError> {
        let pieces = || self.entries.iter().flat_map(|entry| &entry.pieces);
        let Some(longest) = pieces().map(|piece| piece.length).max() else { return Ok(None) };
        let length = longest.max(1);
        let fits = |piece: &Piece| piece.offset.is_multiple_of(length) && piece.length <= length;
        if pieces().all(fits) { Ok(Some(length)) } else { Err(ReadError::Pieces) }
    }
}

impl Expectations {
    /// Expects the files of another manifest as well. Entries of one name are one.
    ///
    /// # Errors
    /// When the pieces of both are of different lengths.
    pub fn absorb(&mut self, other: Expectations) -> Result<(), ReadError> {
        let names = self.entries.iter().enumerate().map(|(at, entry)| (plain(&entry.name), at));
        let places: HashMap<Vec<u8>, usize> = names.collect();
        for entry in other.entries {
            match places.get(&plain(&entry.name)) {
                Some(&at) => self.entries[at].absorb(entry),
                None => self.entries.push(entry),
            }
        }
        self.unhashed.extend(other.unhashed);
        self.faults.extend(other.faults);
        for (name, count) in other.foreign {
            *self.foreign.entry(name).or_default() += count;
        }
        if matches!(self.ending, Ending::Unmarked | Ending::Whole) {
            self.ending = other.ending;
        }
        self.base = self.base.take().or(other.base);
        for algorithm in other.algorithms {
            if !self.algorithms.contains(&algorithm) {
                self.algorithms.push(algorithm);
            }
        }
        self.piecewise = self.window()?;
        Ok(())
    }

    /// The algorithms that stand for a guess somewhere.
    pub fn guesses(&self) -> Vec<Algorithm> {
        let mut found: Vec<Algorithm> = Vec::new();
        for (_, digest) in self.entries.iter().flat_map(Expected::guesses) {
            if !found.contains(&digest.algorithm()) {
                found.push(digest.algorithm());
            }
        }
        found
    }

    /// Takes every guessed digest of `given` for one of `found`.
    pub fn adopt(&mut self, given: Algorithm, found: Algorithm) {
        for entry in &mut self.entries {
            for at in 0..entry.digests.len() {
                if entry.is_guess(at)
                    && entry.digests[at].algorithm() == given
                    && let Some(digest) = relabelled(&entry.digests[at], found)
                {
                    entry.digests[at] = digest;
                }
            }
        }
        self.algorithms.clear();
        let digests = self
            .entries
            .iter()
            .flat_map(|entry| entry.digests.iter().chain(entry.pieces.iter().flat_map(|piece| &piece.digests)));
        for digest in digests {
            if !self.algorithms.contains(&digest.algorithm()) {
                self.algorithms.push(digest.algorithm());
            }
        }
    }
}

/// Takes out the digests that nobody can compare without their key; the fault of an entry that has
/// no others.
fn without_keyed(entry: &mut Entry) -> Option<Fault> {
    let pieces = entry.pieces.iter().flat_map(|piece| &piece.digests);
    let mut names: Vec<Box<str>> = Vec::new();
    for algorithm in entry.digests.iter().chain(pieces).map(|digest| digest.algorithm()) {
        let name = format!("{algorithm} (which needs its key)").into_boxed_str();
        if algorithm.is_keyed() && !names.contains(&name) {
            names.push(name);
        }
    }
    if names.is_empty() {
        return None;
    }
    entry.digests.retain(|digest| !digest.algorithm().is_keyed());
    entry.pieces.iter_mut().for_each(|piece| piece.digests.retain(|digest| !digest.algorithm().is_keyed()));
    entry.pieces.retain(|piece| !piece.digests.is_empty());
    if entry.digests.is_empty() && entry.pieces.is_empty() {
        return Some(Fault::NeedsKey(names.join(", ").into()));
    }
    entry.foreign.append(&mut names);
    None
}

/// The same value as one of another algorithm; `None` where that has no such values.
fn relabelled(digest: &Digest, algorithm: Algorithm) -> Option<Digest> {
    match digest.text() {
        Some(text) => Digest::parse(algorithm, text).ok(),
        None => Digest::from_bytes(algorithm, digest.bytes()).ok(),
    }
}

impl Expected {
    /// A file that was read, under this name.
    /// A file that was read, as a record of it.
    pub fn read(name: Vec<u8>, hashed: Hashed) -> Expected {
        Expected {
            name,
            size: Some(hashed.closed.size),
            times: Times::of(&hashed.closed),
            digests: hashed.digests,
            pieces: hashed.pieces,
            ..Expected::default()
        }
    }

    fn is_guess(&self, at: usize) -> bool {
        at < 64 && self.guessed >> at & 1 == 1
    }

    /// The digests whose algorithm is a guess, with their places.
    pub fn guesses(&self) -> impl Iterator<Item = (usize, &Digest)> {
        self.digests.iter().enumerate().filter(|(at, _)| self.is_guess(*at))
    }

    /// Algorithms that the guessed digests may be of, beside those that they are taken for.
    pub fn alternatives(&self, registry: Registry) -> Vec<Algorithm> {
        let mut all = Vec::new();
        for (_, digest) in self.guesses() {
            all.extend(digits::alternatives(registry, digest));
        }
        all
    }

    /// The same expectation with each guessed digest taken for one of the algorithm that gives this
    /// value for the file, where there is one. A file that has none of these values is left as it
    /// is.
    #[must_use]
    pub fn explained_by(&self, hashed: &Hashed, registry: Registry) -> Expected {
        let mut explained = self.clone();
        for (at, digest) in self.guesses() {
            if hashed.digests.contains(digest) {
                continue;
            }
            let alternatives = digits::alternatives(registry, digest);
            let of = |found: &&Digest| alternatives.contains(&found.algorithm()) && found.bytes() == digest.bytes();
            if let Some(found) = hashed.digests.iter().find(of) {
                explained.digests[at] = found.clone();
            }
        }
        explained
    }

    fn add(&mut self, entry: Entry) {
        // The size of a line about a piece is the piece's own.
        if entry.pieces.is_empty() || !entry.digests.is_empty() {
            self.contradictory |= self.size.is_some() && entry.size.is_some() && self.size != entry.size;
            self.size = self.size.or(entry.size);
        }
        for digest in entry.digests {
            let known = self.digests.iter().position(|known| known.algorithm() == digest.algorithm());
            match known {
                Some(at) if self.digests[at] == digest => {}
                // Two values of one length may be of two algorithms.
                Some(at) if !entry.guessed && !self.is_guess(at) => self.contradictory = true,
                _ if self.digests.contains(&digest) => {}
                _ => {
                    // Most files have one, and a first push would make room for four.
                    self.digests.reserve_exact(1);
                    self.digests.push(digest);
                    let at = self.digests.len() - 1;
                    self.guessed |= u64::from(entry.guessed && at < 64) << at.min(63);
                }
            }
        }
        self.pieces.extend(entry.pieces);
        self.times.modified = self.times.modified.or(entry.times.modified);
        self.times.changed = self.times.changed.or(entry.times.changed);
    }

    /// Adds another manifest's record of the same file. If the two contradict each other, nothing
    /// can be right.
    fn absorb(&mut self, other: Expected) {
        self.contradictory |= other.contradictory;
        for (at, digest) in other.digests.iter().enumerate() {
            let digests = vec![digest.clone()];
            self.add(Entry { size: other.size, digests, guessed: other.is_guess(at), ..Entry::default() });
        }
        self.add(Entry { size: other.size, pieces: other.pieces, times: other.times, ..Entry::default() });
    }

    /// Compares with a file that was read.
    pub fn compare(&self, hashed: &Hashed) -> Comparison {
        self.compare_with(&Facts::from(hashed))
    }

    /// Compares with the known facts of a file.
    pub fn compare_with(&self, facts: &Facts<'_>) -> Comparison {
        let (mut same, mut other) = (0_u64, 0_u64);
        let mut count = |equal: bool| if equal { same += 1 } else { other += 1 };
        for digest in &self.digests {
            let of = |found: &Digest| found.algorithm() == digest.algorithm();
            if facts.read || facts.digests.iter().any(of) {
                count(facts.digests.contains(digest));
            }
        }
        for piece in &self.pieces {
            let of = |found: &&Piece| found.offset == piece.offset && found.length == piece.length;
            let found = facts.pieces.iter().find(of);
            for digest in piece.digests.iter().filter(|_| facts.read || found.is_some()) {
                count(found.is_some_and(|found| found.digests.contains(digest)));
            }
        }
        // Pieces without a digest of the whole say nothing of bytes added behind the last.
        let end = self.pieces.iter().map(|piece| piece.offset.saturating_add(piece.length)).max();
        let grown = self.digests.is_empty() && end.zip(facts.size).is_some_and(|(end, size)| size > end);
        let sizes = self.size.zip(facts.size);
        let resized = grown || sizes.is_some_and(|(one, other)| one != other) || self.contradictory;
        match (same, other) {
            (1.., 0) if !resized => Comparison::Same,
            (1.., _) => Comparison::Partly,
            (0, 0) if !facts.read && !resized => Comparison::Unknown,
            (0, _) => Comparison::Different,
        }
    }

    /// The facts of the file in the manifest.
    pub fn facts(&self) -> Facts<'_> {
        Facts {
            size: self.size,
            digests: &self.digests,
            pieces: &self.pieces,
            times: self.times,
            read: false,
            untimed: false,
        }
    }

    /// Whether the modification time that it has is the file's; so it is where one is not known.
    pub fn has_mtime_of(&self, facts: &Facts<'_>) -> bool {
        is_same(self.times.modified, facts.times.modified).unwrap_or(true)
    }

    /// If size and modification time are known and the file's: whether the change time is.
    pub fn rot(&self, facts: &Facts<'_>) -> Option<Rot> {
        let at_rest = self.size.is_some()
            && self.size == facts.size
            && is_same(self.times.modified, facts.times.modified) == Some(true);
        at_rest.then(|| match is_same(self.times.changed, facts.times.changed) {
            Some(true) => Rot::AtRest,
            Some(false) => Rot::Touched,
            None => Rot::Untold,
        })
    }
}

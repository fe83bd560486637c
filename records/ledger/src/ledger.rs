//! The ledger: all that a list states, by plain name, in any format.

use super::facts::grain_of;
use super::listing::Listing;
use super::names::{plain, unclosed};
use super::places::Places;
use pfh_digest::{Algorithm, Registry};
use pfh_engine::Piece;
use pfh_manifest::{Decoder, Ending, Entry, Fault, Format, Item, Options, Reason, UnhashedEntry};
use std::collections::{BTreeMap, HashSet};
use std::io::{self, BufRead};

/// Why a list cannot be compared at all.
#[derive(Debug, thiserror::Error)]
pub enum ReadError {
    /// It cannot be read.
    #[error("{0}")]
    Io(#[source] io::Error),
    /// Its pieces are cut at different lengths, which one run cannot do.
    #[error("its pieces are of different lengths: they cannot be checked in one run")]
    Pieces,
}

/// A list in memory.
#[derive(Debug, Default)]
pub struct Ledger {
    /// The format of the list.
    pub format: Option<Format>,
    /// The files, in the order in which they come first. Names that are spellings of one name are
    /// one file.
    pub entries: Vec<Listing>,
    /// Entries without digests.
    pub unhashed: Vec<UnhashedEntry>,
    /// Lines that are not records, or none that can be compared.
    pub faults: Vec<(u64, Fault)>,
    /// Digests of algorithms that are not known here, by name, in records that have others as well.
    pub foreign: BTreeMap<Box<str>, u64>,
    /// How it was read, where that is not plain, a sentence each.
    pub remarks: Vec<String>,
    /// The outcome of the end that it promises.
    pub ending: Ending,
    /// Whether its form has no place for the directories of names: `b.txt` may be `sub/b.txt`.
    pub flat: bool,
    /// Whether its name says which algorithm its digests are of.
    pub named: bool,
    /// The directory in which its relative names start, where it says so.
    pub base: Option<Vec<u8>>,
    /// Every algorithm that occurs.
    pub algorithms: Vec<Algorithm>,
    /// The length of its pieces in bytes, where it has some.
    pub piecewise: Option<u64>,
}

impl Ledger {
    /// Reads a list of any format. Takes memory for all of it.
    ///
    /// # Errors
    /// The reader's, and pieces of different lengths.
    pub fn read(reader: impl BufRead, options: &Options, registry: Registry) -> Result<Self, ReadError> {
        let mut decoder = Decoder::with_registry(reader, options, registry).map_err(ReadError::Io)?;
        let mut read = Ledger { format: Some(decoder.format()), ..Ledger::default() };
        let (mut places, mut twice) = (Places::default(), false);
        let bare = |name: &[u8]| UnhashedEntry { name: name.to_vec(), reason: Reason::Bare, code: "no digest".into() };
        for located in decoder.by_ref() {
            let located = located.map_err(ReadError::Io)?;
            match located.item {
                Item::Fault(fault) => {
                    read.unhashed.extend(fault.bare().map(bare));
                    read.faults.push((located.line, fault));
                }
                Item::Unhashed(unhashed) => read.unhashed.push(unhashed),
                Item::Entry(mut entry) => {
                    if !options.keyed
                        && let Some(fault) = without_keyed(&mut entry)
                    {
                        read.faults.push((located.line, fault));
                        continue;
                    }
                    if let Some(fault) = entry.of_foreign(options) {
                        read.unhashed.extend(fault.bare().map(bare));
                        read.faults.push((located.line, fault));
                        continue;
                    }
                    for name in &entry.foreign {
                        *read.foreign.entry(name.clone()).or_default() += 1;
                    }
                    // With a digest it is a file's, whichever way it is written.
                    entry.name.truncate(unclosed(&entry.name).len());
                    match places.get(&read.entries, &entry.name) {
                        Some(at) => {
                            twice = true;
                            read.entries[at].add(entry);
                        }
                        None => {
                            places.enter(&read.entries, &entry.name, read.entries.len());
                            read.entries.push(Listing::from(entry));
                        }
                    }
                }
            }
        }
        read.ending = decoder.ending();
        read.remarks = decoder.remarks().to_vec();
        // Names that were all rewritten, for another root say, stand once each as before. A record
        // that took the place of another one has its name twice.
        if read.ending == Ending::OtherNames && !twice {
            read.ending = Ending::Whole;
            read.remarks.push("its names were rewritten after its end was".into());
        }
        read.flat = decoder.is_flat();
        read.named = !options.hints.is_empty();
        read.base = decoder.base().map(<[u8]>::to_vec);
        read.piecewise = read.window()?;
        read.settle();
        Ok(read)
    }

    /// Notes what only the whole list shows: the algorithms that occur, and how finely its times
    /// are kept.
    pub fn settle(&mut self) {
        let mut algorithms: Vec<Algorithm> = Vec::new();
        for digest in self.entries.iter().flat_map(Listing::all_digests) {
            if !algorithms.contains(&digest.algorithm()) {
                algorithms.push(digest.algorithm());
            }
        }
        self.algorithms = algorithms;
        // A whole second among times with fractions is exact.
        let grain = self.entries.iter().filter_map(|entry| entry.times.modified).map(grain_of).min();
        let grain = if self.format == Some(Format::Jsonl) { grain.map(|_| 1) } else { grain };
        self.entries.iter_mut().for_each(|entry| entry.grain = grain.unwrap_or_default());
    }

    /// The one length at which all pieces are cut: each starts at a multiple of it, and only a last
    /// one is shorter.
    fn window(&self) -> Result<Option<u64>, ReadError> {
        let pieces = || self.entries.iter().flat_map(|entry| entry.pieces.iter());
        let Some(longest) = pieces().map(|piece| piece.length).max() else { return Ok(None) };
        let length = longest.max(1);
        let fits = |piece: &Piece| piece.offset.is_multiple_of(length) && piece.length <= length;
        if pieces().all(fits) { Ok(Some(length)) } else { Err(ReadError::Pieces) }
    }

    /// Takes the statements of another list as well. Entries of one name are one.
    ///
    /// # Errors
    /// When the pieces of both are of different lengths.
    pub fn absorb(&mut self, other: Ledger) -> Result<(), ReadError> {
        let (places, own) = (Places::of(&self.entries), self.entries.len());
        for entry in other.entries {
            match places.get(&self.entries[..own], &entry.name) {
                Some(at) => self.entries[at].absorb(entry),
                None => self.entries.push(entry),
            }
        }
        self.unhashed.extend(other.unhashed);
        self.faults.extend(other.faults);
        self.remarks.extend(other.remarks);
        for (name, count) in other.foreign {
            *self.foreign.entry(name).or_default() += count;
        }
        if matches!(self.ending, Ending::Unmarked | Ending::Whole) {
            self.ending = other.ending;
        }
        self.base = self.base.take().or(other.base);
        self.piecewise = self.window()?;
        self.settle();
        Ok(())
    }

    /// Gives names that lead to a file by another way, as those with `..` do, the name that
    /// `leads_to` says. Entries of one name are one afterwards.
    pub fn respell(&mut self, leads_to: impl Fn(&[u8]) -> Option<Vec<u8>>) {
        if !self.entries.iter().any(|entry| leads_to(&entry.name).is_some()) {
            return;
        }
        let mut places = Places::default();
        let mut entries: Vec<Listing> = Vec::with_capacity(self.entries.len());
        for mut entry in std::mem::take(&mut self.entries) {
            if let Some(name) = leads_to(&entry.name) {
                entry.respell(name);
            }
            match places.get(&entries, &entry.name) {
                Some(at) => entries[at].absorb(entry),
                None => {
                    places.enter(&entries, &entry.name, entries.len());
                    entries.push(entry);
                }
            }
        }
        self.entries = entries;
    }

    /// Entries without a digest whose name has none in any other record either.
    pub fn undigested(&self) -> Vec<&UnhashedEntry> {
        let wanted: HashSet<Vec<u8>> = self.unhashed.iter().map(|unhashed| plain(&unhashed.name)).collect();
        let names = self.entries.iter().map(|entry| plain(&entry.name));
        let listed: HashSet<Vec<u8>> = names.filter(|name| wanted.contains(name)).collect();
        let mut seen: HashSet<Vec<u8>> = HashSet::new();
        let is_first = |unhashed: &&UnhashedEntry| {
            let name = plain(&unhashed.name);
            !listed.contains(&name) && seen.insert(name)
        };
        self.unhashed.iter().filter(is_first).collect()
    }

    /// The names of entries for which no digest could be made, however often they are listed.
    pub fn failed(&self) -> impl Iterator<Item = &UnhashedEntry> {
        self.unhashed.iter().filter(|unhashed| unhashed.reason == Reason::Failed)
    }

    /// The algorithms that stand for a guess somewhere.
    pub fn guesses(&self) -> Vec<Algorithm> {
        let mut found: Vec<Algorithm> = Vec::new();
        for (_, digest) in self.entries.iter().flat_map(Listing::guesses) {
            if !found.contains(&digest.algorithm()) {
                found.push(digest.algorithm());
            }
        }
        found
    }

    /// Takes every guessed digest of `given` for one of `found`.
    pub fn adopt(&mut self, given: Algorithm, found: Algorithm) {
        self.entries.iter_mut().for_each(|entry| entry.adopt(given, found));
        self.settle();
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

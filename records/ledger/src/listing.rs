//! All that a list states of one file.

use super::names::plain;
use super::rare::Rare;
use pfh_digest::{Algorithm, Digest, Registry, Standing};
use pfh_engine::{HashedFile, Piece};
use pfh_manifest::{Entry, Times, digits};

/// All that a list states of one file, in whichever spellings of its name.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Listing {
    /// The name, as the list has it first.
    pub name: Vec<u8>,
    /// Other spellings of the name in the list: `./a` beside `a`.
    pub spellings: Rare<Vec<Vec<u8>>>,
    /// The size in bytes, where it says.
    pub size: Option<u64>,
    /// Digests of the whole.
    pub digests: Vec<Digest>,
    /// Digests of windows.
    pub pieces: Rare<Vec<Piece>>,
    /// Timestamps, where it says.
    pub times: Rare<Times>,
    /// In which steps the list keeps times, in nanoseconds; 0 where it has none.
    pub grain: u32,
    /// Whether its lines contradict each other: nothing can be right then.
    pub contradictory: bool,
    /// A bit for each digest whose algorithm is known by its length alone, lowest first; of more
    /// than 64 the others are taken as known.
    pub guessed: u64,
}

impl From<Entry> for Listing {
    fn from(entry: Entry) -> Listing {
        let mut listing = Listing { name: entry.name.clone(), ..Listing::default() };
        listing.add(entry);
        listing
    }
}

/// The same value as one of another algorithm; `None` where that has no such values.
fn relabelled(digest: &Digest, algorithm: Algorithm) -> Option<Digest> {
    match digest.text() {
        Some(text) => Digest::parse(algorithm, text).ok(),
        None => Digest::from_bytes(algorithm, digest.bytes()).ok(),
    }
}

/// Whether a file's digest is the value that is stated. `xxhsum --little-endian` has the bytes of
/// xxHash in the other order.
fn has_value(found: &Digest, stated: &Digest) -> bool {
    let is_xxh = found.algorithm().name().starts_with("xxh");
    found.bytes() == stated.bytes() || (is_xxh && found.bytes().iter().eq(stated.bytes().iter().rev()))
}

impl Listing {
    /// A file that was read, as a record of it.
    pub fn read(name: Vec<u8>, hashed: HashedFile) -> Listing {
        Listing {
            name,
            size: Some(hashed.closed.size),
            times: Times::of(&hashed.closed).into(),
            digests: hashed.digests,
            pieces: hashed.pieces.into(),
            ..Listing::default()
        }
    }

    /// Its digests, of the whole and of windows.
    pub fn all_digests(&self) -> impl Iterator<Item = &Digest> {
        self.digests.iter().chain(self.pieces.iter().flat_map(|piece| &piece.digests))
    }

    /// Whether the algorithm of the digest at a place is a guess.
    pub fn is_guess(&self, at: usize) -> bool {
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

    /// The checksums that have the length of a guessed digest.
    pub fn checksums(&self, registry: Registry) -> Vec<Algorithm> {
        let lengths: Vec<usize> = self.guesses().map(|(_, digest)| digest.bytes().len()).collect();
        let is_one = |of: &Algorithm| of.standing() == Standing::NonCryptographic && lengths.contains(&of.length());
        registry.all().filter(is_one).collect()
    }

    /// The checksum of a file that its only digest is, which is guessed. Anybody can bring that
    /// about.
    pub fn weak(&self, hashed: &HashedFile) -> Option<Algorithm> {
        let (_, digest) = self.guesses().next().filter(|_| self.digests.len() == 1)?;
        let is_weak = |found: &&Digest| found.algorithm().standing() == Standing::NonCryptographic;
        let is_it = |found: &&Digest| has_value(found, digest);
        hashed.digests.iter().filter(is_weak).find(is_it).map(|found| found.algorithm())
    }

    /// The same listing with each guessed digest taken for one of the algorithm that gives this
    /// value for the file, where there is one. A file that has none of these values is left as it
    /// is.
    #[must_use]
    pub fn explained_by(&self, hashed: &HashedFile, registry: Registry) -> Listing {
        let mut explained = self.clone();
        for (at, digest) in self.guesses() {
            if hashed.digests.contains(digest) {
                continue;
            }
            let alternatives = digits::alternatives(registry, digest);
            let of = |found: &&Digest| {
                let is_one = alternatives.contains(&found.algorithm()) || found.algorithm() == digest.algorithm();
                is_one && has_value(found, digest)
            };
            if let Some(found) = hashed.digests.iter().find(of) {
                explained.digests[at] = found.clone();
            }
        }
        explained
    }

    /// Takes every guessed digest of `given` for one of `found`.
    pub(crate) fn adopt(&mut self, given: Algorithm, found: Algorithm) {
        for at in 0..self.digests.len() {
            if self.is_guess(at)
                && self.digests[at].algorithm() == given
                && let Some(digest) = relabelled(&self.digests[at], found)
            {
                self.digests[at] = digest;
            }
        }
    }

    /// Takes the algorithm of its guessed digests of `given` as known.
    pub fn confirm(&mut self, given: Algorithm) {
        for at in 0..self.digests.len().min(64) {
            if self.digests[at].algorithm() == given {
                self.guessed &= !(1 << at);
            }
        }
    }

    /// Names it in another way; the name so far is a spelling of it.
    pub(crate) fn respell(&mut self, name: Vec<u8>) {
        let before = std::mem::replace(&mut self.name, name);
        self.spell(before);
    }

    fn spell(&mut self, name: Vec<u8>) {
        if name != self.name && !self.spellings.contains(&name) {
            self.spellings.kept().push(name);
        }
    }

    /// Whether the list has this spelling of its name.
    pub fn is_spelt(&self, name: &[u8]) -> bool {
        self.name == name || self.spellings.iter().any(|spelling| spelling == name) || plain(&self.name) == plain(name)
    }

    /// Adds a record of the same file.
    pub(crate) fn add(&mut self, entry: Entry) {
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
        if !entry.pieces.is_empty() {
            self.pieces.kept().extend(entry.pieces);
        }
        let (modified, changed) = (entry.times.modified, entry.times.changed);
        let modified = self.times.modified.or(modified);
        self.times = Times { modified, changed: self.times.changed.or(changed), ..*self.times }.into();
        self.spell(entry.name);
    }

    /// Adds another listing of the same file. If the two contradict each other, nothing can be
    /// right.
    pub(crate) fn absorb(&mut self, other: Listing) {
        self.contradictory |= other.contradictory;
        let Listing { name, size, times, .. } = other;
        for (at, digest) in other.digests.iter().enumerate() {
            let digests = vec![digest.clone()];
            let guessed = at < 64 && other.guessed >> at & 1 == 1;
            self.add(Entry { name: name.clone(), size, digests, guessed, ..Entry::default() });
        }
        self.add(Entry {
            name,
            size,
            pieces: other.pieces.into_inner(),
            times: times.into_inner(),
            ..Entry::default()
        });
        other.spellings.into_inner().into_iter().for_each(|spelling| self.spell(spelling));
    }
}

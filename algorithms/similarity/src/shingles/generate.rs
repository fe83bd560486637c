//! Generation, in one pass over an input of unknown length.

use super::chosen::FeatureNames;
use super::digest::{Digest, Unit};
use super::jpeg::{SIGNATURE, Tables};
use super::parameters::{WINDOW, least_level};
use super::window::{enter, name, roll, varies};
use crate::{Hasher, NoDigest};

/// One input on its way to a digest.
#[derive(Clone, Debug)]
pub struct Generator {
    length: u64,
    hash: u64,
    /// The last bytes, oldest first; shorter than a window where not that many came.
    last: Vec<u8>,
    chosen: FeatureNames,
    /// The first bytes, until it is known whether they are a JPEG's.
    start: Vec<u8>,
    tables: Tables,
}

impl Generator {
    /// For an input that nothing is known of.
    pub fn new() -> Generator {
        Generator {
            length: 0,
            hash: 0,
            last: Vec::with_capacity(2 * WINDOW),
            chosen: FeatureNames::default(),
            start: Vec::new(),
            tables: Tables::default(),
        }
    }

    /// Rolls over bytes whose first [`WINDOW`] were rolled over before.
    fn roll(&mut self, bytes: &[u8]) {
        let mut hash = self.hash;
        let mut mask = self.chosen.mask();
        for (at, (&leaving, &entering)) in bytes.iter().zip(&bytes[WINDOW..]).enumerate() {
            hash = roll(hash, leaving, entering);
            if hash & mask == 0 {
                let window: &[u8; WINDOW] = bytes[at + 1..][..WINDOW].try_into().expect("a window");
                self.choose(hash, window);
                mask = self.chosen.mask();
            }
        }
        self.hash = hash;
    }

    fn choose(&mut self, hash: u64, window: &[u8; WINDOW]) {
        if varies(window) {
            self.chosen.push(name(window, hash.trailing_zeros()));
        }
    }
}

impl Generator {
    /// Bytes behind the signature: windows that reach into tables are left out.
    fn take(&mut self, mut bytes: &[u8]) {
        while let Some((length, is_table)) = self.tables.run(bytes) {
            let (run, rest) = bytes.split_at(length);
            if is_table {
                self.hash = 0;
                self.last.clear();
            } else {
                self.slide(run);
            }
            bytes = rest;
        }
        self.slide(bytes);
    }

    /// Ends the input, which is a file's bytes or a normal form; `unit` says which.
    pub(crate) fn finish(mut self, unit: Unit) -> Result<Digest, NoDigest> {
        let start = std::mem::take(&mut self.start);
        self.slide(&start);
        if self.length < WINDOW as u64 {
            return Err(NoDigest::TooShort(WINDOW as u64));
        }
        self.chosen.into_digest(unit, self.length)
    }
}

impl Default for Generator {
    fn default() -> Generator {
        Generator::new()
    }
}

impl Hasher for Generator {
    type Digest = Digest;

    fn update(&mut self, mut bytes: &[u8]) {
        self.length += bytes.len() as u64;
        self.chosen.begin_at(least_level(self.length));
        if matches!(self.tables, Tables::Signature) {
            let (lacking, rest) = bytes.split_at(bytes.len().min(SIGNATURE.len() - self.start.len()));
            self.start.extend_from_slice(lacking);
            if self.start.len() < SIGNATURE.len() {
                return;
            }
            bytes = rest;
            if self.start != SIGNATURE {
                self.tables = Tables::Rest;
            }
            let start = std::mem::take(&mut self.start);
            self.take(&start);
        }
        self.take(bytes);
    }

    fn finalize(self) -> Result<Digest, NoDigest> {
        self.finish(Unit::Window)
    }
}

impl Generator {
    /// Chooses among the windows of bytes that follow the last ones.
    fn slide(&mut self, mut bytes: &[u8]) {
        // The first window is filled byte by byte.
        while self.last.len() < WINDOW {
            let Some((&first, rest)) = bytes.split_first() else { return };
            self.hash = enter(self.hash, first);
            self.last.push(first);
            bytes = rest;
            if self.last.len() == WINDOW && self.hash & self.chosen.mask() == 0 {
                let window: [u8; WINDOW] = self.last[..].try_into().expect("a window");
                self.choose(self.hash, &window);
            }
        }
        if bytes.is_empty() {
            return;
        }
        // Windows that begin before these bytes, then those within them.
        let some = bytes.len().min(WINDOW);
        self.last.extend_from_slice(&bytes[..some]);
        let joined = std::mem::take(&mut self.last);
        self.roll(&joined);
        self.last = joined;
        if bytes.len() > WINDOW {
            self.roll(bytes);
        }
        let end = if bytes.len() < WINDOW { &self.last[some..] } else { &bytes[bytes.len() - WINDOW..] };
        let end: [u8; WINDOW] = end.try_into().expect("a window");
        self.last.clear();
        self.last.extend_from_slice(&end);
    }
}

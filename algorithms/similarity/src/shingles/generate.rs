//! Generation, in one pass over an input of unknown length.

use super::chosen::Chosen;
use super::digest::{Digest, Unit};
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
    chosen: Chosen,
}

impl Generator {
    /// For an input that nothing is known of.
    pub fn new() -> Generator {
        Generator { length: 0, hash: 0, last: Vec::with_capacity(2 * WINDOW), chosen: Chosen::default() }
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
    /// Ends the input, which is a file's bytes or a normal form; `unit` says which.
    pub(crate) fn finish(self, unit: Unit) -> Result<Digest, NoDigest> {
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

    fn finalize(self) -> Result<Digest, NoDigest> {
        self.finish(Unit::Window)
    }
}

//! Generation, in one pass over an input of unknown length.

use super::digest::Digest;
use super::parameters::{COARSEST, MOST, WINDOW, least_level};
use super::window::{enter, level, name, roll, varies};
use crate::{Hasher, NoDigest};

/// One input on its way to a digest.
#[derive(Clone, Debug)]
pub struct Generator {
    length: u64,
    hash: u64,
    /// The last bytes, oldest first; shorter than a window where not that many came.
    last: Vec<u8>,
    /// Windows of this level and above are kept.
    level: u8,
    /// Their names; repeated ones until there are too many.
    names: Vec<u64>,
}

impl Generator {
    /// For an input that nothing is known of.
    pub fn new() -> Generator {
        Generator { length: 0, hash: 0, last: Vec::with_capacity(2 * WINDOW), level: 0, names: Vec::new() }
    }

    /// Takes out what was named before, and what a coarser level leaves out if there is too much.
    fn thin_out(&mut self) {
        self.names.sort_unstable();
        self.names.dedup();
        loop {
            let least = self.level;
            self.names.retain(|&name| level(name) >= least);
            if self.names.len() <= MOST {
                return;
            }
            if self.level == COARSEST {
                // Only an input that is made for it comes here.
                self.names.truncate(MOST);
                return;
            }
            self.level += 1;
        }
    }

    /// Rolls over bytes whose first [`WINDOW`] were rolled over before.
    fn roll(&mut self, bytes: &[u8]) {
        let mut hash = self.hash;
        let mut mask = (1u64 << self.level) - 1;
        for (at, (&leaving, &entering)) in bytes.iter().zip(&bytes[WINDOW..]).enumerate() {
            hash = roll(hash, leaving, entering);
            if hash & mask == 0 {
                let window: &[u8; WINDOW] = bytes[at + 1..][..WINDOW].try_into().expect("a window");
                self.choose(hash, window);
                mask = (1u64 << self.level) - 1;
            }
        }
        self.hash = hash;
    }

    fn choose(&mut self, hash: u64, window: &[u8; WINDOW]) {
        if varies(window) {
            self.names.push(name(window, hash.trailing_zeros()));
            // Not at each repetition: as many again may come before they are sorted.
            if self.names.len() >= 2 * MOST {
                self.thin_out();
            }
        }
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
        self.level = self.level.max(least_level(self.length));
        // The first window is filled byte by byte.
        while self.last.len() < WINDOW {
            let Some((&first, rest)) = bytes.split_first() else { return };
            self.hash = enter(self.hash, first);
            self.last.push(first);
            bytes = rest;
            if self.last.len() == WINDOW && self.hash & ((1 << self.level) - 1) == 0 {
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

    fn finalize(mut self) -> Result<Digest, NoDigest> {
        if self.length < WINDOW as u64 {
            return Err(NoDigest::TooShort(WINDOW as u64));
        }
        self.thin_out();
        if self.names.is_empty() {
            Err(NoDigest::LowEntropy)
        } else {
            Ok(Digest::new(self.length, self.level, self.names))
        }
    }
}

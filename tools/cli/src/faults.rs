//! Lines of a list that were not understood: the first places by their lines, the rest by their
//! number.

use crate::show::many;
use pfh::terminal::render as shown;
use std::path::{Path, PathBuf};

/// Places that are named of each list.
const NAMED: u64 = 10;

/// Counts faults, and says the first of each list.
pub struct Faults<S> {
    say: S,
    counts: Vec<(PathBuf, u64)>,
    /// Places of the last list that are not named, though they are among the first.
    unnamed: u64,
    /// A place of the last list holds a NUL byte, as no list does.
    is_binary: bool,
}

impl Default for Faults<fn(String)> {
    fn default() -> Self {
        Faults::new(crate::exit::say)
    }
}

impl<S: Fn(String)> Faults<S> {
    /// None so far.
    pub fn new(say: S) -> Self {
        Faults { say, counts: Vec::new(), unnamed: 0, is_binary: false }
    }

    /// Takes one.
    pub fn take(&mut self, path: &Path, line: u64, fault: &pfh::manifest::Fault) {
        if self.counts.last().is_none_or(|(last, _)| last != path) {
            self.rest();
            (self.unnamed, self.is_binary) = (0, false);
            self.counts.push((path.to_owned(), 0));
        }
        if let Some((_, count)) = self.counts.last_mut() {
            *count += 1;
            // A binary file cannot be a list: one place says so, and the rest is counted.
            if self.is_binary {
                self.unnamed += 1;
            } else if *count <= NAMED {
                self.is_binary = *fault == pfh::manifest::Fault::Nul;
                (self.say)(format!("{}:{line}: {fault}", shown(path.as_os_str().as_encoded_bytes())));
            }
        }
    }

    /// Whether the last list holds a NUL byte, as no list does.
    #[cfg(feature = "known")]
    pub fn is_binary(&self) -> bool {
        self.is_binary
    }

    /// Says how many were not named, and gives how many there are in all.
    pub fn finish(self) -> u64 {
        self.rest();
        self.counts.iter().map(|(_, count)| count).sum()
    }

    fn rest(&self) {
        let Some((path, count)) = self.counts.last() else { return };
        let named = (count - self.unnamed).min(NAMED);
        if *count > named {
            let name = shown(path.as_os_str().as_encoded_bytes());
            let places = many(count - named, "more place holds no record", "more places hold no record");
            (self.say)(format!("{name}: {places}"));
        }
    }
}

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
}

impl<S: Fn(String)> Faults<S> {
    /// None so far.
    pub fn new(say: S) -> Self {
        Faults { say, counts: Vec::new() }
    }

    /// Takes one.
    pub fn take(&mut self, path: &Path, line: u64, fault: &pfh::manifest::Fault) {
        if self.counts.last().is_none_or(|(last, _)| last != path) {
            self.rest();
            self.counts.push((path.to_owned(), 0));
        }
        if let Some((_, count)) = self.counts.last_mut() {
            *count += 1;
            if *count <= NAMED {
                (self.say)(format!("{}:{line}: {fault}", shown(path.as_os_str().as_encoded_bytes())));
            }
        }
    }

    /// Says how many were not named, and gives how many there are in all.
    pub fn finish(self) -> u64 {
        self.rest();
        self.counts.iter().map(|(_, count)| count).sum()
    }

    fn rest(&self) {
        if let Some((path, count)) = self.counts.last().filter(|(_, count)| *count > NAMED) {
            let name = shown(path.as_os_str().as_encoded_bytes());
            let places = many(count - NAMED, "more place holds no record", "more places hold no record");
            (self.say)(format!("{name}: {places}"));
        }
    }
}

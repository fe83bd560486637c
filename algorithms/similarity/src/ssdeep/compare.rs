//! The score of two digests.

use super::{Digest, Part};
use crate::base64;

/// Letters that two parts must have in a row in common.
pub(crate) const GRAM: usize = 7;

/// One digest made ready to be compared with many.
#[derive(Clone, Debug)]
pub struct Target {
    digest: Digest,
    first: Positions,
    second: Positions,
}

/// For each letter a word with a bit for each place where it stands.
#[derive(Clone, Debug)]
struct Positions([u64; 64]);

impl Positions {
    fn new(part: &Part) -> Positions {
        let mut positions = [0; 64];
        for (place, &letter) in part.letters().iter().enumerate() {
            positions[index(letter)] |= 1 << place;
        }
        Positions(positions)
    }

    fn of(&self, letter: u8) -> u64 {
        self.0[index(letter)]
    }
}

fn index(letter: u8) -> usize {
    usize::from(base64::value(letter).expect("a letter of the alphabet"))
}

impl Target {
    /// Makes a digest ready; runs are collapsed first.
    pub fn new(digest: &Digest) -> Target {
        let digest = digest.collapsed();
        Target { digest, first: Positions::new(&digest.first), second: Positions::new(&digest.second) }
    }

    /// The score with another digest, 0 to 100. `other` must be [collapsed](Digest::collapsed); the
    /// score is symmetric.
    pub fn score(&self, other: &Digest) -> u8 {
        let Digest { level, first, second } = &self.digest;
        if *level == other.level {
            if *first == other.first && *second == other.second {
                return 100;
            }
            let first = part_score(&self.first, first, &other.first, *level);
            first.max(part_score(&self.second, second, &other.second, level + 1))
        } else if level + 1 == other.level {
            part_score(&self.second, second, &other.first, other.level)
        } else if other.level + 1 == *level {
            part_score(&self.first, first, &other.second, *level)
        } else {
            0
        }
    }
}

fn part_score(positions: &Positions, a: &Part, b: &Part, level: u8) -> u8 {
    let (a, b) = (a.letters(), b.letters());
    if a.len() < GRAM || b.len() < GRAM || !share_gram(positions, b) {
        return 0;
    }
    let total = a.len() + b.len();
    let distance = total - 2 * common_subsequence(positions, b);
    let score = 100 - 100 * (64 * distance / total) / 64;
    // Short digests of small block sizes match by chance; the score is bounded by their block size
    // and length.
    let bound = if level < 4 { (1 << level) * a.len().min(b.len()) } else { 100 };
    score.min(bound) as u8
}

/// Whether seven letters in a row stand in both.
fn share_gram(positions: &Positions, b: &[u8]) -> bool {
    // Bit `i` of `run` is set while the letters up to `b[end]` match those up to place `i`.
    let mut end = GRAM - 1;
    while end < b.len() {
        let mut run = positions.of(b[end]);
        let mut back = 0;
        while run != 0 && back < GRAM - 1 {
            back += 1;
            run &= positions.of(b[end - back]) << back;
        }
        if run != 0 {
            return true;
        }
        // No gram can hold the letter that broke the run together with those behind it that
        // matched.
        end += GRAM - back;
    }
    false
}

/// Length of the longest common subsequence, all places at once: a zero bit of `free` is a place
/// used in it.
fn common_subsequence(positions: &Positions, b: &[u8]) -> usize {
    let mut free = u64::MAX;
    for &letter in b {
        let matched = free & positions.of(letter);
        free = free.wrapping_add(matched) | (free & !matched);
    }
    free.count_zeros() as usize
}

//! Which places of a medium may hold a known block that begins at no sector: a sum of the block
//! that rolls from one byte to the next (Karp and Rabin 1987), and a filter of such sums.

use crate::Error;
use crate::layout::{RollingFilter, WORDS};
use pfh_source::os::positioned::FileExt;
use std::fs::File;
use std::io;
use std::path::Path;

/// The factor of a byte for each byte behind it.
const BASE: u64 = 0x9e37_79b9_7f4a_7c15;
/// Bits of the filter for each block at least: one place in some 600 is looked up in vain.
const BITS: u64 = 24;
/// Runs of a piece that are summed side by side, so that none waits for the products of another.
const SIDES: usize = 4;

/// The sums of all blocks of one size in some bytes.
#[derive(Clone, Copy, Debug)]
pub struct Rolling {
    size: usize,
    /// The factor of the first byte of a whole block.
    first: u64,
}

impl Rolling {
    /// Blocks of that many bytes.
    pub fn new(size: usize) -> Rolling {
        Rolling { size, first: (1..size).fold(1, |power: u64, _| power.wrapping_mul(BASE)) }
    }

    /// The sum of one block.
    pub fn sum(block: &[u8]) -> u64 {
        block.iter().fold(0, |sum: u64, byte| sum.wrapping_mul(BASE).wrapping_add(u64::from(*byte) + 1))
    }

    /// Takes each place below `starts` where a whole block begins, ascending within four runs, with
    /// the sum of its block.
    pub fn each(&self, bytes: &[u8], starts: usize, take: &mut impl FnMut(usize, u64)) {
        let Some(last) = bytes.len().checked_sub(self.size) else { return };
        let places = starts.min(last + 1);
        let run = places / SIDES;
        if run > 0 {
            let mut sums: [u64; SIDES] = std::array::from_fn(|side| Self::sum(&bytes[side * run..][..self.size]));
            let olds: [&[u8]; SIDES] = std::array::from_fn(|side| &bytes[side * run..][..run]);
            // The byte that comes in as the first one goes; behind the last block none is used.
            let news: [&[u8]; SIDES] = std::array::from_fn(|side| &bytes[side * run + self.size..][..run - 1]);
            for at in 0..run {
                for side in 0..SIDES {
                    take(side * run + at, sums[side]);
                    if at + 1 < run {
                        sums[side] = self.next(sums[side], olds[side][at], news[side][at]);
                    }
                }
            }
        }
        for at in SIDES * run..places {
            take(at, Self::sum(&bytes[at..at + self.size]));
        }
    }

    fn next(&self, sum: u64, old: u8, new: u8) -> u64 {
        let rest = sum.wrapping_sub((u64::from(old) + 1).wrapping_mul(self.first));
        rest.wrapping_mul(BASE).wrapping_add(u64::from(new) + 1)
    }
}

/// A filter of the sums of the telling blocks of one size: "no" is certain.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Sieve {
    words: Vec<u64>,
}

impl Sieve {
    /// An empty one for that many sums.
    pub(crate) fn new(sums: u64) -> Sieve {
        let words = (sums * BITS / 64).max(WORDS as u64 / 8).next_power_of_two();
        // Fits: sums are numbered by 32 bits.
        Sieve { words: vec![0; words as usize] }
    }

    pub(crate) fn insert(&mut self, sum: u64) {
        let (word, bits) = self.place(sum);
        self.words[word] |= bits;
    }

    /// Whether a block with this sum may be known.
    pub fn may_hold(&self, sum: u64) -> bool {
        let (word, bits) = self.place(sum);
        self.words[word] & bits == bits
    }

    /// A word, and three bits of it.
    fn place(&self, sum: u64) -> (usize, u64) {
        // The lower bits of a sum depend on few bits of the bytes.
        let mixed = (sum ^ sum >> 29).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let word = (mixed >> 20) as usize & (self.words.len() - 1);
        let bits = mixed ^ mixed >> 32;
        (word, 1 << (bits & 63) | 1 << (bits >> 6 & 63) | 1 << (bits >> 12 & 63))
    }

    /// Its words as they lie in a file.
    pub(crate) fn bytes(&self) -> impl Iterator<Item = [u8; 8]> {
        self.words.iter().map(|word| word.to_le_bytes())
    }

    /// Reads one.
    pub(crate) fn read(path: &Path, file: &File, about: &RollingFilter) -> Result<Sieve, Error> {
        let damaged = |what: &str| Error::damaged(path, format!("damaged: {what}"));
        let length = file.metadata().map_err(Error::io(path))?.len();
        let words = usize::try_from(about.words).ok().filter(|words| words.is_power_of_two() && *words > 0);
        let fits = about.words.checked_mul(8).and_then(|bytes| about.offset.checked_add(bytes));
        let Some(words) = words.filter(|_| fits.is_some_and(|end| end <= length)) else {
            return Err(damaged("its directory has impossible numbers"));
        };
        let mut bytes = vec![0; words * 8];
        file.read_exact_at(&mut bytes, about.offset).map_err(Error::io(path))?;
        if crc32fast::hash(&bytes) != about.crc {
            return Err(damaged("the filter of rolling sums does not have its checksum"));
        }
        Ok(Sieve { words: bytes.as_chunks().0.iter().map(|word| u64::from_le_bytes(*word)).collect() })
    }
}

/// The sums of a build, in a file: eight bytes each.
pub(crate) fn sieve_of(mut sums: impl io::Read, count: u64) -> io::Result<Sieve> {
    let mut sieve = Sieve::new(count);
    let mut sum = [0; 8];
    for _ in 0..count {
        sums.read_exact(&mut sum)?;
        sieve.insert(u64::from_le_bytes(sum));
    }
    Ok(sieve)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sums_that_roll_are_those_of_the_blocks() {
        let bytes: Vec<u8> = (0..9000u32).map(|at| (at.wrapping_mul(2_654_435_761) >> 24) as u8).collect();
        for (size, length, starts) in [
            (512, 9000, 9000),
            (512, 600, 89),
            (512, 600, 40),
            (512, 512, 512),
            (512, 511, 9),
            (1, 7, 7),
            (4096, 4099, 4),
        ] {
            let mut seen = Vec::new();
            Rolling::new(size).each(&bytes[..length], starts, &mut |at, sum| seen.push((at, sum)));
            seen.sort_unstable();
            let expected: Vec<(usize, u64)> =
                bytes[..length].windows(size).take(starts).map(Rolling::sum).enumerate().collect();
            assert_eq!(seen, expected, "{size} {length} {starts}");
        }
    }

    #[test]
    fn what_was_put_in_is_held_and_little_else() {
        let mut sieve = Sieve::new(20_000);
        let sum = |number: u64| Rolling::sum(&number.to_le_bytes());
        (0..20_000).for_each(|number| sieve.insert(sum(number)));
        assert!((0..20_000).all(|number| sieve.may_hold(sum(number))));
        let others = (20_000..220_000).filter(|number| sieve.may_hold(sum(*number))).count();
        assert!(others < 600, "{others} of 200,000");
    }
}

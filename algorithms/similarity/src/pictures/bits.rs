//! A digest of bits that are alike for pictures that are.

use crate::ParseError;
use std::fmt;
use std::str::FromStr;

/// A digest of 64 bits in each word, the first word with the lowest ones. Its text has the highest
/// bit first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Bits<const WORDS: usize>(pub [u64; WORDS]);

impl<const WORDS: usize> Bits<WORDS> {
    /// In how many bits two digests differ.
    pub fn distance(&self, other: &Bits<WORDS>) -> u32 {
        self.0.iter().zip(&other.0).map(|(a, b)| (a ^ b).count_ones()).sum()
    }

    /// Of bits in their order, the lowest first.
    #[cfg(feature = "pictures")]
    pub(crate) fn from_lowest(bits: impl Iterator<Item = bool>) -> Bits<WORDS> {
        let mut words = [0; WORDS];
        for (at, bit) in bits.enumerate().take(64 * WORDS) {
            words[at / 64] |= u64::from(bit) << (at % 64);
        }
        Bits(words)
    }
}

impl<const WORDS: usize> fmt::Display for Bits<WORDS> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().rev().try_for_each(|word| write!(f, "{word:016x}"))
    }
}

impl<const WORDS: usize> FromStr for Bits<WORDS> {
    type Err = ParseError;

    /// Reads hexadecimal digits of either case.
    fn from_str(text: &str) -> Result<Self, ParseError> {
        if text.len() != 16 * WORDS {
            return Err(ParseError::Length);
        }
        if !text.bytes().all(|digit| digit.is_ascii_hexdigit()) {
            return Err(ParseError::Character);
        }
        let mut words = [0; WORDS];
        for (word, at) in words.iter_mut().rev().zip((0..text.len()).step_by(16)) {
            *word = u64::from_str_radix(&text[at..at + 16], 16).map_err(|_| ParseError::Character)?;
        }
        Ok(Bits(words))
    }
}

//! The digest: text, and distances.

use crate::ParseError;
use ::tlsh as fast;
use fast::{FuzzyHashType, Tlsh as Inner};
use pfh_kernel::similarity::bodies::Body;
use std::fmt;
use std::str::FromStr;

/// The shortest input with a digest, in bytes.
pub const MINIMUM_LENGTH: u64 = 50;
/// The longest input with a digest, in bytes.
pub const MAXIMUM_LENGTH: u64 = 4_224_281_216;

/// Bytes of a digest: checksum, length, quartile ratios, and four buckets a byte.
pub const BYTES: usize = 35;

/// A TLSH digest: `T1` and 70 digits.
#[derive(Clone, PartialEq, Eq)]
pub struct Digest(pub(super) Inner);

impl Digest {
    /// The encoded length of the input, a step for about 12 % (less for short inputs).
    pub fn length_code(&self) -> u8 {
        self.0.length().value()
    }

    /// The two quartile ratios, 0 to 15 each.
    pub fn ratios(&self) -> (u8, u8) {
        (self.0.qratios().q1ratio(), self.0.qratios().q2ratio())
    }

    /// The distance, 0 upwards; not a metric, as the triangle inequality does not hold.
    pub fn distance(&self, other: &Digest) -> u32 {
        self.0.compare(&other.0)
    }

    /// The distance with the term for the lengths left out.
    pub fn distance_without_length(&self, other: &Digest) -> u32 {
        self.0.compare_with_config(&other.0, fast::compare::ComparisonConfiguration::NoDistance)
    }

    /// The terms of the distance for the lengths and the quartile ratios: the distance is not less.
    pub(crate) fn least_distance(&self, other: &Digest) -> u32 {
        self.0.length().compare(other.0.length()) + self.0.qratios().compare(other.0.qratios())
    }

    /// The quartiles of the buckets.
    pub(crate) fn body(&self) -> Body {
        self.to_bytes().last_chunk().map(Body::new).expect("35 bytes hold 32")
    }

    /// Checksum, length, ratios and body, in less room than their text.
    pub fn to_bytes(&self) -> [u8; BYTES] {
        let mut bytes = [0; BYTES];
        self.0.store_into_bytes(&mut bytes).expect("a digest of 128 buckets has 35 bytes");
        bytes
    }

    /// The digest of these bytes; none if its length is one that no input has.
    pub fn from_bytes(bytes: &[u8; BYTES]) -> Option<Digest> {
        Inner::try_from(bytes).ok().map(Digest)
    }

    /// The lengths and ratios with which a digest may be at most `most` from this one, ascending:
    /// the length code times 256 and the byte of the ratios, the first one in the lower half.
    pub fn ranges(&self, most: u32) -> impl Iterator<Item = u16> {
        let (length, (first, second)) = (self.length_code(), self.ratios());
        let of_ratios = move |ratios: u8| ratio_term(first, ratios & 15) + ratio_term(second, ratios >> 4);
        let lengths = (0..=u8::MAX).filter_map(move |code| Some((code, most.checked_sub(length_term(length, code))?)));
        lengths.flat_map(move |(code, rest)| {
            let ratios = (0..=u8::MAX).filter(move |ratios| of_ratios(*ratios) <= rest);
            ratios.map(move |ratios| u16::from(code) << 8 | u16::from(ratios))
        })
    }

    /// Reads a digest of 70 digits, with or without `T1`.
    pub fn parse(text: &[u8]) -> Result<Digest, ParseError> {
        if !matches!(text.len(), 70 | 72) {
            return Err(ParseError::Length);
        }
        Inner::from_str_bytes(text, None).map(Digest).map_err(|error| match error {
            fast::errors::ParseError::InvalidPrefix => ParseError::Marker,
            fast::errors::ParseError::InvalidCharacter => ParseError::Character,
            fast::errors::ParseError::InvalidStringLength => ParseError::Length,
            _ => ParseError::Number,
        })
    }
}

/// Steps between two numbers of a ring of `ring`.
fn apart(a: u8, b: u8, ring: u16) -> u32 {
    let steps = u16::from(a.abs_diff(b));
    u32::from(steps.min(ring - steps))
}

/// The term of the distance for two length codes.
fn length_term(a: u8, b: u8) -> u32 {
    match apart(a, b, 256) {
        steps @ 0..=1 => steps,
        steps => 12 * steps,
    }
}

/// The term of the distance for two quartile ratios.
fn ratio_term(a: u8, b: u8) -> u32 {
    match apart(a, b, 16) {
        steps @ 0..=1 => steps,
        steps => 12 * (steps - 1),
    }
}

impl fmt::Display for Digest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl fmt::Debug for Digest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl FromStr for Digest {
    type Err = ParseError;

    fn from_str(text: &str) -> Result<Digest, ParseError> {
        Digest::parse(text.as_bytes())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_are_those_of_the_terms() {
        let of = |length: u8, ratios: u8| {
            let mut bytes = [0; BYTES];
            (bytes[1], bytes[2]) = (length, ratios);
            Digest::from_bytes(&bytes)
        };
        for (length, ratios) in [(0, 0), (17, 0x4b), (100, 0xf0), (169, 0x88)] {
            let Some(digest) = of(length, ratios) else { panic!("{length}") };
            for most in [0, 1, 30, 60, 2000] {
                let is_near = |at: &u16| {
                    of((*at >> 8) as u8, *at as u8).is_none_or(|other| digest.least_distance(&other) <= most)
                };
                let found: Vec<u16> = digest.ranges(most).collect();
                assert!(found.is_sorted());
                let missing = (0..=u16::MAX).filter(is_near).find(|at| found.binary_search(at).is_err());
                assert_eq!(missing.and_then(|at| of((at >> 8) as u8, at as u8)), None, "{most}");
                assert!(found.iter().all(is_near), "{most}");
            }
        }
    }
}

//! The digest: text, and distances.

use crate::ParseError;
use ::tlsh as fast;
use fast::{FuzzyHashType, Tlsh as Inner};
use std::fmt;
use std::str::FromStr;

/// The shortest input with a digest, in bytes.
pub const MINIMUM_LENGTH: u64 = 50;
/// The longest input with a digest, in bytes.
pub const MAXIMUM_LENGTH: u64 = 4_224_281_216;

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

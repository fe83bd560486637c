//! The digest's value: print and parse.

use crate::base64;
use crate::error::number;
use crate::{Degenerate, ParseError};
use std::fmt;
use std::str::FromStr;

/// The hash of an input at one block size: a letter for each piece, 64 at most.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Part {
    /// Padded with zeros, which are not letters, so that equality and order are those of the texts.
    letters: [u8; Part::LONGEST],
    length: u8,
}

impl Part {
    /// Letters that a part can have.
    pub const LONGEST: usize = 64;

    pub(super) const fn new() -> Part {
        Part { letters: [0; Part::LONGEST], length: 0 }
    }

    /// Appends the letter of a six-bit state.
    pub(super) fn push(&mut self, state: u8) {
        self.letters[usize::from(self.length)] = base64::ALPHABET[usize::from(state & 63)];
        self.length += 1;
    }

    /// The letters.
    pub fn letters(&self) -> &[u8] {
        &self.letters[..usize::from(self.length)]
    }

    /// The letters with every run of more than three equal ones cut down to three.
    pub fn collapsed(&self) -> Part {
        let mut out = Part::new();
        for &letter in self.letters() {
            let end = usize::from(out.length);
            if end < 3 || out.letters[end - 3..end] != [letter; 3] {
                out.letters[end] = letter;
                out.length += 1;
            }
        }
        out
    }

    fn parse(text: &[u8]) -> Result<Part, ParseError> {
        if text.len() > Part::LONGEST {
            return Err(ParseError::Length);
        }
        if text.iter().any(|&letter| base64::value(letter).is_none()) {
            return Err(ParseError::Character);
        }
        let mut part = Part::new();
        part.letters[..text.len()].copy_from_slice(text);
        part.length = text.len() as u8;
        Ok(part)
    }
}

impl fmt::Display for Part {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(std::str::from_utf8(self.letters()).expect("letters of the alphabet"))
    }
}

impl fmt::Debug for Part {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

/// An ssdeep digest, `block size:first:second`, 148 characters at most.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Digest {
    pub(super) level: u8,
    pub(super) first: Part,
    pub(super) second: Part,
}

impl Digest {
    /// The level: the block size is `3 · 2^level` bytes. 0 to 30.
    pub fn level(&self) -> u8 {
        self.level
    }

    /// The block size of the first part in bytes; the second part's is twice that.
    pub fn block_size(&self) -> u64 {
        3 << self.level
    }

    /// The hash at the block size.
    pub fn first(&self) -> &Part {
        &self.first
    }

    /// The hash at twice the block size: 32 letters at most, unless made without truncation.
    pub fn second(&self) -> &Part {
        &self.second
    }

    /// The digest with runs of more than three equal letters cut down to three: libfuzzy's ELIMSEQ.
    /// Comparisons use this form.
    pub fn collapsed(&self) -> Digest {
        Digest { level: self.level, first: self.first.collapsed(), second: self.second.collapsed() }
    }

    /// Whether too little is left of the digest for a score other than 0, or 100 for an identical
    /// one, to be possible or to mean much: fewer than seven distinct sequences of seven letters.
    pub fn degenerate(&self) -> Option<Degenerate> {
        let collapsed = self.first.collapsed();
        // Nearly always the first seven differ: it is asked once for every pair that is found.
        let mut distinct: Vec<&[u8]> = Vec::with_capacity(7);
        for gram in collapsed.letters().windows(7) {
            if !distinct.contains(&gram) {
                distinct.push(gram);
            }
            if distinct.len() == 7 {
                return None;
            }
        }
        Some(Degenerate::FewFeatures)
    }

    /// Reads a digest from bytes, as [`FromStr`] does from a string.
    pub fn parse(text: &[u8]) -> Result<Digest, ParseError> {
        // A digest has at most 148 characters: nothing longer is looked through for its fields.
        if text.len() > 10 + 2 * Part::LONGEST + 2 {
            return Err(ParseError::Length);
        }
        let mut fields = text.split(|&c| c == b':');
        let mut field = || fields.next().ok_or(ParseError::Fields);
        let (size, first, second) = (field()?, field()?, field()?);
        if fields.next().is_some() {
            return Err(ParseError::Fields);
        }
        let size: u64 = number(size)?;
        let level = (0..31).find(|&level| 3 << level == size).ok_or(ParseError::BlockSize)?;
        Ok(Digest { level, first: Part::parse(first)?, second: Part::parse(second)? })
    }
}

impl fmt::Display for Digest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}:{}", self.block_size(), self.first, self.second)
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
    fn malformed_digests_are_named() {
        let error = |text: &str| text.parse::<Digest>().unwrap_err();
        assert_eq!(error(""), ParseError::Fields);
        assert_eq!(error("3:a"), ParseError::Fields);
        assert_eq!(error("3:a:b:c"), ParseError::Fields);
        assert_eq!(error("4:a:b"), ParseError::BlockSize);
        assert_eq!(error("03:a:b"), ParseError::Number);
        assert_eq!(error("-3:a:b"), ParseError::Number);
        assert_eq!(error("6442450944:a:b"), ParseError::BlockSize);
        assert_eq!(error("3:a*:b"), ParseError::Character);
        assert_eq!(error(&format!("3:{}:b", "a".repeat(65))), ParseError::Length);
        assert_eq!(error(&"a".repeat(1000)), ParseError::Length);
    }

    #[test]
    fn runs_collapse_to_three() {
        let digest: Digest = "3:aaaabaaaccccc:dddd".parse().unwrap();
        assert_eq!(digest.collapsed().to_string(), "3:aaabaaaccc:ddd");
    }

    #[test]
    fn fewer_than_seven_sequences_are_degenerate() {
        // Twelve letters hold six sequences of seven, thirteen hold seven; the same sequence counts
        // once.
        let degenerate = |first: &str| format!("3:{first}:").parse::<Digest>().unwrap().degenerate();
        assert_eq!(degenerate("abcdefghijkl"), Some(Degenerate::FewFeatures));
        assert_eq!(degenerate("abcdefghijklm"), None);
        assert_eq!(degenerate(&"abcdef".repeat(10)), Some(Degenerate::FewFeatures));
        assert_eq!(degenerate(&"abcdefg".repeat(9)), None);
        assert_eq!(degenerate(""), Some(Degenerate::FewFeatures));
    }
}

//! The digest's value, and the reference's file format: `name:size:filters − 1:chunks in the
//! last:HEX`.

use super::MrshV2;
use crate::bloom::{self, Filter};
use crate::error::number;
use crate::{Degenerate, ParseError, UnprintableName};
use pfh_kernel::similarity::bloom::Bits;
use std::fmt;
use std::str::FromStr;

/// An mrsh-v2 digest: about 1.3 % of the input's length.
#[derive(Clone, PartialEq, Eq)]
pub struct Digest {
    size: u64,
    filters: Vec<Bits>,
    /// Bits set in each filter.
    ones: Vec<u32>,
    maximum: u32,
    last: u32,
}

impl Digest {
    /// `last`: chunks in the last filter; all others hold `maximum`.
    pub(super) fn new(size: u64, filters: Vec<Filter>, maximum: u32, last: u32) -> Digest {
        let ones = filters.iter().map(Filter::ones).collect();
        Digest { size, filters: bloom::bits(filters.into_iter()), ones, maximum, last }
    }

    /// Bytes of the input.
    pub fn size(&self) -> u64 {
        self.size
    }

    /// Number of filters, 1 at least.
    pub fn filters(&self) -> usize {
        self.filters.len()
    }

    /// Chunks counted in a filter: those that set a bit that was not set. All but the last filter
    /// are full.
    pub fn chunks(&self, filter: usize) -> u32 {
        if filter + 1 == self.filters.len() { self.last } else { self.maximum }
    }

    /// Number of filters that are compared: all, or all but the last if that holds too few chunks.
    pub(crate) fn comparable(&self, method: &MrshV2) -> usize {
        self.filters.len() - usize::from(self.last < method.minimum)
    }

    pub(crate) fn bits(&self) -> &[Bits] {
        &self.filters
    }

    pub(crate) fn ones(&self) -> &[u32] {
        &self.ones
    }

    /// [`Degenerate::FewFeatures`] if no filter holds enough chunks to be compared;
    /// [`Degenerate::LowEntropy`] if fewer distinct chunks than one in 40 of those that the length
    /// lets expect were found, so that most of the input is a repetition.
    pub fn degenerate(&self, method: &MrshV2) -> Option<Degenerate> {
        let chunks = (self.filters.len() as u64 - 1) * u64::from(self.maximum) + u64::from(self.last);
        let expected = self.size / (u64::from(method.block_size) + method.skip() as u64);
        if self.filters.len() == 1 && self.last < method.minimum {
            Some(Degenerate::FewFeatures)
        } else {
            (chunks < expected / 40).then_some(Degenerate::LowEntropy)
        }
    }

    /// Appends the line of the reference's file format without its end; the reference ends it with
    /// two line feeds. Names that its reader would split or cut (a colon, a line feed, a zero) are
    /// refused.
    pub fn print_line(&self, name: &[u8], out: &mut Vec<u8>) -> Result<(), UnprintableName> {
        if name.iter().any(|byte| matches!(byte, b':' | b'\n' | 0)) {
            return Err(UnprintableName);
        }
        out.extend_from_slice(name);
        out.extend_from_slice(self.to_string().as_bytes());
        Ok(())
    }
}

/// The reference's line with an empty name.
impl fmt::Display for Digest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        const DIGITS: &[u8; 16] = b"0123456789ABCDEF";
        write!(f, ":{}:{}:{}:", self.size, self.filters.len() - 1, self.last)?;
        let mut text = String::with_capacity(2 * Filter::LENGTH);
        for filter in &self.filters {
            text.clear();
            for byte in filter.0.iter().flat_map(|word| word.to_le_bytes()) {
                text.push(char::from(DIGITS[usize::from(byte >> 4)]));
                text.push(char::from(DIGITS[usize::from(byte & 15)]));
            }
            f.write_str(&text)?;
        }
        Ok(())
    }
}

impl fmt::Debug for Digest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "mrsh-v2 of {} bytes: {} filters, {} chunks in the last", self.size, self.filters.len(), self.last)
    }
}

/// The digest of a line with an empty name, made with 160 chunks per filter.
impl FromStr for Digest {
    type Err = ParseError;

    fn from_str(text: &str) -> Result<Digest, ParseError> {
        match parse_line(text.as_bytes(), MrshV2::PLAIN.maximum)? {
            (digest, b"") => Ok(digest),
            _ => Err(ParseError::Name),
        }
    }
}

/// Reads a line without its end: the digest and the name. Upper-case digits only, as the reference
/// prints. Nothing is allocated before the length was found right.
pub(super) fn parse_line(line: &[u8], maximum: u32) -> Result<(Digest, &[u8]), ParseError> {
    let mut fields = line.splitn(5, |&c| c == b':');
    let mut field = || fields.next().ok_or(ParseError::Fields);
    let (name, size, index, last, text) = (field()?, field()?, field()?, field()?, field()?);
    let (size, index, last): (u64, u64, u32) = (number(size)?, number(index)?, number(last)?);
    if text.len() % (2 * Filter::LENGTH) != 0 || (text.len() / (2 * Filter::LENGTH)) as u64 != index.saturating_add(1) {
        return Err(ParseError::Length);
    }
    if last > maximum {
        return Err(ParseError::Number);
    }
    let digit = |c: u8| match c {
        b'0'..=b'9' => Ok(c - b'0'),
        b'A'..=b'F' => Ok(c - b'A' + 10),
        _ => Err(ParseError::Character),
    };
    let mut filters = Vec::with_capacity(text.len() / (2 * Filter::LENGTH));
    for hex in text.as_chunks::<{ 2 * Filter::LENGTH }>().0 {
        let mut bytes = [0; Filter::LENGTH];
        for (byte, pair) in bytes.iter_mut().zip(hex.as_chunks::<2>().0) {
            *byte = digit(pair[0])? << 4 | digit(pair[1])?;
        }
        filters.push(Filter::from_bytes(&bytes));
    }
    Ok((Digest::new(size, filters, maximum, last), name))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn malformed_lines_are_named() {
        let zeros = "0".repeat(512);
        let error = |line: &str| parse_line(line.as_bytes(), 160).unwrap_err();
        assert!(parse_line(format!("x:7:0:1:{zeros}").as_bytes(), 160).is_ok());
        assert_eq!(error("x:7:0:1"), ParseError::Fields);
        assert_eq!(error(&format!("x:y:7:0:1:{zeros}")), ParseError::Number);
        assert_eq!(error(&format!("x:7:1:1:{zeros}")), ParseError::Length);
        assert_eq!(error(&format!("x:7:18446744073709551615:1:{zeros}")), ParseError::Length);
        assert_eq!(error(&format!("x:7:0:161:{zeros}")), ParseError::Number);
        assert_eq!(error(&format!("x:7:0:1:{}", "a".repeat(512))), ParseError::Character);
        assert_eq!(error(&format!("x:7:0:1:{zeros}0")), ParseError::Length);
        assert_eq!(error("x:7:0:1:"), ParseError::Length);
    }
}

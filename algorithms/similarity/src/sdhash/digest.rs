//! The digest's value, and the reference's text, `sdbf:03:…` or `sdbf-dd:03:…`.

use super::mode::{BLOCK_ELEMENTS, STREAM_ELEMENTS};
use crate::bloom::{self, Filter};
use crate::error::number;
use crate::{Degenerate, ParseError, UnprintableName, base64};
use pfh_kernel::similarity::bloom::Bits;
use std::fmt;
use std::str::FromStr;

const STREAM_MARK: &[u8] = b"sdbf:03:";
const BLOCK_MARK: &[u8] = b"sdbf-dd:03:";
/// Hash, bytes of a filter, bits per element, mask and elements of a filter.
const STREAM_PARAMETERS: &[u8] = b"sha1:256:5:7ff:160:";
const BLOCK_PARAMETERS: &[u8] = b"sha1:256:5:7ff:192:";

/// An sdhash digest: about 2.6 % of the input's length.
#[derive(Clone, PartialEq, Eq)]
pub struct Digest {
    size: u64,
    block: Option<u32>,
    filters: Vec<Bits>,
    ones: Vec<u32>,
    /// Elements of each filter; in stream mode all but the last are full.
    counts: Vec<u32>,
}

impl Digest {
    pub(super) fn new(size: u64, block: Option<u32>, filters: Vec<Filter>, counts: Vec<u32>) -> Digest {
        let ones = filters.iter().map(Filter::ones).collect();
        Digest { size, block, filters: bloom::bits(filters.into_iter()), ones, counts }
    }

    /// Bytes of the input.
    pub fn size(&self) -> u64 {
        self.size
    }

    /// Bytes of a block in block mode; none in stream mode.
    pub fn block(&self) -> Option<u32> {
        self.block
    }

    /// Number of filters, 1 at least.
    pub fn filters(&self) -> usize {
        self.filters.len()
    }

    /// Elements of a filter: features that set a bit that was not set.
    pub fn elements(&self, filter: usize) -> u32 {
        self.counts[filter]
    }

    /// The digest of some of the filters, of a part of the input with this length in bytes. Block
    /// mode only.
    pub(super) fn part(&self, size: u64, filters: std::ops::Range<usize>) -> Digest {
        Digest {
            size,
            block: self.block,
            filters: self.filters[filters.clone()].to_vec(),
            ones: self.ones[filters.clone()].to_vec(),
            counts: self.counts[filters].to_vec(),
        }
    }

    /// Adds the digest of the next part of the input. Block mode only.
    pub(super) fn extend(&mut self, next: Digest) {
        self.size = self.size.saturating_add(next.size);
        self.filters.extend(next.filters);
        self.ones.extend(next.ones);
        self.counts.extend(next.counts);
    }

    pub(crate) fn bits(&self) -> &[Bits] {
        &self.filters
    }

    pub(crate) fn ones(&self) -> &[u32] {
        &self.ones
    }

    pub(crate) fn counts(&self) -> &[u32] {
        &self.counts
    }

    /// The same by the counts alone, without a comparison with random data.
    pub fn plain(&self) -> Option<Degenerate> {
        let elements: u64 = self.counts.iter().map(|&count| u64::from(count)).sum();
        if self.counts.iter().all(|&count| count < 16) {
            Some(Degenerate::FewFeatures)
        } else {
            (elements * 64 * 50 < self.size).then_some(Degenerate::LowEntropy)
        }
    }

    /// Appends the reference's line without its end. A name with a line feed is refused; everything
    /// else is distinguished by its length.
    pub fn print_line(&self, name: &[u8], out: &mut Vec<u8>) -> Result<(), UnprintableName> {
        if name.contains(&b'\n') {
            return Err(UnprintableName);
        }
        let (head, tail) = self.around_name(name.len());
        out.extend_from_slice(head.as_bytes());
        out.extend_from_slice(name);
        out.extend_from_slice(tail.as_bytes());
        Ok(())
    }

    fn around_name(&self, name_length: usize) -> (String, String) {
        let mark = if self.block.is_some() { BLOCK_MARK } else { STREAM_MARK };
        let head = format!("{}{name_length}:", std::str::from_utf8(mark).expect("ASCII"));
        let count = self.filters.len();
        let bytes = |bits: &Bits| Filter(bits.clone()).to_bytes();
        let mut tail = format!(":{}:", self.size);
        match self.block {
            None => {
                tail.push_str(std::str::from_utf8(STREAM_PARAMETERS).expect("ASCII"));
                tail.push_str(&format!("{count}:{}:", self.counts[count - 1]));
                let all: Vec<u8> = self.filters.iter().flat_map(bytes).collect();
                base64::encode(&all, &mut tail);
            }
            Some(block) => {
                tail.push_str(std::str::from_utf8(BLOCK_PARAMETERS).expect("ASCII"));
                tail.push_str(&format!("{count}:{block}"));
                for (bits, elements) in self.filters.iter().zip(&self.counts) {
                    tail.push_str(&format!(":{elements:02x}:"));
                    base64::encode(&bytes(bits), &mut tail);
                }
            }
        }
        (head, tail)
    }

    /// Reads a line without its end: the digest and the name. Nothing is allocated before the
    /// length was found right.
    pub fn parse_line(line: &[u8]) -> Result<(Digest, &[u8]), ParseError> {
        if let Some(rest) = line.strip_prefix(STREAM_MARK) {
            let (name, size, rest) = parse_head(rest, STREAM_PARAMETERS)?;
            let (count, rest) = field(rest)?;
            let (last, text) = field(rest)?;
            let (count, last): (usize, u32) = (number(count)?, number(last)?);
            if last > STREAM_ELEMENTS || count == 0 {
                return Err(ParseError::Number);
            }
            // Every filter takes some of the text: with the first condition neither product can
            // overflow.
            if count > text.len() || text.len() != base64::encoded_length(count * Filter::LENGTH) {
                return Err(ParseError::Length);
            }
            let mut all = vec![0; count * Filter::LENGTH];
            base64::decode(text, &mut all)?;
            let filters = all.as_chunks().0.iter().map(Filter::from_bytes).collect();
            let mut counts = vec![STREAM_ELEMENTS; count];
            counts[count - 1] = last;
            return Ok((Digest::new(size, None, filters, counts), name));
        }
        let rest = line.strip_prefix(BLOCK_MARK).ok_or(ParseError::Marker)?;
        let (name, size, rest) = parse_head(rest, BLOCK_PARAMETERS)?;
        let (count, rest) = field(rest)?;
        let (block, rest) = field(rest)?;
        let (count, block): (usize, u32) = (number(count)?, number(block)?);
        if block % 1024 != 0 || !(1..=16).contains(&(block / 1024)) {
            return Err(ParseError::BlockSize);
        }
        // Each filter: two digits, a colon and its text; a colon between any two.
        const TEXT: usize = base64::encoded_length(Filter::LENGTH);
        if count == 0 || count.checked_mul(TEXT + 4).ok_or(ParseError::Length)? != rest.len() + 1 {
            return Err(ParseError::Length);
        }
        let (mut filters, mut counts) = (Vec::with_capacity(count), Vec::with_capacity(count));
        for entry in rest.chunks(TEXT + 4) {
            let digit = |c: u8| match c {
                b'0'..=b'9' => Ok(u32::from(c - b'0')),
                b'a'..=b'f' => Ok(u32::from(c - b'a' + 10)),
                _ => Err(ParseError::Number),
            };
            let elements = digit(entry[0])? << 4 | digit(entry[1])?;
            if elements > BLOCK_ELEMENTS {
                return Err(ParseError::Number);
            }
            if entry[2] != b':' || entry.get(TEXT + 3).is_some_and(|&c| c != b':') {
                return Err(ParseError::Fields);
            }
            let mut bytes = [0; Filter::LENGTH];
            base64::decode(&entry[3..TEXT + 3], &mut bytes)?;
            filters.push(Filter::from_bytes(&bytes));
            counts.push(elements);
        }
        Ok((Digest::new(size, Some(block), filters, counts), name))
    }
}

/// Splits at the first colon. Fields before the digest proper are short, so it is not looked for
/// beyond that.
fn field(text: &[u8]) -> Result<(&[u8], &[u8]), ParseError> {
    let colon = text.iter().take(24).position(|&c| c == b':').ok_or(ParseError::Fields)?;
    Ok((&text[..colon], &text[colon + 1..]))
}

/// Name, size, and the text behind the parameters, which must be the ones given.
fn parse_head<'a>(text: &'a [u8], parameters: &[u8]) -> Result<(&'a [u8], u64, &'a [u8]), ParseError> {
    let (length, rest) = field(text)?;
    let length: usize = number(length)?;
    if rest.get(length) != Some(&b':') {
        return Err(ParseError::Name);
    }
    let (name, rest) = (&rest[..length], &rest[length + 1..]);
    let (size, rest) = field(rest)?;
    let rest = rest.strip_prefix(parameters).ok_or(ParseError::Parameters)?;
    Ok((name, number(size)?, rest))
}

/// The reference's line with an empty name.
impl fmt::Display for Digest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (head, tail) = self.around_name(0);
        f.write_str(&head)?;
        f.write_str(&tail)
    }
}

impl fmt::Debug for Digest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "sdhash of {} bytes: elements {:?}, block {:?}", self.size, self.counts, self.block)
    }
}

/// The digest of a line with an empty name.
impl FromStr for Digest {
    type Err = ParseError;

    fn from_str(text: &str) -> Result<Digest, ParseError> {
        match Digest::parse_line(text.as_bytes())? {
            (digest, b"") => Ok(digest),
            _ => Err(ParseError::Name),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn malformed_lines_are_named() {
        let zeros = {
            let mut text = String::new();
            base64::encode(&[0; 256], &mut text);
            text
        };
        let error = |line: &str| Digest::parse_line(line.as_bytes()).unwrap_err();
        let stream = |name: &str, rest: &str| format!("sdbf:03:{name}:600:sha1:256:5:7ff:160:{rest}:{zeros}");
        let (_, name) = Digest::parse_line(stream("3:a:b", "1:5").as_bytes()).map(|(d, n)| (d, n.to_vec())).unwrap();
        assert_eq!(name, b"a:b");
        assert_eq!(error("sdbf:02:1:a:"), ParseError::Marker);
        assert_eq!(error(&stream("2:a:b", "1:5")), ParseError::Name);
        assert_eq!(error(&stream("99999999999999999999:a", "1:5")), ParseError::Number);
        assert_eq!(error(&stream("1:a", "2:5")), ParseError::Length);
        assert_eq!(error(&stream("1:a", "18446744073709551615:5")), ParseError::Length);
        // So large a number that the length of their text, modulo 2^64, is that of one filter's:
        // found by the fuzz target sdbf_line.
        assert_eq!(error(&stream("1:a", "54043195528445953:5")), ParseError::Length);
        assert_eq!(error("sdbf:03:1:a:600:sha1:256:5:7ff:160:55121555555546606:0:"), ParseError::Length);
        assert_eq!(error(&stream("1:a", "0:5")), ParseError::Number);
        assert_eq!(error(&stream("1:a", "1:161")), ParseError::Number);
        assert_eq!(error("sdbf:03:1:a:600:sha1:256:5:7ff:161:1:5:"), ParseError::Parameters);
        let blocks = |rest: &str| format!("sdbf-dd:03:1:a:600:sha1:256:5:7ff:192:{rest}:{zeros}");
        assert!(Digest::parse_line(blocks("1:16384:c0").as_bytes()).is_ok());
        assert_eq!(error(&blocks("1:16384:c1")), ParseError::Number);
        assert_eq!(error(&blocks("1:16385:c0")), ParseError::BlockSize);
        assert_eq!(error(&blocks("2:16384:c0")), ParseError::Length);
        assert_eq!(error(&blocks("1:16384:C0")), ParseError::Number);
    }
}

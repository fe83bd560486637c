//! The reference's segments: in block mode it makes a digest for each 128 MiB of a longer file.
//!
//! A block lies in one segment, so the segments' filters, one after the other, are those of the
//! whole file: the digest stays one value, and is cut where the reference's own format is written,
//! and where digests are compared as the reference compares them.

use super::{Digest, MINIMUM_LENGTH, Sdhash};

/// Bytes of a segment.
pub const SEGMENT: u64 = 128 << 20;
const MIB: u64 = 1 << 20;

/// A part of a file with a digest of its own.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Segment {
    /// Where it begins, in MiB; none for a file that is not cut.
    pub begin: Option<u64>,
    /// Its digest.
    pub digest: Digest,
}

impl Segment {
    /// The name that the reference gives it: the file's name, and where it begins: `name.0128M`.
    pub fn name(&self, file: &[u8]) -> Vec<u8> {
        match self.begin {
            None => file.to_vec(),
            Some(begin) => [file, format!(".{begin:04}M").as_bytes()].concat(),
        }
    }
}

/// The file's name and where the segment begins, in MiB, of a name as the reference gives it to a
/// segment.
pub fn split_name(name: &[u8]) -> Option<(&[u8], u64)> {
    let text = name.strip_suffix(b"M")?;
    let dot = text.iter().rposition(|&byte| byte == b'.')?;
    let begin: u64 = str::from_utf8(&text[dot + 1..]).ok()?.parse().ok()?;
    // As it is printed: four digits at least, no sign.
    (dot > 0 && text[dot + 1..] == *format!("{begin:04}").as_bytes()).then_some((&text[..dot], begin))
}

/// How many segments a file of that many bytes has: the remainder has one of its own if it is more
/// than 512 bytes.
fn count(size: u64, segment: u64) -> u64 {
    (size / segment + u64::from(size % segment > MINIMUM_LENGTH)).max(1)
}

impl Digest {
    /// Whether a file of this length is cut.
    pub fn is_segmented(&self) -> bool {
        self.block() == Sdhash::BLOCKS.block && count(self.size(), SEGMENT) > 1
    }

    /// The digests that the reference makes of the file: one for each 128 MiB in blocks of 16 KiB;
    /// otherwise this one.
    pub fn into_segments(self) -> Vec<Segment> {
        if self.is_segmented() { self.cut(SEGMENT) } else { vec![Segment { begin: None, digest: self }] }
    }

    fn cut(&self, segment: u64) -> Vec<Segment> {
        let (Some(block), many) = (self.block(), count(self.size(), segment)) else {
            return vec![Segment { begin: None, digest: self.clone() }];
        };
        let each = (segment / u64::from(block)) as usize;
        let of = |number: u64| {
            let (from, last) = (number as usize * each, number + 1 == many);
            // A list may state a size that its filters do not bear out.
            let to = if last { self.filters() } else { (from + each).min(self.filters()) };
            let size = if last { self.size() - number * segment } else { segment };
            (from < to).then(|| Segment { begin: Some(number * segment / MIB), digest: self.part(size, from..to) })
        };
        (0..many).map_while(of).collect()
    }

    /// Whether it can be a segment that others follow: 128 MiB in blocks of 16 KiB, all of which
    /// have a filter.
    pub fn is_whole_segment(&self) -> bool {
        self.size() == SEGMENT && self.block() == Sdhash::BLOCKS.block && self.filters() as u64 == SEGMENT / (16 << 10)
    }

    /// Whether it can be the last of several segments.
    pub fn is_last_segment(&self) -> bool {
        let over = MINIMUM_LENGTH + 1;
        self.block() == Sdhash::BLOCKS.block && (over..=SEGMENT + MINIMUM_LENGTH).contains(&self.size())
    }

    /// Adds the next segment.
    pub fn append(&mut self, next: Digest) {
        self.extend(next);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Method;

    fn bytes(length: usize) -> Vec<u8> {
        let mut state = 7u64;
        let mut next = || {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            (state >> 56) as u8
        };
        (0..length).map(|_| next()).collect()
    }

    /// Each part's digest is the one made of its bytes alone, and together they are the whole.
    #[test]
    fn a_segment_is_the_digest_of_its_bytes() {
        const SHORT: usize = 64 << 10;
        let bytes = bytes(3 * SHORT + 600);
        for (length, parts) in [
            (SHORT, 1),
            (SHORT + 512, 1),
            (SHORT + 513, 2),
            (2 * SHORT, 2),
            (2 * SHORT + 512, 2),
            (2 * SHORT + 513, 3),
            (3 * SHORT + 600, 4),
        ] {
            let whole = Sdhash::BLOCKS.digest(&bytes[..length]).unwrap();
            let segments = whole.cut(SHORT as u64);
            assert_eq!(segments.len(), parts, "{length}");
            for (number, segment) in segments.iter().enumerate() {
                let end = if number + 1 == parts { length } else { (number + 1) * SHORT };
                assert_eq!(segment.digest, Sdhash::BLOCKS.digest(&bytes[number * SHORT..end]).unwrap(), "{length}");
            }
            let mut segments = segments.into_iter().map(|segment| segment.digest);
            let mut joined = segments.next().unwrap();
            segments.for_each(|next| joined.append(next));
            assert_eq!(joined, whole, "{length}");
        }
    }

    #[test]
    fn names_are_the_reference_s() {
        let digest = Sdhash::BLOCKS.digest(&bytes(1024)).unwrap();
        let name = |begin| Segment { begin, digest: digest.clone() }.name(b"a.b");
        assert_eq!(name(None), b"a.b");
        for (begin, expected) in [(0, "a.b.0000M"), (128, "a.b.0128M"), (12_800, "a.b.12800M")] {
            assert_eq!(name(Some(begin)), expected.as_bytes());
            assert_eq!(split_name(expected.as_bytes()), Some((&b"a.b"[..], begin)));
        }
        for other in ["a.b", ".0000M", "a.000M", "a.+128M", "a.00128M", "a.0128m", "a.M", "0128M"] {
            assert_eq!(split_name(other.as_bytes()), None, "{other}");
        }
    }

    /// A stated size that the filters do not bear out does no harm.
    #[test]
    fn a_false_size_is_no_panic() {
        let small = Sdhash::BLOCKS.digest(&bytes(40_000)).unwrap();
        let line = small.to_string().replace(":40000:", ":1000000000000000000:");
        let false_one: Digest = line.parse().unwrap();
        assert!(false_one.is_segmented());
        let segments = false_one.into_segments();
        assert_eq!(segments.len(), 1);
    }
}

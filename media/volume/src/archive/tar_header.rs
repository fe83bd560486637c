//! The headers of a tar: numbers, names, and what pax and GNU put in front of a member.

use super::sparse::Map;

/// Bytes of a header, and of each unit of the archive.
pub const BLOCK: usize = 512;

/// Whether these bytes begin with a header: the sum holds, and the magic is there or the header is
/// of the first Unix kind in all its fields.
pub fn is_header(start: &[u8]) -> bool {
    let Some(block) = start.get(..BLOCK).and_then(|block| <&[u8; BLOCK]>::try_from(block).ok()) else { return false };
    let magic = &block[257..262];
    // A name must be there, so that a block of few bits is not taken for one.
    block[0] != 0 && sum_holds(block) && (magic == b"ustar" || is_old(block))
}

fn is_old(block: &[u8; BLOCK]) -> bool {
    let octal = |range: std::ops::Range<usize>| {
        let field = &block[range];
        field.iter().any(u8::is_ascii_digit) && field.iter().all(|byte| matches!(byte, b'0'..=b'7' | b' ' | 0))
    };
    block[257..].iter().all(|byte| *byte == 0) && octal(100..108) && octal(124..136) && octal(136..148)
}

/// Whether the sum of a header is the one that it states, of bytes with or without signs.
pub fn sum_holds(block: &[u8; BLOCK]) -> bool {
    let Some(stated) = number(&block[148..156]) else { return false };
    let around = || block[..148].iter().chain(&block[156..]);
    let unsigned: u64 = around().map(|byte| u64::from(*byte)).sum::<u64>() + 8 * 32;
    let signed: i64 = around().map(|byte| i64::from(*byte as i8)).sum::<i64>() + 8 * 32;
    i128::from(unsigned) == stated || i128::from(signed) == stated
}

/// An octal number, or GNU's in base 256.
pub fn number(field: &[u8]) -> Option<i128> {
    match field {
        [first @ 0x80..=0xFF, rest @ ..] => {
            let sign = if first & 0x40 != 0 { -1 } else { 0 };
            let start = sign << 6 | i128::from(first & 0x3F);
            if rest.len() > 11 {
                return None;
            }
            Some(rest.iter().fold(start, |number, byte| number << 8 | i128::from(*byte)))
        }
        _ => {
            let text = field.trim_ascii_start();
            let end = text.iter().position(|byte| matches!(byte, 0 | b' ')).unwrap_or(text.len());
            text[..end].iter().try_fold(0, |number: i128, byte| match byte {
                b'0'..=b'7' => Some(number * 8 + i128::from(byte - b'0')),
                _ => None,
            })
        }
    }
}

fn text(field: &[u8]) -> &[u8] {
    &field[..field.iter().position(|byte| *byte == 0).unwrap_or(field.len())]
}

/// What a header states.
#[derive(Debug, Clone, Default)]
pub struct Header {
    pub path: Vec<u8>,
    pub link: Vec<u8>,
    pub kind: u8,
    /// Bytes in the archive.
    pub stored: u64,
    pub modified: Option<i128>,
    /// The runs of GNU's first sparse format, whether more follow, and the size with holes.
    pub sparse: Option<(Map, bool, u64)>,
}

impl Header {
    /// Reads a header whose sum holds.
    pub fn parse(block: &[u8; BLOCK]) -> Result<Header, &'static str> {
        let gnu = &block[257..265] == b"ustar  \0";
        let mut path = text(&block[..100]).to_vec();
        let prefix = text(&block[345..500]);
        if &block[257..263] == b"ustar\0" && !prefix.is_empty() {
            path = [prefix, b"/", &path].concat();
        }
        let stored = number(&block[124..136]).and_then(|size| u64::try_from(size).ok());
        let mut header = Header {
            path,
            link: text(&block[157..257]).to_vec(),
            kind: block[156],
            stored: stored.ok_or("its header states no size")?,
            modified: number(&block[136..148]).and_then(|seconds| seconds.checked_mul(1_000_000_000)),
            sparse: None,
        };
        if gnu && header.kind == b'S' {
            let real = number(&block[483..495]).and_then(|size| u64::try_from(size).ok());
            let map = runs(&block[386..482])?;
            header.sparse = Some((map, block[482] != 0, real.ok_or("its header states no size")?));
        }
        Ok(header)
    }
}

/// The runs of a header, or of a block behind it, of GNU's first sparse format.
pub fn runs(field: &[u8]) -> Result<Map, &'static str> {
    let mut map = Map::new();
    for run in field.chunks_exact(24) {
        if run[12] == 0 || run[0] == 0 {
            break;
        }
        let number = |field: &[u8]| number(field).and_then(|number| u64::try_from(number).ok());
        map.push((number(&run[..12]).ok_or("a wrong sparse map")?, number(&run[12..]).ok_or("a wrong sparse map")?));
    }
    Ok(map)
}

/// What extended headers of pax say of the next member, or of all.
#[derive(Debug, Clone, Default)]
pub struct Extended {
    pub path: Option<Vec<u8>>,
    pub link: Option<Vec<u8>>,
    pub size: Option<u64>,
    pub modified: Option<i128>,
    pub accessed: Option<i128>,
    pub changed: Option<i128>,
    /// GNU's sparse formats in pax: the version, the size with holes, the runs of 0.0 and 0.1.
    pub sparse: Option<(u8, u8)>,
    pub real: Option<u64>,
    pub map: Map,
}

impl Extended {
    /// Takes in the records `length key=value\n`.
    pub fn take(&mut self, mut records: &[u8]) -> Result<(), &'static str> {
        const WRONG: &str = "an extended header is malformed";
        while !records.is_empty() {
            let space = records.iter().position(|byte| *byte == b' ').ok_or(WRONG)?;
            let length = decimal(&records[..space]).and_then(|n| usize::try_from(n).ok()).ok_or(WRONG)?;
            let record = records.get(space + 1..length).and_then(|r| r.strip_suffix(b"\n")).ok_or(WRONG)?;
            records = &records[length..];
            let equals = record.iter().position(|byte| *byte == b'=').ok_or(WRONG)?;
            self.record(&record[..equals], &record[equals + 1..]).ok_or(WRONG)?;
        }
        Ok(())
    }

    fn record(&mut self, key: &[u8], value: &[u8]) -> Option<()> {
        match key {
            b"path" => self.path = Some(value.to_vec()),
            b"GNU.sparse.name" => {
                self.path = Some(value.to_vec());
                self.sparse.get_or_insert((0, 1));
            }
            b"linkpath" => self.link = Some(value.to_vec()),
            b"size" => self.size = Some(decimal(value)?),
            b"mtime" => self.modified = Some(time(value)?),
            b"atime" => self.accessed = Some(time(value)?),
            b"ctime" => self.changed = Some(time(value)?),
            b"GNU.sparse.major" => self.sparse.get_or_insert((0, 0)).0 = u8::try_from(decimal(value)?).ok()?,
            b"GNU.sparse.minor" => self.sparse.get_or_insert((0, 0)).1 = u8::try_from(decimal(value)?).ok()?,
            b"GNU.sparse.size" | b"GNU.sparse.realsize" => {
                self.real = Some(decimal(value)?);
                self.sparse.get_or_insert((0, 0));
            }
            b"GNU.sparse.offset" => self.map.push((decimal(value)?, 0)),
            b"GNU.sparse.numbytes" => self.map.last_mut()?.1 = decimal(value)?,
            b"GNU.sparse.map" if !value.is_empty() => {
                let numbers: Option<Vec<u64>> = value.split(|byte| *byte == b',').map(decimal).collect();
                self.map = numbers?.chunks_exact(2).map(|pair| (pair[0], pair[1])).collect();
            }
            _ => {}
        }
        Some(())
    }
}

/// A decimal number.
pub fn decimal(text: &[u8]) -> Option<u64> {
    str::from_utf8(text).ok().filter(|text| !text.starts_with('+'))?.parse().ok()
}

/// Seconds with a fraction, as nanoseconds.
fn time(text: &[u8]) -> Option<i128> {
    let text = str::from_utf8(text).ok()?;
    let (whole, fraction) = text.split_once('.').unwrap_or((text, ""));
    if !fraction.bytes().all(|byte| byte.is_ascii_digit()) {
        return None;
    }
    let seconds: i64 = whole.parse().ok()?;
    let digits: String = fraction.chars().chain(std::iter::repeat('0')).take(9).collect();
    let nanoseconds: i128 = digits.parse().ok()?;
    let sign = if whole.starts_with('-') { -1 } else { 1 };
    Some(i128::from(seconds) * 1_000_000_000 + sign * nanoseconds)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_of_both_bases() {
        assert_eq!(number(b"0000644\0"), Some(0o644));
        assert_eq!(number(b"   644 \0"), Some(0o644));
        assert_eq!(number(&[0x80, 0, 0, 0, 0, 0, 0, 2, 0, 0, 0, 1]), Some(0x2_0000_0001));
        assert_eq!(number(&[0xFF; 12]), Some(-1));
        assert_eq!(number(b"9"), None);
    }

    #[test]
    fn records_of_pax() {
        let mut extended = Extended::default();
        extended.take(b"18 path=a=b\nc/d e\n20 mtime=-1.5000000\n11 size=12\n").unwrap();
        assert_eq!(extended.path.as_deref(), Some(&b"a=b\nc/d e"[..]));
        assert_eq!((extended.modified, extended.size), (Some(-1_500_000_000), Some(12)));
        for wrong in [&b"5 a=b"[..], b"99 a=b\n", b"6 abc\n", b"0 a=b\n", b"x a=b\n", b"9 size=-\n"] {
            assert!(Extended::default().take(wrong).is_err(), "{wrong:?}");
        }
    }
}

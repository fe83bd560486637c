//! The headers of a tar: numbers, names, and the records that pax and GNU put in front of a member.

use super::sparse::Map;

/// Bytes of a header, and of each unit of the archive.
pub const BLOCK: usize = 512;

/// Whether these bytes begin with a header: the sum holds, and the magic is there or all fields of
/// the first Unix kind are those of a header.
pub fn is_header(start: &[u8]) -> bool {
    let Some(block) = start.get(..BLOCK).and_then(|block| <&[u8; BLOCK]>::try_from(block).ok()) else { return false };
    let magic = &block[257..262];
    // A name must be there, so that a block of few bits is not taken for one.
    block[0] != 0 && sum_holds(block) && (magic == b"ustar" || is_old(block))
}

fn is_old(block: &[u8; BLOCK]) -> bool {
    type Field = std::ops::Range<usize>;
    let is_empty = |field: Field| block[field].iter().all(|byte| *byte == 0);
    let is_octal = |field: Field| block[field].iter().all(|byte| matches!(byte, b'0'..=b'7' | b' ' | 0));
    let has_digits = |field: Field| is_octal(field.clone()) && block[field].iter().any(u8::is_ascii_digit);
    // GNU tar states device numbers in this format too.
    let is_v7 = is_empty(257..329) && is_octal(329..345) && is_empty(345..512);
    // star's first format has its own mark. Its prefix of long names is not read.
    let is_star = &block[508..] == b"tar\0" && is_empty(345..476);
    // Any other magic, with a type that is known and fields that end.
    let is_kind = matches!(block[156], 0 | b'0'..=b'7' | b'x' | b'g' | b'L' | b'K');
    let ends = [107, 115, 123, 135, 147].into_iter().all(|at| matches!(block[at], 0 | b' '));
    let is_other = is_kind && ends && is_octal(108..124) && has_digits(108..116);
    (is_v7 || is_star || is_other) && has_digits(100..108) && has_digits(124..136) && has_digits(136..148)
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

/// The fields of a header.
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

/// Extended headers of pax, for the next member or all.
#[derive(Debug, Clone, Default)]
pub struct PaxHeaders {
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

impl PaxHeaders {
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

    /// As `tar --format=v7` of GNU and `star -H star` write the header of an empty file `a`.
    #[test]
    fn headers_of_before_ustar() {
        let header = |fields: &[(usize, &[u8])]| {
            let mut block = [0; BLOCK];
            let shared: [(usize, &[u8]); 4] = [(0, b"a"), (100, b"0000644\0"), (124, b"0 "), (136, b"14213514557\0")];
            for (at, bytes) in shared.iter().chain(fields) {
                block[*at..at + bytes.len()].copy_from_slice(bytes);
            }
            let sum = block.iter().map(|byte| u32::from(*byte)).sum::<u32>() + 8 * 32;
            block[148..155].copy_from_slice(format!("{sum:06o}\0").as_bytes());
            block
        };
        assert!(is_header(&header(&[])));
        assert!(is_header(&header(&[(329, b"0000000\x000000000\0")])));
        let star: [(usize, &[u8]); 3] = [(257, b"1     3 "), (288, b"0@14214504303 "), (508, b"tar\0")];
        assert!(is_header(&header(&star)));
        assert!(!is_header(&header(&star[..2])) && !is_header(&header(&[star[2], (345, b"long")])));
    }

    #[test]
    fn records_of_pax() {
        let mut extended = PaxHeaders::default();
        extended.take(b"18 path=a=b\nc/d e\n20 mtime=-1.5000000\n11 size=12\n").unwrap();
        assert_eq!(extended.path.as_deref(), Some(&b"a=b\nc/d e"[..]));
        assert_eq!((extended.modified, extended.size), (Some(-1_500_000_000), Some(12)));
        for wrong in [&b"5 a=b"[..], b"99 a=b\n", b"6 abc\n", b"0 a=b\n", b"x a=b\n", b"9 size=-\n"] {
            assert!(PaxHeaders::default().take(wrong).is_err(), "{wrong:?}");
        }
    }
}

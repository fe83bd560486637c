//! Dumps of catalogues of storage sites (XRootD, dCache, EOS, Rucio, `gfal-sum`): a name, perhaps a
//! size, and last an Adler-32, which some print without leading zeros.
//!
//! The same form with eight digits is an SFV, whose value is a CRC-32. A list is taken for a dump
//! if it says `adler32:`, if the reader states it (an option, the list's name), or if its names are
//! paths from the root or addresses, which are none in an SFV. In the last case the algorithm is a
//! guess.

use pfh_digest::{Algorithm, Digest, Registry};

use crate::digits;
use crate::entry::{DecodeLine, Entry, Fault, ParsedLine};

/// Prefixes of a checksum.
const PREFIXES: [&[u8]; 4] = [b"adler32:", b"ADLER32:", b"adler32=", b"ADLER32="];
/// Separators of the fields of a line, one for a whole list. Names may hold spaces.
const SEPARATORS: [u8; 5] = [b'\t', b'|', b';', b',', b' '];

/// How the lines of a list look.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Shape {
    separator: u8,
    /// Whether a size in bytes stands between name and checksum.
    sized: bool,
    /// Whether the list or its reader says that it holds Adler-32.
    certain: bool,
}

/// The fields of a line.
struct Fields<'a> {
    name: &'a [u8],
    size: Option<u64>,
    digits: &'a [u8],
    /// Whether it says `adler32`.
    stated: bool,
}

/// The text in front of the last separator, and the field behind it.
fn last_field(line: &[u8], separator: u8) -> Option<(&[u8], &[u8])> {
    let at = line.iter().rposition(|&byte| byte == separator)?;
    Some((line[..at].trim_ascii_end(), line[at + 1..].trim_ascii()))
}

fn decimal(text: &[u8]) -> Option<u64> {
    text.iter().all(u8::is_ascii_digit).then(|| str::from_utf8(text).ok()?.parse().ok()).flatten()
}

impl Shape {
    fn fields<'a>(&self, line: &'a [u8]) -> Option<Fields<'a>> {
        let (rest, sum) = last_field(line.trim_ascii_end(), self.separator)?;
        let bare = PREFIXES.iter().find_map(|prefix| sum.strip_prefix(*prefix));
        let digits = bare.unwrap_or(sum);
        let (name, size) = match self.sized {
            false => (rest, None),
            true => {
                let (name, size) = last_field(rest, self.separator)?;
                (name, Some(decimal(size)?))
            }
        };
        let proper = !name.is_empty() && (1..=8).contains(&digits.len()) && digits.iter().all(u8::is_ascii_hexdigit);
        proper.then_some(Fields { name, size, digits, stated: bare.is_some() })
    }

    /// The shape that these lines have, the first and most others; `None` if they are not a dump.
    /// `named` says that the reader takes them for Adler-32.
    pub(crate) fn of<'a>(lines: impl Iterator<Item = &'a [u8]> + Clone, named: bool) -> Option<Shape> {
        let lines = lines.filter(|line| !is_comment(line));
        let shapes = SEPARATORS
            .into_iter()
            .flat_map(|separator| [true, false].map(|sized| Shape { separator, sized, certain: named }));
        shapes.into_iter().find_map(|shape| {
            // A line may be damaged, if it is not the first and others are whole.
            shape.fields(lines.clone().next()?)?;
            let found: Vec<Fields<'_>> = lines.clone().filter_map(|line| shape.fields(line)).collect();
            if 2 * found.len() <= lines.clone().count() {
                return None;
            }
            let stated = found.iter().all(|line| line.stated);
            // Names may end with a number: one line alone says too little.
            let doubtful = shape.sized && shape.separator == b' ' && found.len() < 2 && !stated;
            let from_root = found.iter().all(|line| is_from_root(line.name));
            // All other lists have a digest in front.
            let other = found.iter().any(|line| is_digest(line.name));
            let whole = found.iter().any(|line| line.digits.len() == 8);
            let dump = !doubtful && !other && (stated || named || (from_root && whole));
            dump.then_some(Shape { certain: named || stated, ..shape })
        })
    }
}

/// Whether a name is a path from the root, or an address such as `root://host//path`.
fn is_from_root(name: &[u8]) -> bool {
    let scheme = name.iter().take_while(|byte| byte.is_ascii_alphanumeric()).count();
    name.starts_with(b"/") || (scheme > 0 && name[scheme..].starts_with(b"://"))
}

/// Whether a line begins with a digest, or a word that may be one.
fn is_digest(name: &[u8]) -> bool {
    let first = name.split(|byte| matches!(byte, b' ' | b'\t' | b'*')).next().unwrap_or_default();
    let bare = PREFIXES.iter().find_map(|prefix| first.strip_prefix(*prefix)).unwrap_or(first);
    bare.len() >= 8 && bare.iter().all(u8::is_ascii_hexdigit)
}

fn is_comment(line: &[u8]) -> bool {
    line.starts_with(b"#") || line.trim_ascii().is_empty()
}

/// Reads them.
pub(crate) struct Decoder {
    adler: Option<Algorithm>,
    named: bool,
    shape: Option<Shape>,
}

impl Decoder {
    /// A reader of lines of this shape, which is found by the first line if it is not given.
    pub(crate) fn new(registry: Registry, shape: Option<Shape>, named: bool) -> Decoder {
        Decoder { adler: registry.find("adler32").ok(), named, shape }
    }

    fn digest(&self, text: &[u8]) -> Result<Digest, Fault> {
        let adler = self.adler.ok_or_else(|| Fault::UnknownAlgorithm("adler32".into()))?;
        digits::digest(adler, text)
    }
}

impl DecodeLine for Decoder {
    fn line(&mut self, line: &[u8]) -> ParsedLine {
        if is_comment(line) {
            return ParsedLine::Neutral;
        }
        let shape = self.shape.or_else(|| Shape::of(std::iter::once(line), self.named));
        self.shape = shape;
        let Some((shape, fields)) = shape.and_then(|shape| Some((shape, shape.fields(line)?))) else {
            return Fault::Malformed("does not end with an Adler-32 of up to eight digits, as the first line does")
                .into();
        };
        let guessed = !shape.certain && !fields.stated;
        let entry = |digest| Entry {
            name: fields.name.to_vec(),
            size: fields.size,
            digests: vec![digest],
            guessed,
            ..Entry::default()
        };
        self.digest(fields.digits).map(entry).into()
    }
}

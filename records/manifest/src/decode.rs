//! Reading manifests of every format: one record or one fault per physical line, in bounded memory.

use std::fmt;
use std::io::{self, BufRead, Cursor, Read};

use pfh_digest::{Algorithm, Digest, ROWS, Registry, Row};

use crate::ending::{Ending, Stated, Tally};
use crate::lines::{LIMIT, Line, Lines};
use crate::manifest::{End, Format, Outcome};
use crate::text::Text;
use crate::times::Times;
use crate::{csv, dfxml, hashdeep, jsonl, similarity, sums};

/// This many bytes tell a format.
const SNIFF: u64 = 512;

/// How to read.
#[derive(Clone, Debug)]
pub struct Options {
    /// The format; `None` to tell it from the first bytes.
    pub format: Option<Format>,
    /// The algorithms that a digest without a name may be of, first fit by length. Empty for the usual ones by length: MD5,
    /// SHA-1 and SHA-2.
    pub assumed: Vec<Algorithm>,
    /// Where `assumed` is empty: the algorithms to try first by length, such as those that the name of the list hints at.
    pub hints: Vec<Algorithm>,
    /// Take digests without a name of every length that some algorithm has by default, not only of the usual ones.
    pub any: bool,
    /// What ends a record of `sums` and `bsd`.
    pub end: End,
    /// The longest line, and for XML the longest token, in bytes.
    pub limit: usize,
}

impl Default for Options {
    fn default() -> Options {
        Options { format: None, assumed: Vec::new(), hints: Vec::new(), any: false, end: End::Line, limit: LIMIT }
    }
}

/// An entry that a manifest lists with digests.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Entry {
    /// The name: raw bytes, without NUL, never empty.
    pub name: Vec<u8>,
    /// Its size in bytes, where the format says.
    pub size: Option<u64>,
    /// Digests of the whole entry, of algorithms that the registry knows; empty only where there are pieces.
    pub digests: Vec<Digest>,
    /// Digests of windows. Formats with a line per piece give an entry per piece.
    pub pieces: Vec<Window>,
    /// Timestamps, where the format has them.
    pub times: Times,
    /// Whether the algorithm of its only digest was told by the digest's form alone: it may be of another of that form.
    pub guessed: bool,
    /// The names of algorithms that are not known here, of which it has digests, too.
    pub foreign: Vec<Box<str>>,
}

/// A window of an entry and its digests.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Window {
    /// Where it starts, in bytes.
    pub offset: u64,
    /// Its length in bytes.
    pub length: u64,
    /// Its digests.
    pub digests: Vec<Digest>,
}

/// An entry that a manifest lists without digests, because reading it failed or it was skipped.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unhashed {
    /// The name: raw bytes.
    pub name: Vec<u8>,
    /// Failed or skipped.
    pub outcome: Outcome,
    /// The cause as the manifest gives it, for machines.
    pub code: String,
}

/// Why a line is no record.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Fault {
    /// Longer than the limit; it was skipped to its end.
    TooLong,
    /// It holds a NUL byte.
    Nul,
    /// It has not the form of the format; the text says what is amiss.
    Malformed(&'static str),
    /// The digits are not as many as the algorithm (or any that is assumed) has.
    WrongLength,
    /// It names this algorithm, which is not known, and no other.
    UnknownAlgorithm(Box<str>),
    /// It is of another algorithm than those that are assumed.
    Unasked,
    /// It has digests of something that is no file: a directory, a link.
    NoFile(&'static str),
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Fault::TooLong => f.write_str("line too long"),
            Fault::Nul => f.write_str("holds a NUL byte"),
            Fault::Malformed(why) => f.write_str(why),
            Fault::WrongLength => f.write_str("digest of a wrong length"),
            Fault::UnknownAlgorithm(name) if name.is_empty() => f.write_str("unknown algorithm"),
            Fault::UnknownAlgorithm(name) => {
                write!(f, "unknown algorithm {}", pfh_source::terminal::render(name.as_bytes()))
            }
            Fault::Unasked => f.write_str("a digest of another algorithm than was asked for"),
            Fault::NoFile(kind) => write!(f, "digests of a {kind}, not of a file"),
        }
    }
}

impl std::error::Error for Fault {}

/// What a place in a manifest holds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Item {
    /// An entry with digests.
    Entry(Entry),
    /// An entry without.
    Unhashed(Unhashed),
    /// Something that is no record.
    Fault(Fault),
}

/// An item and the line on which it ends, from 1.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Located {
    /// The number of the physical line.
    pub line: u64,
    /// What stands there.
    pub item: Item,
}

/// What a format's decoder makes of one line.
pub(crate) enum Parsed {
    Item(Item),
    /// A comment, an empty line or a header.
    Neutral,
    /// The manifest says that it will have an end.
    Promise,
    /// The directory in which relative names start.
    Base(Vec<u8>),
    /// The end, and the counts that it states.
    End(Stated),
}

impl From<Fault> for Parsed {
    fn from(fault: Fault) -> Parsed {
        Parsed::Item(Item::Fault(fault))
    }
}

impl From<Result<Entry, Fault>> for Parsed {
    fn from(result: Result<Entry, Fault>) -> Parsed {
        Parsed::Item(match result {
            Ok(entry) => Item::Entry(entry),
            Err(fault) => Item::Fault(fault),
        })
    }
}

/// Decodes the lines of one format.
pub(crate) trait DecodeLine: Send {
    fn line(&mut self, line: &[u8]) -> Parsed;

    /// An item of lines that were held back as neutral until others came, or until the end. It is asked for as long as there is one.
    fn held(&mut self, _ended: bool) -> Option<Item> {
        None
    }
}

type Source<R> = std::io::Chain<Cursor<Vec<u8>>, Text<R>>;

enum Form<R> {
    Lines { lines: Lines<Source<R>>, decoder: Box<dyn DecodeLine>, end: End },
    Xml(Box<dfxml::Decoder<Source<R>>>),
}

/// Reads a manifest item by item. The iterator's errors are the reader's own, and end it.
pub struct Decoder<R> {
    format: Format,
    form: Form<R>,
    neutral: u64,
    ended: bool,
    tally: Tally,
    base: Option<Vec<u8>>,
}

impl<R: BufRead> Decoder<R> {
    /// Starts to read: finds a byte order mark and, unless told, the format. Errors are the reader's own.
    pub fn open(reader: R, options: &Options) -> io::Result<Decoder<R>> {
        // A reference to a static is not promoted to one that lives for ever.
        static LISTS: [&[Row]; 1] = [ROWS];
        Decoder::with_registry(reader, options, Registry::new(&LISTS))
    }

    /// The same with the algorithms of a registry that others joined.
    pub fn with_registry(reader: R, options: &Options, registry: Registry) -> io::Result<Decoder<R>> {
        let mut text = Text::open(reader)?;
        let mut start = Vec::new();
        text.by_ref().take(SNIFF).read_to_end(&mut start)?;
        let format = options.format.unwrap_or_else(|| sniff(&start));
        let source = Cursor::new(start).chain(text);
        let end = if matches!(format, Format::Sums | Format::Bsd) { options.end } else { End::Line };
        let decoder: Box<dyn DecodeLine> = match format {
            Format::Sums | Format::Bsd => Box::new(sums::Decoder::new(registry, options, end)),
            Format::Hashdeep => Box::new(hashdeep::Decoder::new(registry)),
            Format::Jsonl => Box::new(jsonl::Decoder::new(registry)),
            Format::Csv => Box::new(csv::Decoder::new(registry)),
            Format::Ssdeep => Box::new(similarity::ssdeep::Decoder::new(registry)),
            Format::Sdbf => Box::new(similarity::sdbf::Decoder::new(registry)),
            Format::Mrsh => Box::new(similarity::mrsh::Decoder::new(registry, &options.assumed)),
            Format::Dfxml => {
                let form = Form::Xml(Box::new(dfxml::Decoder::new(source, registry, options.limit)));
                return Ok(Decoder { format, form, neutral: 0, ended: false, tally: Tally::default(), base: None });
            }
        };
        let form = Form::Lines { lines: Lines::new(source, end.byte(), options.limit), decoder, end };
        // Only we write these lines, and we end them.
        let tally = Tally::new(format == Format::Jsonl);
        Ok(Decoder { format, form, neutral: 0, ended: false, tally, base: None })
    }

    /// The format that was told or found. [`Format::Sums`] stands for plain and tagged lines, which may be mixed.
    pub fn format(&self) -> Format {
        self.format
    }

    /// What became of the end that the manifest promises. Good once the iterator has given `None`.
    pub fn ending(&self) -> Ending {
        self.tally.ending()
    }

    /// The directory in which its relative names start, where it says so.
    pub fn base(&self) -> Option<&[u8]> {
        match &self.form {
            Form::Xml(decoder) => decoder.base(),
            Form::Lines { .. } => self.base.as_deref(),
        }
    }

    /// How many lines so far were comments, headers, summaries or empty. With the items they add up to the physical lines (of
    /// formats that have lines).
    pub fn neutral(&self) -> u64 {
        self.neutral
    }
}

impl<R: BufRead> Iterator for Decoder<R> {
    type Item = io::Result<Located>;

    fn next(&mut self) -> Option<io::Result<Located>> {
        if self.ended {
            return None;
        }
        let (lines, decoder, end) = match &mut self.form {
            Form::Xml(decoder) => {
                let item = decoder.next(&mut self.tally);
                self.ended = !matches!(item, Some(Ok(_)));
                return item;
            }
            Form::Lines { lines, decoder, end } => (lines, decoder, *end),
        };
        loop {
            let mut held = decoder.held(false);
            let parsed = match if held.is_some() { Ok(None) } else { lines.next() } {
                Ok(None) => {
                    held = held.or_else(|| decoder.held(true));
                    let Some(item) = held else {
                        self.ended = true;
                        return None;
                    };
                    // One of its lines is the item's, and was counted as neutral.
                    self.neutral -= 1;
                    self.tally.count(&item);
                    return Some(Ok(Located { line: lines.number(), item }));
                }
                Err(error) => {
                    self.ended = true;
                    return Some(Err(error));
                }
                Ok(Some(Line::TooLong)) => Fault::TooLong.into(),
                Ok(Some(Line::Whole(line))) if line.contains(&0) => Fault::Nul.into(),
                Ok(Some(Line::Whole(line))) if end == End::Line => {
                    decoder.line(line.strip_suffix(b"\r").unwrap_or(line))
                }
                Ok(Some(Line::Whole(line))) => decoder.line(line),
            };
            match parsed {
                Parsed::Item(item) => {
                    self.tally.count(&item);
                    return Some(Ok(Located { line: lines.number(), item }));
                }
                Parsed::Neutral => {}
                Parsed::Promise => self.tally.promise(),
                Parsed::End(stated) => self.tally.end(&stated),
                Parsed::Base(base) => self.base = Some(base),
            }
            self.neutral += 1;
        }
    }
}

/// The format that a manifest starts like; sums for anything that is not plainly another.
pub(crate) fn sniff(start: &[u8]) -> Format {
    let start = start.trim_ascii_start();
    let first = start.split(|&byte| byte == b'\n').next().unwrap_or_default();
    if start.starts_with(b"%%%%") {
        Format::Hashdeep
    } else if start.starts_with(b"<") {
        Format::Dfxml
    } else if start.starts_with(b"{") {
        Format::Jsonl
    } else if csv::is_header(first) {
        Format::Csv
    } else if start.starts_with(b"ssdeep,1.") {
        Format::Ssdeep
    } else if start.starts_with(b"sdbf:03:0::") || start.starts_with(b"sdbf-dd:03:0::") {
        // A digest without the name in it: the name stands behind, as in any list.
        Format::Sums
    } else if start.starts_with(b"sdbf:") || start.starts_with(b"sdbf-dd:") {
        Format::Sdbf
    } else if is_mrsh(first) {
        Format::Mrsh
    } else {
        Format::Sums
    }
}

/// Whether a line starts as mrsh-v2's: a name, three numbers and many digits in capitals.
fn is_mrsh(first: &[u8]) -> bool {
    let mut fields = first.splitn(5, |&byte| byte == b':');
    let (name, numbers) = (fields.next(), [fields.next(), fields.next(), fields.next()]);
    let number = |field: &Option<&[u8]>| field.is_some_and(|f| !f.is_empty() && f.iter().all(u8::is_ascii_digit));
    let digit = |byte: &u8| matches!(byte, b'0'..=b'9' | b'A'..=b'F');
    name.is_some_and(|name| !name.is_empty())
        && numbers.iter().all(number)
        && fields.next().is_some_and(|digits| digits.len() >= 16 && digits.trim_ascii_end().iter().all(digit))
}

//! Reading manifests of every format: one record or one fault per physical line, in bounded memory.

use std::io::{self, BufRead, Cursor, Read};

use pfh_digest::{Algorithm, ROWS, Registry, Row};
use pfh_similarity::ssdeep;
use pfh_source::text::{self, Text};

use crate::ending::{Ending, Tally};
use crate::entry::{DecodeLine, Fault, Item, Located, Options, Parsed};
use crate::format::{End, Format};
use crate::lines::{Line, Lines};
use crate::{bsd, csv, dfxml, hashdeep, jsonl, others, similarity, sums};

/// This many bytes tell a format.
const SNIFF: u64 = 512;

/// One type for every reader, so that each format's code is compiled once.
pub(crate) type Source<'a> = std::io::Chain<Cursor<Vec<u8>>, Text<Box<dyn BufRead + 'a>>>;

enum Dialect<'a> {
    Lines {
        lines: Lines<Source<'a>>,
        decoder: Box<dyn DecodeLine>,
        end: End,
    },
    Xml(Box<dfxml::Decoder<Source<'a>>>),
    /// Documents that were read as wholes, and how many items were given.
    Whole(std::vec::IntoIter<Item>, u64),
}

/// Reads a manifest item by item. The iterator's errors are the reader's own, and end it.
pub struct Decoder<'a> {
    format: Format,
    form: Dialect<'a>,
    neutral: u64,
    ended: bool,
    tally: Tally,
    base: Option<Vec<u8>>,
}

impl<'a> Decoder<'a> {
    /// Starts to read: finds a byte order mark and, unless it is given, the format. Errors are the
    /// reader's own.
    pub fn open(reader: impl BufRead + 'a, options: &Options) -> io::Result<Decoder<'a>> {
        // A reference to a static is not promoted to one that lives for ever.
        static LISTS: [&[Row]; 1] = [&ROWS];
        Decoder::with_registry(reader, options, Registry::new(&LISTS))
    }

    /// The same with the algorithms of a registry that others joined.
    pub fn with_registry(reader: impl BufRead + 'a, options: &Options, registry: Registry) -> io::Result<Decoder<'a>> {
        Decoder::boxed(Box::new(reader), options, registry)
    }

    fn boxed(reader: Box<dyn BufRead + 'a>, options: &Options, registry: Registry) -> io::Result<Decoder<'a>> {
        let mut text = Text::open(reader)?;
        let mut start = Vec::new();
        text.by_ref().take(SNIFF).read_to_end(&mut start)?;
        let format = options.format.unwrap_or_else(|| sniff(registry, &start, options.named()));
        let says_sfv = options.format.is_some() || options.named().first().is_some_and(|first| first.name() == "crc32");
        let named = is_adler(options.named());
        let shape = if format == Format::Catalogue { dump(&start, named) } else { None };
        let end = if matches!(format, Format::Sums | Format::Bsd) { options.end } else { End::Line };
        let windows = end == End::Line && text::has_windows_lines(&start);
        let source = Cursor::new(start).chain(text);
        let decoder: Box<dyn DecodeLine> = match format {
            Format::Sums | Format::Bsd => Box::new(sums::Decoder::new(registry, options, end, windows)),
            Format::Hashdeep => Box::new(hashdeep::Decoder::new(registry, windows)),
            Format::Jsonl => Box::new(jsonl::Decoder::new(registry)),
            Format::Csv => Box::new(csv::Decoder::new(registry)),
            Format::Ssdeep => Box::new(similarity::ssdeep::Decoder::new(registry)),
            Format::Sdbf => Box::new(similarity::sdbf::Decoder::new(registry)),
            Format::Mrsh => Box::new(similarity::mrsh::Decoder::new(registry, &options.assumed)),
            Format::Sfv => Box::new(others::sfv::Decoder::new(registry, says_sfv)),
            Format::Catalogue => Box::new(others::catalogue::Decoder::new(registry, shape, named)),
            Format::Filehash => Box::new(others::filehash::Decoder::new(registry)),
            Format::Certutil => Box::new(others::certutil::Decoder::new(registry)),
            Format::Table => Box::new(others::table::Decoder::new(registry, &options.assumed)),
            Format::Json => {
                let items = others::json::read(source, registry, &options.assumed, options.limit)?;
                let form = Dialect::Whole(items.into_iter(), 0);
                return Ok(Decoder { format, form, neutral: 0, ended: false, tally: Tally::default(), base: None });
            }
            Format::Dfxml => {
                let form = Dialect::Xml(Box::new(dfxml::Decoder::new(source, registry, options.limit)));
                return Ok(Decoder { format, form, neutral: 0, ended: false, tally: Tally::default(), base: None });
            }
        };
        let form = Dialect::Lines { lines: Lines::new(source, end.byte(), options.limit), decoder, end };
        // Only we write these lines, and we end them.
        let tally = Tally::new(format == Format::Jsonl);
        Ok(Decoder { format, form, neutral: 0, ended: false, tally, base: None })
    }

    /// The format that was given or found. [`Format::Sums`] stands for plain and tagged lines,
    /// which may be mixed.
    pub fn format(&self) -> Format {
        self.format
    }

    /// The outcome of the end that the manifest promises. Good once the iterator has given `None`.
    pub fn ending(&self) -> Ending {
        self.tally.ending()
    }

    /// The directory in which its relative names start, where it says so.
    pub fn base(&self) -> Option<&[u8]> {
        match &self.form {
            Dialect::Xml(decoder) => decoder.base(),
            Dialect::Lines { .. } | Dialect::Whole(..) => self.base.as_deref(),
        }
    }

    /// How many lines so far were comments, headers, summaries or empty. With the items they add up
    /// to the physical lines (of formats that have lines).
    pub fn neutral(&self) -> u64 {
        self.neutral
    }
}

impl Iterator for Decoder<'_> {
    type Item = io::Result<Located>;

    fn next(&mut self) -> Option<io::Result<Located>> {
        if self.ended {
            return None;
        }
        let (lines, decoder, end) = match &mut self.form {
            Dialect::Xml(decoder) => {
                let item = decoder.next(&mut self.tally);
                self.ended = !matches!(item, Some(Ok(_)));
                return item;
            }
            Dialect::Whole(items, number) => {
                *number += 1;
                return items.next().map(|item| Ok(Located { line: *number, item }));
            }
            Dialect::Lines { lines, decoder, end } => (lines, decoder, *end),
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

/// Whether digests without a name are Adler-32 before anything else.
fn is_adler(named: &[Algorithm]) -> bool {
    named.first().is_some_and(|first| first.name() == "adler32")
}

/// The shape of a site's dump, if the whole lines of this beginning have one.
fn dump(start: &[u8], named: bool) -> Option<others::catalogue::Shape> {
    let whole =
        if (start.len() as u64) < SNIFF { Some(start.len()) } else { start.iter().rposition(|&byte| byte == b'\n') };
    let end = whole.unwrap_or(0);
    let lines = start[..end].split(|&byte| byte == b'\n').map(|line| line.strip_suffix(b"\r").unwrap_or(line));
    others::catalogue::Shape::of(lines, named)
}

/// The format that a manifest starts like; sums for anything that is not plainly another. `named`
/// are the algorithms of digests without a name, if the reader was given those.
pub(crate) fn sniff(registry: Registry, start: &[u8], named: &[Algorithm]) -> Format {
    let start = start.trim_ascii_start();
    let mut lines = start.split(|&byte| byte == b'\n').map(|line| line.strip_suffix(b"\r").unwrap_or(line));
    let first = lines.next().unwrap_or_default();
    if start.starts_with(b"%%%%") {
        Format::Hashdeep
    } else if start.starts_with(b"<") {
        Format::Dfxml
    } else if start.starts_with(b"{") {
        if is_ours(first) { Format::Jsonl } else { Format::Json }
    } else if start.starts_with(b"[") {
        Format::Json
    } else if csv::is_header(first) {
        Format::Csv
    } else if start.starts_with(b"ssdeep,1.") || is_ssdeep(first) {
        Format::Ssdeep
    } else if start.starts_with(b"sdbf:03:0::") || start.starts_with(b"sdbf-dd:03:0::") {
        // A digest without the name in it: the name stands behind, as in any list.
        Format::Sums
    } else if start.starts_with(b"sdbf:") || start.starts_with(b"sdbf-dd:") {
        Format::Sdbf
    } else if is_mrsh(first) {
        Format::Mrsh
    } else if others::filehash::is_start(first) {
        Format::Filehash
    } else if others::certutil::head(first).is_some() {
        Format::Certutil
    } else if others::table::is_header(registry, table_header(first, lines.clone())) {
        Format::Table
    } else if (named.is_empty() || is_adler(named)) && dump(start, is_adler(named)).is_some() {
        Format::Catalogue
    } else if is_sfv(registry, first, lines) {
        Format::Sfv
    } else {
        Format::Sums
    }
}

/// Whether a line of JSON is one of this program's: it says first of what type it is, or has a path
/// and digests beside a type. STIX and others have a member `type` as well.
pub(crate) fn is_ours(line: &[u8]) -> bool {
    let text = String::from_utf8_lossy(line).replace([' ', '\t'], "");
    let kinds = ["base", "file", "error", "skipped", "summary"];
    let mut starts = kinds.iter().map(|kind| format!("{{\"type\":\"{kind}\""));
    let members = ["\"type\":\"file\"", "\"path\":", "\"digests\":"];
    starts.any(|start| text.starts_with(&start)) || members.iter().all(|member| text.contains(member))
}

/// The header line of a table: the first that is not PowerShell's remark about a type.
fn table_header<'a>(first: &'a [u8], mut others: impl Iterator<Item = &'a [u8]>) -> &'a [u8] {
    if first.starts_with(others::table::TYPE) { others.next().unwrap_or_default() } else { first }
}

/// Whether the first line that is not a comment has a name first and a CRC-32 last. A list whose
/// only comments are seen is one if they say so.
fn is_sfv<'a>(registry: Registry, first: &'a [u8], others: impl Iterator<Item = &'a [u8]>) -> bool {
    let mut lines = std::iter::once(first).chain(others).filter(|line| !line.trim_ascii().is_empty());
    match lines.find(|line| !others::is_comment(line)) {
        Some(line) => {
            let start = line.split(|byte| matches!(byte, b' ' | b'\t' | b'*')).next().unwrap_or_default();
            let is_digest = start.len() >= 8 && start.iter().all(u8::is_ascii_hexdigit);
            let is_other = is_digest || bsd::split(line).is_some();
            !is_other
                && others::sfv::split(registry, line.trim_ascii_end())
                    .is_some_and(|(_, digest)| digest.bytes().len() == 4)
        }
        None => first.to_ascii_uppercase().windows(3).any(|word| word == b"SFV"),
    }
}

/// Whether a line is ssdeep's, of a list that lost its header: `digest,"name`.
fn is_ssdeep(first: &[u8]) -> bool {
    let comma = first.iter().take(150).position(|&byte| byte == b',');
    comma.is_some_and(|at| first[at + 1..].starts_with(b"\"") && ssdeep::Digest::parse(&first[..at]).is_ok())
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

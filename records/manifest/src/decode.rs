//! Reading manifests of every format: one record or one fault per physical line, in bounded memory.

use std::io::{self, BufRead, Cursor, Read};
use std::ops::ControlFlow;

use pfh_digest::{Algorithm, ROWS, Registry, Row};
use pfh_similarity::{MethodName, ssdeep};
use pfh_source::text::Text;

use crate::columns::{self, Columns};
use crate::ending::{Ending, Tally};
use crate::entry::{DecodeLine, Fault, Item, LocatedItem, Options, ParsedLine};
use crate::format::{End, Format};
use crate::html::{self, Page};
use crate::lines::{Line, Lines};
use crate::returns::{self, Returns};
use crate::sample::{self, Sample};
use crate::signature::{Clear, Signature};
use crate::{blocks, bsd, csv, dfxml, digits, hashdeep, json, jsonl, others, roles, similarity, sums, xml};

/// One type for every reader, so that each format's code is compiled once.
pub(crate) type Source<'a> = io::Chain<Cursor<Vec<u8>>, Rest<'a>>;

/// A text behind its first bytes.
pub(crate) type Rest<'a> = Box<dyn BufRead + 'a>;

/// The first bytes of a text, and the text behind them: without the signature that stands in it.
/// Of one that is neither signed nor a page `lines` says that CR may end the lines, if alone.
pub(crate) fn unsigned<'a>(
    reader: Box<dyn BufRead + 'a>,
    lines: bool,
) -> io::Result<(Vec<u8>, Rest<'a>, Option<Signature>)> {
    let (start, text) = begun(Box::new(Text::open(reader)?))?;
    let signature = Signature::of(&start);
    if signature.is_some() {
        let (start, text) = begun(Box::new(Clear::new(Cursor::new(start).chain(text))))?;
        return Ok((start, text, signature));
    }
    if lines && returns::ends_lines(&start) && !html::is_page(&start) {
        let (start, text) = begun(Box::new(Returns::new(Cursor::new(start).chain(text))))?;
        return Ok((start, text, None));
    }
    Ok((start, text, None))
}

/// The first bytes of a text, and the text behind them.
fn begun<'a>(mut text: Box<dyn BufRead + 'a>) -> io::Result<(Vec<u8>, Rest<'a>)> {
    let mut start = Vec::new();
    text.by_ref().take(sample::BYTES).read_to_end(&mut start)?;
    Ok((start, text))
}

enum Dialect<'a> {
    Lines {
        lines: Box<Lines<Source<'a>>>,
        decoder: Box<dyn DecodeLine>,
        end: End,
    },
    Xml(Box<dfxml::Decoder<Source<'a>>>),
    Document(Box<xml::Decoder<Source<'a>>>),
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
    remarks: Vec<String>,
    signed: bool,
    flat: bool,
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
        let lines = options.format.is_none() && options.end == End::Line;
        let (mut start, mut text, signature) = unsigned(reader, lines)?;
        let signed = signature.is_some();
        let is_page = !signed && options.format.is_none() && html::is_page(&start);
        if is_page {
            (start, text) = begun(Box::new(Page::new(Cursor::new(start).chain(text), registry)))?;
        }
        let other = match packed(&start) {
            Some(by) => Some(format!("packed with {by}, which is not unpacked here")),
            None if options.format.is_some() => None,
            None if is_page && !html::holds_digests(&start) => Some("a page in HTML".to_owned()),
            None => others::foreign(&start).map(str::to_owned),
        };
        if let Some(other) = other {
            let items = vec![Item::Fault(Fault::NotUnderstood(other.into()))];
            return Ok(Decoder::of(Format::Sums, Dialect::Whole(items.into_iter(), 0), Vec::new(), false));
        }
        let source = Cursor::new(start.clone()).chain(text);
        let sample = Sample::of(&start);
        let stated = !options.columns.is_empty();
        let format = match options.format {
            _ if stated => Format::Table,
            Some(format) => format,
            None => sniff(registry, &start, options.named()),
        };
        let says_sfv = options.format.is_some() || options.named().first().is_some_and(|first| first.name() == "crc32");
        let named = is_adler(options.named());
        let end = match format {
            Format::Sums if options.format.is_none() && sums::ends_with_nul(&start) => End::Nul,
            Format::Sums | Format::Bsd => options.end,
            _ => End::Line,
        };
        let mut remarks: Vec<String> = signature.map(|signature| signature.remark().to_owned()).into_iter().collect();
        let decoder: Box<dyn DecodeLine> = match format {
            Format::Sums | Format::Bsd => {
                let shape = if end == End::Line { others::trailing::Shape::of(&sample.lines) } else { None };
                remarks.extend(shape.and_then(others::trailing::Shape::remark).map(str::to_owned));
                let text = if end == End::Line { sample.text_in_front() } else { 0 };
                let is_labels = |line: &&[u8]| text == 1 && roles::is_heading(registry, line);
                if text > 0 && !sample.lines.iter().find(|line| !line.is_empty()).is_some_and(is_labels) {
                    let lines = if text == 1 { "line" } else { "lines" };
                    remarks.push(format!("passed over {text} {lines} of text in front of its records"));
                }
                Box::new(sums::Decoder::new(registry, options, end, &sample))
            }
            Format::Hashdeep => Box::new(hashdeep::Decoder::new(registry, sample.windows)),
            Format::Jsonl => Box::new(jsonl::Decoder::new(registry)),
            Format::Csv => Box::new(csv::Decoder::new(registry)),
            Format::Ssdeep => Box::new(similarity::ssdeep::Decoder::new(registry)),
            Format::Sdbf => Box::new(similarity::sdbf::Decoder::new(registry)),
            Format::Mrsh => Box::new(similarity::mrsh::Decoder::new(registry, &options.assumed)),
            Format::Sfv => Box::new(others::sfv::Decoder::new(registry, says_sfv)),
            Format::Catalogue => Box::new(others::catalogue::Decoder::new(registry, dump(&sample, named), named)),
            Format::Filehash => Box::new(others::filehash::Decoder::new(registry)),
            Format::Certutil => Box::new(others::certutil::Decoder::new(registry)),
            Format::Gpg => Box::new(others::gpg::Decoder::new(registry, options)),
            Format::Mtree => Box::new(others::mtree::Decoder::new(registry)),
            Format::Aide => Box::new(others::aide::Decoder::new(registry)),
            Format::Blocks => Box::new(blocks::Decoder::new(registry, options, &sample)),
            Format::Table => {
                let columns = match stated {
                    true => Columns::stated(registry, &options.columns, &sample),
                    false => {
                        let columns = Columns::of(registry, &sample);
                        columns.or_else(|| Columns::checksums(registry, &sample)).unwrap_or_default()
                    }
                };
                remarks.extend(columns.remark());
                Box::new(columns::Decoder::new(registry, options, columns))
            }
            Format::Json => {
                let items = match others::ocfl::is_inventory(&start) {
                    true => others::ocfl::read(source, registry)?,
                    false => documents(source, registry, options)?,
                };
                return Ok(Decoder::of(format, Dialect::Whole(items.into_iter(), 0), remarks, signed));
            }
            Format::Dfxml => {
                let form = Dialect::Xml(Box::new(dfxml::Decoder::new(source, registry, options.limit)));
                return Ok(Decoder::of(format, form, remarks, signed));
            }
            Format::Xml => {
                let form = Dialect::Document(Box::new(xml::Decoder::new(source, registry, options)));
                return Ok(Decoder::of(format, form, remarks, signed));
            }
        };
        let flat = sample.lines.first().is_some_and(|line| others::links::is_link(line));
        let form = Dialect::Lines { lines: Box::new(Lines::new(source, end.byte(), options.limit)), decoder, end };
        Ok(Decoder { flat, ..Decoder::of(format, form, remarks, signed) })
    }

    fn of(format: Format, form: Dialect<'a>, remarks: Vec<String>, signed: bool) -> Decoder<'a> {
        // Only we write JSON lines, and we end them.
        let tally = Tally::new(format == Format::Jsonl);
        Decoder { format, form, neutral: 0, ended: false, tally, base: None, remarks, signed, flat: false }
    }

    /// Whether a signature stands in it, which covers the lines as they are.
    pub fn is_signed(&self) -> bool {
        self.signed
    }

    /// Whether its form has no place for the directories of names.
    pub fn is_flat(&self) -> bool {
        self.flat
    }

    /// How it was read, where that is not plain, a sentence each.
    pub fn remarks(&self) -> &[String] {
        &self.remarks
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
            Dialect::Lines { .. } | Dialect::Whole(..) | Dialect::Document(_) => self.base.as_deref(),
        }
    }

    /// How many lines so far were comments, headers, summaries or empty. With the items they add up
    /// to the physical lines (of formats that have lines).
    pub fn neutral(&self) -> u64 {
        self.neutral
    }
}

impl Iterator for Decoder<'_> {
    type Item = io::Result<LocatedItem>;

    fn next(&mut self) -> Option<io::Result<LocatedItem>> {
        if self.ended {
            return None;
        }
        let (lines, decoder, end) = match &mut self.form {
            Dialect::Xml(decoder) => {
                let item = decoder.next(&mut self.tally);
                self.ended = !matches!(item, Some(Ok(_)));
                return item;
            }
            Dialect::Document(decoder) => {
                let item = decoder.next(&mut self.tally);
                self.ended = !matches!(item, Some(Ok(_)));
                return item;
            }
            Dialect::Whole(items, number) => {
                *number += 1;
                return items.next().map(|item| Ok(LocatedItem { line: *number, item }));
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
                    return Some(Ok(LocatedItem { line: lines.number(), item }));
                }
                Err(error) => {
                    self.ended = true;
                    return Some(Err(error));
                }
                Ok(Some(Line::TooLong)) => Fault::TooLong.into(),
                Ok(Some(Line::Whole(line))) if line.contains(&0) => Fault::Nul.into(),
                // Programs of DOS end texts with it.
                Ok(Some(Line::Whole(b"\x1A"))) if end == End::Line => ParsedLine::Neutral,
                Ok(Some(Line::Whole(line))) if end == End::Line => decoder.line(sample::bare(line)),
                Ok(Some(Line::Whole(line))) => decoder.line(line),
            };
            match parsed {
                ParsedLine::Item(item) => {
                    self.tally.count(&item);
                    return Some(Ok(LocatedItem { line: lines.number(), item }));
                }
                ParsedLine::Neutral => {}
                ParsedLine::Promise => self.tally.promise(),
                ParsedLine::End(stated) => self.tally.end(&stated),
                ParsedLine::Base(base) => self.base = Some(base),
            }
            self.neutral += 1;
        }
    }
}

/// The program that packed a text which begins so, where it is not unpacked on the way here.
pub(crate) fn packed(start: &[u8]) -> Option<&'static str> {
    const PACKED: [(&[u8], &str); 5] = [
        (b"\x28\xB5\x2F\xFD", "zstd"),
        (b"\xFD7zXZ\0", "xz"),
        (b"BZh", "bzip2"),
        (b"PK\x03\x04", "zip"),
        (b"7z\xBC\xAF\x27\x1C", "7-Zip"),
    ];
    PACKED.iter().find(|(magic, _)| start.starts_with(magic)).map(|(_, name)| *name)
}

/// The items of documents in JSON.
fn documents(source: Source<'_>, registry: Registry, options: &Options) -> io::Result<Vec<Item>> {
    let candidates = digits::wanted(registry, options);
    let mut items = Vec::new();
    json::read(source, registry, options.limit, &mut |_, object| {
        match object {
            Ok(object) => items.extend(object.items(registry, &candidates)),
            Err(fault) => items.push(Item::Fault(fault)),
        }
        ControlFlow::Continue(())
    })?;
    if items.is_empty() {
        items.push(Item::Fault(Fault::NotUnderstood("JSON without a name and a digest of a known algorithm".into())));
    }
    Ok(items)
}

/// Whether digests without a name are Adler-32 before anything else.
fn is_adler(named: &[Algorithm]) -> bool {
    named.first().is_some_and(|first| first.name() == "adler32")
}

/// The shape of a site's dump, if the whole lines of this beginning have one.
fn dump(sample: &Sample<'_>, named: bool) -> Option<others::catalogue::Shape> {
    others::catalogue::Shape::of(sample.lines.iter().copied(), named)
}

/// The format that a manifest starts like; sums for anything that is not plainly another. `named`
/// are the algorithms of digests without a name, if the reader was given those.
pub(crate) fn sniff(registry: Registry, start: &[u8], named: &[Algorithm]) -> Format {
    // Labels of columns may begin with blanks.
    let text = start.iter().position(|byte| !byte.is_ascii_whitespace()).unwrap_or(start.len());
    let line = start[..text].iter().rposition(|byte| *byte == b'\n').map_or(0, |at| at + 1);
    let (sample, start) = (Sample::of(&start[line..]), &start[text..]);
    let mut lines = start.split(|&byte| byte == b'\n').map(sample::bare);
    let first = lines.next().unwrap_or_default();
    if start.starts_with(b"%%%%") {
        Format::Hashdeep
    } else if start.starts_with(b"<") {
        if is_dfxml(start) { Format::Dfxml } else { Format::Xml }
    } else if start.starts_with(b"{") {
        if is_ours(first) { Format::Jsonl } else { Format::Json }
    } else if start.starts_with(b"[") && !blocks::is_section(first) {
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
    } else if others::certutil::is_start(registry, first, lines.clone().next().unwrap_or_default()) {
        Format::Certutil
    } else if others::gpg::is_start(&sample) {
        Format::Gpg
    } else if others::mtree::is_start(&sample) {
        Format::Mtree
    } else if others::aide::is_start(&sample) {
        Format::Aide
    } else if sample.lines.iter().filter(|line| !line.is_empty()).all(|line| sums::is_git(line)) {
        Format::Sums
    } else if blocks::is_start(registry, &sample) {
        Format::Blocks
    } else if Columns::of(registry, &sample).is_some() {
        Format::Table
    } else if (named.is_empty() || is_adler(named)) && dump(&sample, is_adler(named)).is_some() {
        Format::Catalogue
    } else if is_sfv(registry, first, lines) {
        Format::Sfv
    } else if Columns::checksums(registry, &sample).is_some() {
        Format::Table
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

/// Whether the first element is that of DFXML or of FCIV.
fn is_dfxml(start: &[u8]) -> bool {
    let root = start.split(|&byte| byte == b'<').find(|part| part.first().is_some_and(|byte| !b"?!".contains(byte)));
    let name = root.unwrap_or_default().split(|byte| !byte.is_ascii_alphanumeric() && *byte != b':').next();
    let local = name.unwrap_or_default().rsplit(|&byte| byte == b':').next().unwrap_or_default();
    matches!(local, b"dfxml" | b"FCIV")
}

/// Whether the first line that is not a comment has a name first and a CRC-32 last. A list whose
/// only comments are seen is one if they say so.
fn is_sfv<'a>(registry: Registry, first: &'a [u8], others: impl Iterator<Item = &'a [u8]>) -> bool {
    let mut lines = std::iter::once(first).chain(others).filter(|line| !line.trim_ascii().is_empty());
    match lines.find(|line| !others::is_comment(line)) {
        Some(line) => {
            let start = line.split(|byte| matches!(byte, b' ' | b'\t' | b'*')).next().unwrap_or_default();
            let is_digest = start.len() >= 8 && start.iter().all(u8::is_ascii_hexdigit);
            let is_other = is_digest || MethodName::recognise(registry, start).is_some() || bsd::split(line).is_some();
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

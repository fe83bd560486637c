//! Comma-separated values (RFC 4180): a header line, CRLF, one physical line per record.
//!
//! Columns: `type,path,path_b64,size,offset,length,mtime,ctime,atime`, one per algorithm,
//! `notes,stage,code,cause`. The first is not called `ID`, which spreadsheets take for another
//! format (SYLK). A field that a spreadsheet would compute (it starts with `=`, `+`, `-`, `@` or
//! `'`) gets an apostrophe in front, which readers take off again. A name that is not UTF-8, or
//! holds characters that a terminal must not see, stands in `path` as people see it and exactly in
//! `path_b64`. The last record is of type `summary`: its size is the sum of all, its notes count
//! the records.
//!
//! A list that a spreadsheet has rewritten is read as well: other separators, everything quoted,
//! columns in another order or left out.

use data_encoding::BASE64;
use pfh_digest::{Algorithm, Digest, Registry};
use pfh_engine::{HashedFile, Outcome, Piece, Record, Summary};
use pfh_source::{Problem, Skip, Time, terminal};

use crate::count::{Count, Names};
use crate::digits;
use crate::encode::{Encode, FormatFit, Preamble, Unrepresentable};
use crate::entry::{DecodeLine, EndCounts, Entry, Fault, Item, ParsedLine, Reason, UnhashedEntry};
use crate::times::Times;

/// The columns in front of the digests.
pub const BEFORE: [&str; 9] = ["type", "path", "path_b64", "size", "offset", "length", "mtime", "ctime", "atime"];
/// The columns behind the digests.
pub const AFTER: [&str; 4] = ["notes", "stage", "code", "cause"];

/// Writes comma-separated values.
#[derive(Default)]
pub struct Encoder {
    algorithms: usize,
    count: Count,
}

/// The separators that spreadsheets write.
const SEPARATORS: [u8; 3] = [b',', b';', b'\t'];

impl Encoder {
    /// A writer.
    pub fn new() -> Encoder {
        Encoder::default()
    }

    fn skipped(&self, out: &mut Vec<u8>, name: &[u8], skip: Skip) {
        let mut line = Line::new(out);
        line.field("skipped");
        line.path(name);
        line.empty(BEFORE.len() - 3 + self.algorithms + 2);
        line.field(skip.reason());
        line.field(skip.reason());
        line.end();
    }

    fn failed(&self, out: &mut Vec<u8>, name: &[u8], problem: &Problem) {
        let mut line = Line::new(out);
        line.field("error");
        line.path(name);
        line.number(None);
        line.number(problem.offset);
        line.number(problem.length);
        line.empty(3 + self.algorithms + 1);
        line.field(problem.stage.name());
        line.field(problem.code());
        line.field(&problem.cause.to_string());
        line.end();
    }
}

/// The line of a file, and one for each of its pieces.
fn file(out: &mut Vec<u8>, name: &[u8], hashed: &HashedFile) {
    let times = Times::of(&hashed.closed);
    let time = |time: Option<Time>| time.map_or_else(String::new, |time| time.to_string());
    let notes: Vec<&str> = hashed.closed.notes.iter().map(|note| note.name()).collect();
    let notes = notes.join(" ");
    let mut write = |kind: &str, window: Option<&Piece>, digests: &[Digest]| {
        let mut line = Line::new(out);
        line.field(kind);
        line.path(name);
        line.number(Some(hashed.closed.size));
        line.number(window.map(|piece| piece.offset));
        line.number(window.map(|piece| piece.length));
        line.field(&time(times.modified));
        line.field(&time(times.changed));
        line.field(&time(times.accessed));
        digests.iter().for_each(|digest| line.field(&digest.to_string()));
        line.field(&notes);
        line.empty(AFTER.len() - 1);
        line.end();
    };
    write("file", None, &hashed.digests);
    for piece in &hashed.pieces {
        write("piece", Some(piece), &piece.digests);
    }
}

impl Encode for Encoder {
    fn head(&mut self, out: &mut Vec<u8>, preamble: &Preamble<'_>) -> Result<(), Unrepresentable> {
        self.algorithms = preamble.algorithms.len();
        let names: Vec<String> = preamble.algorithms.iter().map(Algorithm::to_string).collect();
        let mut line = Line::new(out);
        for name in BEFORE.into_iter().chain(names.iter().map(String::as_str)).chain(AFTER) {
            line.field(name);
        }
        line.end();
        if let Some(base) = preamble.base {
            let mut line = Line::new(out);
            line.field("base");
            line.path(base);
            line.empty(BEFORE.len() - 3 + self.algorithms + AFTER.len());
            line.end();
        }
        Ok(())
    }

    fn record(&mut self, out: &mut Vec<u8>, record: &Record) -> Result<FormatFit, Unrepresentable> {
        match &record.outcome {
            Outcome::Hashed(hashed) => file(out, &record.name, hashed),
            Outcome::Skipped(skip) => self.skipped(out, &record.name, *skip),
            Outcome::Failed(problem) => self.failed(out, &record.name, problem),
        }
        // A line each for the file and its pieces.
        let pieces = if let Outcome::Hashed(hashed) = &record.outcome { hashed.pieces.len() } else { 0 };
        (0..=pieces).for_each(|_| self.count.add(&record.name));
        Ok(FormatFit::Yes)
    }

    fn count(&self) -> Count {
        self.count
    }

    fn adopt(&mut self, records: Count) {
        self.count.join(records);
    }

    fn tail(&mut self, out: &mut Vec<u8>, summary: &Summary) {
        let mut line = Line::new(out);
        line.field("summary");
        line.empty(2);
        line.number(Some(summary.bytes));
        line.empty(BEFORE.len() - 4 + self.algorithms);
        let Summary { hashed, failed, skipped, .. } = summary;
        line.field(&format!("files={hashed} errors={failed} skipped={skipped} names={}", self.count.names));
        line.empty(AFTER.len() - 1);
        line.end();
    }
}

/// Writes a record of these fields.
pub fn record(out: &mut Vec<u8>, fields: &[&str]) {
    let mut line = Line::new(out);
    fields.iter().for_each(|field| line.field(field));
    line.end();
}

/// A name as people see it, and exactly in base64 where that is not the same.
pub fn path(name: &[u8]) -> (String, String) {
    match str::from_utf8(name) {
        Ok(name) if !name.chars().any(terminal::is_unsafe) => (name.to_owned(), String::new()),
        _ => (terminal::render(name), BASE64.encode(name)),
    }
}

/// Whether a field of this text begins with an apostrophe, since a spreadsheet would compute it.
pub fn is_neutralised(text: &str) -> bool {
    text.starts_with(['=', '+', '-', '@', '\'', '\t', '\r', '\n'])
}

/// A line that is being written.
pub struct Line<'a> {
    out: &'a mut Vec<u8>,
    first: bool,
}

impl<'a> Line<'a> {
    /// Starts a line at the end of `out`.
    pub fn new(out: &'a mut Vec<u8>) -> Line<'a> {
        Line { out, first: true }
    }

    /// Appends a field. A field that a spreadsheet would take for a formula begins with an
    /// apostrophe.
    pub fn field(&mut self, text: &str) {
        if !self.first {
            self.out.push(b',');
        }
        self.first = false;
        let neutral = is_neutralised(text);
        // A space at either end is not quoted by RFC 4180, but spreadsheets cut it off unless it
        // is.
        let quoted = text.contains([',', '"', '\r', '\n']) || text.starts_with(' ') || text.ends_with(' ');
        if quoted {
            self.out.push(b'"');
        }
        if neutral {
            self.out.push(b'\'');
        }
        for &byte in text.as_bytes() {
            if byte == b'"' {
                self.out.push(b'"');
            }
            self.out.push(byte);
        }
        if quoted {
            self.out.push(b'"');
        }
    }

    /// Appends a number that may be negative, as it is.
    pub fn signed(&mut self, number: i128) {
        if !self.first {
            self.out.push(b',');
        }
        self.first = false;
        self.out.extend_from_slice(number.to_string().as_bytes());
    }

    /// Appends this many empty fields.
    pub fn empty(&mut self, count: usize) {
        (0..count).for_each(|_| self.field(""));
    }

    /// Appends a number, or an empty field.
    pub fn number(&mut self, number: Option<u64>) {
        self.field(&number.map_or_else(String::new, |number| number.to_string()));
    }

    /// Appends a name in two fields, as [`path`] gives them.
    pub fn path(&mut self, name: &[u8]) {
        let (shown, exact) = path(name);
        self.field(&shown);
        self.field(&exact);
    }

    /// Ends the line with CR and LF.
    pub fn end(self) {
        self.out.extend_from_slice(b"\r\n");
    }
}

/// Takes a line apart into its fields; `None` where quotes are not as RFC 4180 has them, also for
/// one that goes on behind the end of the line.
pub fn split(line: &[u8]) -> Option<Vec<Vec<u8>>> {
    split_by(line, b',')
}

/// The same with another separator than the comma.
pub fn split_by(line: &[u8], separator: u8) -> Option<Vec<Vec<u8>>> {
    let mut fields = Vec::new();
    let mut rest = line;
    loop {
        // Some programs write a blank between a separator and a quote, and `="…"` for Excel, which
        // takes digits in quotes alone for a number.
        let quote = rest.iter().position(|&byte| byte != b' ');
        let quote = quote.map(|at| at + usize::from(rest[at..].starts_with(b"=\""))).filter(|&at| rest[at] == b'"');
        if let Some(mut quoted) = quote.map(|at| &rest[at + 1..]) {
            let mut field = Vec::new();
            loop {
                let at = quoted.iter().position(|&byte| byte == b'"')?;
                field.extend_from_slice(&quoted[..at]);
                quoted = &quoted[at + 1..];
                match quoted.strip_prefix(b"\"") {
                    Some(after) => {
                        field.push(b'"');
                        quoted = after;
                    }
                    None => break,
                }
            }
            fields.push(field);
            let blanks = quoted.iter().take_while(|&&byte| byte == b' ').count();
            rest = &quoted[blanks..];
        } else {
            let at = rest.iter().position(|&byte| byte == separator).unwrap_or(rest.len());
            if rest[..at].contains(&b'"') {
                return None;
            }
            fields.push(rest[..at].to_vec());
            rest = &rest[at..];
        }
        match rest.split_first() {
            None => return Some(fields),
            Some((&byte, after)) if byte == separator => rest = after,
            Some(_) => return None,
        }
    }
}

/// Whether a line is the header of our own records, in any order and with any separator: it has a
/// column `path`, and one of the kinds of records or one of digests.
pub(crate) fn is_header(line: &[u8]) -> bool {
    // Algorithms by any name that could be one of a column: the registry is not at hand here, and
    // need not be.
    let named = |name: &[u8]| {
        let name = name.trim_ascii();
        name == b"type"
            || pfh_digest::Algorithm::all().any(|algorithm| name.eq_ignore_ascii_case(algorithm.name().as_bytes()))
    };
    let line = line.strip_suffix(b"\r").unwrap_or(line);
    separate(line).is_some_and(|(_, fields)| {
        fields.iter().any(|field| field == b"path") && fields.iter().any(|field| named(field))
    })
}

/// The fields of a header line, by the separator that gives most of them.
pub(crate) fn separate(line: &[u8]) -> Option<(u8, Vec<Vec<u8>>)> {
    let split = |separator: u8| Some((separator, split_by(line, separator)?));
    SEPARATORS.into_iter().rev().filter_map(split).max_by_key(|(_, fields)| fields.len()).filter(|(_, f)| f.len() > 1)
}

/// Reads the records that [`Encoder`] writes, columns in any order.
pub(crate) struct Decoder {
    registry: Registry,
    separator: u8,
    columns: Option<Vec<Column>>,
}

#[derive(Clone, PartialEq, Eq)]
enum Column {
    Named(&'static str),
    Digest(Algorithm),
    Other(Box<str>),
}

impl Decoder {
    pub(crate) fn new(registry: Registry) -> Decoder {
        Decoder { registry, separator: b',', columns: None }
    }

    fn header(&mut self, line: &[u8]) -> ParsedLine {
        let Some((separator, fields)) = separate(line) else {
            return Fault::Malformed("not a header line: no columns type and path").into();
        };
        let column = |field: &Vec<u8>| {
            let name = str::from_utf8(field).unwrap_or_default().trim();
            match BEFORE.into_iter().chain(AFTER).find(|known| *known == name) {
                Some(known) => Column::Named(known),
                None => self.registry.find(name).map_or_else(|_| Column::Other(name.into()), Column::Digest),
            }
        };
        let columns: Vec<Column> = fields.iter().map(column).collect();
        let typed = columns.contains(&Column::Named("type"));
        let digests = columns.iter().any(|column| matches!(column, Column::Digest(_)));
        if !(typed || digests) || !columns.contains(&Column::Named("path")) {
            return Fault::Malformed("not a header line: no columns type and path").into();
        }
        self.separator = separator;
        self.columns = Some(columns);
        // Without that column nobody could tell the summary.
        if typed { ParsedLine::Promise } else { ParsedLine::Neutral }
    }

    fn record(columns: &[Column], fields: &[Vec<u8>]) -> Result<ParsedLine, Fault> {
        if columns.len() != fields.len() {
            return Err(Fault::Malformed("not as many fields as the header has"));
        }
        let plain = |field: &'_ [u8]| field.strip_prefix(b"'").unwrap_or(field).to_vec();
        let get = |name: &'static str| {
            let at = columns.iter().position(|column| *column == Column::Named(name));
            at.map(|at| plain(&fields[at])).unwrap_or_default()
        };
        let text = |name| String::from_utf8(get(name)).map_err(|_| Fault::Malformed("not UTF-8"));
        let number = |name| match text(name)? {
            text if text.is_empty() => Ok(None),
            text => text.parse::<u64>().map(Some).map_err(|_| Fault::Malformed("not a number")),
        };
        let time = |name| match text(name)? {
            text if text.is_empty() => Ok(None),
            text => Time::parse(&text).map(Some).ok_or(Fault::Malformed("not a time")),
        };
        let kind = text("type")?;
        if kind == "summary" {
            return Ok(ParsedLine::End(ending(&text("notes")?, number("size")?)));
        }
        let name = match get("path_b64") {
            exact if exact.is_empty() => get("path"),
            exact => crate::exact::name(&exact, Some(&get("path")[..]).filter(|shown| !shown.is_empty()))?,
        };
        if name.is_empty() {
            return Err(Fault::Malformed("no name"));
        }
        if name.contains(&0) {
            return Err(Fault::Nul);
        }
        let reason = match kind.as_str() {
            "base" => return Ok(ParsedLine::Base(name)),
            "error" => Some(Reason::Failed),
            "skipped" => Some(Reason::Skipped),
            "file" | "piece" => None,
            "" if !columns.contains(&Column::Named("type")) => None,
            _ => return Err(Fault::Malformed("unknown type of record")),
        };
        if let Some(reason) = reason {
            return Ok(ParsedLine::Item(Item::Unhashed(UnhashedEntry { name, reason, code: text("code")? })));
        }
        let mut digests = Vec::new();
        let mut foreign = Vec::new();
        let named = columns.contains(&Column::Named("type"));
        for (column, field) in columns.iter().zip(fields) {
            match column {
                // A record without any digest has its type in a column that was left out.
                Column::Digest(_) if field.is_empty() && !named => {}
                Column::Digest(algorithm) => digests.push(digits::digest(*algorithm, &plain(field))?),
                Column::Other(name) if is_digest(field) => foreign.push(name.clone()),
                Column::Named(_) | Column::Other(_) => {}
            }
        }
        if digests.is_empty() {
            return Err(match foreign.is_empty() {
                true => Fault::NoDigest(name.into()),
                false => Fault::OfUnknown(name.into(), foreign.join(", ").into()),
            });
        }
        let times = Times { modified: time("mtime")?, changed: time("ctime")?, accessed: time("atime")? };
        let size = number("size")?;
        let entry = Entry { name, size, times, foreign, ..Entry::default() };
        Ok(ParsedLine::Item(Item::Entry(match (number("offset")?, number("length")?) {
            (Some(offset), Some(length)) => Entry { pieces: vec![Piece { offset, length, digests }], ..entry },
            (None, None) => Entry { digests, ..entry },
            _ => return Err(Fault::Malformed("half a window")),
        })))
    }
}

/// Whether a field of an unknown column is a digest in hexadecimal.
fn is_digest(field: &[u8]) -> bool {
    field.len() >= 32 && field.iter().all(u8::is_ascii_hexdigit)
}

/// The counts of a summary.
fn ending(notes: &str, bytes: Option<u64>) -> EndCounts {
    let note = |key: &str| notes.split(' ').find_map(|note| note.strip_prefix(key)?.strip_prefix('='));
    let count = |key: &str| note(key).map(|count| count.parse().unwrap_or(u64::MAX));
    let (files, failed, skipped) = (count("files"), count("errors"), count("skipped"));
    EndCounts { records: None, files, bytes, failed, skipped, names: note("names").map(Names::parse) }
}

impl DecodeLine for Decoder {
    fn line(&mut self, line: &[u8]) -> ParsedLine {
        if line.is_empty() {
            return ParsedLine::Neutral;
        }
        let Some(columns) = &self.columns else { return self.header(line) };
        let Some(fields) = split_by(line, self.separator) else {
            return Fault::Malformed("quotes do not match").into();
        };
        Decoder::record(columns, &fields).unwrap_or_else(ParsedLine::from)
    }
}

//! Comma-separated values (RFC 4180): a header line, CRLF, one physical line per record.
//!
//! Columns: `type,path,path_b64,size,offset,length,mtime,ctime,atime`, one per algorithm, `notes,stage,code,cause`. The first is
//! not called `ID`, which spreadsheets take for another format (SYLK). A field that a spreadsheet would compute (it starts with
//! `=`, `+`, `-`, `@` or `'`) gets an apostrophe in front, which readers take off again. A name that is not UTF-8, or holds
//! what a terminal must not see, stands in `path` as people see it and exactly in `path_b64`.

use data_encoding::BASE64;
use pfh_digest::{Algorithm, Digest, Registry};

use crate::decode::{DecodeLine, Entry, Fault, Item, Parsed, Unhashed, Window};
use crate::digits;
use crate::manifest::{Carried, Encode, Outcome, Preamble, Problem, Row, Summary, Unrepresentable};
use crate::terminal;
use crate::time::{Time, Times};

/// The columns in front of the digests.
pub const BEFORE: [&str; 9] = ["type", "path", "path_b64", "size", "offset", "length", "mtime", "ctime", "atime"];
/// The columns behind the digests.
pub const AFTER: [&str; 4] = ["notes", "stage", "code", "cause"];

/// Writes comma-separated values.
#[derive(Default)]
pub struct Encoder {
    algorithms: usize,
}

impl Encoder {
    /// A writer.
    pub fn new() -> Encoder {
        Encoder::default()
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
        Ok(())
    }

    fn row(&mut self, out: &mut Vec<u8>, row: &Row<'_>) -> Result<(), Unrepresentable> {
        let time = |time: Option<crate::Time>| time.map_or_else(String::new, |time| time.to_string());
        let mut write = |kind: &str, size: u64, window: Option<(u64, u64)>, digests: &[Digest]| {
            let mut line = Line::new(out);
            line.field(kind);
            line.path(row.name);
            line.number(Some(size));
            line.number(window.map(|window| window.0));
            line.number(window.map(|window| window.1));
            line.field(&time(row.times.modified));
            line.field(&time(row.times.changed));
            line.field(&time(row.times.accessed));
            for digest in digests {
                line.field(&digest.to_string());
            }
            line.field(&row.notes.join(" "));
            line.field("");
            line.field("");
            line.field("");
            line.end();
        };
        write("file", row.size, None, row.digests);
        for piece in row.pieces {
            write("piece", row.size, Some((piece.offset, piece.length)), piece.digests);
        }
        Ok(())
    }

    fn problem(&mut self, out: &mut Vec<u8>, problem: &Problem<'_>) -> Carried {
        let mut line = Line::new(out);
        line.field(match problem.outcome {
            Outcome::Failed => "error",
            Outcome::Skipped => "skipped",
        });
        line.path(problem.name);
        line.number(None);
        line.number(problem.offset);
        line.number(problem.length);
        for _ in 0..3 + self.algorithms + 1 {
            line.field("");
        }
        line.field(problem.stage);
        line.field(problem.code);
        line.field(problem.cause);
        line.end();
        Carried::Yes
    }

    fn tail(&mut self, _: &mut Vec<u8>, _: &Summary) {}
}

/// Writes a record of these fields.
pub(crate) fn record(out: &mut Vec<u8>, fields: &[&str]) {
    let mut line = Line::new(out);
    fields.iter().for_each(|field| line.field(field));
    line.end();
}

/// A name as people see it, and exactly in base64 where that is not the same.
pub(crate) fn path(name: &[u8]) -> (String, String) {
    match str::from_utf8(name) {
        Ok(name) if !name.chars().any(terminal::is_unsafe) => (name.to_owned(), String::new()),
        _ => (terminal::render(name), BASE64.encode(name)),
    }
}

/// A line that is being written.
pub(crate) struct Line<'a> {
    out: &'a mut Vec<u8>,
    first: bool,
}

impl<'a> Line<'a> {
    pub(crate) fn new(out: &'a mut Vec<u8>) -> Line<'a> {
        Line { out, first: true }
    }

    pub(crate) fn field(&mut self, text: &str) {
        if !self.first {
            self.out.push(b',');
        }
        self.first = false;
        let neutral = text.starts_with(['=', '+', '-', '@', '\'', '\t', '\r', '\n']);
        // A space at either end is not quoted by RFC 4180, but spreadsheets cut it off unless it is.
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

    pub(crate) fn number(&mut self, number: Option<u64>) {
        self.field(&number.map_or_else(String::new, |number| number.to_string()));
    }

    pub(crate) fn path(&mut self, name: &[u8]) {
        let (shown, exact) = path(name);
        self.field(&shown);
        self.field(&exact);
    }

    pub(crate) fn end(self) {
        self.out.extend_from_slice(b"\r\n");
    }
}

/// Takes a line apart into its fields; `None` where quotes are not as RFC 4180 has them, also for one that goes on behind the end
/// of the line.
pub fn split(line: &[u8]) -> Option<Vec<Vec<u8>>> {
    split_by(line, b',')
}

/// The same with another separator than the comma.
pub fn split_by(line: &[u8], separator: u8) -> Option<Vec<Vec<u8>>> {
    let mut fields = Vec::new();
    let mut rest = line;
    loop {
        if let Some(mut quoted) = rest.strip_prefix(b"\"") {
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
            rest = quoted;
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

/// Reads what [`Encoder`] writes, columns in any order.
pub(crate) struct Decoder {
    registry: Registry,
    columns: Option<Vec<Column>>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Column {
    Named(&'static str),
    Digest(Algorithm),
    Other,
}

impl Decoder {
    pub(crate) fn new(registry: Registry) -> Decoder {
        Decoder { registry, columns: None }
    }

    fn header(&mut self, fields: &[Vec<u8>]) -> Parsed {
        let column = |field: &Vec<u8>| {
            let name = str::from_utf8(field).unwrap_or_default();
            match BEFORE.into_iter().chain(AFTER).find(|known| *known == name) {
                Some(known) => Column::Named(known),
                None => self.registry.find(name).map_or(Column::Other, Column::Digest),
            }
        };
        let columns: Vec<Column> = fields.iter().map(column).collect();
        if !columns.contains(&Column::Named("type")) || !columns.contains(&Column::Named("path")) {
            return Fault::Malformed("not a header line: no columns type and path").into();
        }
        self.columns = Some(columns);
        Parsed::Neutral
    }

    fn record(columns: &[Column], fields: &[Vec<u8>]) -> Result<Item, Fault> {
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
        let name = match get("path_b64") {
            exact if exact.is_empty() => get("path"),
            exact => BASE64.decode(&exact).map_err(|_| Fault::Malformed("path_b64 is not base64"))?,
        };
        if name.is_empty() {
            return Err(Fault::Malformed("no name"));
        }
        if name.contains(&0) {
            return Err(Fault::Nul);
        }
        let outcome = match text("type")?.as_str() {
            "error" => Some(Outcome::Failed),
            "skipped" => Some(Outcome::Skipped),
            "file" | "piece" => None,
            _ => return Err(Fault::Malformed("unknown type of record")),
        };
        if let Some(outcome) = outcome {
            return Ok(Item::Unhashed(Unhashed { name, outcome, code: text("code")? }));
        }
        let mut digests = Vec::new();
        for (column, field) in columns.iter().zip(fields) {
            if let Column::Digest(algorithm) = column {
                digests.push(digits::digest(*algorithm, &plain(field))?);
            }
        }
        if digests.is_empty() {
            return Err(Fault::UnknownAlgorithm);
        }
        let times = Times { modified: time("mtime")?, changed: time("ctime")?, accessed: time("atime")? };
        let size = number("size")?;
        let entry = Entry { name, size, times, ..Entry::default() };
        Ok(Item::Entry(match (number("offset")?, number("length")?) {
            (Some(offset), Some(length)) => Entry { pieces: vec![Window { offset, length, digests }], ..entry },
            (None, None) => Entry { digests, ..entry },
            _ => return Err(Fault::Malformed("half a window")),
        }))
    }
}

impl DecodeLine for Decoder {
    fn line(&mut self, line: &[u8]) -> Parsed {
        if line.is_empty() {
            return Parsed::Neutral;
        }
        let Some(fields) = split(line) else {
            return Fault::Malformed("quotes do not match").into();
        };
        match &self.columns {
            None => self.header(&fields),
            Some(columns) => match Decoder::record(columns, &fields) {
                Ok(item) => Parsed::Item(item),
                Err(fault) => fault.into(),
            },
        }
    }
}

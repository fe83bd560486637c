//! One JSON object per line (RFC 8259, UTF-8). This is the format that loses nothing.
//!
//! `type` is the kind of a line: `base`, `file`, `error`, `skipped` or `summary`, which ends the
//! manifest. A name that is not UTF-8 stands in `path` with U+FFFD for invalid bytes, and exactly
//! in `path_b64`. Controls and bidirectional characters are escaped, so the output can be looked
//! at.

mod rows;

pub use rows::{Base, ContainerFacts, FailedInput, File, Line, SkippedInput, Stamps, Totals};

use pfh_digest::{Algorithm, Digest, Registry};
use pfh_engine::{Outcome, Piece, Record, Summary};
use pfh_source::Time;
use serde_json::{Map, Value};

use crate::count::{Count, Names};
use crate::digits;
use crate::encode::{Encode, FormatFit, Preamble, Unrepresentable};
use crate::entry::{DecodeLine, EndCounts, Entry, Fault, Item, ParsedLine, Reason, UnhashedEntry};
use crate::row;
use crate::strict;
use crate::times::Times;

/// Writes JSON lines.
#[derive(Default)]
pub struct Encoder {
    names: Vec<String>,
    count: Count,
}

impl Encoder {
    /// A writer.
    pub fn new() -> Encoder {
        Encoder::default()
    }
}

impl Encode for Encoder {
    fn head(&mut self, out: &mut Vec<u8>, preamble: &Preamble<'_>) -> Result<(), Unrepresentable> {
        self.names = preamble.algorithms.iter().map(Algorithm::to_string).collect();
        if let Some(base) = preamble.base {
            row::append_line(out, &Line::Base(Base { path: row::Path(base) }));
        }
        Ok(())
    }

    fn record(&mut self, out: &mut Vec<u8>, record: &Record) -> Result<FormatFit, Unrepresentable> {
        row::append_line(
            out,
            &match &record.outcome {
                Outcome::Hashed(hashed) => Line::File(File::of(&record.name, hashed, &self.names)),
                Outcome::Skipped(skip) => Line::Skipped(SkippedInput::of(&record.name, *skip)),
                Outcome::Failed(problem) => Line::Error(FailedInput::of(&record.name, problem)),
            },
        );
        self.count.add(&record.name);
        Ok(FormatFit::Yes)
    }

    fn count(&self) -> Count {
        self.count
    }

    fn adopt(&mut self, records: Count) {
        self.count.join(records);
    }

    fn tail(&mut self, out: &mut Vec<u8>, summary: &Summary) {
        row::append_line(out, &Line::Summary(Totals::of(summary, self.count.names)));
    }
}

/// Reads JSON lines.
pub(crate) struct Decoder {
    registry: Registry,
}

type Object = Map<String, Value>;

impl Decoder {
    pub(crate) fn new(registry: Registry) -> Decoder {
        Decoder { registry }
    }

    fn object(&self, object: &Object) -> Result<ParsedLine, Fault> {
        let reason = match object.get("type").and_then(Value::as_str) {
            Some("file") => return Ok(ParsedLine::Item(Item::Entry(self.file(object)?))),
            Some("error") => Reason::Failed,
            Some("skipped") => Reason::Skipped,
            Some("base") => return Ok(ParsedLine::Base(name(object)?)),
            Some("summary") => {
                let count = |key| object.get(key).map(|count| count.as_u64().unwrap_or(u64::MAX));
                return Ok(ParsedLine::End(EndCounts {
                    records: None,
                    files: count("files"),
                    bytes: count("bytes"),
                    failed: count("errors"),
                    skipped: count("skipped"),
                    names: object.get("names").map(|names| names.as_str().and_then(Names::parse)),
                }));
            }
            // Another type is of a later version; there is nothing in it to check.
            Some(_) => return Ok(ParsedLine::Neutral),
            None => return Err(Fault::Malformed("an object without a type")),
        };
        let code = object.get("code").and_then(Value::as_str).unwrap_or_default().to_owned();
        Ok(ParsedLine::Item(Item::Unhashed(UnhashedEntry { name: name(object)?, reason, code })))
    }

    fn file(&self, object: &Object) -> Result<Entry, Fault> {
        let time = |key| match object.get(key) {
            None => Ok(None),
            Some(value) => match value.as_str().and_then(Time::parse) {
                Some(time) => Ok(Some(time)),
                None => Err(Fault::Malformed("not a time")),
            },
        };
        let times = Times { modified: time("mtime")?, changed: time("ctime")?, accessed: time("atime")? };
        let size = match object.get("size") {
            None => None,
            Some(size) => Some(size.as_u64().ok_or(Fault::Malformed("the size is not a number"))?),
        };
        let mut pieces = Vec::new();
        match object.get("pieces") {
            None => {}
            Some(Value::Array(values)) => {
                for value in values {
                    let piece = value.as_object().ok_or(Fault::Malformed("a piece is not an object"))?;
                    let number = |key| piece.get(key).and_then(Value::as_u64).ok_or(Fault::Malformed("not a window"));
                    let (digests, _) = self.digests(piece)?;
                    pieces.push(Piece { offset: number("offset")?, length: number("length")?, digests });
                }
            }
            Some(_) => return Err(Fault::Malformed("pieces are not an array")),
        }
        let (digests, foreign) = self.digests(object)?;
        Ok(Entry { name: name(object)?, size, digests, pieces, times, guessed: false, foreign })
    }

    /// The digests of known algorithms, in the order of their names' bytes, at least one; and the
    /// names of the others.
    fn digests(&self, object: &Object) -> Result<(Vec<Digest>, Vec<Box<str>>), Fault> {
        let named = object.get("digests").and_then(Value::as_object).ok_or(Fault::Malformed("no digests"))?;
        let mut digests = Vec::with_capacity(named.len());
        let mut foreign: Vec<Box<str>> = Vec::new();
        for (name, value) in named {
            let text = value.as_str().ok_or(Fault::Malformed("a digest is not a string"))?;
            match self.registry.find(name) {
                Ok(algorithm) => digests.push(digits::digest(algorithm, text.as_bytes())?),
                Err(_) => foreign.push(name.as_str().into()),
            }
        }
        if digests.is_empty() {
            Err(Fault::UnknownAlgorithm(foreign.join(", ").into()))
        } else {
            Ok((digests, foreign))
        }
    }
}

fn name(object: &Object) -> Result<Vec<u8>, Fault> {
    let text = |key| match object.get(key) {
        None => Ok(None),
        Some(value) => value.as_str().map(Some).ok_or(Fault::Malformed("a path is not a string")),
    };
    let name = match (text("path_b64")?, text("path")?) {
        (Some(exact), shown) => crate::exact::name(exact.as_bytes(), shown.map(str::as_bytes))?,
        (None, Some(path)) => path.as_bytes().to_vec(),
        (None, None) => Vec::new(),
    };
    match name {
        name if name.is_empty() => Err(Fault::Malformed("no name")),
        name if name.contains(&0) => Err(Fault::Nul),
        name => Ok(name),
    }
}

impl DecodeLine for Decoder {
    fn line(&mut self, line: &[u8]) -> ParsedLine {
        if line.trim_ascii().is_empty() {
            return ParsedLine::Neutral;
        }
        match strict::parse(line) {
            Ok(Value::Object(object)) => self.object(&object).unwrap_or_else(ParsedLine::from),
            Ok(_) => Fault::Malformed("not a JSON object").into(),
            Err(wrong) => Fault::from(wrong).into(),
        }
    }
}

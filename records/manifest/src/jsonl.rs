//! One JSON object per line (RFC 8259, UTF-8). This is the format that loses nothing.
//!
//! `type` says what a line is: `base`, `file`, `error`, `skipped` or `summary`, which ends the
//! manifest. A name that is not UTF-8 stands in `path` with U+FFFD for what is not, and exactly in
//! `path_b64`. Controls and bidirectional characters are escaped, so the output can be looked at.

use data_encoding::BASE64;
use pfh_digest::{Algorithm, Digest, Registry};
use pfh_engine::{Hashed, Outcome, Piece, Record, Summary};
use pfh_source::{Inside, Time, terminal};
use serde::Serialize;
use serde_json::{Map, Value};

use crate::digits;
use crate::encode::{Carried, Encode, Kind, Preamble, Unrepresentable};
use crate::entry::{DecodeLine, Entry, Fault, Item, Parsed, Reason, Stated, Unhashed};
use crate::row;
use crate::times::Times;

/// Writes JSON lines.
#[derive(Default)]
pub struct Encoder {
    names: Vec<String>,
}

impl Encoder {
    /// A writer.
    pub fn new() -> Encoder {
        Encoder::default()
    }

    fn file(&self, out: &mut Vec<u8>, name: &[u8], hashed: &Hashed) {
        out.extend_from_slice(b"{\"type\":\"file\"");
        path(out, name);
        number(out, "size", hashed.closed.size);
        times(out, &Times::of(&hashed.closed));
        let kind = Kind::of(&hashed.closed);
        if kind != Kind::File {
            field(out, "kind", kind.name());
        }
        self.digests(out, &hashed.digests);
        list(out, "pieces", &hashed.pieces, |out, piece| {
            out.extend_from_slice(format!("{{\"offset\":{},\"length\":{}", piece.offset, piece.length).as_bytes());
            self.digests(out, &piece.digests);
            out.push(b'}');
        });
        list(out, "notes", &hashed.closed.notes, |out, note| string(out, note.name()));
        if let Some(inside) = &hashed.closed.inside {
            self::inside(out, inside);
        }
    }

    /// Appends `,"digests":{…}`, in the order of the preamble.
    pub fn digests(&self, out: &mut Vec<u8>, digests: &[Digest]) {
        out.extend_from_slice(b",\"digests\":{");
        for (n, (name, digest)) in self.names.iter().zip(digests).enumerate() {
            if n > 0 {
                out.push(b',');
            }
            string(out, name);
            out.push(b':');
            string(out, &digest.to_string());
        }
        out.push(b'}');
    }
}

impl Encode for Encoder {
    fn head(&mut self, out: &mut Vec<u8>, preamble: &Preamble<'_>) -> Result<(), Unrepresentable> {
        self.names = preamble.algorithms.iter().map(Algorithm::to_string).collect();
        if let Some(base) = preamble.base {
            out.extend_from_slice(b"{\"type\":\"base\"");
            path(out, base);
            out.extend_from_slice(b"}\n");
        }
        Ok(())
    }

    fn record(&mut self, out: &mut Vec<u8>, record: &Record) -> Result<Carried, Unrepresentable> {
        match &record.outcome {
            Outcome::Hashed(hashed) => self.file(out, &record.name, hashed),
            Outcome::Skipped(skip) => {
                out.extend_from_slice(b"{\"type\":\"skipped\"");
                path(out, &record.name);
                field(out, "code", skip.reason());
                field(out, "cause", skip.reason());
            }
            Outcome::Failed(problem) => {
                out.extend_from_slice(b"{\"type\":\"error\"");
                path(out, &record.name);
                field(out, "stage", problem.stage.name());
                problem.offset.into_iter().for_each(|offset| number(out, "offset", offset));
                problem.length.into_iter().for_each(|length| number(out, "length", length));
                field(out, "code", problem.code());
                field(out, "cause", &problem.cause.to_string());
            }
        }
        out.extend_from_slice(b"}\n");
        Ok(Carried::Yes)
    }

    fn tail(&mut self, out: &mut Vec<u8>, summary: &Summary) {
        out.extend_from_slice(b"{\"type\":\"summary\"");
        number(out, "files", summary.hashed);
        number(out, "bytes", summary.bytes);
        number(out, "errors", summary.failed);
        number(out, "skipped", summary.skipped);
        out.extend_from_slice(b"}\n");
    }
}

/// Appends `,"path":"…"` to an object, and `path_b64` where the name is not UTF-8, for callers that
/// writes lines of other types.
pub fn path(out: &mut Vec<u8>, name: &[u8]) {
    named_path(out, "path", name);
}

/// The same as the members `member` and `member_b64`.
pub fn named_path(out: &mut Vec<u8>, member: &str, name: &[u8]) {
    match str::from_utf8(name) {
        Ok(name) => field(out, member, name),
        Err(_) => {
            field(out, member, &String::from_utf8_lossy(name));
            field(out, &format!("{member}_b64"), &BASE64.encode(name));
        }
    }
}

/// What a container states about an entry in it, as the object `inside`.
#[derive(Serialize)]
pub struct Within<'a> {
    kind: &'a str,
    #[serde(flatten, serialize_with = "container")]
    container: &'a [u8],
    #[serde(skip_serializing_if = "Option::is_none")]
    partition: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    volume_offset: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    inode: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    crtime: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    dtime: Option<String>,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    deleted: bool,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    unallocated: bool,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    overwritten: bool,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    resident: bool,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    compressed: bool,
}

fn container<S: serde::Serializer>(name: &[u8], serializer: S) -> Result<S::Ok, S::Error> {
    row::named("container", name, serializer)
}

impl<'a> Within<'a> {
    /// The object for an entry.
    pub fn of(inside: &'a Inside) -> Within<'a> {
        Within {
            kind: inside.kind,
            container: &inside.container,
            partition: inside.partition,
            volume_offset: inside.volume_offset,
            inode: inside.id,
            crtime: inside.born.map(|time| time.to_string()),
            dtime: inside.deleted_at.map(|time| time.to_string()),
            deleted: inside.deleted,
            unallocated: inside.unallocated,
            overwritten: inside.overwritten,
            resident: inside.resident,
            compressed: inside.compressed,
        }
    }
}

/// Appends the object `inside`.
pub fn inside(out: &mut Vec<u8>, inside: &Inside) {
    key(out, "inside");
    row::append(out, &Within::of(inside));
}

/// Appends an array, unless it is empty.
fn list<T>(out: &mut Vec<u8>, name: &str, values: &[T], mut one: impl FnMut(&mut Vec<u8>, &T)) {
    for (n, value) in values.iter().enumerate() {
        if n == 0 {
            key(out, name);
        }
        out.push(if n == 0 { b'[' } else { b',' });
        one(out, value);
    }
    if !values.is_empty() {
        out.push(b']');
    }
}

/// Appends `,"mtime":"…"`, `ctime` and `atime`, each if it is known.
pub fn times(out: &mut Vec<u8>, times: &Times) {
    let mut time = |key, time: Option<Time>| {
        if let Some(time) = time {
            field(out, key, &time.to_string());
        }
    };
    time("mtime", times.modified);
    time("ctime", times.changed);
    time("atime", times.accessed);
}

fn key(out: &mut Vec<u8>, key: &str) {
    out.extend_from_slice(b",\"");
    out.extend_from_slice(key.as_bytes());
    out.extend_from_slice(b"\":");
}

/// Appends `,"name":"value"`; the name needs no escaping.
pub fn field(out: &mut Vec<u8>, name: &str, value: &str) {
    key(out, name);
    string(out, value);
}

/// Appends `,"name":value`.
pub fn number(out: &mut Vec<u8>, name: &str, value: u64) {
    key(out, name);
    out.extend_from_slice(value.to_string().as_bytes());
}

/// Appends a JSON string; control characters become `\u` and four digits (RFC 8259 §7).
pub fn string(out: &mut Vec<u8>, text: &str) {
    out.push(b'"');
    for c in text.chars() {
        match c {
            '"' => out.extend_from_slice(b"\\\""),
            '\\' => out.extend_from_slice(b"\\\\"),
            '\n' => out.extend_from_slice(b"\\n"),
            '\r' => out.extend_from_slice(b"\\r"),
            '\t' => out.extend_from_slice(b"\\t"),
            c if terminal::is_unsafe(c) => {
                for unit in c.encode_utf16(&mut [0; 2]) {
                    out.extend_from_slice(format!("\\u{unit:04x}").as_bytes());
                }
            }
            c => out.extend_from_slice(c.encode_utf8(&mut [0; 4]).as_bytes()),
        }
    }
    out.push(b'"');
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

    fn object(&self, object: &Object) -> Result<Parsed, Fault> {
        let reason = match object.get("type").and_then(Value::as_str) {
            Some("file") => return Ok(Parsed::Item(Item::Entry(self.file(object)?))),
            Some("error") => Reason::Failed,
            Some("skipped") => Reason::Skipped,
            Some("base") => return Ok(Parsed::Base(name(object)?)),
            Some("summary") => {
                let count = |key| object.get(key).map(|count| count.as_u64().unwrap_or(u64::MAX));
                return Ok(Parsed::End(Stated {
                    records: None,
                    files: count("files"),
                    bytes: count("bytes"),
                    failed: count("errors"),
                    skipped: count("skipped"),
                }));
            }
            // Another type is of a later version; there is nothing in it to check.
            Some(_) => return Ok(Parsed::Neutral),
            None => return Err(Fault::Malformed("an object without a type")),
        };
        let code = object.get("code").and_then(Value::as_str).unwrap_or_default().to_owned();
        Ok(Parsed::Item(Item::Unhashed(Unhashed { name: name(object)?, reason, code })))
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
        (Some(exact), _) => BASE64.decode(exact.as_bytes()).map_err(|_| Fault::Malformed("path_b64 is not base64"))?,
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
    fn line(&mut self, line: &[u8]) -> Parsed {
        if line.trim_ascii().is_empty() {
            return Parsed::Neutral;
        }
        match serde_json::from_slice(line) {
            Ok(Value::Object(object)) => self.object(&object).unwrap_or_else(Parsed::from),
            Ok(_) => Fault::Malformed("not a JSON object").into(),
            Err(_) => Fault::Malformed("not JSON").into(),
        }
    }
}

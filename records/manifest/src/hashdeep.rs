//! hashdeep 1.0 (the project's FILEFORMAT document): two header lines, comments, then
//! `size,digest,…,name`.
//!
//! Nothing is quoted or escaped. The name comes last, so it may hold commas; it cannot hold LF, and
//! hashdeep drops a CR at its end. Pieces are lines of their own whose name ends in ` offset
//! FIRST-LAST`, both inclusive.

use pfh_digest::{Algorithm, Registry, hex};
use pfh_engine::{Outcome, Piece, Record, Summary};
use pfh_source::os::names::is_absolute;
use pfh_source::terminal;

use crate::count::Count;
use crate::digits;
use crate::encode::{Encode, FormatFit, Preamble, Unrepresentable};
use crate::entry::{DecodeLine, Entry, Fault, ParsedLine};
use crate::others::{is_windows_path, windows_name};
use crate::remark::{self, Remark};

/// The algorithms that the format names.
pub const ALGORITHMS: [&str; 5] = ["md5", "sha1", "sha256", "tiger", "whirlpool"];

/// Writes hashdeep 1.0.
#[derive(Default)]
pub struct Encoder {
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
        let unknown = |algorithm: &&Algorithm| !ALGORITHMS.contains(&algorithm.name());
        if let Some(algorithm) = preamble.algorithms.iter().find(unknown) {
            return Err(Unrepresentable::new(format!(
                "hashdeep 1.0 holds {}, not {algorithm}; use jsonl",
                ALGORITHMS.join(", ")
            )));
        }
        if preamble.algorithms.is_empty() {
            return Err(Unrepresentable::new("hashdeep 1.0 needs an algorithm"));
        }
        out.extend_from_slice(b"%%%% HASHDEEP-1.0\n%%%% size,");
        for algorithm in preamble.algorithms {
            out.extend_from_slice(algorithm.name().as_bytes());
            out.push(b',');
        }
        out.extend_from_slice(b"filename\n");
        // Comments are for people and hold one line each: characters that could break the line are
        // rendered harmless.
        if let Some(directory) = preamble.working_directory {
            out.extend_from_slice(b"## Invoked from: ");
            out.extend_from_slice(terminal::render(directory).as_bytes());
            out.push(b'\n');
        }
        if let Some(command) = preamble.command_line {
            out.extend_from_slice(b"## $ ");
            out.extend_from_slice(terminal::render(command).as_bytes());
            out.push(b'\n');
        }
        remark::begin(out, "#", preamble.algorithms, preamble.base, b'\n');
        out.extend_from_slice(b"## \n");
        Ok(())
    }

    fn record(&mut self, out: &mut Vec<u8>, record: &Record) -> Result<FormatFit, Unrepresentable> {
        let Outcome::Hashed(hashed) = &record.outcome else { return Ok(FormatFit::No) };
        let (name, size) = (&record.name[..], hashed.closed.size);
        if name.contains(&b'\n') {
            return Err(Unrepresentable::new("hashdeep 1.0 cannot hold a name with a line feed"));
        }
        if hashed.pieces.is_empty() {
            if name.ends_with(b"\r") {
                return Err(Unrepresentable::new("hashdeep 1.0 cannot hold a name that ends with a carriage return"));
            }
            if split_piece(name, size).is_some() {
                return Err(Unrepresentable::new("hashdeep 1.0 would take this name for that of a piece"));
            }
            line(out, size, &hashed.digests, name, None);
            self.count.add(name);
        }
        for piece in &hashed.pieces {
            line(out, piece.length, &piece.digests, name, Some(piece.offset));
            self.count.add(name);
        }
        Ok(FormatFit::Yes)
    }

    fn count(&self) -> Count {
        self.count
    }

    fn adopt(&mut self, records: Count) {
        self.count.join(records);
    }

    fn tail(&mut self, out: &mut Vec<u8>, _: &Summary) {
        remark::finish(out, "#", self.count, b'\n');
    }
}

fn line(out: &mut Vec<u8>, size: u64, digests: &[pfh_digest::Digest], name: &[u8], offset: Option<u64>) {
    out.extend_from_slice(size.to_string().as_bytes());
    for digest in digests {
        out.push(b',');
        hex::push(out, digest.bytes());
    }
    out.push(b',');
    out.extend_from_slice(name);
    if let Some(offset) = offset {
        // hashdeep writes 0-0 for the only piece of an empty file as well as for a piece of one
        // byte.
        let last = offset + size.saturating_sub(1);
        out.extend_from_slice(format!(" offset {offset}-{last}").as_bytes());
    }
    out.push(b'\n');
}

/// Splits the name of a piece of `size` bytes into the file's name and the piece's offset; `None`
/// where it is not one.
pub fn split_piece(name: &[u8], size: u64) -> Option<(&[u8], u64)> {
    const WORD: &[u8] = b" offset ";
    let at = name.windows(WORD.len()).rposition(|window| window == WORD)?;
    let range = str::from_utf8(&name[at + WORD.len()..]).ok()?;
    let (first, last) = range.split_once('-')?;
    let number = |text: &str| text.parse::<u64>().ok().filter(|number| number.to_string() == text);
    let (first, last) = (number(first)?, number(last)?);
    (first.checked_add(size.saturating_sub(1)) == Some(last)).then_some((&name[..at], first))
}

/// Reads hashdeep 1.0, also several lists one behind the other.
pub(crate) struct Decoder {
    registry: Registry,
    /// Per column between size and name the algorithm, where it is known; `None` before a header
    /// was seen.
    columns: Option<Vec<Result<Algorithm, Box<str>>>>,
    /// Whether it was written on Windows, by the ends of its lines or the directory where it began:
    /// there `\` separates names.
    windows: bool,
}

impl Decoder {
    pub(crate) fn new(registry: Registry, windows: bool) -> Decoder {
        Decoder { registry, columns: None, windows }
    }

    fn header(&mut self, header: &[u8]) -> ParsedLine {
        if header == b"HASHDEEP-1.0" {
            return ParsedLine::Neutral;
        }
        let columns: Option<Vec<Result<Algorithm, Box<str>>>> = str::from_utf8(header).ok().and_then(|header| {
            let columns = header.strip_prefix("size,")?.strip_suffix(",filename")?;
            Some(columns.split(',').map(|name| self.registry.find(name.trim()).map_err(|_| name.into())).collect())
        });
        match columns {
            Some(columns) if columns.iter().any(Result::is_ok) => {
                self.columns = Some(columns);
                ParsedLine::Neutral
            }
            Some(_) => Fault::UnknownAlgorithm(String::from_utf8_lossy(header).into()).into(),
            None => Fault::Malformed("not a header of hashdeep 1.0").into(),
        }
    }

    fn entry(&self, line: &[u8]) -> Result<Entry, Fault> {
        let columns = self.columns.as_ref().ok_or(Fault::Malformed("no header in front of the record"))?;
        let mut fields = line.splitn(columns.len() + 2, |&byte| byte == b',');
        let mut field = || fields.next().ok_or(Fault::Malformed("too few fields"));
        let size = str::from_utf8(field()?).ok().and_then(|size| size.parse().ok());
        let size: u64 = size.ok_or(Fault::Malformed("the size is not a number"))?;
        let mut digests = Vec::with_capacity(columns.len());
        let mut foreign = Vec::new();
        for column in columns {
            let text = field()?;
            match column {
                Ok(algorithm) => digests.push(digits::digest(*algorithm, text)?),
                Err(name) => foreign.push(name.clone()),
            }
        }
        let name = field()?;
        if name.is_empty() {
            return Err(Fault::Malformed("no name"));
        }
        let written = |name: &[u8]| if self.windows { windows_name(name) } else { name.to_vec() };
        Ok(match split_piece(name, size) {
            None => Entry { name: written(name), size: Some(size), digests, foreign, ..Entry::default() },
            Some((name, offset)) => Entry {
                name: written(name),
                pieces: vec![Piece { offset, length: size, digests }],
                foreign,
                ..Entry::default()
            },
        })
    }
}

impl DecodeLine for Decoder {
    fn line(&mut self, line: &[u8]) -> ParsedLine {
        if let Some(header) = line.strip_prefix(b"%%%% ") {
            return self.header(header);
        }
        if line.starts_with(b"#") {
            return match remark::parse(self.registry, line) {
                Some(Remark::Begin(_)) => ParsedLine::Promise,
                Some(Remark::Other(parsed)) => parsed,
                // hashdeep's own word for it; ours renders characters that a terminal must not see,
                // so that only a plain one is exact.
                None => match line.strip_prefix(b"## Invoked from: ") {
                    Some(base) if is_windows_path(base) => {
                        self.windows = true;
                        let base = windows_name(base);
                        if is_absolute(&base) { ParsedLine::Base(base) } else { ParsedLine::Neutral }
                    }
                    Some(base) if is_absolute(base) && !base.contains(&b'\\') => ParsedLine::Base(base.to_vec()),
                    _ => ParsedLine::Neutral,
                },
            };
        }
        if line.is_empty() {
            return ParsedLine::Neutral;
        }
        self.entry(line).into()
    }
}

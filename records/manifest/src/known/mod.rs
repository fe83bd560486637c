//! Sets of known digests as others publish them.
//!
//! | kind | read |
//! |---|---|
//! | [`Kind::Manifest`] | every manifest format: GNU, BSD and OpenSSL lists, hashdeep, DFXML, our JSON and CSV |
//! | [`Kind::List`] | a digest per line, then text: plain lists, md5deep's variants, TSK `.idx` |
//! | [`Kind::Table`] | separated values with a header line: NSRL RDSv2 and 1.5, HashKeeper, iLook, ICSE, X-Ways |
//! | [`Kind::Page`] | pages in HTML with such a list |
//! | [`Kind::Encase`] | EnCase `.hash` |
//! | [`Kind::Vics`] | Project VIC and CAID JSON |
//! | [`Kind::Json`] | other JSON, whole or a document per line, whose members name digests: CycloneDX, SPDX, STIX, feeds |
//!
//! Bloom filters, which hold no digests, are read by [`bloom`]. Everything is read in bounded
//! memory; a line that is not a record is a fault with its number.

pub mod bloom;
mod encase;
pub mod export;
mod list;
mod record;
mod table;

pub use record::{Kind, KnownFile, Take};

use std::io::{self, BufRead, Cursor, Read};
use std::ops::ControlFlow;

use pfh_digest::{Algorithm, ROWS, Registry, Row};

use crate::columns::Columns;
use crate::decode::{self, Decoder};
use crate::ending::Ending;
use crate::entry::{self, Fault, Item};
use crate::format::Format;
use crate::lines::{LIMIT, Line, Lines};
use crate::roles::{self, Role};
use crate::sample::{self, Sample};
use crate::{digits, html, json};

/// How to read.
#[derive(Clone, Debug)]
pub struct Options {
    /// The kind of the set; `None` to tell it from the first bytes.
    pub kind: Option<Kind>,
    /// The algorithms that a digest without a name may be of; empty for the usual algorithms by
    /// length.
    pub assumed: Vec<Algorithm>,
    /// Where `assumed` is empty: the algorithms to try first by length, such as those that the name
    /// of the list [hints](crate::hints) at.
    pub hints: Vec<Algorithm>,
    /// An algorithm that is not known here and that the name of the list
    /// [states](crate::unknown), with the length of its digests: those without a name are of it.
    pub foreign: Option<(&'static str, usize)>,
    /// The labels of the columns of a table, in their order; empty to find them out.
    pub columns: Vec<String>,
    /// The longest line or item in bytes.
    pub limit: usize,
}

impl Default for Options {
    fn default() -> Options {
        Options { kind: None, assumed: Vec::new(), hints: Vec::new(), foreign: None, columns: Vec::new(), limit: LIMIT }
    }
}

/// The contents of a column of a database, by its name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Column {
    /// Digests of this algorithm.
    Digest(Algorithm),
    /// Digests of any algorithm, known by their length.
    Any,
}

impl Column {
    /// The contents of a column of this name (`md5`, `hashes_SHA256`, `hash`); `None` if they are
    /// not digests that identify a file.
    pub fn of(name: &str) -> Option<Column> {
        static LISTS: [&[Row]; 1] = [&ROWS];
        match roles::of(Registry::new(&LISTS), name) {
            Role::Digest(algorithm) if algorithm.length() >= 16 => Some(Column::Digest(algorithm)),
            Role::Hash => Some(Column::Any),
            _ => None,
        }
    }
}

/// Reads a set to its end. Returns its kind. Errors are the reader's own.
pub fn read<R: BufRead>(reader: R, options: &Options, take: &mut Take<'_>) -> io::Result<Kind> {
    read_all(reader, options, &mut |line, record| take(line, record.and_then(without_keyed)))
}

/// A record without the digests that nobody can look up, since files are hashed without their key.
fn without_keyed(mut known: KnownFile) -> Result<KnownFile, Fault> {
    let keyed = known.digests.iter().map(|digest| digest.algorithm()).find(|algorithm| algorithm.is_keyed());
    known.digests.retain(|digest| !digest.algorithm().is_keyed());
    match keyed {
        Some(algorithm) if known.digests.is_empty() => {
            Err(Fault::NeedsKey(format!("{algorithm} (which needs its key)").into()))
        }
        _ => Ok(known),
    }
}

fn read_all<R: BufRead>(reader: R, options: &Options, take: &mut Take<'_>) -> io::Result<Kind> {
    // A reference to a static is not promoted to one that lives for ever.
    static LISTS: [&[Row]; 1] = [&ROWS];
    let registry = Registry::new(&LISTS);
    let mut reader = reader;
    let mut start = Vec::new();
    reader.by_ref().take(encase::MAGIC.len() as u64).read_to_end(&mut start)?;
    let binary = start == encase::MAGIC;
    let reader = Cursor::new(start).chain(reader);
    if options.kind.map_or(binary, |kind| kind == Kind::Encase) {
        encase::read(reader, registry, take)?;
        return Ok(Kind::Encase);
    }
    let (start, text, _) = decode::unsigned(Box::new(reader), true)?;
    let stated = (!options.columns.is_empty()).then_some(Kind::Table);
    let kind = options.kind.or(stated).unwrap_or_else(|| {
        let named = if options.assumed.is_empty() { &options.hints } else { &options.assumed };
        sniff(registry, &start, named)
    });
    let source = Cursor::new(start.clone()).chain(text);
    match kind {
        Kind::Manifest(_) | Kind::Page => {
            let format = if let Kind::Manifest(format) = kind { Some(format) } else { None };
            let options = entry::Options {
                format,
                assumed: options.assumed.clone(),
                hints: options.hints.clone(),
                foreign: options.foreign,
                limit: options.limit,
                ..entry::Options::default()
            };
            manifest(source, &options, registry, take)?;
        }
        Kind::List => {
            let sample = Sample::of(&start);
            let mut reader = list::Reader::new(registry, (&options.assumed, &options.hints), options.foreign, &sample);
            lines(source, options.limit, take, |line| (reader.line(line), None))?;
        }
        Kind::Table => {
            let sample = Sample::of(&start);
            let columns = match stated {
                Some(_) => Some(Columns::stated(registry, &options.columns, &sample)),
                None => Columns::of(registry, &sample),
            };
            let mut reader = table::Reader::new(registry, &options.assumed, columns);
            lines(source, options.limit, take, |line| reader.line(line))?;
        }
        Kind::Vics | Kind::Json => {
            let vics = documents(source, registry, options, take)?;
            return Ok(options.kind.unwrap_or(if vics { Kind::Vics } else { Kind::Json }));
        }
        Kind::Encase => encase::read(source, registry, take)?,
    }
    Ok(kind)
}

/// Reads documents in JSON; `true` if they are of Project VIC or CAID.
fn documents<R: BufRead>(source: R, registry: Registry, options: &Options, take: &mut Take<'_>) -> io::Result<bool> {
    let candidates = digits::candidates(registry, &options.assumed);
    json::read(source, registry, options.limit, &mut |number, object| {
        let (known, fault) = match object {
            Ok(object) => object.known(&candidates),
            Err(fault) => (None, Some(fault)),
        };
        let mut records = known.map(Ok).into_iter().chain(fault.map(Err));
        if records.any(|record| take(number, record).is_break()) {
            ControlFlow::Break(())
        } else {
            ControlFlow::Continue(())
        }
    })
}

fn manifest<R: BufRead>(
    source: R,
    options: &entry::Options,
    registry: Registry,
    take: &mut Take<'_>,
) -> io::Result<()> {
    let mut decoder = Decoder::with_registry(source, options, registry)?;
    let mut last = 0;
    for located in decoder.by_ref() {
        let located = located?;
        last = located.line;
        let record = match located.item {
            // A file that could not be read is known to nobody.
            Item::Unhashed(_) => continue,
            Item::Fault(fault) => Err(fault),
            Item::Entry(entry) if entry.digests.is_empty() => {
                Err(Fault::Malformed("digests of pieces are not those of files"))
            }
            Item::Entry(entry) => match entry.of_foreign(options) {
                Some(fault) => Err(fault),
                None => Ok(KnownFile { digests: entry.digests, tag: None }),
            },
        };
        if take(located.line, record).is_break() {
            return Ok(());
        }
    }
    // A document that breaks off has said so.
    let cut = match decoder.ending() {
        Ending::Missing => "the list has no end: it was cut off, or its writer was interrupted",
        Ending::Contradicted { .. } => "the list is not whole: its end counts other records than it has",
        Ending::OtherNames => "the list is not whole: its end is of other names than it has",
        Ending::Unmarked | Ending::Whole | Ending::Broken => return Ok(()),
    };
    let _ = take(last, Err(Fault::Malformed(cut)));
    Ok(())
}

/// Hands every physical line to `parse`, which gives `None` for a line that is not a record by
/// design, and beside a record the fault of a field that was not understood.
fn lines<R: BufRead>(
    source: R,
    limit: usize,
    take: &mut Take<'_>,
    mut parse: impl FnMut(&[u8]) -> (Option<Result<KnownFile, Fault>>, Option<Fault>),
) -> io::Result<()> {
    let mut lines = Lines::new(source, b'\n', limit);
    loop {
        let (record, beside) = match lines.next()? {
            None => return Ok(()),
            Some(Line::TooLong) => (Some(Err(Fault::TooLong)), None),
            Some(Line::Whole(line)) => match parse(sample::bare(line)) {
                // Looked for only here: names in sets of others are not ours to judge, and most
                // lines are good.
                (Some(Err(_)), _) if line.contains(&0) => (Some(Err(Fault::Nul)), None),
                parsed => parsed,
            },
        };
        for record in record.into_iter().chain(beside.map(Err)) {
            if take(lines.number(), record).is_break() {
                return Ok(());
            }
        }
    }
}

fn sniff(registry: Registry, start: &[u8], named: &[Algorithm]) -> Kind {
    let start = start.trim_ascii_start();
    let first = start.split(|&byte| byte == b'\n').next().unwrap_or_default();
    if html::is_page(start) || decode::packed(start).is_some() {
        return Kind::Page;
    }
    match decode::sniff(registry, start, named) {
        // OCFL's inventory has its digests as the names of members.
        Format::Json if start.windows(17).any(|word| word == b"\"digestAlgorithm\"") => Kind::Manifest(Format::Json),
        Format::Json => Kind::Json,
        Format::Sums if table::is_header(registry, sample::bare(first)) => Kind::Table,
        // Our own as another program saved it again: by the columns of digests, as any other.
        Format::Csv if !first.starts_with(b"type,path,") => Kind::Table,
        // Lists of every dialect: for known sets only the digests count, so the most forgiving
        // reader serves. The checksums of an SFV identify nothing: each of its lines is a fault.
        Format::Sums | Format::Sfv => Kind::List,
        Format::Table => {
            match Columns::of(registry, &Sample::of(start)).is_some_and(|columns| columns.is_separated()) {
                true => Kind::Table,
                false => Kind::Manifest(Format::Table),
            }
        }
        format => Kind::Manifest(format),
    }
}

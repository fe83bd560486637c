//! `export`: a set in a form that another program reads.
//!
//! A known-set file keeps digests alone, in order: it becomes an index, a `.kdb`, an EnCase set or
//! Project VIC's JSON. Forms with names and sizes are made of a list that has them: a manifest.

use super::{Class, DEFAULT_RESIDENT, KnownSet, Problem, SetError, is_known_set};
use crate::job::{Error, PathError};
use crate::matching::opening;
use crate::outputs::{Existing, Kind, Outputs};
use pfh_digest::{Algorithm, Digest};
use pfh_engine::Control;
use pfh_known::{Hit, Kdb};
use pfh_manifest::known::export::{Exporter, Form, Item, UnknownForm};
use pfh_manifest::{Decoder, Ending, Entry, Fault, Item as Listed, Options};
use pfh_source::{Document, Output};
use std::io::{self, BufReader, Write};
use std::path::{Path, PathBuf};
use std::str::FromStr;

/// The form that a set is exported in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum To {
    /// A file of lines, entries or JSON.
    Form(Form),
    /// The Sleuth Kit's SQLite database.
    Kdb,
}

impl FromStr for To {
    type Err = UnknownForm;

    fn from_str(text: &str) -> Result<To, UnknownForm> {
        if text == "kdb" { Ok(To::Kdb) } else { text.parse().map(To::Form) }
    }
}

/// A set, and the form of its export.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Request {
    /// A known-set file, or a manifest in any format that `check` reads.
    pub set: PathBuf,
    /// The file to write; it appears whole or not at all.
    pub output: PathBuf,
    /// The form.
    pub to: To,
    /// The algorithm of an index; MD5 if the set has it.
    pub algorithm: Option<Algorithm>,
    /// Of a known-set file only the entries of these classes; with none all entries, which must be
    /// of one class. Of a manifest the class of all its entries.
    pub classes: Vec<Class>,
    /// Whether an existing file is replaced; never the set.
    pub replace: bool,
}

impl Request {
    /// All of a set in this form.
    pub fn new(set: impl Into<PathBuf>, output: impl Into<PathBuf>, to: To) -> Request {
        Request { set: set.into(), output: output.into(), to, algorithm: None, classes: Vec::new(), replace: false }
    }

    /// Whether the export may start. Of the set only its first bytes are read.
    ///
    /// # Errors
    /// When the request makes no sense, or the output is in the way.
    pub fn check(&self) -> Result<(), Error> {
        let mut outputs = Outputs::new(self.replace);
        outputs.reads(&self.set).writes("OUT", &self.output, Kind::File, Existing::Refused);
        outputs.check()?;
        let is_set = is_known_set(&self.set);
        match self.to {
            To::Form(form) if is_set && form.needs_files() => Err(Error::request(Problem::NeedsFiles(form))),
            To::Form(form) if !is_set && form.is_sorted() => Err(Error::request(Problem::NeedsOrder(form))),
            _ if !is_set && self.classes.len() > 1 => Err(Error::request(Problem::Classes)),
            _ => Ok(()),
        }
    }

    fn takes(&self, class: &Class) -> bool {
        self.classes.is_empty() || self.classes.contains(class)
    }
}

/// An event of an export.
#[derive(Debug, Clone, Copy)]
#[non_exhaustive]
pub enum Event<'a> {
    /// A line of the manifest, from 1, is not a record.
    Fault {
        /// The line.
        line: u64,
        /// The fault.
        fault: &'a Fault,
    },
    /// The manifest is not whole: its end is missing, or counts other records.
    Torn,
}

/// Receives the events of an export. An error ends it with [`Error::Sink`].
pub type Events<'a> = dyn FnMut(Event<'_>) -> io::Result<()> + 'a;

/// The result of an export.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Summary {
    /// Items that were written.
    pub written: u64,
    /// Items that lack a fact that the form needs, or that it cannot hold.
    pub left_out: u64,
    /// Places of the manifest that hold no record, its end among them.
    pub faults: u64,
}

impl Summary {
    /// Whether all that was asked for is in the file.
    pub fn is_complete(&self) -> bool {
        self.left_out == 0 && self.faults == 0 && self.written > 0
    }

    /// The result in a sentence.
    pub fn sentence(&self) -> String {
        let left = match self.left_out {
            0 => String::new(),
            left => format!("; {left} left out, since they lack digests that the form needs"),
        };
        format!("{} items exported{left}", self.written)
    }
}

/// Where items go.
enum End {
    Form(Box<Exporter>, Output),
    Kdb(Box<Kdb>),
}

impl End {
    fn open(request: &Request, algorithms: Vec<Algorithm>, count: u64) -> Result<End, Error> {
        let name = request.set.file_stem().map_or_else(String::new, |name| name.to_string_lossy().into_owned());
        Ok(match request.to {
            To::Kdb => End::Kdb(Box::new(Kdb::create(&request.output)?)),
            To::Form(form) => {
                let mut output = Output::file(&request.output).map_err(|error| written(request, error))?;
                let exporter = Exporter::new(form, algorithms);
                exporter.head(output.room(), &name, count);
                End::Form(Box::new(exporter), output)
            }
        })
    }

    fn take(&mut self, request: &Request, item: &Item<'_>) -> Result<bool, Error> {
        match self {
            End::Kdb(kdb) => Ok(kdb.take(item.digests, item.name, item.class)?),
            End::Form(exporter, output) => {
                let taken = exporter.item(output.room(), item);
                output.advance().map_err(|error| written(request, error))?;
                Ok(taken)
            }
        }
    }

    fn finish(self, request: &Request) -> Result<(), Error> {
        match self {
            End::Kdb(kdb) => Ok(kdb.finish()?),
            End::Form(exporter, mut output) => {
                exporter.tail(output.room());
                let flushed = output.flush().and_then(|()| output.commit());
                flushed.map_err(|error| written(request, error))
            }
        }
    }
}

fn written(request: &Request, error: std::io::Error) -> Error {
    Error::output(SetError::Io(request.output.clone(), error))
}

/// Exports a set.
///
/// # Errors
/// When the request makes no sense, the set cannot be read, or the output cannot be written: then
/// there is none.
pub fn run(request: &Request, events: &mut Events<'_>, control: &Control<'_>) -> Result<Summary, Error> {
    request.check()?;
    if is_known_set(&request.set) { of_set(request, control) } else { of_list(request, events, control) }
}

/// Of a known-set file, algorithm by algorithm in the order of the digests.
fn of_set(request: &Request, control: &Control<'_>) -> Result<Summary, Error> {
    let known = KnownSet::open(&request.set, DEFAULT_RESIDENT).map_err(opening)?;
    let has = |name: &str| known.algorithms().map(|(algorithm, _)| algorithm).find(|had| had.name() == name);
    let wanted: Vec<Algorithm> = match (request.to, request.algorithm) {
        (To::Form(Form::Idx), Some(algorithm)) => vec![algorithm],
        (To::Form(Form::Idx), None) => has("md5").or(has("sha1")).into_iter().collect(),
        (To::Form(Form::Encase), _) => has("md5").into_iter().collect(),
        (To::Form(Form::Vics | Form::Hashdeep | Form::Rdsv2) | To::Kdb, _) => {
            ["md5", "sha1"].into_iter().filter_map(has).collect()
        }
    };
    let mut summary = Summary { left_out: left_out(&known, &wanted), ..Summary::default() };
    // EnCase states the number in front.
    let mut count = 0;
    let mut classes: Vec<Class> = Vec::new();
    each(&known, &wanted, request, control, &mut |_, hit| {
        count += 1;
        if !classes.contains(&hit.class) {
            classes.push(hit.class.clone());
        }
        Ok(())
    })?;
    // Nothing in these forms says which entries are good.
    if request.classes.is_empty() && classes.len() > 1 {
        classes.sort();
        return Err(Error::request(Problem::Mixed(classes)));
    }
    if count == 0 {
        return Err(Error::input(Problem::NothingToExport(request.set.clone())));
    }
    let mut end = End::open(request, wanted.clone(), count)?;
    each(&known, &wanted, request, control, &mut |digest, hit| {
        let digests = std::slice::from_ref(digest);
        let item = Item { digests, class: hit.class.name(), tag: hit.tag.as_deref(), ..Item::default() };
        match end.take(request, &item)? {
            true => summary.written += 1,
            false => summary.left_out += 1,
        }
        Ok(())
    })?;
    end.finish(request)?;
    Ok(summary)
}

/// Digests of other algorithms than the form takes: they are distinguished from the others only by
/// number, since a set does not keep which digests are of one file.
fn left_out(known: &KnownSet, wanted: &[Algorithm]) -> u64 {
    let most = known.algorithms().filter(|(algorithm, _)| wanted.contains(algorithm)).map(|(_, rows)| rows).max();
    let others = known.algorithms().filter(|(algorithm, _)| !wanted.contains(algorithm)).map(|(_, rows)| rows).max();
    others.unwrap_or(0).saturating_sub(most.unwrap_or(0))
}

/// Hands the digests that are asked for to `take`, each with the first of its sets that is in a
/// class that is asked for.
fn each(
    known: &KnownSet,
    wanted: &[Algorithm],
    request: &Request,
    control: &Control<'_>,
    take: &mut dyn FnMut(&Digest, &Hit) -> Result<(), Error>,
) -> Result<(), Error> {
    for algorithm in wanted {
        known.each(*algorithm, &mut |digest, hits| {
            if control.is_cancelled() {
                return Err(Error::cancelled(Problem::Interrupted));
            }
            match hits.iter().find(|hit| request.takes(&hit.class)) {
                Some(hit) => take(digest, hit),
                None => Ok(()),
            }
        })?;
    }
    Ok(())
}

fn open(path: &Path) -> Result<Decoder<'static>, Error> {
    let wrong = |error| Error::input(PathError::new(path, error));
    let file = Document::file(path).map_err(wrong)?;
    let options = Options { any: true, ..Options::default() };
    Decoder::with_registry(BufReader::with_capacity(1 << 18, file), &options, crate::REGISTRY).map_err(wrong)
}

/// Of a manifest, in its order.
fn of_list(request: &Request, events: &mut Events<'_>, control: &Control<'_>) -> Result<Summary, Error> {
    let class = request.classes.first().map_or("", Class::name);
    let mut decoder = open(&request.set)?;
    let (mut summary, mut end) = (Summary::default(), None);
    for located in &mut decoder {
        if control.is_cancelled() {
            return Err(Error::cancelled(Problem::Interrupted));
        }
        let located = located.map_err(|error| Error::input(PathError::new(&request.set, error)))?;
        match located.item {
            Listed::Entry(entry) => {
                let end = match &mut end {
                    Some(end) => end,
                    None => end.insert(End::open(request, columns(&entry), 0)?),
                };
                let Entry { digests, name, size, .. } = &entry;
                let item = Item { digests, name: Some(name), size: *size, class, tag: None };
                match end.take(request, &item)? {
                    true => summary.written += 1,
                    false => summary.left_out += 1,
                }
            }
            Listed::Unhashed(_) => {}
            Listed::Fault(fault) => {
                summary.faults += 1;
                events(Event::Fault { line: located.line, fault: &fault }).map_err(Error::Sink)?;
            }
        }
    }
    match decoder.ending() {
        Ending::Unmarked | Ending::Whole => {}
        _ => {
            summary.faults += 1;
            events(Event::Torn).map_err(Error::Sink)?;
        }
    }
    match end {
        Some(end) if summary.written > 0 => end.finish(request)?,
        // The output that was begun is dropped: no file appears.
        _ => return Err(Error::input(Problem::NothingToExport(request.set.clone()))),
    }
    Ok(summary)
}

/// The columns of hashdeep: those of MD5, SHA-1, SHA-256, Tiger and Whirlpool that the first entry
/// has.
fn columns(entry: &Entry) -> Vec<Algorithm> {
    let mut columns = Vec::new();
    for name in ["md5", "sha1", "sha256", "tiger", "whirlpool"] {
        columns.extend(entry.digests.iter().map(Digest::algorithm).find(|algorithm| algorithm.name() == name));
    }
    columns
}

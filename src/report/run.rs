//! From the files that are named to the page.

use super::event::{Complaint, Event, Events, Summary};
use super::found::PageFindings;
use super::page::Writer;
use super::problem::Problem;
use super::request::Request;
use super::sniff::{self, Form};
use super::{acquired, custody, lines, lists, matched, unfinished};
use crate::job::Error;
use crate::outputs::OutputRefusal;
use pfh_digest::Hasher;
use pfh_engine::{Control, Phase, Progress};
use pfh_report::case::{Standing, Tone};
use pfh_source::os::clock;
use pfh_source::os::names::OsStrExt;
use pfh_source::{Document, Item, Origin, Time};
use std::ffi::OsStr;
use std::io::{self, BufRead, BufReader, Cursor, Read};
use std::path::{Path, PathBuf};

/// Documents that are read as a whole.
const LONGEST: u64 = 64 << 20;

/// Reads results, and hands out their findings. Nothing is written.
///
/// # Errors
/// When the request is refused, or nothing is there. Results that are not understood are an event,
/// and on the page.
pub fn run(request: &Request, events: &mut Events<'_>, control: &Control<'_>) -> Result<Summary, Error> {
    request.check()?;
    let mut source = request.input().source()?;
    let written: Vec<PathBuf> = request.outputs.written();
    let own: Vec<PathBuf> = written.iter().filter_map(|path| path.canonicalize().ok()).collect();
    let mut found = PageFindings::default();
    let mut unread = Vec::new();
    let mut done = 0;
    while let Some(item) = source.pull() {
        if control.is_cancelled() {
            return Err(Error::cancelled(Problem::Interrupted));
        }
        match item {
            Item::Entry(entry) => {
                let name = entry.name().to_vec();
                let stream = if let Origin::Stream(stream) = &entry.origin { Some(stream) } else { None };
                let path = PathBuf::from(OsStr::from_bytes(&name));
                if stream.is_none() && path.canonicalize().is_ok_and(|path| own.contains(&path)) {
                    is_page(&path, &written)?;
                    continue;
                }
                let at = found.enter(&name, "");
                let read = match stream {
                    Some(stream) => take(&mut found, at, Path::new("-"), &mut stream.reader(), request),
                    None => Document::file(&path).and_then(|mut file| take(&mut found, at, &path, &mut file, request)),
                };
                if let Err(error) = read {
                    unread.push(at);
                    found.case.sources[at].standing = Standing::Unknown(crate::with_names(&error.to_string()));
                }
                done += 1;
                control.report(&Progress::Steps { phase: Phase::Reading, done, total: None });
            }
            Item::Problem { name, problem, .. } => {
                let at = found.enter(&name, "");
                unread.push(at);
                found.case.sources[at].standing = Standing::Unknown(crate::with_names(&problem.to_string()));
            }
            Item::Skipped { .. } | Item::Settled { .. } => {}
        }
    }
    // The last result that was read may be read in part when the user ended it.
    if control.is_cancelled() {
        return Err(Error::cancelled(Problem::Interrupted));
    }
    if found.case.sources.is_empty() {
        return Err(Error::input(Problem::Empty(request.paths.iter().map(PathBuf::from).collect())));
    }
    if unread.len() == found.case.sources.len() {
        let why = |at: &usize| {
            let source = &found.case.sources[*at];
            let Standing::Unknown(why) = &source.standing else { return None };
            Some(format!("{}: {why}", pfh_source::terminal::render(&source.name)))
        };
        return Err(Error::input(Problem::Nothing(unread.iter().filter_map(why).collect())));
    }
    finish(&mut found, request);
    hand_out(&found, events).map_err(Error::Sink)
}

/// Reads results, and writes the page. Nothing is written if nothing could be opened.
///
/// # Errors
/// As [`run`], and when the page cannot be written.
pub fn write(request: &Request, page: &Path, events: &mut Events<'_>, control: &Control<'_>) -> Result<Summary, Error> {
    let mut request = request.clone();
    request.outputs.file("html", Some(page));
    let mut writer = Writer::new(page);
    let mut take = |event: Event<'_>| {
        writer.take(&event);
        events(event)
    };
    let summary = run(&request, &mut take, control)?;
    writer.finish()?;
    Ok(summary)
}

/// Refuses to put the page in the place of a result: in a folder that is read only an earlier page
/// is replaced, and an empty file.
fn is_page(path: &Path, written: &[PathBuf]) -> Result<(), Error> {
    let mut start = Vec::new();
    let read = std::fs::File::open(path).and_then(|file| file.take(sniff::LOOK as u64).read_to_end(&mut start));
    if read.is_ok() && (start.is_empty() || matches!(sniff::form(&start), Form::Beside("page", _))) {
        return Ok(());
    }
    let is_same = |page: &&PathBuf| page.canonicalize().ok() == path.canonicalize().ok();
    let page = written.iter().find(is_same).map_or(path, PathBuf::as_path).to_owned();
    let role = "html".to_owned();
    let error =
        io::Error::other("a file of the case that pfh did not write as a page: it is read, and is not replaced");
    Err(OutputRefusal::Place { role, path: page, error }.into())
}

/// Counts the bytes that are read, and computes their digest.
struct CountingReader<R> {
    inner: R,
    hasher: Option<Hasher>,
    bytes: u64,
}

impl<R: Read> Read for CountingReader<R> {
    fn read(&mut self, room: &mut [u8]) -> io::Result<usize> {
        let got = self.inner.read(room)?;
        self.hasher.iter_mut().for_each(|hasher| hasher.update(&room[..got]));
        self.bytes += got as u64;
        Ok(got)
    }
}

/// Takes one file into the findings.
fn take(found: &mut PageFindings, at: usize, path: &Path, file: &mut impl Read, request: &Request) -> io::Result<()> {
    let mut start = Vec::new();
    file.by_ref().take(sniff::LOOK as u64).read_to_end(&mut start)?;
    let form = sniff::form(&start);
    if let Form::Beside(what, why) = &form {
        let source = &mut found.case.sources[at];
        (source.kind, source.standing) = ((*what).to_owned(), Standing::Beside((*why).to_owned()));
        source.bytes = size(path);
        if *what == sniff::PLAN {
            found.plans.push((at, path.to_owned()));
        }
        return Ok(());
    }
    if let Form::Unknown(why) = &form {
        found.case.sources[at].standing = Standing::Unknown((*why).to_owned());
        found.case.sources[at].bytes = size(path);
        return Ok(());
    }
    // Lists of digests hold no zero bytes, unless they are UTF-16: an image is not read to its end.
    let is_wide = start.starts_with(b"\xff\xfe") || start.starts_with(b"\xfe\xff");
    if form == Form::List && !is_wide && start.iter().take(4096).filter(|byte| **byte == 0).count() > 8 {
        found.case.sources[at].standing = Standing::Unknown("no result that is known here".to_owned());
        found.case.sources[at].bytes = size(path);
        return Ok(());
    }
    let judges = form == Form::List && sniff::holds_verdicts(&start);
    let hasher = Some(crate::hash::hasher_of_sha256());
    let counted = CountingReader { inner: Cursor::new(start).chain(file), hasher, bytes: 0 };
    let mut input = BufReader::with_capacity(1 << 18, counted);
    match form {
        Form::Lines => lines::read(found, at, &mut input)?,
        Form::Log => {
            found.case.sources[at].kind = "chained log".to_owned();
            custody::log(found, at, path, &mut input, request)?;
        }
        Form::Seal => {
            found.case.sources[at].kind = "seal".to_owned();
            custody::seal(found, at, path, request);
        }
        Form::Map => {
            let mut text = String::new();
            input.by_ref().take(LONGEST).read_to_string(&mut text)?;
            acquired::map(found, at, path, &text);
        }
        Form::Ontology => ontology(found, at, &mut input)?,
        Form::List => {
            lists::read(found, at, &mut input)?;
            if judges {
                found.torn(at, "the verdicts in it are not read here: -f jsonl has them");
            }
        }
        Form::Beside(..) | Form::Unknown(_) => {}
    }
    io::copy(&mut input, &mut io::sink())?;
    let counted = input.into_inner();
    let source = &mut found.case.sources[at];
    source.bytes = counted.bytes;
    source.sha256 = counted.hasher.map_or_else(String::new, |hasher| hasher.finalize().to_string());
    Ok(())
}

fn size(path: &Path) -> u64 {
    std::fs::metadata(path).map_or(0, |stat| stat.len())
}

/// A document in CASE/UCO: its statements are in the log of the acquisition as well.
fn ontology(found: &mut PageFindings, at: usize, input: &mut impl BufRead) -> io::Result<()> {
    let parsed: Result<serde_json::Value, _> = serde_json::from_reader(input.take(LONGEST));
    let source = &mut found.case.sources[at];
    match parsed.ok().and_then(|document| document["@graph"].as_array().map(Vec::len)) {
        Some(nodes) => (source.kind, source.records) = ("CASE/UCO document".to_owned(), nodes as u64),
        None => {
            source.standing = Standing::Unknown("it begins as JSON-LD, and is not a document with a graph".to_owned())
        }
    }
    Ok(())
}

/// Remarks that need all of the input.
fn finish(found: &mut PageFindings, request: &Request) {
    matched::end(found);
    unfinished::enter(found);
    let similar = std::mem::take(&mut found.similar);
    for (algorithm, beyond) in similar.draw(&mut found.case.results.similar) {
        found.open(0, b"", format!("{beyond} more pairs of {algorithm} are not on the page"));
    }
    let images: Vec<PathBuf> = found.images.iter().filter_map(|image| image.canonicalize().ok()).collect();
    for at in 0..found.case.sources.len() {
        let source = &mut found.case.sources[at];
        let Standing::Unknown(why) = &source.standing else { continue };
        let path = PathBuf::from(OsStr::from_bytes(&source.name));
        if path.canonicalize().is_ok_and(|path| images.contains(&path)) {
            source.kind = "image".to_owned();
            source.standing = Standing::Beside("its log is on this page; `pfh verify` reads it".to_owned());
        } else {
            let why = format!("not understood: {why}");
            let name = source.name.clone();
            found.open(at, &name, why);
        }
    }
    found.case.title.clone_from(&request.title);
    found.case.made = made(&request.command);
    about(found);
}

/// Who makes a page, when, and by which line.
pub(crate) fn made(command: &str) -> String {
    let now = Time { seconds: clock::now().as_secs() as i64, nanoseconds: 0 };
    let by = if command.is_empty() { String::new() } else { format!(", by: {command}") };
    format!("made by pfh {}, {now}{by}", env!("CARGO_PKG_VERSION"))
}

/// Puts the case number, the examiner and the exhibits on top, as the acquisitions state them.
fn about(found: &mut PageFindings) {
    let mut about: Vec<(String, String)> = Vec::new();
    for label in ["case", "examiner", "evidence"] {
        let facts = found.case.results.acquisitions.iter().flat_map(|one| &one.facts);
        let mut values: Vec<&str> = Vec::new();
        for (_, value) in facts.filter(|(name, value)| name == label && !value.is_empty()) {
            if !values.contains(&&**value) {
                values.push(value);
            }
        }
        if !values.is_empty() {
            about.push((label.to_owned(), values.join(", ")));
        }
    }
    found.case.about = about;
}

/// Hands out the findings, and counts them.
fn hand_out(found: &PageFindings, events: &mut Events<'_>) -> io::Result<Summary> {
    let sources = &found.case.sources;
    let mut summary = Summary { holding: found.holding, ..Summary::default() };
    let mut unknown = Vec::new();
    for source in sources {
        events(Event::Source(source))?;
        match &source.standing {
            Standing::Read => {
                summary.results += 1;
                summary.records += source.records;
            }
            Standing::Beside(_) => {}
            Standing::Unknown(why) => unknown.push(Complaint { name: &source.name, why }),
        }
    }
    unknown.extend(found.torn.iter().map(|(at, why)| Complaint { name: &sources[*at].name, why }));
    for complaint in &unknown {
        events(Event::Unknown(complaint))?;
    }
    for (at, why) in &found.broken {
        events(Event::Broken(&Complaint { name: &sources[*at].name, why }))?;
    }
    let negative = found.case.results.judged.iter().filter(|judged| judged.tone == Tone::Bad).count();
    (summary.unknown, summary.broken) = (unknown.len() as u64, found.broken.len() as u64);
    summary.negative = negative as u64 - summary.broken;
    events(Event::Case(&found.case))?;
    Ok(summary)
}

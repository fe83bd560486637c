//! `merge`: the manifest of a plan whose units were carried out.

use super::Error;
use super::document::Document;
use super::join::{Came, join};
use super::part::{self, Counts, Lines};
use crate::algorithms::REGISTRY;
use crate::destination::Destination;
use crate::hash::{Sealing, is_elsewhere};
use crate::outputs::Outputs;
use pfh_custody::seal;
use pfh_digest::Algorithm;
use pfh_engine::{Control, Phase, Progress, Summary as Run};
use pfh_manifest::{Options, Preamble};
use serde_json::Value;
use std::collections::BTreeMap;
use std::ffi::OsString;
use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::os::unix::ffi::OsStringExt;
use std::os::unix::fs::FileExt;
use std::path::PathBuf;

/// Records that are written between two looks at the control.
const STEP: u64 = 1 << 12;

/// A plan, and where its manifest goes.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Request {
    /// The directory of the plan.
    pub plan: PathBuf,
    /// Where the manifest goes.
    pub output: Destination,
    /// The seal that a manifest in a file gets.
    pub seal: Option<Sealing>,
    /// Whether files of the outputs' names are replaced. One that is read never is.
    pub replace: bool,
}

impl Request {
    /// To standard output.
    pub fn new(plan: impl Into<PathBuf>) -> Request {
        Request { plan: plan.into(), output: Destination::default(), seal: None, replace: false }
    }

    /// Writes to this destination.
    #[must_use]
    pub fn output(mut self, output: impl Into<Destination>) -> Request {
        self.output = output.into();
        self
    }

    /// Seals the manifest.
    #[must_use]
    pub fn seal(mut self, seal: Option<Sealing>) -> Request {
        self.seal = seal;
        self
    }

    /// What is read and written: the files of the plan, and those that were planned.
    fn outputs(&self, plan: &Document, parts: &[PathBuf]) -> Outputs {
        let mut outputs = Outputs::new(self.replace);
        let seal = self.seal.as_ref().and(self.output.path()).map(seal::beside);
        outputs.file("--output", self.output.path()).file("--seal", seal);
        outputs.reads(plan.directory.join(super::document::NAME)).reads_all(parts);
        outputs.reads_all((1..=plan.units()).map(|unit| plan.list(unit)));
        outputs.reads_all(plan.paths.iter().map(|path| OsString::from_vec(path.clone())));
        outputs.reads_all(self.seal.as_ref().and_then(|seal| seal.key.as_ref()));
        outputs
    }
}

/// What happens during a merge, in input order.
#[derive(Debug, Clone, Copy)]
#[non_exhaustive]
pub enum Event<'a> {
    /// An input has no digest in the manifest: a sentence with its name and the reason.
    Unread(&'a str),
}

/// Receives the events of a merge. An error ends it with [`Error::Sink`].
pub type Sink<'a> = dyn FnMut(Event<'_>) -> io::Result<()> + 'a;

/// What was merged.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Summary {
    /// The counts, as those of one run.
    pub run: Run,
    /// Hashed files that the format cannot hold.
    pub unwritten: u64,
    /// Files that were read and have no digest, because they are too short, too plain or too long
    /// for the algorithm.
    pub without: u64,
    /// Units.
    pub units: u64,
    /// The algorithms.
    pub algorithms: Vec<Algorithm>,
}

/// Where a record is: its offset, the length of its line and that of its bytes.
type Place = (u64, u32, u32);

/// Reads the line of a record, and its bytes.
fn read(file: &File, (offset, line, bytes): Place) -> Result<(Value, Vec<u8>), Error> {
    let mut record = vec![0; line as usize + bytes as usize];
    let failed = |error| Error::Read { path: std::env::temp_dir(), error };
    file.read_exact_at(&mut record, offset).map_err(failed)?;
    let bytes = record.split_off(line as usize);
    Ok((serde_json::from_slice(&record).unwrap_or_default(), bytes))
}

/// The records of all parts, in one file without a name, and where each is.
struct Gathered {
    file: File,
    places: Vec<Option<Place>>,
    counts: Counts,
}

/// Writes the manifest: that of one run, byte for byte, if no file has changed since. A file
/// appears whole or not at all.
///
/// # Errors
/// When a unit is missing, there twice, damaged or of another plan; when the output cannot be
/// written; when the control cancels the merge.
pub fn run(request: &Request, sink: &mut Sink<'_>, control: &Control<'_>) -> Result<Summary, Error> {
    let plan = Document::load(&request.plan)?;
    let parts = found(&plan)?;
    request.outputs(&plan, &parts).check()?;
    let gathered = gather(&plan, &parts, control)?;
    let counts = gathered.counts;
    let written = counts.hashed - counts.unwritten - counts.without;
    let Counts { hashed, bytes, skipped, failed, untimed, .. } = counts;
    let run = Run { hashed, bytes, skipped, failed, untimed, ..Run::default() };

    let mut output = request.output.open()?;
    let format = plan.format;
    let wrong = |why| Error::Format { format, why };
    let mut encoder = format.encoder(plan.layout).map_err(wrong)?;
    let base = plan.relative && request.output.path().is_some_and(|path| is_elsewhere(path, &plan.working_directory));
    let about = plan.about(base.then(|| plan.working_directory.clone()));
    let preamble = Preamble {
        algorithms: &about.algorithms,
        command_line: about.command_line.as_deref(),
        working_directory: about.working_directory.as_deref(),
        base: about.base.as_deref(),
        version: &about.version,
        start: None,
        volumes: None,
    };
    encoder.head(output.room(), &preamble).map_err(wrong)?;
    gathered.write(sink, control, |fragment| {
        output.room().extend_from_slice(fragment);
        output.advance().map_err(Error::Sink)
    })?;
    let of_manifest = Run { hashed: written, bytes: counts.written_bytes, failed: failed + hashed - written, ..run };
    encoder.adopt(counts.records);
    encoder.tail(output.room(), &of_manifest);
    output.commit().map_err(Error::Sink)?;
    sealed(request, &plan)?;
    let Counts { unwritten, without, .. } = counts;
    Ok(Summary { run, unwritten, without, units: plan.units(), algorithms: plan.algorithms })
}

/// The files of all parts, whatever they hold.
fn found(plan: &Document) -> Result<Vec<PathBuf>, Error> {
    let directory = plan.parts();
    let entries = std::fs::read_dir(&directory).map_err(Error::read(&directory))?;
    let mut parts = entries.map(|entry| entry.map(|entry| entry.path())).collect::<io::Result<Vec<_>>>();
    parts.iter_mut().for_each(|parts| parts.sort());
    parts.map_err(Error::read(&directory))
}

/// Reads all parts: each unit once, each input once.
fn gather(plan: &Document, parts: &[PathBuf], control: &Control<'_>) -> Result<Gathered, Error> {
    let temporary = |error| Error::Write { path: std::env::temp_dir(), error };
    let file = tempfile::tempfile().map_err(temporary)?;
    let mut writer = BufWriter::with_capacity(1 << 18, file);
    let size =
        usize::try_from(plan.entries).map_err(|_| Error::damaged(&plan.directory, "is too large to be merged"))?;
    let (mut places, mut offset, mut counts) = (vec![None; size], 0, Counts::default());
    let mut ranges: BTreeMap<usize, Vec<Place>> = BTreeMap::new();
    let mut units: Vec<Option<&PathBuf>> = vec![None; plan.lists.len() + 1];
    let digest = plan.digest();
    for (done, path) in parts.iter().enumerate() {
        control.report(&Progress::Steps { phase: Phase::Reading, done: done as u64, total: Some(parts.len() as u64) });
        let unit = part::read(path, &digest, &mut |line, bytes, fragment| {
            if control.is_cancelled() {
                return Err(Error::Interrupted("nothing was written"));
            }
            let number = line["number"].as_u64().and_then(|number| usize::try_from(number).ok());
            let lengths = u32::try_from(bytes.len()).ok().zip(u32::try_from(fragment.len()).ok());
            let place = number.and_then(|number| Some((number, places.get_mut(number)?))).zip(lengths);
            let ((number, place), lengths) =
                place.ok_or_else(|| Error::damaged(path, "holds a record that was not planned"))?;
            let written = (offset, lengths.0, lengths.1);
            match line.get("range") {
                Some(_) => ranges.entry(number).or_default().push(written),
                // The second of two is reported by its unit, which is complete by then.
                None => drop(place.get_or_insert(written)),
            }
            counts.add(line).ok_or_else(|| Error::damaged(path, "holds a record that was not planned"))?;
            offset += (bytes.len() + fragment.len()) as u64;
            writer.write_all(bytes).and_then(|()| writer.write_all(fragment)).map_err(temporary)
        })?;
        let place = usize::try_from(unit).ok().and_then(|unit| units.get_mut(unit));
        let place = place.ok_or_else(|| Error::damaged(path, "is of a unit that was not planned"))?;
        if let Some(one) = place.replace(path) {
            return Err(Error::Doubled { unit, one: one.clone(), other: path.clone() });
        }
    }
    let missing: Vec<u64> = (0..).zip(&units).filter(|(_, part)| part.is_none()).map(|(unit, _)| unit).collect();
    if !missing.is_empty() {
        return Err(Error::Missing(missing));
    }
    let mut file = writer.into_inner().map_err(|error| temporary(error.into_error()))?;
    let mut lines = Lines::new(plan)?;
    for (number, ranges) in ranges {
        if control.is_cancelled() {
            return Err(Error::Interrupted("nothing was written"));
        }
        let came = ranges.into_iter().map(|place| {
            let (line, bytes) = read(&file, place)?;
            Ok(Came { line, bytes })
        });
        let (line, bytes) = join(plan, &mut lines, came.collect::<Result<_, Error>>()?)?;
        let text = line.to_string();
        let lengths =
            u32::try_from(text.len()).ok().zip(u32::try_from(bytes.len()).ok()).filter(|_| places[number].is_none());
        let (text_length, length) =
            lengths.ok_or_else(|| Error::damaged(&plan.directory, "its units do not have each input once"))?;
        places[number] = Some((offset, text_length, length));
        counts.add(&line).ok_or_else(|| Error::damaged(&plan.directory, "holds a record that was not planned"))?;
        offset += u64::from(text_length) + u64::from(length);
        file.write_all(text.as_bytes()).and_then(|()| file.write_all(&bytes)).map_err(temporary)?;
    }
    if places.contains(&None) || counts.hashed + counts.skipped + counts.failed != plan.entries {
        return Err(Error::damaged(&plan.directory, "its units do not have each input once"));
    }
    Ok(Gathered { file, places, counts })
}

impl Gathered {
    /// Hands out the records in input order.
    fn write(
        &self,
        sink: &mut Sink<'_>,
        control: &Control<'_>,
        mut put: impl FnMut(&[u8]) -> Result<(), Error>,
    ) -> Result<(), Error> {
        for (done, &place) in (0..).zip(self.places.iter().flatten()) {
            let (line, fragment) = read(&self.file, place)?;
            if let Some(said) = line["said"].as_str() {
                sink(Event::Unread(said)).map_err(Error::Sink)?;
            }
            put(&fragment)?;
            if u64::is_multiple_of(done, STEP) {
                let total = Some(self.places.len() as u64);
                control.report(&Progress::Steps { phase: Phase::Building, done, total });
                if control.is_cancelled() {
                    return Err(Error::Interrupted("no file was written"));
                }
            }
        }
        Ok(())
    }
}

/// Seals the finished manifest, if that is asked for.
fn sealed(request: &Request, plan: &Document) -> Result<(), Error> {
    let (Some(sealing), Some(path)) = (&request.seal, request.output.path()) else { return Ok(()) };
    let options = Options {
        format: Some(plan.format),
        assumed: plan.algorithms.clone(),
        end: plan.layout.end,
        limit: pfh_engine::DEFAULT_MEMORY,
        ..Options::default()
    };
    Ok(seal::write(path, &options, REGISTRY, sealing.key.as_deref())?)
}

//! `merge`: the manifest of a plan whose units were carried out.

use super::document::{Document, part_name};
use super::join::{Came, join};
use super::part::{self, Counts, Lines};
use super::problem::{damaged, interrupted, unread, unwritten};
use super::{Event, Events, MergedRecord, Problem};
use crate::destination::Destination;
use crate::hash::{self, SealReader, Sealing, encoder, is_elsewhere};
use crate::job::{Error, Kind};
use crate::outputs::{Existing, Outputs};
use pfh_custody::seal;
use pfh_digest::Algorithm;
use pfh_engine::{Control, Phase, Progress, Summary as Run};
use pfh_source::os::names::OsStringExt;
use pfh_source::os::positioned::FileExt;
use serde_json::Value;
use std::collections::{BTreeMap, HashSet};
use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::PathBuf;

/// Records that are written between two looks at the control.
const STEP: u64 = 1 << 12;

/// A plan whose units were carried out.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Request {
    /// The directory of the plan.
    pub plan: PathBuf,
    /// Files that the caller writes of the events: refused where one is a file of the plan or a
    /// planned one.
    pub outputs: Outputs,
    /// Whether files of the outputs' names are replaced. One that is read never is.
    pub replace: bool,
}

/// Where the manifest of a plan goes; its format is that of the plan.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Manifest {
    /// Where it goes.
    pub output: Destination,
    /// The seal that a manifest in a file gets.
    pub seal: Option<Sealing>,
}

impl Manifest {
    /// To this destination.
    pub fn new(output: impl Into<Destination>) -> Manifest {
        Manifest { output: output.into(), seal: None }
    }

    /// With this seal.
    #[must_use]
    pub fn seal(mut self, seal: Option<Sealing>) -> Manifest {
        self.seal = seal;
        self
    }

    /// Whether the seal can be made.
    ///
    /// # Errors
    /// When it has no place, or its key cannot be loaded.
    pub fn check(&self) -> Result<(), Error> {
        let Some(sealing) = &self.seal else { return Ok(()) };
        match self.output.path() {
            None => Err(Error::request(hash::Problem::SealBesideStream)),
            Some(_) => sealing.check(),
        }
    }

    /// Names the outputs, and the key that is read.
    pub fn guard(&self, outputs: &mut Outputs) {
        let seal = self.seal.as_ref().and(self.output.path()).map(seal::beside);
        outputs.file("output", self.output.path()).writes_beside("seal", seal, Existing::Refused);
        outputs.reads_all(self.seal.as_ref().and_then(|seal| seal.key.as_ref()));
    }
}

impl Request {
    /// This plan.
    pub fn new(plan: impl Into<PathBuf>) -> Request {
        Request { plan: plan.into(), outputs: Outputs::default(), replace: false }
    }

    /// Whether the merge may start. Nothing is read but the plan.
    ///
    /// # Errors
    /// When there is no such plan, or an output is in the way.
    pub fn check(&self) -> Result<(), Error> {
        let plan = Document::load(&self.plan)?;
        let parts = found(&plan)?;
        self.guarded(&plan, &parts)
    }

    /// Guards the inputs: the files of the plan, and those that were planned.
    fn guarded(&self, plan: &Document, parts: &[PathBuf]) -> Result<(), Error> {
        let mut outputs = self.outputs.clone();
        outputs.set_replace(self.replace);
        outputs.reads(plan.directory.join(super::document::NAME)).reads_all(parts);
        outputs.reads_all((1..=plan.units()).map(|unit| plan.list(unit)));
        outputs.reads_all(plan.paths.iter().map(|path| OsString::from_vec(path.clone())));
        Ok(outputs.check()?)
    }
}

/// The result of the merge.
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
    file.read_exact_at(&mut record, offset).map_err(unread(&std::env::temp_dir()))?;
    let bytes = record.split_off(line as usize);
    Ok((serde_json::from_slice(&record).unwrap_or_default(), bytes))
}

/// The records of all parts, in one file without a name, and where each is.
struct PartRecords {
    file: File,
    places: Vec<Option<Place>>,
    counts: Counts,
}

/// Hands out the records of the manifest, in input order. Nothing is written.
///
/// # Errors
/// When a unit is missing, there twice, damaged or of another plan; when the control cancels the
/// merge.
pub fn run(request: &Request, events: &mut Events<'_>, control: &Control<'_>) -> Result<Summary, Error> {
    let (plan, gathered) = opened(request, control)?;
    gathered.hand_out(events, control)?;
    Ok(gathered.summary(plan))
}

/// Writes the manifest: that of one run, byte for byte, if no file has changed since. A file
/// appears whole or not at all.
///
/// # Errors
/// As [`run`]; when the key of the seal cannot be loaded, or the output cannot be written.
pub fn write(
    request: &Request,
    manifest: &Manifest,
    events: &mut Events<'_>,
    control: &Control<'_>,
) -> Result<Summary, Error> {
    manifest.check()?;
    let mut request = request.clone();
    manifest.guard(&mut request.outputs);
    let (plan, gathered) = opened(&request, control)?;
    let mut output = manifest.output.open()?;
    let base = plan.relative && manifest.output.path().is_some_and(|path| is_elsewhere(path, &plan.working_directory));
    let about = plan.about(base.then(|| plan.working_directory.clone()));
    let mut encoder = encoder(plan.format, plan.layout, &about, output.room())?;
    let (form, memory) = ((plan.format, plan.layout), pfh_engine::DEFAULT_MEMORY);
    let seal = manifest.seal.as_ref();
    let sealed = SealReader::begin(&manifest.output, seal, form, &plan.algorithms, memory, &mut output)?;
    gathered.hand_out(
        &mut |event| {
            events(event)?;
            if let Event::Merged(merged) = event {
                output.room().extend_from_slice(merged.bytes);
                output.advance()?;
            }
            Ok(())
        },
        control,
    )?;
    encoder.adopt(gathered.counts.records);
    encoder.tail(output.room(), &gathered.of_manifest());
    SealReader::commit(output, sealed)?;
    Ok(gathered.summary(plan))
}

/// The plan of a request that may start, and all that its units came to.
fn opened(request: &Request, control: &Control<'_>) -> Result<(Document, PartRecords), Error> {
    let plan = Document::load(&request.plan)?;
    let parts = found(&plan)?;
    request.guarded(&plan, &parts)?;
    let gathered = gather(&plan, &parts, control)?;
    Ok((plan, gathered))
}

/// The files of all parts, whole or not.
fn found(plan: &Document) -> Result<Vec<PathBuf>, Error> {
    let directory = plan.parts();
    let entries = std::fs::read_dir(&directory).map_err(unread(&directory))?;
    let mut parts = entries.map(|entry| entry.map(|entry| entry.path())).collect::<io::Result<Vec<_>>>();
    parts.iter_mut().for_each(|parts| parts.sort());
    parts.map_err(unread(&directory))
}

/// Reads all parts: each unit once, each input once.
fn gather(plan: &Document, parts: &[PathBuf], control: &Control<'_>) -> Result<PartRecords, Error> {
    let temporary = |error| unwritten(&std::env::temp_dir())(error);
    let file = tempfile::tempfile().map_err(temporary)?;
    let mut writer = BufWriter::with_capacity(1 << 18, file);
    let size = usize::try_from(plan.entries).map_err(|_| damaged(&plan.directory, "is too large to be merged"))?;
    let (mut places, mut offset, mut counts) = (vec![None; size], 0, Counts::default());
    let mut ranges: BTreeMap<usize, Vec<Place>> = BTreeMap::new();
    let mut units: Vec<Option<&PathBuf>> = vec![None; plan.lists.len() + 1];
    let digest = plan.digest();
    let mut named: HashSet<OsString> = HashSet::new();
    let mut faults: Vec<Error> = Vec::new();
    for (done, path) in parts.iter().enumerate() {
        control.report(&Progress::Steps { phase: Phase::Reading, done: done as u64, total: Some(parts.len() as u64) });
        let unit = part::read(path, &digest, &mut |line, bytes, fragment| {
            if control.is_cancelled() {
                return Err(interrupted("nothing was written"));
            }
            let number = line["number"].as_u64().and_then(|number| usize::try_from(number).ok());
            let lengths = u32::try_from(bytes.len()).ok().zip(u32::try_from(fragment.len()).ok());
            let place = number.and_then(|number| Some((number, places.get_mut(number)?))).zip(lengths);
            let ((number, place), lengths) =
                place.ok_or_else(|| damaged(path, "holds a record that was not planned"))?;
            let written = (offset, lengths.0, lengths.1);
            match line.get("range") {
                Some(_) => ranges.entry(number).or_default().push(written),
                // The second of two is reported by its unit, which is complete by then.
                None => drop(place.get_or_insert(written)),
            }
            counts.add(line).ok_or_else(|| damaged(path, "holds a record that was not planned"))?;
            offset += (bytes.len() + fragment.len()) as u64;
            writer.write_all(bytes).and_then(|()| writer.write_all(fragment)).map_err(temporary)
        });
        let unit = match unit {
            // All of them are named at once.
            Err(fault) if fault.kind() == Kind::Input => {
                faults.push(fault);
                named.extend(path.file_name().map(OsStr::to_owned));
                continue;
            }
            unit => unit?,
        };
        match usize::try_from(unit).ok().and_then(|unit| units.get_mut(unit)) {
            None => faults.push(damaged(path, "is of a unit that was not planned")),
            Some(place) => {
                if let Some(one) = place.replace(path) {
                    faults.push(Error::input(Problem::Doubled { unit, one: one.clone(), other: path.clone() }));
                }
            }
        }
    }
    let missing: Vec<u64> = (0..).zip(&units).filter(|(_, part)| part.is_none()).map(|(unit, _)| unit).collect();
    // The unit of a damaged part is missing. Where no other one is, the part's name says which.
    let is_named = |unit: &u64| named.contains(OsStr::new(&part_name(*unit, &digest)));
    if !missing.iter().all(is_named) {
        faults.push(Error::input(Problem::Missing(missing)));
    }
    match faults.len() {
        0 => {}
        1 => return Err(faults.remove(0)),
        _ => return Err(Error::input(Problem::several(&faults))),
    }
    let mut file = writer.into_inner().map_err(|error| temporary(error.into_error()))?;
    let mut lines = Lines::new(plan)?;
    for (number, ranges) in ranges {
        if control.is_cancelled() {
            return Err(interrupted("nothing was written"));
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
            lengths.ok_or_else(|| damaged(&plan.directory, "its units do not have each input once"))?;
        places[number] = Some((offset, text_length, length));
        counts.add(&line).ok_or_else(|| damaged(&plan.directory, "holds a record that was not planned"))?;
        offset += u64::from(text_length) + u64::from(length);
        file.write_all(text.as_bytes()).and_then(|()| file.write_all(&bytes)).map_err(temporary)?;
    }
    if places.contains(&None) || counts.hashed + counts.skipped + counts.failed != plan.entries {
        return Err(damaged(&plan.directory, "its units do not have each input once"));
    }
    Ok(PartRecords { file, places, counts })
}

impl PartRecords {
    /// Hands out the records in input order.
    fn hand_out(&self, events: &mut Events<'_>, control: &Control<'_>) -> Result<(), Error> {
        for (number, &place) in (0..).zip(self.places.iter().flatten()) {
            let (line, bytes) = read(&self.file, place)?;
            let (size, complaint) = (line["size"].as_u64(), line["said"].as_str());
            events(Event::Merged(&MergedRecord { number, bytes: &bytes, size, complaint })).map_err(Error::Sink)?;
            if u64::is_multiple_of(number, STEP) {
                let total = Some(self.places.len() as u64);
                control.report(&Progress::Steps { phase: Phase::Building, done: number, total });
                if control.is_cancelled() {
                    return Err(interrupted("no file was written"));
                }
            }
        }
        Ok(())
    }

    /// The counts, as those of one run.
    fn run(&self) -> Run {
        let Counts { hashed, bytes, skipped, failed, untimed, .. } = self.counts;
        Run { hashed, bytes, skipped, failed, faults: failed, untimed, ..Run::default() }
    }

    /// The counts as the end of the manifest has them.
    fn of_manifest(&self) -> Run {
        let Counts { hashed, failed, unwritten, without, written_bytes, .. } = self.counts;
        let written = hashed - unwritten - without;
        Run { hashed: written, bytes: written_bytes, failed: failed + hashed - written, ..self.run() }
    }

    fn summary(&self, plan: Document) -> Summary {
        let Counts { unwritten, without, .. } = self.counts;
        Summary { run: self.run(), unwritten, without, units: plan.units(), algorithms: plan.algorithms }
    }
}

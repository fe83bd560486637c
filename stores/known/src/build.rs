//! Builds a known-set file from published sets.

use pfh_source::os::names::with_ending;
use std::fs::{self, File};
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use pfh_digest::{Algorithm, Digest};
use pfh_manifest::Fault;
use pfh_manifest::known::KnownFile;
use pfh_manifest::known::bloom::Header;

use crate::Error;
use crate::input::{Contents, Input, Meter};
use crate::intake::{Intake, identifies};
use crate::journal::{Journal, Progress, Run};
use crate::layout::{Bloom, Directory, Table, VERSION, WORDS, combination_bytes};
use crate::read;
use crate::sets::{Combinations, Numbers, Origins, Set};
use crate::sqlite::delta;
use crate::write::{self, CountingWriter};

/// Memory that a build takes by default, in bytes: 512 MiB.
pub const DEFAULT_MEMORY: usize = 512 << 20;

/// The least that is of use: 16 MiB.
const LEAST_MEMORY: usize = 16 << 20;

/// Memory that merging and the filters take beside the sorting.
const BESIDE: usize = 64 << 20;

/// A build to be done.
pub struct Build<'a> {
    /// The files to take in. Their order is that of the sets in the file.
    pub inputs: Vec<Input>,
    /// The file to write. It appears whole or not at all.
    pub output: PathBuf,
    /// Where sorted runs lie meanwhile; `None` for the output's name with `.work` behind it. The
    /// file system must hold about as much again as the output takes.
    pub work: Option<PathBuf>,
    /// Bytes of memory.
    pub memory: usize,
    /// Called for every place of an input that holds no record: the input, the line (of databases
    /// the row), and why.
    pub fault: &'a mut dyn FnMut(&Path, u64, &Fault) -> ControlFlow<()>,
    /// Called now and then with the progress.
    pub progress: &'a mut dyn FnMut(&Pace),
    /// Set to end the build soon; finished work is kept for the next.
    pub cancel: Arc<AtomicBool>,
}

/// How far a build is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Pace {
    /// The current work.
    pub step: Step,
    /// Records that were read, and places that hold none.
    pub records: u64,
    /// How much of the step is done: bytes while reading, rows while writing.
    pub done: u64,
    /// How much there is to do, in the same unit, about; 0 where nobody knows.
    pub all: u64,
}

/// The step that a build is at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Step {
    /// Reads the inputs, and sorts their digests.
    Reading,
    /// Merges the sorted runs and writes the file.
    Writing,
}

/// Records or rows between two reports.
const REPORT: u64 = 1 << 16;

/// The result of a build.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct BuildResult {
    /// The sets with their counts.
    pub sets: Vec<Set>,
    /// Distinct digests by algorithm.
    pub digests: Vec<(String, u64)>,
    /// Records that an earlier, interrupted build had already taken.
    pub resumed: u64,
}

impl Build<'_> {
    /// Does it. The same inputs give the same bytes, however much memory there is and however often
    /// it was interrupted.
    ///
    /// # Errors
    /// When the file cannot be written. Inputs' records that are none are reported to
    /// `fault` instead.
    pub fn run(mut self) -> Result<BuildResult, Error> {
        if fs::symlink_metadata(&self.output).is_ok_and(|found| !found.is_file()) {
            let what = "no regular file: a set replaces the file of its name";
            return Err(Error::Io(self.output.clone(), std::io::Error::other(what)));
        }
        let identities: Vec<_> = self.inputs.iter().map(Input::identity).collect::<Result<_, _>>()?;
        let identity = serde_json::json!({ "pfh-known": VERSION, "inputs": identities }).to_string();
        let work = self.work.clone().unwrap_or_else(|| with_ending(&self.output, ".work"));
        let (journal, progress, runs) = Journal::open(&work, &identity)?;
        let resumed = progress.origins.sets.iter().map(|set| set.records).sum();
        let taken = self.take_in(journal, runs, progress, &work)?;
        let partial = with_ending(&self.output, ".partial");
        let file = File::create(&partial).map_err(Error::io(&partial))?;
        let (directory, file) = self.write(file, &partial, &work, &taken)?;
        pfh_source::replace(&file, &partial, &self.output).map_err(Error::io(&self.output))?;
        taken.journal.remove()?;
        let digests = directory.tables.iter().map(|table| (table.algorithm.clone(), table.rows)).collect();
        Ok(BuildResult { sets: directory.sets, digests, resumed })
    }

    fn take_in(
        &mut self,
        journal: Journal,
        runs: Vec<Run>,
        progress: Progress,
        work: &Path,
    ) -> Result<InputIntake, Error> {
        let memory = self.memory.max(LEAST_MEMORY).saturating_sub(BESIDE).max(LEAST_MEMORY / 2);
        let mut intake = Intake::start(journal, runs, memory).map_err(Error::io(work))?;
        let Progress { input: from, taken, mut origins } = progress;
        let mut numbers = Numbers::of(&origins);
        let mut blooms = Vec::new();
        let mut total = 0_u64;
        let bytes: Vec<u64> = self.inputs.iter().map(Input::bytes).collect();
        let all = bytes.iter().sum();
        for (position, input) in self.inputs.iter().enumerate() {
            let skip = match position.cmp(&from) {
                // Of a filter there is nothing in the runs: it is only looked at again.
                std::cmp::Ordering::Less if origins.sets[position].format != "bloom" => {
                    blooms.push(None);
                    continue;
                }
                std::cmp::Ordering::Equal => taken,
                _ => 0,
            };
            if origins.sets.len() <= position {
                origins.sets.push(new_set(input));
            }
            let applied = match input.deltas.is_empty() {
                true => None,
                false => {
                    let path = work.join(format!("applied-{position}"));
                    // Of a copy that records were taken of, the faults of its deltas are in the
                    // journal.
                    if skip == 0 || !path.is_file() {
                        let set = &mut origins.sets[position];
                        set.faults += idle_deltas(input, &path, &self.cancel, &mut self.fault)? * u64::from(skip == 0);
                    }
                    Some(path)
                }
            };
            let before: u64 = bytes[..position].iter().sum();
            let meter = Meter::default();
            let mut seen = 0;
            let mut failed = None;
            let found = read::read(input, applied.as_deref(), &meter, &mut |line, record| {
                seen += 1;
                if seen <= skip {
                    return ControlFlow::Continue(());
                }
                total += 1;
                match record {
                    Ok(mut known) => {
                        origins.sets[position].placeholders += known.drop_placeholders() as u64;
                        let number = |tag| numbers.number(&mut origins, position as u32, tag);
                        match take(&known, number) {
                            Ok(taken) => {
                                let set = &mut origins.sets[position];
                                set.records += 1;
                                for (digest, origin) in taken {
                                    set.count(digest.algorithm().name());
                                    intake.take(digest, origin);
                                }
                            }
                            Err(RecordRefusal::Record(fault)) => {
                                origins.sets[position].faults += 1;
                                if (self.fault)(&input.path, line, &fault).is_break() {
                                    failed = Some(Error::Cancelled);
                                }
                            }
                            Err(RecordRefusal::Build(error)) => failed = Some(error),
                        }
                    }
                    Err(fault) => {
                        origins.sets[position].faults += 1;
                        if (self.fault)(&input.path, line, &fault).is_break() {
                            failed = Some(Error::Cancelled);
                        }
                    }
                }
                if intake.is_full() && failed.is_none() {
                    let progress = Progress { input: position, taken: seen, origins: origins.clone() };
                    failed = intake.spill(progress).err();
                }
                if total.is_multiple_of(REPORT) {
                    let done = before + meter.bytes().min(bytes[position]);
                    (self.progress)(&Pace { step: Step::Reading, records: total, done, all });
                    if self.cancel.load(Ordering::Relaxed) && failed.is_none() {
                        failed = Some(Error::Cancelled);
                    }
                }
                if failed.is_some() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
            });
            // A signal may end the reading of a list before it is asked for.
            let found =
                found.map_err(|error| if self.cancel.load(Ordering::Relaxed) { Error::Cancelled } else { error })?;
            if let Some(error) = failed {
                return Err(error);
            }
            blooms.push(settle(&mut origins.sets[position], input, found));
            if let Some(applied) = applied {
                // Removes the copy, which is no longer needed; the rest goes with the work
                // directory.
                let _ = fs::remove_file(applied);
            }
        }
        (self.progress)(&Pace { step: Step::Reading, records: total, done: all, all });
        let done = Progress { input: self.inputs.len(), taken: 0, origins: origins.clone() };
        let (journal, runs) = intake.finish(done)?;
        Ok(InputIntake { journal, runs, origins, blooms: blooms.into_iter().flatten().collect(), records: total })
    }

    fn write(
        &mut self,
        file: File,
        partial: &Path,
        work: &Path,
        taken: &InputIntake,
    ) -> Result<(Directory, File), Error> {
        let InputIntake { runs, origins, blooms, records, .. } = taken;
        let records = *records;
        let mut out = CountingWriter::start(file).map_err(Error::io(partial))?;
        let mut algorithms: Vec<&str> = runs.iter().map(|run| run.algorithm.as_str()).collect();
        algorithms.sort_unstable();
        algorithms.dedup();
        let mut combinations = Combinations::default();
        let mut tables = Vec::new();
        let all = runs.iter().map(|run| run.rows).sum();
        let mut done = 0;
        let mut watch = |rows: u64| {
            done += rows;
            (self.progress)(&Pace { step: Step::Writing, records, done, all });
            if self.cancel.load(Ordering::Relaxed) { Err(Error::Cancelled) } else { Ok(()) }
        };
        for name in algorithms {
            watch(0)?;
            let Some(digest) = length_of(name) else { continue };
            let of: Vec<Run> = runs.iter().filter(|run| run.algorithm == name).cloned().collect();
            let combination = combination_bytes(origins.list.len());
            let table = Table { algorithm: name.to_owned(), digest, combination, ..Table::default() };
            tables.push(write::table(&mut out, partial, work, &of, table, &mut combinations, &mut watch)?);
        }
        let parts = origins.list.iter().map(|origin| {
            let mut bytes = origin.set.to_le_bytes().to_vec();
            bytes.extend_from_slice(origin.tag.as_deref().unwrap_or_default().as_bytes());
            Box::new(bytes) as Box<dyn AsRef<[u8]>>
        });
        let parts = write::section(&mut out, parts).map_err(Error::io(partial))?;
        let lists = combinations.list().iter().map(|list| {
            Box::new(list.iter().flat_map(|part| part.to_le_bytes()).collect::<Vec<u8>>()) as Box<dyn AsRef<[u8]>>
        });
        let lists = write::section(&mut out, lists).map_err(Error::io(partial))?;
        let mut filters = Vec::new();
        let of_blooms = (0..).zip(&self.inputs).filter(|(set, _)| origins.sets[*set as usize].format == "bloom");
        for ((set, input), header) in of_blooms.zip(blooms) {
            let offset = out.offset();
            let mut sums = Vec::new();
            read::bloom_words(input, header, |words| {
                sums.extend(words.chunks(WORDS).flat_map(|block| crc32fast::hash(block).to_le_bytes()));
                out.write(words).map_err(Error::io(partial))
            })?;
            let summed = out.offset();
            out.write(&sums).map_err(Error::io(partial))?;
            let algorithm = input.assumed.first().map_or_else(|| "sha1".to_owned(), Algorithm::to_string);
            let Header { bits, hashes, entries, .. } = *header;
            filters.push(Bloom { set, algorithm, offset, sums: Some(summed), bits, hashes, entries });
        }
        let directory = Directory {
            version: VERSION,
            sets: origins.sets.clone(),
            origins: parts,
            combinations: lists,
            tables,
            blooms: filters,
            blocks: Vec::new(),
        };
        let json = serde_json::to_vec(&directory).map_err(|error| Error::Io(partial.to_owned(), error.into()))?;
        let file = out.finish(&json).map_err(Error::io(partial))?;
        Ok((directory, file))
    }
}

/// The result of reading the inputs.
struct InputIntake {
    journal: Journal,
    runs: Vec<Run>,
    origins: Origins,
    /// Of each filter among the inputs, in their order.
    blooms: Vec<Header>,
    records: u64,
}

/// Why a record is not taken.
enum RecordRefusal {
    Record(Fault),
    Build(Error),
}

/// The digests of a record with the number of their origin.
fn take(
    known: &KnownFile,
    number: impl FnOnce(Option<String>) -> Result<u32, Error>,
) -> Result<Vec<(&Digest, u32)>, RecordRefusal> {
    if known.digests.is_empty() {
        return Err(RecordRefusal::Record(Fault::Malformed("zeros in place of a digest")));
    }
    if !known.digests.iter().any(|digest| identifies(digest.algorithm())) {
        return Err(RecordRefusal::Record(Fault::Malformed("a checksum or a digest of more than 64 bytes")));
    }
    let origin = number(known.tag.clone()).map_err(RecordRefusal::Build)?;
    Ok(known.digests.iter().filter(|digest| identifies(digest.algorithm())).map(|digest| (digest, origin)).collect())
}

/// Runs the deltas of an input in a copy at `path`; tells which of them have a statement that
/// changes nothing, and gives their number.
fn idle_deltas(
    input: &Input,
    path: &Path,
    cancel: &Arc<AtomicBool>,
    fault: &mut dyn FnMut(&Path, u64, &Fault) -> ControlFlow<()>,
) -> Result<u64, Error> {
    let idle = delta::apply(&input.path, &input.deltas, path, cancel)?;
    let why = Fault::Malformed("changes nothing: the delta may be of another database or applied already");
    if idle.iter().any(|(delta, line)| fault(delta, *line, &why).is_break()) {
        return Err(Error::Cancelled);
    }
    Ok(idle.len() as u64)
}

/// Bytes of a digest of the algorithm of this name.
fn length_of(name: &str) -> Option<usize> {
    name.parse::<Algorithm>().ok().map(Algorithm::length)
}

/// An unread set.
pub fn new_set(input: &Input) -> Set {
    let file =
        |path: &Path| pfh_source::terminal::render(path.file_name().unwrap_or(path.as_os_str()).as_encoded_bytes());
    let source = file(&input.path);
    let stem = source.rsplit_once('.').map_or(source.as_str(), |(stem, _)| stem);
    let name = input.name.clone().unwrap_or_else(|| if stem.is_empty() { source.clone() } else { stem.to_owned() });
    let source =
        [source].into_iter().chain(input.deltas.iter().map(|delta| file(delta))).collect::<Vec<_>>().join(" + ");
    Set {
        name,
        class: Some(input.class.clone()),
        version: input.version.clone(),
        product: input.product.clone(),
        guessed: input.guessed.iter().map(Algorithm::to_string).collect(),
        source,
        ..Set::default()
    }
}

/// Notes the format and version of an input; the header where it is a filter.
fn settle(set: &mut Set, input: &Input, found: Contents) -> Option<Header> {
    match found {
        Contents::Records { format, version } => {
            set.format = format;
            set.version = input.version.clone().or(version);
            None
        }
        Contents::Bloom(header) => {
            set.format = "bloom".to_owned();
            set.records = 0;
            Some(header)
        }
    }
}

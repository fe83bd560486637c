//! `make`: lists the inputs, and packs them into units.

use super::base::{check_name, landmarks};
use super::document::{Document, sha256};
use super::pack::pack;
use super::part::{UnitName, Writing, encode_list};
use super::problem::{interrupted, unwritten};
use super::range::{Range, splits};
use super::{Event, Events, Problem};
use crate::algorithms::{Algorithm, computed};
use crate::hash::{self, Head, Request as Hash, encoder, has_pieces};
use crate::input::{Content, Input};
use crate::job::Error;
use crate::outputs::{Existing, Kind, Outputs};
use pfh_engine::{Control, Outcome, Phase, Progress, Record};
use pfh_manifest::{End, Format, Layout, Marker};
use pfh_source::os::names::{OsStrExt, OsStringExt};
use pfh_source::{Item, Origin, Output, Special};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

/// Inputs whose sizes are looked at between two looks at the control.
const STEP: u64 = 1 << 10;

/// An input, how its digests are written, and how large units are.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Request {
    /// The input of the plan: files and directories.
    pub input: Input,
    /// The algorithms.
    pub algorithms: Vec<Algorithm>,
    /// Bytes of the windows that have digests of their own.
    pub piecewise: Option<u64>,
    /// Bytes of the ranges that larger files are read in, each range for itself; for tree hashes
    /// alone. Without it each file is read by one unit.
    pub split: Option<u64>,
    /// The format of the manifest.
    pub format: Format,
    /// How its lines look, in formats that leave a choice.
    pub layout: Layout,
    /// Most bytes of a unit; a larger file is one by itself. 2 GiB.
    pub bytes: u64,
    /// Most files of a unit. 100,000.
    pub files: u64,
    /// The directory in which all files lie, as an absolute path, so that [`unit`](super::unit)
    /// finds them where another machine has it. Without it the one where relative names start, or
    /// the root.
    pub base: Option<PathBuf>,
    /// The directory that becomes the plan; it is not there, or empty.
    pub plan: PathBuf,
    /// The command line that the head of the manifest records, for formats that have one.
    pub command_line: Option<Vec<u8>>,
}

/// The counts of the plan.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Summary {
    /// Units, counted from 1.
    pub units: u64,
    /// Files in them.
    pub files: u64,
    /// Bytes of the files as they were found.
    pub bytes: u64,
    /// Inputs listed and not read.
    pub skipped: u64,
    /// Inputs that could not be listed, or are not there.
    pub failed: u64,
    /// Units that hold ranges of files. With one, all ranges are read by the same process.
    pub ranged: u64,
    /// Bytes of the largest file, or range of one, that is a unit by itself because it is larger
    /// than a unit; 0 if none is.
    pub largest: u64,
}

impl Request {
    /// Digests by these algorithms as coreutils write them, in units of 2 GiB.
    pub fn new(input: Input, algorithms: Vec<Algorithm>, plan: impl Into<PathBuf>) -> Request {
        Request {
            input,
            algorithms,
            piecewise: None,
            split: None,
            format: Format::Sums,
            layout: Layout { end: End::Line, marker: Marker::Text },
            bytes: 2 << 30,
            files: 100_000,
            base: None,
            plan: plan.into(),
            command_line: None,
        }
    }

    /// Units of at most that many bytes.
    #[must_use]
    pub fn unit(mut self, bytes: u64) -> Request {
        self.bytes = bytes;
        self
    }

    /// The plan is written in this format and layout.
    #[must_use]
    pub fn format(mut self, format: Format, layout: Layout) -> Request {
        (self.format, self.layout) = (format, layout);
        self
    }

    /// Files larger than that many bytes are read in ranges of it.
    #[must_use]
    pub fn split(mut self, bytes: u64) -> Request {
        self.split = Some(bytes);
        self
    }

    /// Whether the plan can be made. Nothing is read but lists of names.
    ///
    /// # Errors
    /// When the request makes no sense, or the directory is taken.
    pub fn check(&self) -> Result<(), Error> {
        if self.bytes == 0 || self.files == 0 {
            return Err(Error::request(Problem::Unit));
        }
        if self.input.content == Content::Images {
            return Err(Error::request(Problem::Unplanned("an image")));
        }
        if self.input.is_inside() {
            return Err(Error::request(Problem::Unplanned("a file inside of a container")));
        }
        if self.piecewise == Some(0) {
            return Err(Error::request(hash::Problem::Window));
        }
        if self.piecewise.is_some() && !has_pieces(self.format) {
            return Err(Error::request(hash::Problem::Pieces(self.format)));
        }
        if let Some(length) = self.split {
            if self.piecewise.is_some() {
                return Err(Error::request(Problem::SplitPieces));
            }
            splits(&self.document(), length)?;
        }
        // Records that the format cannot hold are refused before anything is written.
        let about = Head { algorithms: computed(&self.algorithms), ..Head::default() };
        encoder(self.format, self.layout, &about, &mut Vec::new())?;
        self.input.check()?;
        if self.base.is_some() {
            let document = self.document();
            document.paths.iter().try_for_each(|path| check_name(&document, path))?;
        }
        let mut outputs = Outputs::new(false);
        outputs.writes("output", &self.plan, Kind::Directory, Existing::Welcome);
        self.input.guard(&mut outputs);
        outputs.check()?;
        let empty = std::fs::read_dir(&self.plan).map_or(true, |mut entries| entries.next().is_none());
        if empty { Ok(()) } else { Err(Error::request(Problem::Taken(self.plan.clone()))) }
    }

    /// The plan without its units.
    fn document(&self) -> Document {
        let asked = Hash::new(self.input.clone(), Vec::new());
        let here = pfh_source::os::names::working_directory().unwrap_or_default();
        Document {
            directory: self.plan.clone(),
            algorithms: computed(&self.algorithms),
            format: self.format,
            layout: self.layout,
            piecewise: self.piecewise,
            split: self.split,
            command_line: self.command_line.clone(),
            working_directory: here.into_os_string().into_vec(),
            relative: asked.has_relative_names(),
            base: self.base.as_ref().map(|base| base.as_os_str().as_bytes().to_vec()),
            landmarks: Vec::new(),
            special: self.input.descend.special == Special::Read,
            paths: self.input.paths.iter().map(|path| path.as_bytes().to_vec()).collect(),
            entries: 0,
            lists: Vec::new(),
        }
    }
}

/// Makes a plan. Nothing is read of the files; an entry that is not a file, or cannot be listed, is
/// kept as the record that it has in the manifest.
///
/// # Errors
/// When the request makes no sense, or the plan cannot be written. A partly written plan is not a
/// plan.
pub fn run(request: &Request, events: &mut Events<'_>, control: &Control<'_>) -> Result<Summary, Error> {
    request.check()?;
    let mut plan = request.document();
    let (mut listed, mut rest) = (Vec::new(), Vec::new());
    let (mut files, mut bytes) = (0, 0);
    let mut absent = 0;
    // Files whose size was found, and where they are listed.
    let mut known: Vec<(usize, u64)> = Vec::new();
    let mut source = request.input.listed()?;
    while let Some(item) = source.pull() {
        let number = item.number();
        plan.entries = plan.entries.max(number + 1);
        let before_rest = rest.len();
        match item {
            Item::Entry(entry) => {
                if matches!(entry.origin, Origin::Stream(_)) {
                    return Err(Error::request(Problem::Unplanned("standard input")));
                }
                let (before, name) = (listed.len(), entry.name());
                if plan.base.is_some() {
                    check_name(&plan, &name)?;
                }
                if let (Some(length), Some(stat)) = (request.split, entry.stat.or_else(|| entry.look())) {
                    listed.extend(Range::all(&stat, length).into_iter().map(|range| {
                        let size = range.end(length) - range.start;
                        UnitName { number, size, name: name.clone(), range: Some(range) }
                    }));
                    known.extend((listed.len() > before).then_some((before, stat.size)));
                }
                if listed.len() == before {
                    let size = entry.size_hint();
                    known.extend(size.map(|size| (listed.len(), size)));
                    if size.is_none() && matches!(entry.origin, Origin::File { .. }) {
                        absent += 1;
                        events(Event::Missing(&name)).map_err(Error::Sink)?;
                    }
                    listed.push(UnitName { number, size: size.unwrap_or(0), name, range: None });
                }
                files += 1;
                bytes = listed[before..].iter().fold(bytes, |sum: u64, one| sum.saturating_add(one.size));
            }
            Item::Skipped { name, skip, .. } => rest.push(Record { number, name, outcome: Outcome::Skipped(skip) }),
            Item::Problem { name, problem, .. } => {
                rest.push(Record { number, name, outcome: Outcome::Failed(problem) });
            }
            Item::Settled { .. } => {}
        }
        for record in &rest[before_rest..] {
            events(Event::Record(record)).map_err(Error::Sink)?;
        }
        if number.is_multiple_of(STEP) {
            control.report(&Progress::Steps { phase: Phase::Reading, done: number, total: None });
            if control.is_cancelled() {
                return Err(interrupted("nothing was written"));
            }
        }
    }
    // A list of names ends at the signal too.
    if control.is_cancelled() {
        return Err(interrupted("nothing was written"));
    }
    plan.landmarks = landmarks(known.iter().map(|&(at, size)| (&listed[at].name[..], size)));
    let sizes: Vec<u64> = listed.iter().map(|one| one.size).collect();
    let (places, units) = pack(&sizes, request.bytes, request.files);
    let mut lists = vec![Vec::new(); units];
    for (one, unit) in listed.iter().zip(places) {
        lists[unit].push(one);
    }
    let has_range = |list: &&Vec<&UnitName>| list.iter().any(|one| one.range.is_some());
    let ranged = lists.iter().filter(has_range).count() as u64;
    let lists: Vec<Vec<u8>> = lists.into_iter().map(encode_list).collect();
    plan.lists = lists.iter().map(|list| sha256(list)).collect();
    let largest = sizes.iter().copied().filter(|size| *size > request.bytes).max().unwrap_or(0);
    let counts = write(&plan, &lists, &rest)?;
    Ok(Summary { units: units as u64, files, bytes, skipped: counts.0, failed: counts.1 + absent, ranged, largest })
}

/// Makes the directory and its files.
fn write(plan: &Document, lists: &[Vec<u8>], rest: &[Record]) -> Result<(u64, u64), Error> {
    let units = plan.directory.join("units");
    let is_new = plan.directory.symlink_metadata().is_err();
    std::fs::create_dir_all(&plan.directory).map_err(unwritten(&plan.directory))?;
    // Of several that plan into one directory at once, the one that makes this goes on.
    match std::fs::create_dir(&units) {
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {
            return Err(Error::request(Problem::Taken(plan.directory.clone())));
        }
        made => made.map_err(unwritten(&units))?,
    }
    let filled = fill(plan, lists, rest);
    if filled.is_err() && !plan.is_saved() {
        // An unfinished plan must not be in the way of the next attempt.
        for made in [&units, &plan.parts()] {
            let _ = std::fs::remove_dir_all(made);
        }
        if is_new {
            let _ = std::fs::remove_dir(&plan.directory);
        }
    }
    filled
}

/// Writes the files of the directory of a plan, `plan.json` last.
fn fill(plan: &Document, lists: &[Vec<u8>], rest: &[Record]) -> Result<(u64, u64), Error> {
    std::fs::create_dir(plan.parts()).map_err(unwritten(&plan.parts()))?;
    for (list, unit) in lists.iter().zip(1..) {
        save(&plan.list(unit), list)?;
    }
    let mut part = Writing::open(plan, 0)?;
    let failed = unwritten(&plan.part(0));
    rest.iter().try_for_each(|record| part.record(record).map(drop)).map_err(failed)?;
    let counts = part.finish()?;
    plan.save()?;
    Ok((counts.skipped, counts.failed))
}

fn save(path: &Path, bytes: &[u8]) -> Result<(), Error> {
    let put = || {
        let mut output = Output::file(path)?;
        output.write_all(bytes)?;
        output.commit()
    };
    put().map_err(unwritten(path))
}

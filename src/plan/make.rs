//! `make`: lists what there is, and packs it into units.

use super::Error;
use super::document::{Document, sha256};
use super::pack::pack;
use super::part::{Listed, Writing, encode_list};
use super::range::{Range, splits};
use crate::algorithms::{Algorithm, computed};
use crate::hash::{Request as Hash, has_pieces};
use crate::input::{Content, Input};
use crate::outputs::{Existing, Kind, Outputs};
use pfh_engine::{Control, Outcome, Phase, Plan, Progress, Record};
use pfh_manifest::{End, Format, Layout, Marker, Preamble};
use pfh_source::{Item, Origin, Output, Special};
use serde_json::json;
use std::io::{self, Write};
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

/// Inputs whose sizes are looked at between two looks at the control.
const STEP: u64 = 1 << 10;
/// Names that a summary keeps of what is not there.
const NAMED: usize = 10;

/// An input, how its digests are written, and how large units are.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Request {
    /// What is planned: files and directories.
    pub input: Input,
    /// The algorithms.
    pub algorithms: Vec<Algorithm>,
    /// Bytes of the windows that have digests of their own.
    pub piecewise: Option<u64>,
    /// Bytes of the ranges that larger files are read in, each range for itself; for tree hashes
    /// alone. Without it each file is read by one unit.
    pub split: Option<u64>,
    /// What the manifest is written in.
    pub format: Format,
    /// How its lines look, in formats that leave a choice.
    pub layout: Layout,
    /// Most bytes of a unit; what is larger is one by itself. 2 GiB.
    pub bytes: u64,
    /// Most files of a unit. 100,000.
    pub files: u64,
    /// The directory that becomes the plan; it is not there, or empty.
    pub plan: PathBuf,
}

/// What was planned.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
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
    /// The first ten of those that are not there. They are in the plan: a unit that runs later may
    /// find them.
    pub missing: Vec<Vec<u8>>,
}

impl Summary {
    /// A line for people.
    pub fn text(&self) -> String {
        let Summary { units, files, bytes, skipped, failed, .. } = self;
        format!("{units} units: {files} files, {bytes} bytes; {skipped} skipped, {failed} cannot be listed\n")
    }

    /// One JSON object and a line feed.
    pub fn json(&self) -> String {
        let Summary { units, files, bytes, skipped, failed, .. } = self;
        let object = json!({ "units": units, "files": files, "bytes": bytes, "skipped": skipped, "failed": failed });
        format!("{object}\n")
    }
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
            plan: plan.into(),
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

    fn check(&self) -> Result<(), Error> {
        if self.bytes == 0 || self.files == 0 {
            return Err(Error::Unit);
        }
        if self.input.content == Content::Images {
            return Err(Error::Unplanned("an image"));
        }
        if self.input.is_inside() {
            return Err(Error::Unplanned("what is inside of a container"));
        }
        if self.piecewise.is_some() && !has_pieces(self.format) {
            return Err(Error::Pieces(self.format));
        }
        if let Some(length) = self.split {
            if self.piecewise.is_some() {
                return Err(Error::SplitPieces);
            }
            splits(&self.document(), length)?;
        }
        // What the format cannot hold is refused before anything is written.
        let format = self.format;
        let algorithms = computed(&self.algorithms);
        let preamble = Preamble { algorithms: &algorithms, ..Preamble::default() };
        let encoder = format.encoder(self.layout);
        let head = encoder.and_then(|mut encoder| encoder.head(&mut Vec::new(), &preamble));
        head.map_err(|why| Error::Format { format, why })?;
        let mut outputs = Outputs::new(false);
        outputs.writes("--output", &self.plan, Kind::Directory, Existing::Welcome);
        self.input.guard(&mut outputs);
        outputs.check()?;
        let empty = std::fs::read_dir(&self.plan).map_or(true, |mut entries| entries.next().is_none());
        if empty { Ok(()) } else { Err(Error::Taken(self.plan.clone())) }
    }

    /// The plan without its units.
    fn document(&self) -> Document {
        let mut plan = Plan::new(self.algorithms.iter().copied());
        plan.piecewise = self.piecewise;
        let asked = Hash::new(self.input.clone(), Vec::new()).plan(plan).format(self.format, self.layout);
        let about = asked.about();
        Document {
            directory: self.plan.clone(),
            algorithms: about.algorithms,
            format: self.format,
            layout: self.layout,
            piecewise: self.piecewise,
            split: self.split,
            command_line: about.command_line.unwrap_or_default(),
            working_directory: about.working_directory.unwrap_or_default(),
            relative: asked.has_relative_names(),
            special: self.input.descend.special == Special::Read,
            paths: self.input.paths.iter().map(|path| path.as_bytes().to_vec()).collect(),
            entries: 0,
            lists: Vec::new(),
        }
    }
}

/// Makes a plan. Nothing is read of the files; what is no file, or cannot be listed, is kept as the
/// record that it has in the manifest.
///
/// # Errors
/// When the request makes no sense, or the plan cannot be written. What was written of it then is
/// no plan.
pub fn run(request: &Request, control: &Control<'_>) -> Result<Summary, Error> {
    request.check()?;
    let mut plan = request.document();
    let (mut listed, mut rest) = (Vec::new(), Vec::new());
    let (mut files, mut bytes) = (0, 0);
    let (mut absent, mut missing) = (0, Vec::new());
    let mut source = request.input.listed()?;
    while let Some(item) = source.pull() {
        let number = item.number();
        plan.entries = plan.entries.max(number + 1);
        match item {
            Item::Entry(entry) => {
                if matches!(entry.origin, Origin::Stream(_)) {
                    return Err(Error::Unplanned("standard input"));
                }
                let (before, name) = (listed.len(), entry.name());
                if let (Some(length), Some(stat)) = (request.split, entry.stat.or_else(|| entry.look())) {
                    listed.extend(Range::all(&stat, length).into_iter().map(|range| {
                        let size = range.end(length) - range.start;
                        Listed { number, size, name: name.clone(), range: Some(range) }
                    }));
                }
                if listed.len() == before {
                    let size = entry.size_hint();
                    if size.is_none() && matches!(entry.origin, Origin::File { .. }) {
                        absent += 1;
                        missing.extend((missing.len() < NAMED).then(|| name.clone()));
                    }
                    listed.push(Listed { number, size: size.unwrap_or(0), name, range: None });
                }
                files += 1;
                bytes += listed[before..].iter().map(|one| one.size).sum::<u64>();
            }
            Item::Skipped { name, skip, .. } => rest.push(Record { number, name, outcome: Outcome::Skipped(skip) }),
            Item::Problem { name, problem, .. } => {
                rest.push(Record { number, name, outcome: Outcome::Failed(problem) });
            }
            Item::Settled { .. } => {}
        }
        if number.is_multiple_of(STEP) {
            control.report(&Progress::Steps { phase: Phase::Reading, done: number, total: None });
            if control.is_cancelled() {
                return Err(Error::Interrupted("nothing was written"));
            }
        }
    }
    let sizes: Vec<u64> = listed.iter().map(|one| one.size).collect();
    let (places, units) = pack(&sizes, request.bytes, request.files);
    let mut lists = vec![Vec::new(); units];
    for (one, unit) in listed.iter().zip(places) {
        lists[unit].push(one);
    }
    let lists: Vec<Vec<u8>> = lists.into_iter().map(encode_list).collect();
    plan.lists = lists.iter().map(|list| sha256(list)).collect();
    let counts = write(&plan, &lists, &rest)?;
    Ok(Summary { units: units as u64, files, bytes, skipped: counts.0, failed: counts.1 + absent, missing })
}

/// Makes the directory and what is in it.
fn write(plan: &Document, lists: &[Vec<u8>], rest: &[Record]) -> Result<(u64, u64), Error> {
    let units = plan.directory.join("units");
    let is_new = plan.directory.symlink_metadata().is_err();
    std::fs::create_dir_all(&plan.directory).map_err(Error::write(&plan.directory))?;
    // Of several that plan into one directory at once, the one that makes this goes on.
    match std::fs::create_dir(&units) {
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => return Err(Error::Taken(plan.directory.clone())),
        made => made.map_err(Error::write(&units))?,
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

/// Writes what is in the directory of a plan, `plan.json` last.
fn fill(plan: &Document, lists: &[Vec<u8>], rest: &[Record]) -> Result<(u64, u64), Error> {
    std::fs::create_dir(plan.parts()).map_err(Error::write(&plan.parts()))?;
    for (list, unit) in lists.iter().zip(1..) {
        save(&plan.list(unit), list)?;
    }
    let mut part = Writing::open(plan, 0)?;
    let failed = Error::write(&plan.part(0));
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
    put().map_err(Error::write(path))
}

//! `unit`: hashes the files of one unit.

use super::base::Base;
use super::document::Document;
use super::part::{self, Counts, UnitName, Writing};
use super::problem::{damaged, interrupted, unwritten};
use super::range::{Came, Range, hash, splits};
use super::{Event, Events, Problem};
use crate::input::{Addresses, Input};
use crate::job::{Error, PathError};
use crate::outputs::{Existing, Kind, Outputs};
use crate::pass::pass;
use pfh_engine::{Control, MediumProgress, Outcome, Phase, Plan, Progress, Record, Summary as Run};
use pfh_outboard::Pass;
use pfh_source::os::names::OsStringExt;
use pfh_source::{Descend, ReceivedFolder, Recurse, Special};
use std::ffi::OsString;
use std::io;
use std::path::{Path, PathBuf};
use std::time::Instant;

/// A plan, and which of its units is carried out.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Request {
    /// The directory of the plan.
    pub plan: PathBuf,
    /// The unit, from 1.
    pub unit: u64,
    /// Whether it is carried out although it was before.
    pub again: bool,
    /// Where this machine has the plan's base; without it all files are where the plan found them.
    pub base: Option<PathBuf>,
    /// How files are read. Its algorithms are those of the plan.
    pub settings: Plan,
}

impl Request {
    /// This unit, with the machine's defaults.
    pub fn new(plan: impl Into<PathBuf>, unit: u64) -> Request {
        Request { plan: plan.into(), unit, again: false, base: None, settings: Plan::default() }
    }

    /// Whether the unit can be carried out, or was before. Nothing is read but the plan and the
    /// result of the unit.
    ///
    /// # Errors
    /// When there is no such plan or unit, the names start elsewhere, the tree is not the one that
    /// was planned, or the part is in the way of something.
    pub fn check(&self) -> Result<(), Error> {
        self.of_plan(&Document::load(&self.plan)?).map(drop)
    }

    /// The counts of a unit that was carried out before, if it is not carried out again.
    fn of_plan(&self, plan: &Document) -> Result<Option<Counts>, Error> {
        let (unit, units) = (self.unit, plan.units());
        if unit == 0 || unit > units {
            return Err(Error::request(Problem::NoUnit { unit, units }));
        }
        if !self.again
            && let Some(counts) = done(plan, unit)
        {
            return Ok(Some(counts));
        }
        let here = pfh_source::os::names::working_directory()
            .map(|here| here.into_os_string().into_encoded_bytes())
            .unwrap_or_default();
        if self.base.is_none() && plan.relative && here != plan.working_directory {
            return Err(Error::request(Problem::Elsewhere(plan.working_directory.clone())));
        }
        Base::new(plan, self.base.as_deref()).check()?;
        // The part of this unit, whole or not; nothing else has such a name, and if so it stays.
        let mut outputs = Outputs::new(false);
        outputs.writes("PLAN", plan.part(unit), Kind::File, Existing::Own(0, part::BEGINS));
        outputs.check()?;
        // The plan may come from elsewhere, and with it a link in the place of its directory.
        match ReceivedFolder::open(&plan.directory).and_then(|received| received.check(&plan.part_within(unit))) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => {
                Err(Error::request(PathError::new(plan.part(unit), error)))
            }
            _ => Ok(None),
        }
    }
}

/// The units of a task, of an array that has `size` tasks at most: one unit, or several where the
/// plan has more units than that. The largest units come first, so that every second round counts
/// the tasks from the back.
///
/// # Errors
/// When there is no such plan or task.
pub fn of_task(plan: impl AsRef<Path>, task: u64, size: u64) -> Result<Vec<u64>, Error> {
    let units = Document::load(plan.as_ref())?.units();
    if task == 0 || task > size {
        return Err(Error::request(Problem::NoTask { task, size }));
    }
    if task > units {
        return Err(Error::request(Problem::NoUnit { unit: task, units }));
    }
    let rounds = (0..units.div_ceil(size)).map(|round| round * size);
    let unit = |(round, before): (usize, u64)| before + if round % 2 == 0 { task } else { size + 1 - task };
    Ok(rounds.enumerate().map(unit).filter(|unit| *unit <= units).collect())
}

/// The result of a unit.
#[derive(Debug, Clone, Copy)]
#[non_exhaustive]
pub struct Summary {
    /// The counts; `None` if it had been carried out before, and nothing was read.
    pub run: Option<Run>,
    /// Inputs of the unit, and ranges of such, that were read, or should have been.
    pub files: u64,
    /// Those that have no digest in the manifest: they could not be read, or the format cannot
    /// hold them.
    pub failed: u64,
}

impl Summary {
    fn new(run: Option<Run>, counts: &Counts) -> Summary {
        let Counts { hashed, ranges, failed_ranges, .. } = *counts;
        let failed = counts.failed + failed_ranges;
        Summary { run, files: hashed + ranges + failed, failed: failed + counts.unwritten }
    }
}

/// Hashes the files of a unit. Its part is written whole or not at all; a part that is there and
/// whole is left as it is, so that a unit may be started any number of times.
///
/// # Errors
/// When there is no such plan or unit, the names start elsewhere, the tree is not the one that was
/// planned, or the part cannot be written. A file that cannot be read is a record, and no error.
pub fn run(request: &Request, events: &mut Events<'_>, control: &Control<'_>) -> Result<Summary, Error> {
    let plan = Document::load(&request.plan)?;
    let unit = request.unit;
    if let Some(counts) = request.of_plan(&plan)? {
        return Ok(Summary::new(None, &counts));
    }
    let (ranges, files): (Vec<UnitName>, Vec<UnitName>) =
        part::list(&plan, unit)?.into_iter().partition(|one| one.range.is_some());
    let base = Base::new(&plan, request.base.as_deref());
    let places: Vec<Vec<u8>> = files.iter().map(|one| base.place(&one.name)).collect::<Result<_, Error>>()?;
    let special = if plan.special { Special::Read } else { Special::Skip };
    let mut input = Input::new(places.into_iter().map(OsString::from_vec));
    input.descend = Descend { recurse: Recurse::No, special, ..Descend::default() };
    input.addresses = Addresses::Exactly;
    let settings = Plan { algorithms: plan.algorithms.clone(), piecewise: plan.piecewise, ..request.settings.clone() };
    let mut ends = Ends { writing: Writing::open(&plan, unit)?, files: &files, events };
    let stopped = || interrupted("the unit has no result");
    let ran = match input.is_named() {
        true => pass(input.source()?, || input.again(), &settings, &mut ends, control)?,
        false => Run::default(),
    };
    if ran.interrupted {
        return Err(stopped());
    }
    if let Some(length) = plan.split {
        let splits = splits(&plan, length)?;
        in_ranges(settings.threads, control, &ranges, |listed, range, pass| {
            let came = match hash(&splits, length, &base.place(&listed.name)?, range, pass) {
                Came::Cancelled => return Err(stopped()),
                Came::Found(found) => Ok(found),
                Came::Problem(problem) => {
                    let (number, name) = (listed.number, listed.name.clone());
                    let record = Record { number, name, outcome: Outcome::Failed(problem) };
                    (ends.events)(Event::Record(&record)).map_err(Error::Sink)?;
                    Err(record)
                }
            };
            let file = (listed.number, &listed.name[..]);
            ends.writing.range(file, range, range.end(length), came).map_err(unwritten(&plan.part(unit)))
        })?;
    }
    match ends.writing.finish() {
        // Another process has carried out the same unit meanwhile.
        Err(error) if error.find::<io::Error>().is_some_and(|why| why.kind() == io::ErrorKind::AlreadyExists) => {
            done(&plan, unit).map(|counts| Summary::new(None, &counts)).ok_or(error)
        }
        finished => Ok(Summary::new(Some(ran), &finished?)),
    }
}

/// Does something with each range, which reports to the control how far all of them are.
fn in_ranges(
    threads: usize,
    control: &Control<'_>,
    listed: &[UnitName],
    mut work: impl FnMut(&UnitName, &Range, &mut Pass<'_>) -> Result<(), Error>,
) -> Result<(), Error> {
    let (start, all) = (Instant::now(), listed.iter().fold(0, |sum: u64, one| sum.saturating_add(one.size)));
    let mut before = 0;
    for (one, range) in listed.iter().filter_map(|one| Some((one, one.range.as_ref()?))) {
        let mut progress = |bytes, _| {
            let (bytes, elapsed) = (before + bytes, start.elapsed());
            let medium = MediumProgress { phase: Phase::Hashing, bytes, total: Some(all), bad: 0, elapsed };
            control.report(&Progress::Medium(medium));
        };
        let cancel = control.cancel().flag();
        work(one, range, &mut Pass { threads, cancel, progress: &mut progress, trusted: None, key: None })?;
        before += one.size;
    }
    Ok(())
}

/// The counts of a unit that was carried out; `None` if it was not, or its part is not whole.
fn done(plan: &Document, unit: u64) -> Option<Counts> {
    let path = plan.part(unit);
    let mut counts = Counts::default();
    let found = part::read(&path, &plan.digest(), &mut |line, _, _| {
        counts.add(line).ok_or_else(|| damaged(&path, "was changed after it was written"))
    });
    (found.ok()? == unit).then_some(counts)
}

/// Writes the records under their numbers and names in the plan.
struct Ends<'a> {
    writing: Writing,
    files: &'a [UnitName],
    events: &'a mut Events<'a>,
}

impl pfh_engine::Sink for Ends<'_> {
    fn record(&mut self, mut record: Record) -> io::Result<()> {
        let planned = usize::try_from(record.number).ok().and_then(|at| self.files.get(at));
        let planned = planned.ok_or_else(|| io::Error::other("a record that was not planned"))?;
        record.number = planned.number;
        record.name.clone_from(&planned.name);
        (self.events)(Event::Record(&record))?;
        if let Err(why) = self.writing.record(&record)? {
            (self.events)(Event::NotWritten(&record, &why))?;
        }
        Ok(())
    }
}

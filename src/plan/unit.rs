//! `unit`: hashes the files of one unit.

use super::Error;
use super::document::Document;
use super::part::{self, Counts, Writing};
use crate::input::{Addresses, Input};
use crate::outputs::{Existing, Kind, Outputs};
use crate::pass::pass;
use pfh_engine::{Control, Plan, Record, Summary as Run};
use pfh_manifest::Unrepresentable;
use pfh_source::{Descend, Recurse, Special};
use std::ffi::OsString;
use std::io;
use std::os::unix::ffi::OsStringExt;
use std::path::PathBuf;

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
    /// How files are read. Its algorithms are those of the plan.
    pub settings: Plan,
}

impl Request {
    /// This unit, with the machine's defaults.
    pub fn new(plan: impl Into<PathBuf>, unit: u64) -> Request {
        Request { plan: plan.into(), unit, again: false, settings: Plan::default() }
    }
}

/// What happens during a unit. Events come on the thread that called [`run`].
#[derive(Debug, Clone, Copy)]
#[non_exhaustive]
pub enum Event<'a> {
    /// A file of the unit has a record.
    Record(&'a Record),
    /// The format cannot hold this record: it will not be in the manifest.
    NotWritten(&'a Record, &'a Unrepresentable),
}

/// Receives the events of a unit. An error ends the unit with [`Error::Sink`].
pub type Sink<'a> = dyn FnMut(Event<'_>) -> io::Result<()> + 'a;

/// What came of a unit.
#[derive(Debug, Clone, Copy)]
#[non_exhaustive]
pub struct Summary {
    /// The counts; `None` if it had been carried out before, and nothing was read.
    pub run: Option<Run>,
    /// Inputs of the unit that were read, or should have been.
    pub files: u64,
    /// Those that have no digest in the manifest: they could not be read, or the format cannot
    /// hold them.
    pub failed: u64,
}

impl Summary {
    fn new(run: Option<Run>, counts: &Counts) -> Summary {
        Summary { run, files: counts.hashed + counts.failed, failed: counts.failed + counts.unwritten }
    }
}

/// Hashes the files of a unit. Its part is written whole or not at all; a part that is there and
/// whole is left as it is, so that a unit may be started any number of times.
///
/// # Errors
/// When there is no such plan or unit, the names start elsewhere, or the part cannot be written. A
/// file that cannot be read is a record, and no error.
pub fn run(request: &Request, sink: &mut Sink<'_>, control: &Control<'_>) -> Result<Summary, Error> {
    let plan = Document::load(&request.plan)?;
    let (unit, units) = (request.unit, plan.units());
    if unit == 0 || unit > units {
        return Err(Error::NoUnit { unit, units });
    }
    if !request.again
        && let Some(counts) = done(&plan, unit)
    {
        return Ok(Summary::new(None, &counts));
    }
    let here = std::env::current_dir().map(|here| here.into_os_string().into_encoded_bytes()).unwrap_or_default();
    if plan.relative && here != plan.working_directory {
        return Err(Error::Elsewhere(plan.working_directory));
    }
    let (numbers, names): (Vec<u64>, Vec<Vec<u8>>) = part::list(&plan, unit)?.into_iter().unzip();
    // The part of this unit, whole or not; nothing else has such a name, and if so it stays.
    let mut outputs = Outputs::new(false);
    outputs.writes("PLAN", plan.part(unit), Kind::File, Existing::Own(0, part::BEGINS));
    outputs.check()?;
    let special = if plan.special { Special::Read } else { Special::Skip };
    let mut input = Input::new(names.into_iter().map(OsString::from_vec));
    input.descend = Descend { recurse: Recurse::No, special, ..Descend::default() };
    input.addresses = Addresses::Exactly;
    let source = input.source()?;
    let settings = Plan { algorithms: plan.algorithms.clone(), piecewise: plan.piecewise, ..request.settings.clone() };
    let mut ends = Ends { writing: Writing::open(&plan, unit)?, numbers: &numbers, sink };
    let ran = pass(source, || input.again(), &settings, &mut ends, control)?;
    if ran.interrupted {
        return Err(Error::Interrupted("the unit has no result"));
    }
    let counts = ends.writing.finish()?;
    Ok(Summary::new(Some(ran), &counts))
}

/// The counts of a unit that was carried out; `None` if it was not, or what is there is not whole.
fn done(plan: &Document, unit: u64) -> Option<Counts> {
    let path = plan.part(unit);
    let mut counts = Counts::default();
    let found = part::read(&path, &plan.digest(), &mut |line, _, _| {
        counts.add(line).ok_or_else(|| Error::damaged(&path, "is not what was written"))
    });
    (found.ok()? == unit).then_some(counts)
}

/// Writes the records under their numbers in the plan.
struct Ends<'a> {
    writing: Writing,
    numbers: &'a [u64],
    sink: &'a mut Sink<'a>,
}

impl pfh_engine::Sink for Ends<'_> {
    fn record(&mut self, mut record: Record) -> io::Result<()> {
        (self.sink)(Event::Record(&record))?;
        let planned = usize::try_from(record.number).ok().and_then(|at| self.numbers.get(at));
        record.number = *planned.ok_or_else(|| io::Error::other("a record that was not planned"))?;
        if let Err(why) = self.writing.record(&record)? {
            (self.sink)(Event::NotWritten(&record, &why))?;
        }
        Ok(())
    }
}

//! The job *match*: files against sets of known files.
//!
//! A [`Request`] names the input and the [`Sets`]: files that `pfh known build` made, lists in any
//! format, single digests. [`run`] opens the sets, hashes each file by the algorithms that they
//! need, and writes a verdict for each.
//!
//! ```
//! use pfh::matching::{self, Request, Sets};
//! use pfh::known::KnownStatus;
//! use pfh::{Control, Input};
//!
//! # let room = std::env::temp_dir().join(format!("pfh-match-{}", std::process::id()));
//! # std::fs::create_dir_all(&room)?;
//! std::fs::write(room.join("bad"), "900150983cd24fb0d6963f7d28e17f72  malware\n")?;
//! std::fs::write(room.join("file"), "abc")?;
//! let sets = Sets { class: Some("bad".parse()?), ..Sets::new([room.join("bad")]) };
//! let request = Request::new(Input::new([room.join("file")]), sets).output(room.join("verdicts"));
//! let summary = matching::run(&request, &mut |_event| Ok(()), &Control::new())?;
//! assert_eq!(summary.counts.of(KnownStatus::KnownBad), 1);
//! # std::fs::remove_dir_all(&room)?;
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod reference;
mod request;
#[cfg(feature = "inside")]
pub mod sectors;
mod sets;
pub mod similar;
mod verdicts;

pub use reference::{Answer, Empty, Reference, Sought};
pub use request::Request;
pub(crate) use sets::lists_in;
pub use sets::{Gap, Opened, Sets, SetsError};
pub use verdicts::{Counts, Matching};

use crate::algorithms::computed;
use crate::destination::OpenError;
use crate::failure::{JobError, Kind};
use crate::hash::About;
use crate::input::InputError;
use crate::outputs::Refused;
use crate::pass::{ends_a_pass, pass};
use crate::{rendered, shown};
use pfh_digest::Algorithm;
use pfh_engine::{Control, Outcome, Record, Summary as Run};
use pfh_known::{KnownStatus, Set};
use pfh_manifest::Unrepresentable;
use pfh_report::verdict::Format;
use std::fmt;
use std::io;
use std::path::Path;

/// What happens during a run. Events come on the thread that called [`run`].
#[derive(Debug, Clone, Copy)]
#[non_exhaustive]
pub enum Event<'a> {
    /// Something of the sets was not understood, or holds nothing.
    Gap(&'a Gap<'a>),
    /// Not every record of this set has a digest of the algorithms in use.
    LeftOut {
        /// The set.
        set: &'a Set,
        /// Records that can be compared.
        records: u64,
        /// The algorithms in use.
        algorithms: &'a [Algorithm],
    },
    /// This list has no class: what is in it is neither good nor bad.
    NoClass(&'a Path),
    /// A file could not be read, or was skipped and the output does not list skips.
    Unread(&'a Record),
}

/// A sentence for people; the caller has the record of what could not be read.
impl fmt::Display for Event<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Event::Gap(gap) => gap.fmt(f),
            Event::LeftOut { set, records, algorithms } => {
                let names: Vec<&str> = algorithms.iter().map(|algorithm| algorithm.name()).collect();
                write!(
                    f,
                    "{}: at most {records} of {} records have a digest of {}: nothing is compared with the rest",
                    rendered(set.name.as_bytes()),
                    set.records,
                    names.join(", ")
                )
            }
            Event::NoClass(list) => write!(
                f,
                "{}: a list of no class: files in it are `known`, neither good nor bad; --class bad makes them known-bad, exit code 1",
                shown(list)
            ),
            Event::Unread(record) => f.write_str(&rendered(&record.name)),
        }
    }
}

/// Receives the events of a run. An error ends the run with [`Error::Sink`].
pub type Sink<'a> = dyn FnMut(Event<'_>) -> io::Result<()> + 'a;

/// The result of a run.
#[derive(Debug, Clone, Copy, Default)]
#[non_exhaustive]
pub struct Summary {
    /// Whether any set holds a digest. Without one, nothing was read.
    pub comparable: bool,
    /// The counts of the run over the files.
    pub run: Run,
    /// Files by verdict.
    pub counts: Counts,
    /// Sets that were read in part, hold nothing or cannot be compared in full.
    pub gaps: u64,
    /// Whether unknown files are not in the output, because all sets are of the bad.
    pub hits_only: bool,
}

impl Summary {
    /// The counts, for people.
    pub fn sentence(&self) -> String {
        let mut words: Vec<String> =
            self.counts.words().iter().map(|(word, count)| format!("{count} {word}")).collect();
        if self.run.skipped > 0 {
            words.push(format!("{} skipped", self.run.skipped));
        }
        words.join(", ")
    }

    /// Files that some set or digest knows, or may know.
    pub fn known(&self) -> u64 {
        let known = KnownStatus::ALL.iter().filter(|v| !matches!(v, KnownStatus::Unknown | KnownStatus::Error));
        known.map(|verdict| self.counts.of(*verdict)).sum()
    }
}

/// Why a run has no verdicts, or not all.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// An output is a file that is read, or one that somebody else made.
    #[error(transparent)]
    Refused(#[from] Refused),
    /// The input.
    #[error(transparent)]
    Input(#[from] InputError),
    /// The sets.
    #[error(transparent)]
    Sets(#[from] SetsError),
    /// The format cannot hold these algorithms.
    #[error("-f {form}: {why}")]
    Format {
        /// The format.
        form: Format,
        /// Why.
        why: Unrepresentable,
    },
    /// The output cannot be opened.
    #[error(transparent)]
    Open(#[from] OpenError),
    /// The output failed, a set is damaged, or the sink refused an event.
    #[error("the output failed: {0}")]
    Sink(#[source] io::Error),
    /// The run could not begin.
    #[error(transparent)]
    Run(pfh_engine::Error),
}

ends_a_pass!(Error);

/// Matches files with the sets and writes a verdict for each. A run that is cancelled leaves whole
/// records on standard output, and no file.
///
/// # Errors
/// When the sets cannot be opened, the request makes no sense, or the output cannot be written.
pub fn run(request: &Request, sink: &mut Sink<'_>, control: &Control<'_>) -> Result<Summary, Error> {
    request.input.streams_and(&request.sets.known)?;
    request.outputs().check()?;
    let mut refused = None;
    let mut tell = |gap: &Gap<'_>| {
        if refused.is_none() {
            refused = sink(Event::Gap(gap)).err();
        }
    };
    let Opened { reference, mut gaps } = request.sets.open(&mut tell)?;
    if let Some(error) = refused {
        return Err(Error::Sink(error));
    }
    let needed = needed(request, &reference);
    if needed.is_empty() {
        return Ok(Summary { gaps, ..Summary::default() });
    }
    for (set, records) in reference.left_out(&needed) {
        sink(Event::LeftOut { set, records, algorithms: &needed }).map_err(Error::Sink)?;
        gaps += 1;
    }
    for list in request.sets.without_class() {
        sink(Event::NoClass(list)).map_err(Error::Sink)?;
    }
    let mut only = request.only.clone();
    let hits_only = only.is_empty() && request.form == Format::Text && reference.is_of_the_bad();
    if hits_only {
        only = KnownStatus::ALL.into_iter().filter(|verdict| *verdict != KnownStatus::Unknown).collect();
    }
    let plan = pfh_engine::Plan { algorithms: needed, ..request.plan.clone() };
    let is_placed = request.form == Format::Dfxml;
    let (source, volumes) = if is_placed { request.input.placed()? } else { (request.input.source()?, None) };
    let mut output = request.output.open()?;
    let paint = request.paint.filter(|_| request.form == Format::Text && request.output.path().is_none());
    if paint.is_some() {
        // Colour must reach the terminal; names and causes in text are rendered one by one.
        output = output.rendered();
    }
    let (form, about) = (request.form, About { volumes, ..request.about(&plan.algorithms) });
    let matching = Matching::open(reference, &only, form, &about, paint, output);
    let matching = matching.map_err(|why| Error::Format { form, why })?;
    let mut ends = Ends { matching, sink };
    let run = pass(source, || request.input.again(), &plan, &mut ends, control)?;
    let mut matching = ends.matching;
    let counts = if run.interrupted {
        // Like every output of an interrupted run: whole records, no end, and a file gets no name.
        matching.flush().map_err(Error::Sink)?;
        matching.counts()
    } else {
        matching.finish(run.skipped).map_err(Error::Sink)?
    };
    Ok(Summary { comparable: true, run, counts, gaps, hits_only })
}

/// The algorithms by which files are hashed: those of the sets, and of these the ones that the
/// request names.
fn needed(request: &Request, reference: &Reference) -> Vec<Algorithm> {
    let mut needed = reference.algorithms();
    if needed.is_empty() || request.sets.algorithms.is_empty() {
        return needed;
    }
    let named = computed(&request.sets.algorithms);
    needed.retain(|algorithm| named.contains(algorithm));
    if needed.is_empty() { named } else { needed }
}

/// Writes verdicts, and reports what has none.
struct Ends<'a> {
    matching: Matching,
    sink: &'a mut Sink<'a>,
}

impl pfh_engine::Sink for Ends<'_> {
    fn record(&mut self, record: Record) -> io::Result<()> {
        // A skip has a line of its own in the output, and needs no second one.
        let reported = match record.outcome {
            Outcome::Hashed(_) => false,
            Outcome::Skipped(_) => !self.matching.lists_skips(),
            Outcome::Failed(_) => true,
        };
        if reported {
            (self.sink)(Event::Unread(&record))?;
        }
        self.matching.write(&record)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.matching.flush()
    }
}

impl JobError for Error {
    fn kind(&self) -> Kind<'_> {
        match self {
            Error::Sink(error) => Kind::Output(error),
            Error::Input(error) => error.kind(),
            Error::Sets(error) => error.kind(),
            Error::Refused(_) | Error::Format { .. } => Kind::Request,
            _ => Kind::Aborted,
        }
    }
}

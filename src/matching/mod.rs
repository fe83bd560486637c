//! The job *match*: files against sets of known files.
//!
//! A [`Request`] names the input and the [`Sets`]: files that `pfh known build` made, lists in any
//! format, single digests. [`run`] opens the sets, hashes each file by the algorithms that they
//! need, and hands a [`Match`] of each to its caller, in input order. [`write`](write()) makes a
//! file of the [`Verdicts`].
//!
//! ```
//! use pfh::matching::{self, Event, Request, Sets};
//! use pfh::known::KnownStatus;
//! use pfh::{Control, Input};
//!
//! # let room = std::env::temp_dir().join(format!("pfh-match-{}", std::process::id()));
//! # std::fs::create_dir_all(&room)?;
//! std::fs::write(room.join("bad"), "900150983cd24fb0d6963f7d28e17f72  malware\n")?;
//! std::fs::write(room.join("file"), "abc")?;
//! let sets = Sets { class: Some("bad".parse()?), ..Sets::new([room.join("bad")]) };
//! let request = Request::new(Input::new([room.join("file")]), sets);
//! let mut bad = Vec::new();
//! let mut events = |event: Event<'_>| {
//!     if let Event::Match(found) = event && found.verdict == Some(KnownStatus::KnownBad) {
//!         bad.push(found.places()[0].set.to_owned());
//!     }
//!     Ok(())
//! };
//! let summary = matching::run(&request, &mut events, &Control::new())?;
//! assert_eq!((summary.counts.of(KnownStatus::KnownBad), bad), (1, vec!["bad".to_owned()]));
//! # std::fs::remove_dir_all(&room)?;
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod event;
pub(crate) mod guess;
mod problem;
mod reference;
mod request;
#[cfg(feature = "inside")]
pub mod sectors;
mod sets;
pub mod similar;
mod writer;

pub use event::{Counts, Event, Events, Match, Summary};
pub use problem::Problem;
pub use reference::{Answer, Empty, Reference, Sought};
pub use request::Request;
pub use sets::{Gap, OpenSets, Sets};
pub(crate) use sets::{lists_in, opening};
pub use writer::{Verdicts, Writer, WrittenVerdicts, write};

use crate::algorithms::computed;
use crate::job::Error;
use crate::pass::pass;
use pfh_digest::Algorithm;
use pfh_engine::{Control, Outcome, Record};
use pfh_known::KnownStatus;
use std::io;

/// Matches files with the sets. Nothing is written.
///
/// # Errors
/// When the sets cannot be opened, a set is damaged, the request makes no sense, or the events were
/// refused. A file that cannot be read is an event, and no error.
pub fn run(request: &Request, events: &mut Events<'_>, control: &Control<'_>) -> Result<Summary, Error> {
    request.check()?;
    let mut refused = None;
    let mut tell = |gap: &Gap<'_>| {
        if refused.is_none() {
            refused = events(Event::Gap(gap)).err();
        }
    };
    let OpenSets { reference, mut gaps } = match request.sets.open(&mut tell, control.cancel()) {
        Err(Error::Cancelled(_)) => {
            let run = pfh_engine::Summary { interrupted: true, ..pfh_engine::Summary::default() };
            return Ok(Summary { run, ..Summary::default() });
        }
        opened => opened?,
    };
    if let Some(error) = refused {
        return Err(Error::Sink(error));
    }
    let algorithms = needed(request, &reference);
    if algorithms.is_empty() {
        return Ok(Summary { gaps, ..Summary::default() });
    }
    for (set, records) in reference.left_out(&algorithms) {
        events(Event::LeftOut { set, records, algorithms: &algorithms }).map_err(Error::Sink)?;
        gaps += 1;
    }
    for list in request.sets.without_class() {
        events(Event::NoClass(list)).map_err(Error::Sink)?;
    }
    let source = request.source()?;
    events(Event::Opened { reference: &reference, algorithms: &algorithms }).map_err(Error::Sink)?;
    let plan = pfh_engine::Plan { algorithms, ..request.plan.clone() };
    let mut matching = Matching { reference: &reference, counts: Counts::default(), events };
    let run = pass(source, || request.input.again(), &plan, &mut matching, control)?;
    Ok(Summary { comparable: true, run, counts: matching.counts, gaps })
}

/// The algorithms by which files are hashed: those of the sets, and among these the ones that the
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

/// Asks the sets about each record. A verdict costs look-ups, and no second read.
struct Matching<'a> {
    reference: &'a Reference,
    counts: Counts,
    events: &'a mut Events<'a>,
}

impl pfh_engine::Sink for Matching<'_> {
    fn record(&mut self, record: Record) -> io::Result<()> {
        let reference = self.reference;
        // Only a file that was read to its end gets an answer. A set that cannot be read ends the
        // run: no later verdict would be worth anything.
        let (verdict, answer) = match &record.outcome {
            Outcome::Hashed(hashed) => {
                let answer = reference.ask(&hashed.digests).map_err(io::Error::other)?;
                (Some(reference.verdict(&answer)), answer)
            }
            Outcome::Skipped(_) => (None, Answer::default()),
            Outcome::Failed(_) => (Some(KnownStatus::Error), Answer::default()),
        };
        verdict.iter().for_each(|verdict| self.counts.add(*verdict));
        (self.events)(Event::Match(&Match { record: &record, verdict, answer: &answer, reference }))
    }

    fn flush(&mut self) -> io::Result<()> {
        (self.events)(Event::Idle)
    }
}

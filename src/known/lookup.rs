//! `lookup`: what sets know of single digests.

use super::Error;
use crate::Destination;
use crate::algorithms::computed;
use crate::matching::{Counts, Gap, Reference, Sets};
use pfh_digest::{Algorithm, Digest};
use pfh_engine::Control;
use pfh_manifest::Fault;
use pfh_manifest::known::{Kind, Options, read};
use pfh_report::verdict::{self, Format};
use pfh_source::{Output, Stream, Streams};
use std::io;
use std::ops::ControlFlow;

/// What a digest gets if no set has any of its algorithm.
const NOTHING: &str = "nothing-to-compare-with";

/// Sets, and the digests that they are asked about.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Request {
    /// The sets, and the digests. Without digests they are read from standard input, one a line.
    pub sets: Sets,
    /// Text or JSON lines.
    pub form: Format,
    /// Where the answers go.
    pub output: Destination,
}

impl Request {
    /// Answers as text, to standard output.
    pub fn new(sets: Sets) -> Request {
        Request { sets, form: Format::Text, output: Destination::default() }
    }
}

/// What happens during a look-up.
#[derive(Debug)]
#[non_exhaustive]
pub enum Event<'a> {
    /// Something of the sets was not understood, or holds nothing.
    Gap(&'a Gap<'a>),
    /// A line of standard input is no digest.
    Fault {
        /// The line, from 1.
        line: u64,
        /// What is wrong with it.
        fault: &'a Fault,
    },
}

/// The counts.
#[derive(Debug, Clone, Copy, Default)]
#[non_exhaustive]
pub struct Summary {
    /// Digests by verdict.
    pub counts: Counts,
    /// Digests of algorithms that no set holds: there was nothing to compare them with.
    pub incomparable: u64,
    /// Lines of standard input that are no digests.
    pub faults: u64,
    /// Sets that were read in part or hold nothing.
    pub gaps: u64,
}

/// Answers, one digest after the other.
struct Answers {
    reference: Reference,
    form: Format,
    output: Output,
    summary: Summary,
}

impl Answers {
    fn give(&mut self, digest: &Digest) -> io::Result<()> {
        if !self.reference.has(digest.algorithm()) {
            self.summary.incomparable += 1;
            verdict::digest(self.output.room(), self.form, digest, NOTHING, &[], false);
            return self.output.advance();
        }
        let answer = self.reference.ask(std::slice::from_ref(digest)).map_err(io::Error::other)?;
        let verdict = self.reference.verdict(&answer);
        self.summary.counts.add(verdict);
        let places = self.reference.places(&answer);
        verdict::digest(self.output.room(), self.form, digest, verdict.name(), &places, answer.empty);
        self.output.advance()
    }

    /// Answers what standard input asks.
    fn answer_standard_input(
        &mut self,
        assumed: &[Algorithm],
        events: &mut dyn FnMut(Event<'_>),
        control: &Control<'_>,
    ) -> Result<(), Error> {
        let options = Options { kind: Some(Kind::List), assumed: assumed.to_vec(), ..Options::default() };
        let mut failed = None;
        let ended = read(io::BufReader::new(Stream::standard().reader()), &options, &mut |line, record| {
            match record {
                Ok(known) => failed = known.digests.iter().try_for_each(|digest| self.give(digest)).err(),
                Err(fault) => {
                    self.summary.faults += 1;
                    events(Event::Fault { line, fault: &fault });
                }
            }
            if failed.is_some() || control.is_cancelled() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        });
        ended.map_err(Error::Input)?;
        failed.map_or(Ok(()), |error| Err(Error::Sink(error)))
    }
}

/// Asks the sets. A digest that cannot be compared with anything is counted, and named in the
/// output.
///
/// # Errors
/// When the sets cannot be opened, standard input cannot be read, a set is damaged, or the output
/// cannot be written. A look-up that is cancelled ends after the digest at hand with
/// [`SetError::Cancelled`](super::SetError::Cancelled).
pub fn run(request: &Request, events: &mut dyn FnMut(Event<'_>), control: &Control<'_>) -> Result<Summary, Error> {
    if !matches!(request.form, Format::Text | Format::Jsonl) {
        return Err(Error::Format);
    }
    if request.sets.known.is_empty() {
        return Err(Error::Nowhere);
    }
    let sought = request.sets.digests()?;
    let mut streams = Streams::default();
    streams.read_all(&request.sets.known)?;
    if sought.is_empty() {
        streams.read("-")?;
    }
    let opened = request.sets.open_known(&mut |gap| events(Event::Gap(gap)))?;
    let summary = Summary { gaps: opened.gaps, ..Summary::default() };
    let (reference, output) = (opened.reference, request.output.open()?);
    let mut answers = Answers { reference, form: request.form, output, summary };
    if sought.is_empty() {
        answers.answer_standard_input(&computed(&request.sets.algorithms), events, control)?;
    } else {
        sought.iter().try_for_each(|digest| answers.give(digest)).map_err(Error::Sink)?;
    }
    if control.is_cancelled() {
        return Err(pfh_known::Error::Cancelled.into());
    }
    answers.output.commit().map_err(Error::Sink)?;
    Ok(answers.summary)
}

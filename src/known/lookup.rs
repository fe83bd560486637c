//! `lookup`: the sets' answers on single digests.

use super::Problem;
use crate::algorithms::computed;
use crate::job::{Error, PathError};
use crate::matching::{Answer, Counts, Gap, Reference, Sets, guess};
use crate::verdict::Verdict;
use pfh_digest::{Algorithm, Digest};
use pfh_engine::Control;
use pfh_known::KnownStatus;
use pfh_manifest::Fault;
use pfh_manifest::known::{Kind, Options, read};
use pfh_report::verdict::Place;
use pfh_source::{Stream, Streams};
use std::io;
use std::ops::ControlFlow;

/// The word of a digest of an algorithm that no set has.
const NOTHING: &str = "nothing-to-compare-with";

/// Sets, and the digests that they are asked about.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Request {
    /// The sets, and the digests. Without digests they are read from standard input, one a line.
    pub sets: Sets,
}

impl Request {
    /// These digests in these sets.
    pub fn new(sets: Sets) -> Request {
        Request { sets }
    }

    /// Whether the look-up may start. Nothing is opened.
    ///
    /// # Errors
    /// When no set is named, a digest is malformed, or a stream is named twice.
    pub fn check(&self) -> Result<(), Error> {
        if self.sets.known.is_empty() {
            return Err(Error::request(Problem::Nowhere));
        }
        let sought = self.sets.digests()?;
        let mut streams = Streams::default();
        streams.read_all(&self.sets.known)?;
        if sought.is_empty() {
            streams.read("-")?;
        }
        Ok(())
    }
}

/// An event of a look-up.
#[derive(Clone, Copy)]
#[non_exhaustive]
pub enum Event<'a> {
    /// Something of the sets was not understood, or holds nothing.
    Gap(&'a Gap<'a>),
    /// A line of standard input is not a digest.
    Fault {
        /// The line, from 1.
        line: u64,
        /// The fault.
        fault: &'a Fault,
    },
    /// A result: the verdict on a digest.
    Answer(&'a LookupAnswer<'a>),
}

/// The sets' answer on one digest.
#[derive(Clone, Copy)]
#[non_exhaustive]
pub struct LookupAnswer<'a> {
    /// The digest.
    pub digest: &'a Digest,
    /// The verdict; `None` if no set has digests of its algorithm.
    pub verdict: Option<KnownStatus>,
    /// The sets that hold it.
    pub answer: &'a Answer,
    reference: &'a Reference,
}

impl<'a> LookupAnswer<'a> {
    /// The verdict's word.
    pub fn word(&self) -> &'static str {
        self.verdict.map_or(NOTHING, KnownStatus::name)
    }

    /// The sets that hold it.
    pub fn places(&self) -> Vec<Place<'a>> {
        self.reference.places(self.answer)
    }
}

/// Receives the events of a look-up. An error ends it with [`Error::Sink`].
pub type Events<'a> = dyn FnMut(Event<'_>) -> io::Result<()> + 'a;

/// The counts.
#[derive(Debug, Clone, Copy, Default)]
#[non_exhaustive]
pub struct Summary {
    /// Digests by verdict.
    pub counts: Counts,
    /// Digests of algorithms that no set holds: there was nothing to compare them with.
    pub incomparable: u64,
    /// Lines of standard input that are not digests.
    pub faults: u64,
    /// Sets that were read in part or hold nothing.
    pub gaps: u64,
}

impl Summary {
    /// The verdict on the whole: negative if a digest has one of the verdicts `fail_on`. That one
    /// is unknown counts only where it was compared with every set.
    pub fn conclusion(&self, fail_on: &[KnownStatus]) -> Verdict {
        match self.counts.fails(fail_on, self.gaps + self.incomparable == 0) {
            true => Verdict::Differs,
            false if self.is_complete() => Verdict::Verified,
            false => Verdict::Incomplete,
        }
    }

    /// Whether there was a digest, each line was one, and each could be compared with every set.
    pub fn is_complete(&self) -> bool {
        self.incomparable + self.faults + self.gaps == 0 && !self.is_empty()
    }

    /// Whether there was neither a digest nor a line that is none: nothing was looked up.
    pub fn is_empty(&self) -> bool {
        self.incomparable + self.faults == 0 && self.counts.words().iter().all(|(_, count)| *count == 0)
    }
}

/// Answers, one digest after the other.
struct Answers<'a> {
    reference: Reference,
    summary: Summary,
    /// Whether the request names the algorithms of the digests.
    is_named: bool,
    events: &'a mut Events<'a>,
}

impl Answers<'_> {
    fn give(&mut self, digest: &Digest) -> Result<(), Error> {
        let reference = &self.reference;
        let (verdict, answer) = match reference.has(digest.algorithm()) {
            false => (None, Answer::default()),
            true => {
                let answer = reference.ask(std::slice::from_ref(digest))?;
                (Some(reference.verdict(&answer)), answer)
            }
        };
        let (verdict, answer) = match (verdict, self.is_named) {
            (Some(KnownStatus::Unknown) | None, false) => self.guessed(digest)?.unwrap_or((verdict, answer)),
            _ => (verdict, answer),
        };
        let reference = &self.reference;
        match verdict {
            None => self.summary.incomparable += 1,
            Some(verdict) => self.summary.counts.add(verdict),
        }
        let answered = LookupAnswer { digest, verdict, answer: &answer, reference };
        (self.events)(Event::Answer(&answered)).map_err(Error::Sink)
    }

    /// The answer on a digest by another algorithm of its length, if some set knows it by that.
    fn guessed(&self, digest: &Digest) -> Result<Option<(Option<KnownStatus>, Answer)>, Error> {
        let reference = &self.reference;
        for other in guess::others(digest.algorithm()).filter(|other| reference.has(*other)) {
            let Ok(digest) = Digest::from_bytes(other, digest.bytes()) else { continue };
            let answer = reference.ask(std::slice::from_ref(&digest))?;
            let verdict = reference.verdict(&answer);
            if verdict != KnownStatus::Unknown {
                return Ok(Some((Some(verdict), answer)));
            }
        }
        Ok(None)
    }

    /// Answers the digests of standard input.
    fn answer_standard_input(&mut self, assumed: &[Algorithm], control: &Control<'_>) -> Result<(), Error> {
        let options = Options { kind: Some(Kind::List), assumed: assumed.to_vec(), ..Options::default() };
        let mut failed = None;
        let ended = read(io::BufReader::new(Stream::standard().reader()), &options, &mut |line, record| {
            let done = match record {
                Ok(known) => known.digests.iter().try_for_each(|digest| self.give(digest)),
                Err(fault) => {
                    self.summary.faults += 1;
                    (self.events)(Event::Fault { line, fault: &fault }).map_err(Error::Sink)
                }
            };
            failed = done.err();
            if failed.is_some() || control.is_cancelled() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        });
        ended.map_err(|error| Error::input(PathError::new("standard input", error)))?;
        failed.map_or(Ok(()), Err)
    }
}

/// Asks the sets. A digest that cannot be compared with anything is counted, and has an answer that
/// says so.
///
/// # Errors
/// When the sets cannot be opened, standard input cannot be read, a set is damaged, or the events
/// were refused. A look-up that is cancelled ends after the digest at hand.
pub fn run(request: &Request, events: &mut Events<'_>, control: &Control<'_>) -> Result<Summary, Error> {
    request.check()?;
    let sought = request.sets.digests()?;
    let mut refused = None;
    let mut tell = |gap: &Gap<'_>| {
        if refused.is_none() {
            refused = events(Event::Gap(gap)).err();
        }
    };
    let opened = request.sets.open_known(&mut tell, control.cancel())?;
    if let Some(error) = refused {
        return Err(Error::Sink(error));
    }
    let summary = Summary { gaps: opened.gaps, ..Summary::default() };
    let is_named = !request.sets.algorithms.is_empty();
    let mut answers = Answers { reference: opened.reference, summary, is_named, events };
    if sought.is_empty() {
        answers.answer_standard_input(&computed(&request.sets.algorithms), control)?;
    } else {
        sought.iter().try_for_each(|digest| answers.give(digest))?;
    }
    if control.is_cancelled() {
        return Err(pfh_known::Error::Cancelled.into());
    }
    Ok(answers.summary)
}

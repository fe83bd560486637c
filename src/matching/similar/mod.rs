//! The job *match* against similarity digests: which known files a file is similar to.
//!
//! A [`Request`] names the input and a list of similarity digests, or an index that was made of one
//! with [`Request::write_index`]. [`run`] hands out a [`Match`] for each known digest that a file
//! reaches the threshold with, in the order of the files; [`write`](write()) makes a file of the
//! [`Matches`].
//!
//! ```
//! use pfh::matching::similar::{self, Request};
//! use pfh::{Control, Input, hash};
//!
//! # let room = std::env::temp_dir().join(format!("pfh-similar-{}", std::process::id()));
//! # std::fs::create_dir_all(&room)?;
//! # let file = room.join("file");
//! # std::fs::write(&file, (0..999).map(|n| format!("{n} ")).collect::<String>())?;
//! let request = hash::Request::new(Input::new([&file]), ["ssdeep".parse()?]);
//! hash::write(&request, &hash::Manifest::new(room.join("list")), &mut |_event| Ok(()), &Control::new())?;
//! let request = Request::new(Input::new([&file]), room.join("list"));
//! assert_eq!(similar::run(&request, &mut |_event| Ok(()), &Control::new())?.matches, 1);
//! # std::fs::remove_dir_all(&room)?;
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod problem;
mod request;
mod writer;

pub use problem::Problem;
pub use request::Request;
pub use writer::{Matches, Writer, write};

use crate::algorithms::REGISTRY;
use crate::job::{Error, PathError};
use crate::pass::pass;
use crate::verdict::Verdict;
use pfh_digest::{Algorithm, Digest};
use pfh_engine::{Control, Outcome, Plan, Record, Summary as Run};
use pfh_pairs::{Collection, List, ListProblem, Lookup, Reading, stored};
use pfh_similarity::shingles::Unit;
use pfh_similarity::{Degenerate, Evidence, MethodName, Score};
use pfh_source::Output;
use std::io;
use std::path::Path;

/// An event of a run. Events come on the thread that called [`run`].
#[derive(Debug, Clone, Copy)]
#[non_exhaustive]
pub enum Event<'a> {
    /// Something of the list was not understood.
    List(&'a ListProblem),
    /// The list is read, and files are hashed from here on.
    Opened,
    /// A file could not be read, or was skipped.
    Unread(&'a Record),
    /// A result: a file is similar to a known one.
    Match(&'a Match<'a>),
    /// No record has come for a moment, and none is left at the end: writers let out the lines that
    /// they hold.
    Idle,
}

/// A file and a known digest that are alike.
#[derive(Debug, Clone, Copy)]
#[non_exhaustive]
pub struct Match<'a> {
    /// The file's name; raw bytes.
    pub name: &'a [u8],
    /// The name of the known one in the list; raw bytes.
    pub known: &'a [u8],
    /// The algorithm by which they are alike.
    pub algorithm: Algorithm,
    /// How alike they are.
    pub score: Score,
    /// Their shared parts, where the digests say it (shingles, strings, text); the known one is the
    /// second.
    pub evidence: Evidence,
    /// Why the score may mean nothing.
    pub degenerate: Option<Degenerate>,
    /// The file's digest.
    pub digest: &'a Digest,
    /// The known digest, as its method prints it.
    pub value: &'a str,
}

/// Receives the events of a run. An error ends the run with [`Error::Sink`].
pub type Events<'a> = dyn FnMut(Event<'_>) -> io::Result<()> + 'a;

/// The result of a run.
#[derive(Debug, Clone, Copy)]
#[non_exhaustive]
pub struct Summary {
    /// The counts of the run over the files; `None` if only an index was made.
    pub run: Option<Run>,
    /// Matches.
    pub matches: u64,
    /// Matches of saturated digests that are not among the results.
    pub saturated: u64,
    /// Lines of the list that were not understood.
    pub faults: u64,
}

impl Summary {
    /// The verdict on the whole: negative if everything was read and no file is similar.
    pub fn conclusion(&self) -> Verdict {
        match self.run {
            _ if self.faults > 0 => Verdict::Incomplete,
            None => Verdict::Verified,
            Some(run) if run.faults > 0 => Verdict::Incomplete,
            Some(_) if self.matches == 0 => Verdict::Differs,
            Some(_) => Verdict::Verified,
        }
    }
}

/// Matches files with the list. Nothing is written but the index, if that is asked for.
///
/// # Errors
/// When the list cannot be read, the request makes no sense, or the events were refused.
pub fn run(request: &Request, events: &mut Events<'_>, control: &Control<'_>) -> Result<Summary, Error> {
    request.check()?;
    let mut refused = None;
    let (lookup, faults) = known(request, &mut |problem| {
        if refused.is_none() {
            refused = events(Event::List(problem)).err();
        }
    })?;
    if let Some(error) = refused {
        return Err(Error::Sink(error));
    }
    if request.write_index.is_some() && !request.input.is_named() {
        return Ok(Summary { run: None, matches: 0, saturated: 0, faults });
    }
    let algorithm = REGISTRY.find(lookup.algorithm()).map_err(Error::input)?;
    let plan = Plan { algorithms: vec![algorithm], ..request.plan.clone() };
    let source = request.input.source()?;
    events(Event::Opened).map_err(Error::Sink)?;
    let threshold = request.thresholds.of(algorithm);
    let mut matching = Matching { request, algorithm, lookup, threshold, matches: 0, saturated: 0, events };
    let run = pass(source, || request.input.again(), &plan, &mut matching, control)?;
    Ok(Summary { run: Some(run), matches: matching.matches, saturated: matching.saturated, faults })
}

/// The known digests, and the number of lines of the list that were not taken.
fn known(request: &Request, tell: &mut dyn FnMut(&ListProblem)) -> Result<(Lookup, u64), Error> {
    let path = &request.list;
    let failed = |error| Error::input(PathError::new(path, error));
    let assumed: Vec<Algorithm> = request.algorithm.into_iter().map(Into::into).collect();
    let reading = Reading { limit: request.memory.max(1 << 20), bare: true, assumed };
    let mut list = List::open(path, &reading, REGISTRY).map_err(failed)?;
    if list.is_index() {
        if request.write_index.is_some() {
            return Err(Error::request(Problem::IsIndex(path.clone())));
        }
        return Ok((Lookup::Stored(list.into_stored().map_err(failed)?), 0));
    }
    let no_list = || Error::input(Problem::NoList(path.clone()));
    let algorithm = match request.algorithm {
        Some(algorithm) => algorithm.into(),
        None => *list.algorithms().first().ok_or_else(no_list)?,
    };
    // Windows and strings are sorted for an index, in bounded memory.
    let indexed = MethodName::of(algorithm).and_then(Unit::of).is_some();
    let mut collections = [match indexed {
        true => Collection::with_features(algorithm, request.memory),
        false => Collection::new(algorithm),
    }];
    let faults = list.load(&mut collections, tell);
    let [mut collection] = collections;
    let Some(index) = &request.write_index else {
        return Ok((Lookup::new(collection, request.memory).map_err(failed)?, faults));
    };
    write_index(&mut collection, request.memory, index).map_err(|error| match error.kind() {
        io::ErrorKind::InvalidInput => Error::request(error),
        _ => Error::output(PathError::new(index, error)),
    })?;
    Ok((Lookup::open(index).map_err(failed)?, faults))
}

fn write_index(collection: &mut Collection, memory: usize, index: &Path) -> io::Result<()> {
    let mut output = Output::file(index)?;
    stored::write(collection, memory, &mut output)?;
    output.commit()
}

/// Hands out the matches of each file.
struct Matching<'a> {
    request: &'a Request,
    algorithm: Algorithm,
    lookup: Lookup,
    threshold: Score,
    matches: u64,
    saturated: u64,
    events: &'a mut Events<'a>,
}

impl pfh_engine::Sink for Matching<'_> {
    fn record(&mut self, record: Record) -> io::Result<()> {
        let Outcome::Hashed(hashed) = &record.outcome else { return (self.events)(Event::Unread(&record)) };
        let Some(digest) = hashed.digests.first() else { return Ok(()) };
        for found in self.lookup.similar(digest, self.threshold)? {
            // Equal digests are alike, saturated or not.
            let chance = found.degenerate == Some(Degenerate::Saturated) && found.value != digest.to_string();
            if chance && !self.request.saturated {
                self.saturated += 1;
                continue;
            }
            self.matches += 1;
            (self.events)(Event::Match(&Match {
                name: &record.name,
                known: &found.name,
                algorithm: self.algorithm,
                score: found.score,
                evidence: found.evidence,
                degenerate: found.degenerate,
                digest,
                value: &found.value,
            }))?;
        }
        Ok(())
    }

    fn flush(&mut self) -> io::Result<()> {
        (self.events)(Event::Idle)
    }
}

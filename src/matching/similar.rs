//! The job *match* against similarity digests: which known files a file is similar to.
//!
//! A [`Request`] names the input and a list of similarity digests, or an index that was made of one
//! with [`Request::write_index`]. [`run`] writes a line for each known digest that a file reaches
//! the threshold with, in the order of the files.
//!
//! ```
//! use pfh::matching::similar::{self, Request};
//! use pfh::{Control, Input, hash};
//!
//! # let room = std::env::temp_dir().join(format!("pfh-similar-{}", std::process::id()));
//! # std::fs::create_dir_all(&room)?;
//! # let file = room.join("file");
//! # std::fs::write(&file, (0..999).map(|n| format!("{n} ")).collect::<String>())?;
//! let list = hash::Request::new(Input::new([&file]), ["ssdeep".parse()?]).output(room.join("list"));
//! hash::run(&list, &mut |_event| Ok(()), &Control::new())?;
//! let request = Request::new(Input::new([&file]), room.join("list")).output(room.join("matches"));
//! assert_eq!(similar::run(&request, &mut |_event| Ok(()), &Control::new())?.matches, 1);
//! # std::fs::remove_dir_all(&room)?;
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

use crate::algorithms::REGISTRY;
use crate::compare::{Collection, ListProblem, Lookup, Reading, Thresholds, list_algorithms, load, stored};
use crate::destination::{Destination, OpenError};
use crate::failure::{JobError, Kind};
use crate::input::{Input, InputError};
use crate::outputs::{Outputs, Refused};
use crate::pass::{ends_a_pass, pass};
use pfh_digest::{Algorithm, UnknownAlgorithm};
use pfh_engine::{Control, DEFAULT_MEMORY, Outcome, Plan, Record, Summary as Run};
use pfh_report::pairs::{self, Format, Pair};
use pfh_similarity::{Degenerate, Evidence, Named, Score};
use pfh_source::Output;
use pfh_source::terminal;
use std::io;
use std::path::{Path, PathBuf};

/// Files, and the digests that they are compared with.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Request {
    /// What is read.
    pub input: Input,
    /// A list of similarity digests, or an index made of one.
    pub list: PathBuf,
    /// The algorithm, if the list holds several; otherwise that of its first record.
    pub algorithm: Option<crate::Algorithm>,
    /// What score a match must reach.
    pub thresholds: Thresholds,
    /// Where an index of the list is written (ssdeep). Without an input nothing else is done.
    pub write_index: Option<PathBuf>,
    /// Whether matches of saturated sdhash digests are written.
    pub saturated: bool,
    /// What matches are written in.
    pub form: Format,
    /// Where they go.
    pub output: Destination,
    /// How files are read. Its algorithm is that of the list.
    pub plan: Plan,
    /// Bytes for reading and sorting the list.
    pub memory: usize,
    /// Whether files of the outputs' names are replaced. One that is read never is.
    pub replace: bool,
}

impl Request {
    /// All matches as text on standard output.
    pub fn new(input: Input, list: impl Into<PathBuf>) -> Request {
        Request {
            input,
            list: list.into(),
            algorithm: None,
            thresholds: Thresholds::one(None),
            write_index: None,
            saturated: false,
            form: Format::Text,
            output: Destination::default(),
            plan: Plan::default(),
            memory: DEFAULT_MEMORY,
            replace: false,
        }
    }

    /// Writes to this destination.
    #[must_use]
    pub fn output(mut self, output: impl Into<Destination>) -> Request {
        self.output = output.into();
        self
    }

    /// Replaces existing files of the outputs' names.
    #[must_use]
    pub fn replace(mut self, replace: bool) -> Request {
        self.replace = replace;
        self
    }

    /// Makes an index of the list.
    #[must_use]
    pub fn write_index(mut self, index: impl Into<PathBuf>) -> Request {
        self.write_index = Some(index.into());
        self
    }

    /// What is read and written.
    fn outputs(&self) -> Outputs {
        let mut outputs = Outputs::new(self.replace);
        outputs.file("--output", self.output.path()).file("--write-index", self.write_index.as_ref());
        self.input.guard(outputs.reads(&self.list));
        outputs
    }
}

/// What happens during a run. Events come on the thread that called [`run`].
#[derive(Debug, Clone, Copy)]
#[non_exhaustive]
pub enum Event<'a> {
    /// Something of the list was not understood.
    List(&'a ListProblem),
    /// A file could not be read, or was skipped.
    Unread(&'a Record),
}

/// Receives the events of a run. An error ends the run with [`Error::Sink`].
pub type Sink<'a> = dyn FnMut(Event<'_>) -> io::Result<()> + 'a;

/// The result of a run.
#[derive(Debug, Clone, Copy)]
#[non_exhaustive]
pub struct Summary {
    /// The counts of the run over the files; `None` if only an index was made.
    pub run: Option<Run>,
    /// Matches that were written.
    pub matches: u64,
    /// Matches of saturated digests that were not.
    pub saturated: u64,
    /// Lines of the list that were not understood.
    pub faults: u64,
}

/// Why there are no matches, or not all.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// An output is a file that is read, or one that somebody else made.
    #[error(transparent)]
    Refused(#[from] Refused),
    /// An index cannot be made of an index.
    #[error("--write-index needs a list; this is an index already")]
    IsIndex,
    /// Only some algorithms have an index.
    #[error("{0}")]
    NoIndex(#[source] io::Error),
    /// The list holds no digests.
    #[error("{}: no list of digests", terminal::render(.0.as_os_str().as_encoded_bytes()))]
    NoList(PathBuf),
    /// The list or index cannot be read.
    #[error("{}: {error}", terminal::render(path.as_os_str().as_encoded_bytes()))]
    List {
        /// The list.
        path: PathBuf,
        /// Why.
        error: io::Error,
    },
    /// The index cannot be written.
    #[error("{}: {error}", terminal::render(path.as_os_str().as_encoded_bytes()))]
    Written {
        /// The index.
        path: PathBuf,
        /// Why.
        error: io::Error,
    },
    /// The index is of an algorithm that is not known.
    #[error(transparent)]
    Algorithm(#[from] UnknownAlgorithm),
    /// The input.
    #[error(transparent)]
    Input(#[from] InputError),
    /// The output cannot be opened.
    #[error(transparent)]
    Open(#[from] OpenError),
    /// The output failed, the index is damaged, or the sink refused an event.
    #[error("the output failed: {0}")]
    Sink(#[source] io::Error),
    /// The run could not begin.
    #[error(transparent)]
    Run(pfh_engine::Error),
}

ends_a_pass!(Error);

/// Matches files with the list and writes what is similar. A run that is cancelled leaves whole
/// records on standard output, and no file.
///
/// # Errors
/// When the list cannot be read, the request makes no sense, or the output cannot be written.
pub fn run(request: &Request, sink: &mut Sink<'_>, control: &Control<'_>) -> Result<Summary, Error> {
    if request.input.is_named() {
        request.input.streams_and([&request.list])?;
    }
    request.outputs().check()?;
    let mut refused = None;
    let (lookup, faults) = known(request, &mut |problem| {
        if refused.is_none() {
            refused = sink(Event::List(problem)).err();
        }
    })?;
    if let Some(error) = refused {
        return Err(Error::Sink(error));
    }
    if request.write_index.is_some() && !request.input.is_named() {
        return Ok(Summary { run: None, matches: 0, saturated: 0, faults });
    }
    let algorithm = REGISTRY.find(lookup.algorithm())?;
    let plan = Plan { algorithms: vec![algorithm], ..request.plan.clone() };
    let source = request.input.source()?;
    let output = request.output.open()?;
    let threshold = request.thresholds.of(algorithm);
    let mut matching = Matching { request, algorithm, lookup, threshold, output, matches: 0, saturated: 0, sink };
    pairs::head(request.form, matching.output.room());
    let run = pass(source, || request.input.again(), &plan, &mut matching, control)?;
    let Matching { mut output, matches, saturated, .. } = matching;
    let written = if run.interrupted { io::Write::flush(&mut output) } else { output.commit() };
    written.map_err(Error::Sink)?;
    Ok(Summary { run: Some(run), matches, saturated, faults })
}

/// The known digests, and how many lines of the list were not taken.
fn known(request: &Request, tell: &mut dyn FnMut(&ListProblem)) -> Result<(Lookup, u64), Error> {
    let path = &request.list;
    let failed = |error| Error::List { path: path.clone(), error };
    if stored::Stored::is_one(path) {
        if request.write_index.is_some() {
            return Err(Error::IsIndex);
        }
        return Ok((Lookup::open(path).map_err(failed)?, 0));
    }
    std::fs::metadata(path).map_err(failed)?;
    let assumed = request.algorithm.into_iter().map(Into::into).collect();
    let reading = Reading { limit: request.memory.max(1 << 20), bare: true, assumed };
    let algorithm = match request.algorithm {
        Some(algorithm) => algorithm.into(),
        None => *list_algorithms(path.as_os_str(), &reading).first().ok_or_else(|| Error::NoList(path.clone()))?,
    };
    let mut collections = [Collection::new(algorithm)];
    let faults = load(path.as_os_str(), &reading, &mut collections, tell);
    let [collection] = collections;
    let Some(index) = &request.write_index else {
        return Ok((Lookup::new(collection, request.memory).map_err(failed)?, faults));
    };
    write_index(&collection, request.memory, index).map_err(|error| match error.kind() {
        io::ErrorKind::InvalidInput => Error::NoIndex(error),
        _ => Error::Written { path: index.clone(), error },
    })?;
    Ok((Lookup::open(index).map_err(failed)?, faults))
}

fn write_index(collection: &Collection, memory: usize, index: &Path) -> io::Result<()> {
    let mut output = Output::file(index)?;
    stored::write(collection, memory, &mut output)?;
    output.commit()
}

/// Writes the matches of each file.
struct Matching<'a> {
    request: &'a Request,
    algorithm: Algorithm,
    lookup: Lookup,
    threshold: Score,
    output: Output,
    matches: u64,
    saturated: u64,
    sink: &'a mut Sink<'a>,
}

impl pfh_engine::Sink for Matching<'_> {
    fn record(&mut self, record: Record) -> io::Result<()> {
        let Outcome::Hashed(hashed) = &record.outcome else { return (self.sink)(Event::Unread(&record)) };
        let Some(digest) = hashed.digests.first() else { return Ok(()) };
        let (algorithm, form) = (self.algorithm, self.request.form);
        // `ssdeep -m` names the list in front of the name.
        let with_list = form == Format::Text && Named::of(algorithm).is_none_or(|method| method == Named::Ssdeep);
        let list = self.request.list.as_os_str().as_encoded_bytes();
        for found in self.lookup.similar(digest, self.threshold)? {
            if found.degenerate == Some(Degenerate::Saturated) && !self.request.saturated {
                self.saturated += 1;
                continue;
            }
            let known = if with_list { [list, b":", &found.name].concat() } else { found.name.clone() };
            let own = if form == Format::Values { digest.to_string() } else { String::new() };
            let (a, b) = if with_list { (&known[..], &record.name[..]) } else { (&record.name[..], &known[..]) };
            let (score, degenerate) = (found.score, found.degenerate);
            let pair = Pair {
                a,
                b,
                algorithm,
                score,
                evidence: Evidence::default(),
                degenerate,
                values: [&own, &found.value],
            };
            pairs::pair(form, self.output.room(), &pair);
            self.matches += 1;
        }
        self.output.advance()
    }

    fn flush(&mut self) -> io::Result<()> {
        io::Write::flush(&mut self.output)
    }
}

impl JobError for Error {
    fn kind(&self) -> Kind<'_> {
        match self {
            Error::Sink(error) => Kind::Output(error),
            Error::Input(error) => error.kind(),
            Error::List { .. } | Error::NoList(_) | Error::Algorithm(_) => Kind::Open,
            Error::Written { .. } | Error::Open(_) | Error::Run(_) => Kind::Aborted,
            _ => Kind::Request,
        }
    }
}

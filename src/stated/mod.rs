//! The job *stated*: whether objects are what their stores state of them.
//!
//! Stores state checksums of the objects that they keep: Amazon S3 in `x-amz-checksum-*` and in
//! entity tags, Google Cloud Storage in `x-goog-hash`, Azure in `Content-MD5`. [`run`] reads each
//! object once and compares it with all that is stated of it. No manifest is needed; what is
//! compared is what the store has kept with what it was given or computed when the object came.

mod claim;
mod judge;
mod report;
mod summary;
mod witness;

pub use claim::{Claim, Claims};
pub use judge::{Came, Judged};
pub use report::{json, line, sentences, summary_json};
pub use summary::Summary;

use crate::failure::{JobError, Kind};
use crate::pass::{ends_a_pass, pass};
use crate::{REGISTRY, rendered};
use pfh_engine::{Control, Outcome, Plan, Record};
use pfh_remote::{Located, Meant};
use pfh_source::{Descend, Item, Problem, Source};
use std::ffi::OsString;
use std::io;
use std::os::unix::ffi::OsStringExt;
use witness::{Found, Witnessed};

/// Which objects are judged, and how they are read.
#[derive(Debug, Clone, Default)]
#[non_exhaustive]
pub struct Request {
    /// Addresses of objects, and of what keys begin with.
    pub addresses: Vec<OsString>,
    /// The size in bytes of the parts in which objects were uploaded; if it is not known, the usual
    /// ones are tried.
    pub part_size: Option<u64>,
    /// How objects are read. Its algorithms are what the stores state.
    pub plan: Plan,
}

impl Request {
    /// These objects, with the machine's defaults.
    pub fn new(addresses: impl IntoIterator<Item = impl Into<OsString>>) -> Request {
        Request { addresses: addresses.into_iter().map(Into::into).collect(), ..Request::default() }
    }

    /// Objects were uploaded in parts of so many bytes.
    #[must_use]
    pub fn part_size(mut self, part_size: Option<u64>) -> Request {
        self.part_size = part_size;
        self
    }

    /// Objects are read according to this plan.
    #[must_use]
    pub fn plan(mut self, plan: Plan) -> Request {
        self.plan = plan;
        self
    }

    fn located(&self) -> Located {
        let paths: Vec<Vec<u8>> = self.addresses.iter().map(|address| address.clone().into_vec()).collect();
        Located::new(Box::new(paths.into_iter().map(Ok)), Descend::default(), Meant::Below)
    }
}

/// What happens. Events come in the order of the listing.
#[derive(Debug, Clone, Copy)]
#[non_exhaustive]
pub enum Event<'a> {
    /// An object could not be read, or was skipped.
    Unread(&'a Record),
    /// An object was read to its end.
    Judged {
        /// Its address.
        name: &'a [u8],
        /// What came of it.
        judged: &'a Judged,
    },
    /// All objects were read once.
    Passed(&'a pfh_engine::Summary),
}

/// Receives the events. An error ends the job with [`Error::Sink`].
pub type Sink<'a> = dyn FnMut(Event<'_>) -> io::Result<()> + 'a;

/// Why there is no result.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// A store could not be listed.
    #[error("{}: {problem}", rendered(name))]
    Listing {
        /// The address.
        name: Vec<u8>,
        /// What is wrong with it.
        #[source]
        problem: Problem,
    },
    /// The caller ended the job; how many objects were compared.
    #[error("interrupted: {0} objects have a verdict, the rest has none")]
    Interrupted(u64),
    /// The sink refused an event.
    #[error("the output failed: {0}")]
    Sink(#[source] io::Error),
    /// The objects could not be read at all.
    #[error(transparent)]
    Run(pfh_engine::Error),
}

ends_a_pass!(Error);

impl JobError for Error {
    fn kind(&self) -> Kind<'_> {
        match self {
            Error::Sink(error) => Kind::Output(error),
            Error::Interrupted(_) => Kind::Cancelled,
            Error::Listing { .. } => Kind::Open,
            Error::Run(_) => Kind::Aborted,
        }
    }
}

/// The objects that [`run`] would read. None of them is opened.
///
/// # Errors
/// When a store cannot be listed.
pub fn would_read(request: &Request) -> Result<Vec<Vec<u8>>, Error> {
    let (mut located, mut names) = (request.located(), Vec::new());
    while let Some(item) = located.pull() {
        match item {
            Item::Entry(entry) => names.push(entry.name()),
            Item::Problem { name, problem, .. } => return Err(Error::Listing { name, problem }),
            Item::Skipped { .. } | Item::Settled { .. } => {}
        }
    }
    Ok(names)
}

/// Compares objects with what their stores state.
///
/// # Errors
/// When the job was interrupted, or the sink refused an event. An object that differs or cannot be
/// read is an event, and no error.
pub fn run(request: &Request, sink: &mut Sink<'_>, control: &Control<'_>) -> Result<Summary, Error> {
    let found = Found::default();
    let source =
        Witnessed { source: Box::new(request.located().stating()), part_size: request.part_size, found: found.clone() };
    // What is stated is computed where an object is read. The engine proves that the read was whole
    // and of one object; it hashes by what costs least.
    let cheap = REGISTRY.find("crc64nvme").into_iter().collect();
    let plan = Plan { algorithms: cheap, piecewise: None, ..request.plan.clone() };
    let mut summary = Summary::default();
    let mut take = |record: Record| match &record.outcome {
        Outcome::Hashed(_) => {
            let judged = found.take(record.number);
            let judged = judged.ok_or_else(|| io::Error::other("an object was read, and not to its end"))?;
            summary.count(&judged);
            sink(Event::Judged { name: &record.name, judged: &judged })
        }
        outcome => {
            summary.unread(matches!(outcome, Outcome::Skipped(_)));
            sink(Event::Unread(&record))
        }
    };
    let passed = pass(Box::new(source), || None, &plan, &mut take, control)?;
    if passed.interrupted {
        return Err(Error::Interrupted(summary.verified + summary.different));
    }
    sink(Event::Passed(&passed)).map_err(Error::Sink)?;
    Ok(summary)
}

//! The job *stated*: whether objects are as their stores state.
//!
//! Stores state checksums of the objects that they keep: Amazon S3 in `x-amz-checksum-*` and in
//! entity tags, Google Cloud Storage in `x-goog-hash`, Azure in `Content-MD5`. [`run`] reads each
//! object once and compares it with all that is stated of it. No manifest is needed: the bytes that
//! the store has kept are compared with values that it was given or computed when the object came.

mod claim;
mod judge;
mod row;
mod summary;
mod witness;

pub use claim::{Claim, Claims};
pub use judge::{Came, ObjectJudgement};
pub use row::{ObjectRow, ObjectsSum};
pub use summary::Summary;

use crate::REGISTRY;
use crate::check::Manner;
use crate::job::{Error, PathError};
use crate::pass::pass;
use pfh_engine::{Control, Outcome, Plan, Record};
use pfh_remote::{LocatedSource, Meant};
use pfh_source::os::names::OsStringExt;
use pfh_source::{Descend, Item, Source, is_address, terminal};
use std::ffi::OsString;
use std::io;
use witness::{ObjectJudgements, WitnessSource};

/// Which objects are judged, and how they are read.
#[derive(Debug, Clone, Default)]
#[non_exhaustive]
pub struct Request {
    /// Addresses of objects, and of prefixes of keys.
    pub addresses: Vec<OsString>,
    /// The size in bytes of the parts in which objects were uploaded; if it is not known, the usual
    /// ones are tried.
    pub part_size: Option<u64>,
    /// Whether every version of an object is judged, or the newest.
    pub versions: bool,
    /// The effect on the verdict when something stated cannot be compared.
    pub manner: Manner,
    /// How objects are read. Its algorithms are those of the stated values.
    pub plan: Plan,
}

impl Request {
    /// These objects, with the machine's defaults.
    pub fn new(addresses: impl IntoIterator<Item = impl Into<OsString>>) -> Request {
        Request { addresses: addresses.into_iter().map(Into::into).collect(), ..Request::default() }
    }

    /// Sets the multipart upload size in bytes.
    #[must_use]
    pub fn part_size(mut self, part_size: Option<u64>) -> Request {
        self.part_size = part_size;
        self
    }

    /// Judges every version of each object.
    #[must_use]
    pub fn versions(mut self) -> Request {
        self.versions = true;
        self
    }

    /// Judges in this manner stated values that cannot be compared.
    #[must_use]
    pub fn manner(mut self, manner: Manner) -> Request {
        self.manner = manner;
        self
    }

    /// Objects are read according to this plan.
    #[must_use]
    pub fn plan(mut self, plan: Plan) -> Request {
        self.plan = plan;
        self
    }

    /// Refuses requests that can be refused before a store is asked.
    ///
    /// # Errors
    /// When nothing is named, or something that is not the address of an object.
    pub fn check(&self) -> Result<(), Error> {
        if self.addresses.is_empty() {
            return Err(Error::request(Problem::Nothing));
        }
        let mut names = self.addresses.iter().map(|address| address.as_encoded_bytes());
        match names.find(|name| !is_address(name)) {
            Some(name) => Err(Error::request(Problem::NoAddress(name.to_vec()))),
            None => Ok(()),
        }
    }

    fn located(&self) -> LocatedSource {
        let paths: Vec<Vec<u8>> = self.addresses.iter().map(|address| address.clone().into_vec()).collect();
        LocatedSource::new(
            Box::new(paths.into_iter().map(Ok)),
            Descend::default(),
            if self.versions { Meant::Versions } else { Meant::Below },
        )
    }
}

/// An event. Events come in the order of the listing.
#[derive(Debug, Clone, Copy)]
#[non_exhaustive]
pub enum Event<'a> {
    /// An object could not be read, or was skipped.
    Unread(&'a Record),
    /// An object was read to its end.
    Judged {
        /// Its address.
        name: &'a [u8],
        /// Its result.
        judged: &'a ObjectJudgement,
    },
    /// All objects were read once.
    Passed(&'a pfh_engine::Summary),
}

/// Receives the events. An error ends the job with [`Error::Sink`].
pub type Events<'a> = dyn FnMut(Event<'_>) -> io::Result<()> + 'a;

/// Errors of the job as a whole, where no other job has the cause.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Problem {
    /// No object is named.
    #[error("no object is named")]
    Nothing,
    /// The operand is a file, and not an object of a store.
    #[error("{} is not the address of an object", terminal::render(.0))]
    NoAddress(Vec<u8>),
    /// The caller ended the job; how many objects were compared.
    #[error("interrupted: {0} objects have a verdict, the rest has none")]
    Interrupted(u64),
}

/// The objects that [`run`] would read. None of them is opened.
///
/// # Errors
/// When the request makes no sense, or a store cannot be listed.
pub fn would_read(request: &Request) -> Result<Vec<Vec<u8>>, Error> {
    request.check()?;
    let (mut located, mut names) = (request.located(), Vec::new());
    while let Some(item) = located.pull() {
        match item {
            Item::Entry(entry) => names.push(entry.name()),
            Item::Problem { name, problem, .. } => {
                return Err(Error::input(PathError::new(OsString::from_vec(name), problem)));
            }
            Item::Skipped { .. } | Item::Settled { .. } => {}
        }
    }
    Ok(names)
}

/// Compares objects with the statements of their stores.
///
/// # Errors
/// When the request makes no sense, the job was interrupted, or an event was refused. An object
/// that differs or cannot be read is an event, and no error.
pub fn run(request: &Request, events: &mut Events<'_>, control: &Control<'_>) -> Result<Summary, Error> {
    request.check()?;
    let found = ObjectJudgements::default();
    let source = WitnessSource {
        source: Box::new(request.located().stating()),
        part_size: request.part_size,
        found: found.clone(),
    };
    // Stated digests are computed where an object is read. The engine proves that the read was
    // whole and of one object; it hashes by what costs least.
    let cheap = REGISTRY.find("crc64nvme").into_iter().collect();
    let plan = Plan { algorithms: cheap, piecewise: None, ..request.plan.clone() };
    let mut summary = Summary { manner: request.manner, ..Summary::default() };
    let mut take = |record: Record| match &record.outcome {
        Outcome::Hashed(_) => {
            let judged = found.take(record.number);
            let judged = judged.ok_or_else(|| io::Error::other("an object was read, and not to its end"))?;
            summary.count(&judged);
            events(Event::Judged { name: &record.name, judged: &judged })
        }
        outcome => {
            summary.unread(matches!(outcome, Outcome::Skipped(_)));
            events(Event::Unread(&record))
        }
    };
    let passed = pass(Box::new(source), || None, &plan, &mut take, control)?;
    if passed.interrupted {
        return Err(Error::cancelled(Problem::Interrupted(summary.verified + summary.different)));
    }
    events(Event::Passed(&passed)).map_err(Error::Sink)?;
    Ok(summary)
}

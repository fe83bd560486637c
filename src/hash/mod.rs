//! The job *hash*: digests of files, written as a manifest.
//!
//! A [`Request`] names the input, the algorithms and the format; [`run`] reads each file once and
//! writes one record for each, in input order. What the run itself writes is left out of the input.
//! With a [`Reuse`] digests are kept from run to run; with [`Sealing`] the finished manifest gets a
//! seal beside it. For digests without a manifest, [`pfh::run`](crate::run) gives the records
//! themselves.
//!
//! ```
//! use pfh::hash::{self, Request};
//! use pfh::{Control, Input, Recurse};
//!
//! # let room = std::env::temp_dir().join(format!("pfh-hash-{}", std::process::id()));
//! # std::fs::create_dir_all(&room)?;
//! let request = Request::new(Input::new(["src"]).recurse(Recurse::Yes), vec!["sha256".parse()?])
//!     .output(room.join("SHA256SUMS"));
//! let summary = hash::run(&request, &mut |_event| Ok(()), &Control::new())?;
//! assert!(summary.run.hashed > 1 && summary.run.failed == 0);
//! assert!(std::fs::read_to_string(room.join("SHA256SUMS"))?.contains("  src/lib.rs\n"));
//! # std::fs::remove_dir_all(&room)?;
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod error;
mod manifest;
#[cfg(not(feature = "known"))]
mod no_cache;
mod request;

pub use error::Error;
pub use manifest::{About, Manifest};
pub(crate) use request::is_elsewhere;
pub use request::{Request, Reuse, Sealing};

pub(crate) use request::CACHE;

#[cfg(not(feature = "known"))]
pub use no_cache::{Cache, CacheError, Use};
#[cfg(feature = "known")]
pub use pfh_cache::{Cache, CacheError, Use};

use crate::algorithms::REGISTRY;
use crate::own::own;
use crate::pass::pass;
use crate::seal;
use pfh_digest::Algorithm;
use pfh_engine::{Control, Outcome, Record, Summary as Run};
use pfh_manifest::{Format, Options, Unrepresentable};
use pfh_similarity::{Named, Similar};
use pfh_source::{Apart, Source};
use std::io;

/// What happens during a run. Events come on the thread that called [`run`], in input order.
#[derive(Debug, Clone, Copy)]
#[non_exhaustive]
pub enum Event<'a> {
    /// An input has a record: a file was hashed or skipped, or failed.
    Record(&'a Record),
    /// The content of this file changed though its size and times did not.
    Changed(&'a Record),
    /// The format cannot hold this record: it is not in the manifest.
    NotWritten(&'a Record, &'a Unrepresentable),
    /// The cache is not used from here on, for this reason: all files are read. Digests are the
    /// same.
    Uncached(&'a CacheError),
}

/// Receives the events of a run. An error ends the run with [`Error::Sink`].
pub type Sink<'a> = dyn FnMut(Event<'_>) -> io::Result<()> + 'a;

/// The result of a run.
#[derive(Debug, Clone, Copy)]
#[non_exhaustive]
pub struct Summary {
    /// The counts, and where the time went. An interrupted run leaves whole records on standard
    /// output, and no file.
    pub run: Run,
    /// Hashed files that the format cannot hold.
    pub unwritten: u64,
    /// Files that were read and have no digest, because they are too short, too plain or too long
    /// for the algorithm.
    pub without: u64,
    /// What was done with the cache, if there is one.
    pub cache: Option<Use>,
}

/// Hashes the input and writes the manifest. A file appears whole or not at all.
///
/// # Errors
/// When the request makes no sense, or an output cannot be written. A file that cannot be read is a
/// record, and no error.
pub fn run(request: &Request, sink: &mut Sink<'_>, control: &Control<'_>) -> Result<Summary, Error> {
    if request.plan.piecewise.is_some() && !has_pieces(request.format) {
        return Err(Error::Pieces(request.format));
    }
    let key = request.secret.as_ref().and_then(|secret| secret.path());
    request.input.streams_and(key.into_iter().chain(request.seal.iter().filter_map(|seal| seal.key.as_deref())))?;
    request.outputs().check()?;
    let mut about = request.about();
    let cache = match request.cache(&about) {
        // A cache that cannot be used costs time, not the run.
        Err(Error::Cache { error, .. }) if error.is_passing() => {
            sink(Event::Uncached(&error)).map_err(Error::Sink)?;
            None
        }
        opened => opened?,
    };
    let kept = request.reuse.as_ref().map(|reuse| &*reuse.path);
    let own = own(request.output.path(), request.seal.is_some(), kept);
    let (source, volumes) = request.source()?;
    about.volumes = volumes;
    let mut source: Box<dyn Source> = Box::new(Apart::new(source, own));
    if let Some(cache) = &cache {
        source = Box::new(cache.reusing(source));
    }
    let output = request.output.open()?;
    let format = request.format;
    let manifest = Manifest::open(format, request.layout, &about, output);
    let manifest = manifest.map_err(|why| Error::Format { format, why })?;
    let mut writing = Writing { manifest, unwritten: 0, without: 0, cache: cache.clone(), sink };
    let ran = pass(source, || request.input.again(), &request.plan, &mut writing, control);
    let Writing { manifest, unwritten, without, sink, .. } = writing;
    // What was read is kept, whatever became of the output: the next run resumes from it.
    let finished = ran.as_ref().is_ok_and(|run| !run.interrupted);
    let cache = match cache.map(|cache| (cache.close(finished), cache)) {
        None => None,
        Some((Ok(used), _)) => Some(used),
        Some((Err(error), cache)) => {
            sink(Event::Uncached(&error)).map_err(Error::Sink)?;
            Some(cache.used())
        }
    };
    let run = ran?;
    if run.interrupted {
        manifest.interrupt().map_err(Error::Sink)?;
    } else {
        manifest.finish(&run).map_err(Error::Sink)?;
        seal(request)?;
    }
    Ok(Summary { run, unwritten, without, cache })
}

/// The format in which an algorithm's own tool writes.
pub fn own_format(algorithm: Algorithm) -> Format {
    match Named::of(algorithm) {
        Some(Named::Ssdeep) => Format::Ssdeep,
        Some(Named::Sdhash | Named::SdhashStream | Named::SdhashDd) => Format::Sdbf,
        Some(Named::MrshV2 | Named::MrshV2Network) => Format::Mrsh,
        Some(Named::Tlsh) | None => Format::Sums,
    }
}

/// Whether a format has a place for digests of windows.
pub fn has_pieces(format: Format) -> bool {
    matches!(format, Format::Hashdeep | Format::Dfxml | Format::Jsonl | Format::Csv)
}

/// Seals the finished manifest, if that is asked for.
fn seal(request: &Request) -> Result<(), Error> {
    let (Some(sealing), Some(path)) = (&request.seal, request.output.path()) else { return Ok(()) };
    let options = Options {
        format: Some(request.format),
        // The algorithms are known here, so digests of any length are read back right.
        assumed: request.plan.algorithms.clone(),
        end: request.layout.end,
        limit: request.plan.memory.max(1 << 20),
        ..Options::default()
    };
    Ok(seal::write(path, &options, REGISTRY, sealing.key.as_deref())?)
}

/// Whether a file was read whole, and has no digest because its methods make none of so little.
fn has_none(record: &Record) -> bool {
    let absent = |digest: &pfh_digest::Digest| Similar::of(digest).is_some_and(Similar::is_absent);
    matches!(&record.outcome, Outcome::Hashed(hashed) if !hashed.digests.is_empty() && hashed.digests.iter().all(absent))
}

/// Writes records into the manifest, and keeps them in the cache.
struct Writing<'a> {
    manifest: Manifest,
    unwritten: u64,
    without: u64,
    cache: Option<Cache>,
    sink: &'a mut Sink<'a>,
}

impl pfh_engine::Sink for Writing<'_> {
    fn record(&mut self, record: Record) -> io::Result<()> {
        (self.sink)(Event::Record(&record))?;
        match self.cache.as_ref().map_or(Ok(false), |cache| cache.keep(&record)) {
            Ok(false) => {}
            Ok(true) => (self.sink)(Event::Changed(&record))?,
            Err(error) => (self.sink)(Event::Uncached(&error))?,
        }
        if let Err(why) = self.manifest.write(&record)? {
            // A file that was read whole and is too short for the method has nothing that could
            // have been written.
            let has_none = has_none(&record);
            self.unwritten += u64::from(!has_none);
            self.without += u64::from(has_none);
            (self.sink)(Event::NotWritten(&record, &why))?;
        }
        Ok(())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.manifest.flush()
    }
}

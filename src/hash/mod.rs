//! The job *hash*: digests of files, as records or written as a manifest.
//!
//! A [`Request`] names the input and the algorithms; [`run`] reads each file once and hands a
//! [record](Event::Record) of each to its caller, in input order. With a [`Reuse`] digests are kept
//! from run to run. [`write`](write()) makes a [`Manifest`] of the records, with a seal beside it
//! if there is a [`Sealing`]; its own files are left out of the input. [`records`](records()) gives
//! the records as an iterator, [`hash_file`] the digest of one file.
//!
//! ```
//! use pfh::hash::{self, Manifest, Request};
//! use pfh::{Control, Input, Recurse};
//!
//! # let room = std::env::temp_dir().join(format!("pfh-hash-{}", std::process::id()));
//! # std::fs::create_dir_all(&room)?;
//! let request = Request::new(Input::new(["src"]).recurse(Recurse::Yes), vec!["sha256".parse()?]);
//! let manifest = Manifest::new(room.join("SHA256SUMS"));
//! let written = hash::write(&request, &manifest, &mut |_event| Ok(()), &Control::new())?;
//! assert!(written.summary.run.hashed > 1 && written.summary.run.failed == 0);
//! assert!(std::fs::read_to_string(room.join("SHA256SUMS"))?.contains("  src/lib.rs\n"));
//! # std::fs::remove_dir_all(&room)?;
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod event;
mod manifest;
#[cfg(not(feature = "known"))]
mod no_cache;
mod problem;
mod records;
mod request;

pub use event::{Event, Events, Summary};
pub use manifest::{Head, Manifest, ManifestOutcome, Sealing, Writer, has_pieces, own_format};
pub(crate) use manifest::{SealReader, encoder, has_none};
pub use problem::Problem;
pub(crate) use records::hasher_of_sha256;
pub use records::{Records, hash_file, records, sha256};
pub(crate) use request::is_elsewhere;
pub use request::{Request, Reuse};

pub(crate) use request::CACHE;

#[cfg(not(feature = "known"))]
pub use no_cache::{Cache, CacheError, Use};
#[cfg(feature = "known")]
pub use pfh_cache::{Cache, CacheError, Use};

use crate::job::Error;
use crate::own::own_of;
use crate::pass::pass;
use pfh_engine::{Control, Record};
use pfh_manifest::Format;
use pfh_source::{OwnFilter, Source};
use std::io;

/// Hashes the input. Nothing is written but the cache, if there is one.
///
/// # Errors
/// When the request makes no sense, or the events were refused. A file that cannot be read is a
/// record, and no error.
pub fn run(request: &Request, events: &mut Events<'_>, control: &Control<'_>) -> Result<Summary, Error> {
    request.check()?;
    checked(request, "", events, control)
}

/// Hashes the input and writes its manifest. A file appears whole or not at all; an interrupted run
/// leaves whole records on standard output, and no file.
///
/// # Errors
/// As [`run`]; when the format cannot hold the digests, the key of the seal cannot be loaded, or an
/// output cannot be written.
pub fn write(
    request: &Request,
    manifest: &Manifest,
    events: &mut Events<'_>,
    control: &Control<'_>,
) -> Result<ManifestOutcome, Error> {
    manifest.check(request)?;
    let mut request = request.clone();
    manifest.guard(&mut request.outputs);
    if manifest.format == Format::Dfxml && request.input.is_inside() {
        request.volumes.get_or_insert_default();
    }
    request.check()?;
    let mut writer = Writer::open(manifest, &request)?;
    let ran = checked(
        &request,
        manifest.format.name(),
        &mut |event| {
            events(event)?;
            match (writer.take(&event)?, event) {
                (Err(why), Event::Record(record)) => events(Event::NotWritten(record, &why)),
                _ => Ok(()),
            }
        },
        control,
    )?;
    writer.finish(&ran)
}

/// The run of a request that was checked; `form` is the form of its output.
fn checked(request: &Request, form: &str, events: &mut Events<'_>, control: &Control<'_>) -> Result<Summary, Error> {
    let cache = match request.cache(form) {
        // A cache that cannot be used costs time, not the run.
        Err(failure) if failure.error.is_passing() => {
            events(Event::Uncached(&failure.error)).map_err(Error::Sink)?;
            None
        }
        opened => opened?,
    };
    let own = own_of(&request.outputs, request.reuse.as_ref().map(|reuse| &*reuse.path));
    let mut source: Box<dyn Source> = Box::new(OwnFilter::new(request.source()?, own));
    if let Some(cache) = &cache {
        source = Box::new(cache.reusing(source));
    }
    let mut keeping = Keeping { cache: cache.clone(), events };
    let ran = pass(source, || request.input.again(), &request.plan, &mut keeping, control);
    let events = keeping.events;
    // The digests are kept, even if the output failed: the next run resumes from them.
    let finished = ran.as_ref().is_ok_and(|run| !run.interrupted);
    let cache = match cache.map(|cache| (cache.close(finished), cache)) {
        None => None,
        Some((Ok(used), _)) => Some(used),
        Some((Err(error), cache)) => {
            events(Event::Uncached(&error)).map_err(Error::Sink)?;
            Some(cache.used())
        }
    };
    Ok(Summary { run: ran?, cache })
}

/// Hands records on, and keeps them in the cache.
struct Keeping<'a> {
    cache: Option<Cache>,
    events: &'a mut Events<'a>,
}

impl pfh_engine::Sink for Keeping<'_> {
    fn record(&mut self, record: Record) -> io::Result<()> {
        (self.events)(Event::Record(&record))?;
        match self.cache.as_ref().map_or(Ok(false), |cache| cache.keep(&record)) {
            Ok(false) => Ok(()),
            Ok(true) => (self.events)(Event::Changed(&record)),
            Err(error) => (self.events)(Event::Uncached(&error)),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        (self.events)(Event::Idle)
    }
}

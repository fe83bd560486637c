//! The job *update*: a manifest is brought up to date with the files that it lists.
//!
//! [`run`] reads the manifest that a [`Request`] names, walks its operands (without any, the
//! directories that the names have in common), and gives each file a [`Class`]: new and changed
//! files are hashed and listed, those that are gone are taken off the list. A file whose content
//! changed although size and modification time are those that were listed stays as it was listed:
//! decay is not covered over. So does a file that cannot be read. Format, algorithms, order,
//! comments and names are those of the manifest.
//!
//! The manifest is replaced as a whole when all files were read; before that the old one is copied
//! to `MANIFEST.1`. A seal is renewed. Nothing is written where nothing changed.
//!
//! ```
//! use pfh::update::{self, Class, Event, Request};
//! use pfh::{Control, Input};
//!
//! # let room = std::env::temp_dir().join(format!("pfh-update-{}", std::process::id()));
//! # std::fs::create_dir_all(room.join("d"))?;
//! std::fs::write(room.join("d/a"), "abc")?;
//! std::fs::write(room.join("list"), "900150983cd24fb0d6963f7d28e17f72  a\n")?;
//! std::fs::write(room.join("d/b"), "new")?;
//! let request = Request::new(room.join("list"), Input::new([room.join("d")]));
//! let mut new = Vec::new();
//! let summary = update::run(&request, &mut |event| {
//!     if let Event::Classed(change) = event {
//!         new.extend((change.class == Class::New).then(|| change.name.clone()));
//!     }
//!     Ok(())
//! }, &Control::new())?;
//! assert_eq!((new, summary.counts.unchanged, summary.written), (vec![b"b".to_vec()], 1, true));
//! # std::fs::remove_dir_all(&room)?;
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod event;
mod judging;
mod kept;
mod moved;
mod problem;
mod request;
mod row;
mod summary;
mod trees;
mod trust;

pub use crate::beside::{before, beside, state_of};
pub use event::{Change, Class, Event, Events};
pub use problem::Problem;
pub use request::{Request, Trust};
pub use row::{ChangeRow, UpdateSum};
pub use summary::{Counts, Summary};

use crate::algorithms::REGISTRY;
use crate::check::{self, Ledger, Turn};
use crate::hash::Cache;
use crate::job::{Error, PathError};
use crate::pass::pass;
use crate::seal;
use judging::Judging;
use kept::LockedManifest;
use pfh_engine::Control;
use pfh_manifest::amend::{Sheet, Unamendable};
use pfh_manifest::{Ending, Fault, Options};
use pfh_source::os::names::OsStringExt;
use pfh_source::{OwnFilter, Source};
use trees::Trees;
use trust::Trusting;

/// Brings the manifest up to date.
///
/// # Errors
/// When the request makes no sense, the manifest is not whole or has a form that is not written,
/// its seal does not hold or cannot be renewed, another run holds it, or the control cancels the
/// job: the manifest is as it was. So it is when it cannot be written. A file that cannot be read
/// is an event and in the summary.
pub fn run(request: &Request, events: &mut Events<'_>, control: &Control<'_>) -> Result<Summary, Error> {
    request.check()?;
    let asked = request.asked();
    let turn = Turn::of(&asked);
    let mut kept = LockedManifest::open(&request.manifest)?;
    let mut options = asked.options(&request.manifest);
    seal::settle(&request.manifest, kept.bytes(), &options, REGISTRY)?;
    // The manifest that is locked, and no other that its name may lead to by now.
    let (held, mut ledger) = check::open_bytes(&asked, &request.manifest, kept.bytes())?;
    if let Some(held) = &held {
        events(Event::Sealed(held)).map_err(Error::Sink)?;
    }
    if let Some(secret) = &request.secret {
        secret.fits(&ledger.algorithms)?;
    }
    whole(request, &ledger)?;
    options.assumed.extend(held.as_ref().and_then(|held| held.algorithm));
    let unfit = |why: Unamendable| Error::request(PathError::new(&request.manifest, Problem::Unfit(why)));
    let mut sheet = Sheet::parse(kept.bytes().to_vec(), &options, REGISTRY).map_err(unfit)?;
    let mut confirmed = check::settle(turn, &mut ledger, control)?;
    let hints = check::hints(&request.manifest);
    confirmed.extend(ledger.guesses().into_iter().filter(|guess| hints.contains(guess)));
    let plan = asked.plan_of(sheet.ordered(ledger.algorithms.clone()), ledger.piecewise);
    let format = sheet.format();
    let unwritten = |why| Error::request(crate::hash::Problem::Format { format, why });
    sheet.begin(&plan.algorithms, env!("CARGO_PKG_VERSION")).map_err(unwritten)?;
    let sealing = sealing(request, &kept, &options)?;
    let trees = Trees::find(request, turn, &ledger)?;
    if let Some(remark) = &trees.remark {
        events(Event::Walked(remark)).map_err(Error::Sink)?;
    }
    let cache = request.cache(&plan)?;
    let (source, trusted) = source(request, &trees, &ledger, &plan.algorithms, cache.as_ref())?;
    let again = || trees.input(request).source().ok().filter(|_| !trees.has_objects());
    let mut judging = Judging::new(sheet, ledger, &trees, cache.clone(), events);
    judging.confirm(&confirmed);
    let ran = pass(source, again, &plan, &mut judging, control);
    let used = cache.map(|cache| cache.close(ran.as_ref().is_ok_and(|run| !run.interrupted)).unwrap_or(cache.used()));
    let ran = ran?;
    if ran.interrupted {
        return Err(Error::cancelled(Problem::Interrupted));
    }
    let (bytes, mut counts) = judging.finish(request.replace)?;
    counts.trusted = trusted.count();
    let mut summary = Summary { run: ran, cache: used, counts, written: false, sealed: false };
    summary.written = bytes != kept.bytes();
    summary.sealed = sealing.is_some() && (summary.written || held.is_none());
    let options = Options { assumed: plan.algorithms.clone(), ..options };
    if summary.sealed {
        let signing = sealing.as_ref().and_then(|sealing| sealing.key.as_deref());
        let defaults = sealing.as_ref().and_then(|sealing| sealing.defaults.as_deref());
        seal::prepare(&request.manifest, &bytes, &options, REGISTRY, signing, defaults).map_err(Error::output)?;
    }
    let replaced = if summary.written { kept.replace(&bytes) } else { Ok(()) };
    if replaced.is_err() {
        // The seal that waits goes with the old list, or to its place with the new one.
        seal::settle_as_it_is(&request.manifest, &options, REGISTRY);
    } else if summary.sealed {
        seal::put_in_place(&request.manifest)?;
    }
    replaced?;
    Ok(summary)
}

/// Refuses a manifest that was not understood to its end, or has digests that cannot be computed:
/// they would stay beside new ones.
fn whole(request: &Request, ledger: &Ledger) -> Result<(), Error> {
    let wrong = |kind: crate::job::Kind, why: Problem| Err(Error::of(kind, PathError::new(&request.manifest, why)));
    match ledger.ending {
        Ending::Unmarked | Ending::Whole => {}
        _ => return wrong(crate::job::Kind::Input, Problem::NotWhole),
    }
    let unknown = ledger.faults.iter().find_map(|(_, fault)| match fault {
        Fault::UnknownAlgorithm(name) | Fault::OfUnknown(_, name) | Fault::NeedsKey(name) => Some(name),
        _ => None,
    });
    if let Some(name) = unknown.or(ledger.foreign.keys().next()) {
        return wrong(crate::job::Kind::Request, Problem::Uncomputed(name.to_string()));
    }
    let is_timed = |entry: &check::Listing| entry.size.is_some() && entry.times.modified.is_some();
    if request.trust == Trust::Times && !ledger.entries.iter().any(is_timed) {
        return wrong(crate::job::Kind::Request, Problem::Timeless);
    }
    if ledger.entries.is_empty() {
        return wrong(crate::job::Kind::Request, Problem::Unfit(Unamendable::Empty));
    }
    Ok(())
}

/// The seal that the new manifest gets: one where it had one, or where it is asked for.
fn sealing(request: &Request, kept: &LockedManifest, options: &Options) -> Result<Option<crate::hash::Sealing>, Error> {
    let before = seal::read(&request.manifest)?;
    let sealing = match (&request.seal, &before) {
        (None, None) => return Ok(None),
        (Some(sealing), _) => sealing.clone(),
        // Most of the records were made with the defaults that it names.
        (None, Some(before)) => crate::hash::Sealing { key: None, defaults: before.defaults.clone() },
    };
    sealing.check()?;
    let (key, defaults) = (sealing.key.as_deref(), sealing.defaults.as_deref());
    let made = seal::made(&request.manifest, kept.bytes(), options, REGISTRY, key, defaults)?;
    if let Some((before, _)) = before.and_then(|before| before.signature) {
        let now = made.signature.map(|(public, _)| public);
        if now != Some(before) {
            let why = if now.is_none() { Problem::Unsigned } else { Problem::OtherKey };
            return Err(Error::request(PathError::new(&request.manifest, why)));
        }
    }
    Ok(Some(sealing))
}

/// The files that are read, and how many of them were taken as listed, by their times.
fn source(
    request: &Request,
    trees: &Trees,
    ledger: &Ledger,
    algorithms: &[pfh_digest::Algorithm],
    cache: Option<&Cache>,
) -> Result<(Box<dyn Source>, trust::TrustCount), Error> {
    let own = beside(&request.manifest);
    let cached = request.reuse.as_ref().map(|reuse| &*reuse.path);
    let mut own: Vec<Vec<u8>> = own.into_iter().map(|path| path.into_os_string().into_vec()).collect();
    own.extend(crate::own::own(cached));
    let trusted = trust::TrustCount::default();
    let mut source: Box<dyn Source> = Box::new(OwnFilter::new(trees.input(request).source()?, own));
    if request.trust == Trust::Times {
        source = Box::new(Trusting::new(source, trees.clone(), ledger, algorithms, trusted.clone()));
    }
    if let Some(cache) = cache {
        source = Box::new(cache.reusing(source));
    }
    Ok((source, trusted))
}

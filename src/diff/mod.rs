//! The job *diff*: the differences between two states of a tree.
//!
//! Each side of a [`Request`] is a directory, an image or an archive, a manifest in any format that
//! [`check`](crate::check) reads, or the catalogue that `tree build` made of a directory. [`run`]
//! hashes the directories in one pass; of two manifests it compares the entries, and reads no file.
//! Each name has one [`Class`]: its content is the
//! same, changed, moved, copied, added or removed, or it changed though nothing says that it was
//! written to ([`Class::BitRot`], with its [`Rot`](crate::check::Rot) as evidence). Which class
//! that is, the [`Auditor`](crate::check::Auditor) of `check` decides.
//!
//! ```
//! use pfh::diff::{self, Class, Event, Request};
//! use pfh::{Control, Verdict};
//!
//! # let room = std::env::temp_dir().join(format!("pfh-diff-{}", std::process::id()));
//! # for side in ["a", "b"] { std::fs::create_dir_all(room.join(side))?; }
//! std::fs::write(room.join("a/kept"), "kept")?;
//! std::fs::write(room.join("b/kept"), "kept")?;
//! std::fs::write(room.join("a/old"), "moved")?;
//! std::fs::write(room.join("b/new"), "moved")?;
//! let request = Request::new(room.join("a"), room.join("b"));
//! let mut moved = Vec::new();
//! let summary = diff::run(&request, &mut |event| {
//!     if let Event::Classed(difference) = event
//!         && difference.class == Class::Moved
//!     {
//!         moved.push(difference.name.clone());
//!     }
//!     Ok(())
//! }, &Control::new())?;
//! assert_eq!((summary.verdict(), moved), (Verdict::Differs, vec![b"new".to_vec()]));
//! # std::fs::remove_dir_all(&room)?;
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod class;
mod comparing;
mod event;
mod guess;
mod halves;
mod problem;
mod request;
mod row;
mod side;
mod summary;
mod tree;

pub use class::{Class, Counts, Difference, UnknownClass};
pub use event::{Event, Events};
pub use problem::Problem;
pub use request::{Extra, Metadata, Request};
pub use row::{DiffSum, DifferenceRow};
pub use side::DiffSide;
pub use summary::{Nothing, Summary};

use crate::bases::between;
use crate::hash::{Cache, CacheError};
use crate::job::{Error, PathError};
use crate::own::own;
use crate::pass::pass;
use comparing::Comparing;
use halves::Halves;
use pfh_digest::{Algorithm, Standing};
use pfh_engine::{Control, Plan};
use pfh_source::os::names::stream_below;
use pfh_source::{OwnFilter, Source, terminal};
use side::Side;
use std::path::PathBuf;
use tree::Tree;

/// Compares two states of a tree.
///
/// # Errors
/// When a side or the cache cannot be opened, the caller ended the job, or an event was refused. A
/// file that cannot be read is an event, and no error.
pub fn run(request: &Request, events: &mut Events<'_>, control: &Control<'_>) -> Result<Summary, Error> {
    request.check()?;
    let mut summary = Summary::new(request);
    if request::are_one(request) {
        summary.nothing = Some(Nothing::OneThing);
        return Ok(summary);
    }
    let mut sides = [Side::open(request, DiffSide::A)?, Side::open(request, DiffSide::B)?];
    for side in &sides {
        let Side::List(list) = side else { continue };
        if let Some(held) = &list.held {
            events(Event::Sealed(held)).map_err(Error::Sink)?;
        }
        events(Event::Read(list.which, &list.ledger)).map_err(Error::Sink)?;
        summary.add(list);
        if list.is_empty() {
            summary.nothing = Some(Nothing::NoRecord(list.which));
            return Ok(summary);
        }
    }
    settle(request, &mut sides, &mut summary, control)?;
    let (algorithms, piecewise) = how(request, &sides)?;
    summary.computed = algorithms.clone();
    let plan = Plan { algorithms, piecewise, ..request.plan.clone() };
    let trees: Vec<Tree> = sides.iter().filter_map(Side::tree).cloned().collect();
    let first = if sides[0].tree().is_some() { DiffSide::A } else { DiffSide::B };
    let all = || trees.iter().map(|tree| tree.source(request)).collect::<Result<Vec<_>, Error>>();
    let (halves, boundary) = Halves::new(all()?);
    let mut comparing = Comparing::new(request, sides, first, boundary, &mut summary, events);
    if !trees.is_empty() {
        let cache = match cache(request, &plan) {
            // A cache that cannot be used costs time, not the comparison.
            Err((_, error)) if error.is_passing() => {
                (comparing.events)(Event::Uncached(&error)).map_err(Error::Sink)?;
                None
            }
            Err((path, error)) => return Err(Error::request(PathError::new(path, error))),
            Ok(opened) => opened,
        };
        let kept = request.reuse.as_ref().map(|reuse| &*reuse.path);
        let mut source: Box<dyn Source> = Box::new(OwnFilter::new(halves, own(kept)));
        if let Some(cache) = &cache {
            source = Box::new(cache.reusing(source));
        }
        comparing.cache.clone_from(&cache);
        // Members of containers and objects can only be counted by listing them.
        let counts = !request.is_inside() && !trees.iter().any(|tree| tree.is_container() || tree.is_remote);
        let again = || Some(Box::new(Halves::new(all().ok().filter(|_| counts)?).0) as Box<dyn Source>);
        let ran = pass(source, again, &plan, &mut comparing, control);
        let finished = ran.as_ref().is_ok_and(|run| !run.interrupted);
        let used = match cache.map(|cache| (cache.close(finished), cache)) {
            None => None,
            Some((Ok(used), _)) => Some(used),
            Some((Err(error), cache)) => {
                (comparing.events)(Event::Uncached(&error)).map_err(Error::Sink)?;
                Some(cache.used())
            }
        };
        let ran = ran?;
        if ran.interrupted {
            return Err(Error::cancelled(Problem::Interrupted));
        }
        comparing.passed(&ran, used)?;
        comparing.again(&plan, control)?;
    }
    comparing.finish()?;
    Ok(summary)
}

/// Finds out the algorithms of digests without a name, and in which directory the names of lists
/// and containers start.
fn settle(request: &Request, sides: &mut [Side; 2], summary: &mut Summary, control: &Control<'_>) -> Result<(), Error> {
    match sides {
        [Side::List(a), Side::List(b)] => {
            guess::settle(a, &b.ledger);
            guess::settle(b, &a.ledger);
            let [one, other] = between(&a.names(), &b.names());
            a.strip(one);
            b.strip(other);
        }
        [Side::List(list), Side::Directory(tree)] | [Side::Directory(tree), Side::List(list)] if tree.is_remote => {
            let base = crate::objects::start(&list.names(), &tree.prefix);
            list.strip(base.unwrap_or_default());
        }
        [Side::List(list), Side::Directory(tree)] | [Side::Directory(tree), Side::List(list)]
            if tree.is_container() =>
        {
            let [base, _] = between(&list.names(), &tree.names(request));
            list.strip(base);
        }
        [Side::List(list), Side::Directory(tree)] | [Side::Directory(tree), Side::List(list)] => {
            list.settle(request, &tree.paths[0], control)?;
            tree.streams = list.names().iter().any(|name| stream_below(name).is_some());
        }
        [Side::Directory(a), Side::Directory(b)] if a.is_container() || b.is_container() => {
            let names = [a.names(request), b.names(request)].map(|mut names| {
                names.iter_mut().for_each(|name| *name = side::within(b"", name).to_vec());
                names
            });
            let [one, other] = between(&names[0], &names[1]);
            // A walked directory has its names as they are.
            if (one.is_empty() || a.is_container()) && (other.is_empty() || b.is_container()) {
                a.strip(one, &names[0]);
                b.strip(other, &names[1]);
            }
        }
        [Side::Directory(_), Side::Directory(_)] => {}
    }
    summary.bases = [&sides[0], &sides[1]].map(|side| match side {
        Side::List(list) => list.base.clone(),
        Side::Directory(tree) if tree.is_container() => tree.base(),
        Side::Directory(_) => Vec::new(),
    });
    Ok(())
}

/// The algorithms with which directories are hashed, and the length of pieces: those of the list,
/// if there is one.
fn how(request: &Request, sides: &[Side; 2]) -> Result<(Vec<Algorithm>, Option<u64>), Error> {
    let lists = sides.iter().filter_map(|side| match side {
        Side::List(list) => Some(&list.ledger),
        Side::Directory(_) => None,
    });
    let mut found: (Vec<Algorithm>, Option<u64>) = Default::default();
    let mut any = false;
    for ledger in lists {
        any = true;
        let more = ledger.algorithms.iter().filter(|algorithm| !found.0.contains(algorithm));
        let more: Vec<Algorithm> = more.copied().collect();
        found = ([found.0, more].concat(), found.1.or(ledger.piecewise));
    }
    if !any {
        found.0 = request.algorithms();
        // Anybody can make two files of one MD5, SHA-1 or checksum.
        if found.0.iter().all(|algorithm| algorithm.standing() != Standing::Secure) {
            found.0.extend("sha256".parse::<Algorithm>().ok());
        }
    }
    if found.1.is_some() && request.reuse.is_some() {
        return Err(Error::request(Problem::Pieces));
    }
    Ok(found)
}

/// The cache, opened. It knows a run by its two sides.
fn cache(request: &Request, plan: &Plan) -> Result<Option<Cache>, (PathBuf, CacheError)> {
    let Some(reuse) = &request.reuse else { return Ok(None) };
    let sides: Vec<&[u8]> = request.sides.iter().map(|side| side.as_encoded_bytes()).collect();
    let identity = [&b"pfh diff"[..], sides[0], sides[1]].join(&0);
    let opened = Cache::open(&reuse.path, &terminal::render(&identity), &plan.algorithms, reuse.sample);
    opened.map(Some).map_err(|error| (reuse.path.clone(), error))
}

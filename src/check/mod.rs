//! The job *check*: whether files are as a manifest lists them.
//!
//! A [`Request`] names manifests, where their names start, and the [`Task`]: compare the files that
//! they list, or class a whole tree against them. [`run`] verifies a manifest's seal first, reads
//! it in whichever format it is, finds out which directory its names start in and which algorithms
//! its digests are of, and reads each file once. It reports [`Event`]s; the [`Summary`] holds all
//! that a verdict needs, a [`Part`] for each manifest: the compared sides and digests, and the
//! parts that were not compared.
//!
//! ```
//! use pfh::check::{self, Event, Request, Verdict};
//! use pfh::Control;
//!
//! # let room = std::env::temp_dir().join(format!("pfh-check-{}", std::process::id()));
//! # std::fs::create_dir_all(&room)?;
//! std::fs::write(room.join("a"), "abc")?;
//! std::fs::write(room.join("list"), "900150983cd24fb0d6963f7d28e17f72  a\n")?;
//! let request = Request::new(room.join("list")).root(&room);
//! let summary = check::run(&request, &mut |event| {
//!     if let Event::Compared { entry, found, .. } = event {
//!         println!("{}: {found:?}", String::from_utf8_lossy(&entry.name));
//!     }
//!     Ok(())
//! }, &Control::default())?;
//! assert_eq!(summary.verdict(), Verdict::Verified);
//! assert_eq!((summary.verified(), summary.by_algorithm()["md5"]), (1, 1));
//! # std::fs::remove_dir_all(&room)?;
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod again;
mod appended;
mod event;
mod files;
mod guess;
mod likely;
mod manifest;
mod open;
mod part;
mod place;
mod problem;
mod request;
mod row;
mod share;
mod signed;
mod summary;
mod tree;
mod unasked;
#[cfg(feature = "inside")]
mod within;

pub use crate::verdict::Verdict;
pub use again::Rereads;
pub use event::{Event, Events, FileOutcome};
pub use manifest::{hints, unknown};
pub use part::{CheckShare, Files, Findings, Nothing, Part};
pub use pfh_ledger::{
    Auditor, Change, Class, Comparison, Counts, Facts, Judgement, Ledger, Likely, Listing, Met, ReadError, Reread, Rot,
    Twice,
};
pub use place::{Reason, Remark};
pub use problem::Problem;
pub use request::{Manner, Request, Task};
pub use row::{AuditRow, AuditSum, FileRow, FilesSum};
pub use share::Share;
pub use summary::Summary;

pub(crate) use guess::{settle, widened};
pub(crate) use open::{open, open_bytes};
pub(crate) use place::find;
pub(crate) use request::Turn;
pub(crate) use tree::{find as walked, own};

use crate::job::{Error, Kind};
use pfh_engine::Control;
use pfh_source::os::names::is_absolute;

/// The files that [`run`] would read of the manifests', in their order, as paths from the working
/// directory. None of them is opened.
///
/// # Errors
/// When the request makes no sense, a seal does not hold, or a manifest cannot be read.
pub fn would_read(request: &Request) -> Result<Vec<Vec<u8>>, Error> {
    request.check()?;
    let mut names = Vec::new();
    for turn in request.turns() {
        let (_, ledger) = open(turn)?;
        let place = find(turn, &ledger);
        let path = |entry: &Listing| match (place.below(&entry.name), &place.root[..]) {
            (below, b".") => below.to_vec(),
            (below, _) if is_absolute(below) => below.to_vec(),
            (below, root) => [root.strip_suffix(b"/").unwrap_or(root), b"/", below].concat(),
        };
        names.extend(ledger.entries.iter().map(path));
    }
    Ok(names)
}

/// Checks files against manifests.
///
/// # Errors
/// When the request makes no sense, the check was interrupted, an event was refused, the seal of
/// the only manifest does not hold, or that cannot be read. One of several that cannot be checked
/// is an event, and in the summary. A file that differs or cannot be read is an event, and no
/// error.
pub fn run(request: &Request, events: &mut Events<'_>, control: &Control<'_>) -> Result<Summary, Error> {
    request.check()?;
    let mut summary = Summary::default();
    let turns = request.turns();
    for turn in &turns {
        match checked(*turn, events, control) {
            Ok(part) => {
                events(Event::Ended(&part)).map_err(Error::Sink)?;
                summary.parts.push(part);
            }
            Err(error) if turns.len() == 1 || matches!(error.kind(), Kind::Output | Kind::Cancelled) => {
                return Err(error);
            }
            Err(error) => {
                let manifest = turn.manifest();
                events(Event::Unchecked { manifest, error: &error }).map_err(Error::Sink)?;
                summary.unchecked.push((manifest.to_owned(), error));
            }
        }
    }
    Ok(summary)
}

/// Checks files against one manifest, or a tree against all of an audit's.
fn checked(turn: Turn<'_>, events: &mut Events<'_>, control: &Control<'_>) -> Result<Part, Error> {
    let (held, mut ledger) = open(turn)?;
    for held in &held {
        events(Event::Sealed(held)).map_err(Error::Sink)?;
    }
    if let Some(secret) = &turn.request.secret {
        secret.fits(&ledger.algorithms)?;
    }
    events(Event::Read { manifest: turn.manifest(), ledger: &ledger }).map_err(Error::Sink)?;
    let mut part = Part::new(turn, &ledger);
    if ledger.entries.is_empty() {
        part.nothing = Some(Nothing::NoRecord);
        return Ok(part);
    }
    settle(turn, &mut ledger, control)?;
    match &turn.request.task {
        Task::Files { .. } => match &turn.request.share {
            Some(share) => share::run(turn, share, ledger, &mut part, events, control)?,
            None => {
                let place = find(turn, &ledger);
                if let Some(records) = &turn.request.records {
                    picked(&mut ledger.entries, records);
                    part.expected = ledger.entries.len() as u64;
                }
                files::run(turn, place, &ledger, None, &mut part, events, control)?;
            }
        },
        Task::Audit { .. } => tree::run(turn, ledger, &mut part, events, control)?,
    }
    Ok(part)
}

/// Keeps the entries of these places, which rise.
fn picked(entries: &mut Vec<Listing>, places: &[usize]) {
    let (mut at, mut wanted) = (0, places.iter().peekable());
    entries.retain(|_| {
        let is_wanted = wanted.next_if_eq(&&at).is_some();
        at += 1;
        is_wanted
    });
}

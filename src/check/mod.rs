//! The job *check*: whether files are what a manifest says they are.
//!
//! A [`Request`] names the manifest, where its names start, and the [`Task`]: compare the files
//! that it lists, or class a whole tree against it. [`run`] verifies the manifest's seal first,
//! reads it in whichever format it is, finds out which directory its names start in and which
//! algorithms its digests are of, and reads each file once. What happens is reported to a sink as
//! [`Event`]s; the [`Summary`] holds all that a verdict needs: what was compared with what, by
//! which digests, and what was not compared.
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
//!     if let Event::Compared { entry, found } = event {
//!         println!("{}: {found:?}", String::from_utf8_lossy(&entry.name));
//!     }
//!     Ok(())
//! }, &Control::default())?;
//! assert_eq!(summary.verdict(), Verdict::Verified);
//! assert_eq!((summary.verified, summary.by_algorithm["md5"]), (1, 1));
//! # std::fs::remove_dir_all(&room)?;
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod audit;
mod classes;
mod error;
mod event;
mod expected;
mod facts;
mod files;
mod guess;
mod manifest;
mod names;
mod open;
mod place;
mod remains;
mod report;
mod request;
mod summary;
mod tree;
mod unasked;
#[cfg(feature = "inside")]
mod within;
mod words;

pub use crate::verdict::Verdict;
pub use audit::{Auditor, Met};
pub use classes::{Change, Class, Counts, Rot};
pub use error::Error;
pub use event::{Checked, Event, Sink};
pub use expected::{Comparison, Expectations, Expected, ReadError};
pub use facts::Facts;
pub use manifest::hints;
pub use place::{Reason, Remark};
pub use report::{compared_json, files_json, hashdeep, json, summary_json, summary_text, text};
pub use request::{Request, Task};
pub use summary::{Findings, Nothing, Summary};

pub(crate) use guess::settle;
pub(crate) use names::plain;
pub(crate) use open::open;
pub(crate) use place::find;
pub(crate) use tree::own;

use pfh_engine::Control;

/// The files that [`run`] would read of a manifest's, in its order, as paths from the working
/// directory. None of them is opened.
///
/// # Errors
/// When the seal does not hold, or the manifest cannot be read.
pub fn would_read(request: &Request) -> Result<Vec<Vec<u8>>, Error> {
    let (_, expectations) = open::open_all(request)?;
    let place = find(request, &expectations);
    let path = |entry: &Expected| match (place.below(&entry.name), &place.root[..]) {
        (below, b".") => below.to_vec(),
        (below, _) if below.starts_with(b"/") => below.to_vec(),
        (below, root) => [root.strip_suffix(b"/").unwrap_or(root), b"/", below].concat(),
    };
    Ok(expectations.entries.iter().map(path).collect())
}

/// Checks files against a manifest.
///
/// # Errors
/// When the seal does not hold, the manifest cannot be read, the check was interrupted, or the sink
/// refused an event. A file that differs or cannot be read is an event, and no error.
pub fn run(request: &Request, sink: &mut Sink<'_>, control: &Control<'_>) -> Result<Summary, Error> {
    let (held, mut expectations) = open::open_all(request)?;
    for held in &held {
        sink(Event::Sealed(held)).map_err(Error::Sink)?;
    }
    if let Some(secret) = &request.secret {
        secret.fits(&expectations.algorithms)?;
    }
    sink(Event::Read(&expectations)).map_err(Error::Sink)?;
    let mut summary = Summary::new(request, &expectations);
    if expectations.entries.is_empty() {
        summary.nothing = Some(Nothing::NoRecord);
        return Ok(summary);
    }
    settle(request, &mut expectations, control)?;
    match &request.task {
        Task::Files { .. } => files::run(request, &expectations, &mut summary, sink, control)?,
        Task::Audit { .. } => tree::run(request, expectations, &mut summary, sink, control)?,
    }
    Ok(summary)
}

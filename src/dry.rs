//! The job *dry*: the list of files that a run would read, without reading them.
//!
//! ```
//! use pfh::dry::{self, Event, Request};
//! use pfh::{Control, Input, Recurse};
//!
//! let request = Request::new(Input::new(["src"]).recurse(Recurse::Yes));
//! let mut names = Vec::new();
//! let mut take = |event: Event<'_>| {
//!     if let Event::File(name, _) = event {
//!         names.push(name.to_vec());
//!     }
//!     Ok(())
//! };
//! let summary = dry::run(&request, &mut take, &Control::new())?;
//! assert!(summary.files > 1 && summary.files == names.len() as u64);
//! # Ok::<(), pfh::job::Error>(())
//! ```

use crate::input::Input;
use crate::job::Error;
use pfh_engine::Control;
use pfh_source::os::Errno;
use pfh_source::os::names::OsStrExt;
use pfh_source::{Entry, Item, Origin, Skip, Stage};
use std::ffi::OsStr;
use std::io;

/// The input that would be read.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Request {
    /// The input.
    pub input: Input,
}

impl Request {
    /// This input.
    pub fn new(input: Input) -> Request {
        Request { input }
    }

    /// Whether the input can be listed. Nothing is read but lists of names.
    ///
    /// # Errors
    /// When the input makes no sense.
    pub fn check(&self) -> Result<(), Error> {
        Ok(self.input.check()?)
    }
}

/// Something that a run would meet, in the order in which it would be read.
#[derive(Debug, Clone, Copy)]
#[non_exhaustive]
pub enum Event<'a> {
    /// A file that would be read, and its size in bytes where it is known.
    File(&'a [u8], Option<u64>),
    /// Something that would be passed over.
    Skipped(&'a [u8], Skip),
    /// Something that cannot be listed.
    Unread(&'a [u8], &'a pfh_source::Problem),
}

/// Receives the events. An error ends the job with [`Error::Sink`].
pub type Events<'a> = dyn FnMut(Event<'_>) -> io::Result<()> + 'a;

/// The counts of a run in all.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Summary {
    /// Files that would be read.
    pub files: u64,
    /// Their sizes, as far as they are known, in bytes.
    pub bytes: u128,
    /// Entries that would be passed over.
    pub skipped: u64,
    /// Entries that cannot be listed.
    pub unread: u64,
}

/// Why the list is not whole.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Problem {
    /// The control cancelled the job.
    #[error("interrupted: the list is not whole")]
    Interrupted,
}

/// Walks an input, opens no file but containers that are looked into, and hands out the entries
/// that it meets, in the order in which they would be read.
///
/// # Errors
/// When the input makes no sense, the events were refused, or the control cancels the job.
pub fn run(request: &Request, events: &mut Events<'_>, control: &Control<'_>) -> Result<Summary, Error> {
    request.check()?;
    let mut source = request.input.as_found()?;
    let mut summary = Summary::default();
    while let Some(item) = source.pull() {
        if control.is_cancelled() {
            return Err(Error::cancelled(Problem::Interrupted));
        }
        match &item {
            Item::Entry(entry) => {
                let (name, stat) = (entry.name(), entry.look());
                match refused(entry, &name, stat.is_some()) {
                    Some(problem) => {
                        summary.unread += 1;
                        events(Event::Unread(&name, &problem))
                    }
                    None => {
                        let size = stat.map(|stat| stat.size);
                        summary.files += 1;
                        summary.bytes += u128::from(size.unwrap_or(0));
                        events(Event::File(&name, size))
                    }
                }
            }
            Item::Settled { name, closed, .. } => {
                summary.files += 1;
                summary.bytes += u128::from(closed.size);
                events(Event::File(name, Some(closed.size)))
            }
            Item::Skipped { name, skip, .. } => {
                summary.skipped += 1;
                events(Event::Skipped(name, *skip))
            }
            Item::Problem { name, problem, .. } => {
                summary.unread += 1;
                events(Event::Unread(name, problem))
            }
        }
        .map_err(Error::Sink)?;
    }
    Ok(summary)
}

/// Why an operand would not be read, so far as its name says.
fn refused(entry: &Entry, name: &[u8], is_there: bool) -> Option<pfh_source::Problem> {
    if !matches!(entry.origin, Origin::File { .. }) {
        return None;
    }
    let error = match std::fs::metadata(OsStr::from_bytes(name)) {
        Ok(found) if found.is_dir() => Errno::ISDIR.into(),
        Ok(_) => return None,
        // Entries inside a container have no path.
        Err(_) if is_there => return None,
        Err(error) => error,
    };
    Some(pfh_source::Problem::io(Stage::Open, &error))
}

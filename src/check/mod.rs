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
mod expected;
mod files;
mod guess;
mod manifest;
mod place;
mod remains;
mod report;
mod request;
mod summary;
mod tree;
mod words;

pub use audit::{Audit, Change, Class, Counts};
pub use expected::{Comparison, Expectations, Expected, ReadError};
pub use files::Found;
pub use manifest::hints;
pub use place::{Reason, Remark};
pub use report::{hashdeep, json, summary_json, summary_text, text};
pub use request::{Request, Task};
pub use summary::{Findings, Nothing, Summary, Verdict};

use crate::algorithms::REGISTRY;
use crate::pass::ends_a_pass;
use pfh_custody::seal::{self, Held};
use pfh_engine::{Control, Record};
use pfh_source::Problem;
use pfh_source::terminal;
use std::io;
use std::path::{Path, PathBuf};

/// What happens during a check. Events come on the thread that called [`run`].
#[derive(Debug, Clone, Copy)]
#[non_exhaustive]
pub enum Event<'a> {
    /// The manifest has a seal, and it holds.
    Sealed(&'a Held),
    /// The manifest was read.
    Read(&'a Expectations),
    /// A file could not be read, or was skipped.
    Unread(&'a Record),
    /// A listed file was compared. These events come in the order of the manifest.
    Compared {
        /// What the manifest says of the file.
        entry: &'a Expected,
        /// What the comparison gave.
        found: Found,
    },
    /// A file of an audited tree has a class. Moved, copied, new and missing files come last.
    Classed(&'a Change),
    /// All files were read once.
    Passed(&'a pfh_engine::Summary),
}

/// Receives the events of a check. An error ends the check with [`Error::Sink`].
pub type Sink<'a> = dyn FnMut(Event<'_>) -> io::Result<()> + 'a;

/// Why a check has no result.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The seal does not hold, or could not be compared.
    #[error(transparent)]
    Seal(#[from] seal::FileError),
    /// The manifest cannot be opened.
    #[error("{}: {problem}", shown(manifest))]
    Open {
        /// The manifest.
        manifest: PathBuf,
        /// What is wrong with it.
        problem: Problem,
    },
    /// The manifest cannot be read to its end.
    #[error("{}: {problem}", shown(manifest))]
    Read {
        /// The manifest.
        manifest: PathBuf,
        /// What is wrong with it.
        problem: Problem,
    },
    /// The pieces of the manifest are of different lengths.
    #[error("{}: {}", shown(.0), ReadError::Pieces)]
    Pieces(PathBuf),
    /// The directory in which names start cannot be opened.
    #[error("{}: {problem}", terminal::render(root))]
    Root {
        /// The directory.
        root: Vec<u8>,
        /// What is wrong with it.
        problem: Problem,
    },
    /// The caller ended the check; how many files were compared.
    #[error("interrupted: {0} files were looked at, the rest was not")]
    Interrupted(u64),
    /// The caller ended the check while other algorithms were tried; how many files have no
    /// verdict.
    #[error("interrupted: {0} files have no verdict")]
    InterruptedTrying(usize),
    /// The caller ended an audit, which says nothing before its end.
    #[error("interrupted: the audit is not complete, and says nothing")]
    InterruptedAudit,
    /// The counts of an audit do not add up: a defect of the program.
    #[error("the counts do not add up: {0:?}")]
    Counts(Box<Counts>),
    /// The sink refused an event.
    #[error("the output failed: {0}")]
    Sink(#[source] io::Error),
    /// The files could not be read at all.
    #[error(transparent)]
    Run(pfh_engine::Error),
}

ends_a_pass!(Error);

impl Error {
    /// Whether the caller ended the check.
    pub fn is_interrupted(&self) -> bool {
        matches!(self, Error::Interrupted(_) | Error::InterruptedTrying(_) | Error::InterruptedAudit)
    }
}

fn shown(path: &Path) -> String {
    terminal::render(path.as_os_str().as_encoded_bytes())
}

/// Checks files against a manifest.
///
/// # Errors
/// When the seal does not hold, the manifest cannot be read, the check was interrupted, or the sink
/// refused an event. A file that differs or cannot be read is an event, and no error.
pub fn run(request: &Request, sink: &mut Sink<'_>, control: &Control<'_>) -> Result<Summary, Error> {
    let mut options = request.options();
    // The seal first: of a manifest that was changed nothing is worth checking.
    if let Some(held) = seal::verify(&request.manifest, &options, REGISTRY, request.key.as_deref())? {
        sink(Event::Sealed(&held)).map_err(Error::Sink)?;
        // The seal knows the algorithm of digests that do not name theirs.
        options.assumed.extend(held.algorithm);
    }
    let mut expectations = manifest::read(&request.manifest, &options)?;
    sink(Event::Read(&expectations)).map_err(Error::Sink)?;
    let mut summary = Summary::new(&request.manifest, &expectations);
    if expectations.entries.is_empty() {
        summary.nothing = Some(Nothing::NoRecord);
        return Ok(summary);
    }
    guess::settle(request, &mut expectations, control);
    match &request.task {
        Task::Files { .. } => files::run(request, &expectations, &mut summary, sink, control)?,
        Task::Audit { .. } => tree::run(request, expectations, &mut summary, sink, control)?,
    }
    Ok(summary)
}

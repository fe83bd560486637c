//! `renew`: follows a change of a file without having it, from the root that is kept to the new
//! one. Run by the auditor.

use super::{Error, files};
use crate::outputs::Outputs;
use crate::{Destination, rendered};
use pfh_digest::hex;
use pfh_tree::audit::{Commitment, Renewal};
use std::ffi::OsString;
use std::fmt;
use std::ops::Range;
use std::path::PathBuf;

/// What is kept, and what proves the change.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Request {
    /// What is kept of the file as it was; `-` is standard input.
    pub kept: PathBuf,
    /// What [`tree::update`](crate::tree::update) wrote as proof; `-` is standard input.
    pub update: PathBuf,
    /// Which file, if several are kept.
    pub identity: Option<OsString>,
    /// Where the lines with the new root go.
    pub output: Destination,
    /// Whether an existing file may be replaced; what is read never is.
    pub replace: bool,
}

impl Request {
    /// The lines go to standard output.
    pub fn new(kept: impl Into<PathBuf>, update: impl Into<PathBuf>) -> Request {
        let (kept, update) = (kept.into(), update.into());
        Request { kept, update, identity: None, output: Destination::default(), replace: false }
    }

    /// What is read and written.
    pub fn outputs(&self) -> Outputs {
        let mut outputs = Outputs::new(self.replace);
        outputs.file("--output", self.output.path()).reads_apart([&self.kept, &self.update]);
        outputs
    }
}

/// What changed. Its text is a sentence for people.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Summary {
    /// What both sides call the file.
    pub identity: Vec<u8>,
    /// What is kept of the file from now on.
    pub commitment: Commitment,
    /// The leaves that changed, as ranges in bytes; nothing else did.
    pub ranges: Vec<Range<u64>>,
}

impl fmt::Display for Summary {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let range = |range: &Range<u64>| format!("{}:{}", range.start, range.end - range.start);
        write!(
            f,
            "{}: from the kept {} root to {}: nothing changed but the leaves at {}",
            rendered(&self.identity),
            self.commitment.parameters().function().name(),
            hex::encode(self.commitment.root()),
            self.ranges.iter().map(range).collect::<Vec<_>>().join(",")
        )
    }
}

/// Verifies the update, and writes what is kept from now on.
///
/// # Errors
/// When the update does not lead from the root that is kept to another one, an input cannot be
/// read, or the output cannot be written.
pub fn run(request: &Request) -> Result<Summary, Error> {
    request.outputs().check()?;
    let mut all = files::kept(&request.kept)?;
    let wrong = |why| Error::Malformed { path: request.update.clone(), why: format!("not an update: {why}") };
    let renewal = Renewal::decode(&files::input(&request.update, files::SHORT)?).map_err(wrong)?;
    let meant = files::one(all.clone(), request.identity.as_deref())?;
    let rejected = |why: &dyn fmt::Display| Error::Rejected { identity: meant.identity.clone(), why: why.to_string() };
    let commitment = meant.commitment.renew(&renewal).map_err(|why| rejected(&why))?;
    for kept in all.iter_mut().filter(|kept| kept.identity == meant.identity) {
        kept.commitment = commitment;
    }
    let lines: String = all.iter().map(|kept| format!("{kept}\n")).collect();
    files::output(&request.output, lines.as_bytes())?;
    Ok(Summary { identity: meant.identity, commitment, ranges: renewal.ranges().to_vec() })
}

//! `renew`: follows a change of a file without having it, from the root that is kept to the new
//! one. Run by the auditor.

pub use super::renewed::FileRenewal as Summary;
use super::{Error, Event, Events, Problem, files};
use crate::Destination;
use crate::algorithms::Secret;
use crate::outputs::Outputs;
use pfh_engine::Control;
use pfh_tree::audit::Renewal;
use std::ffi::OsString;
use std::fmt;
use std::path::PathBuf;

/// The auditor's copy, and the proof of the change.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Request {
    /// The auditor's copy for the file as it was; `-` is standard input.
    pub kept: PathBuf,
    /// The proof that [`tree::update`](crate::tree::update) wrote; `-` is standard input.
    pub update: PathBuf,
    /// Which file, if several are kept.
    pub identity: Option<OsString>,
    /// The key of the file's tree, if it has one.
    pub secret: Option<Secret>,
    /// Where the lines with the new root go.
    pub output: Destination,
    /// Whether an existing file may be replaced; inputs never are.
    pub replace: bool,
}

impl Request {
    /// The lines go to standard output.
    pub fn new(kept: impl Into<PathBuf>, update: impl Into<PathBuf>) -> Request {
        let (kept, update) = (kept.into(), update.into());
        Request { kept, update, identity: None, secret: None, output: Destination::default(), replace: false }
    }

    /// Inputs and outputs.
    pub fn outputs(&self) -> Outputs {
        let mut outputs = Outputs::new(self.replace);
        outputs.file("output", self.output.path()).reads_apart([&self.kept, &self.update]);
        outputs.reads_apart(self.secret.as_ref().and_then(Secret::path));
        outputs
    }

    /// Whether the request makes sense and its output may be written; nothing is.
    ///
    /// # Errors
    /// When it does not, or the output is refused.
    pub fn check(&self) -> Result<(), Error> {
        Ok(self.outputs().check()?)
    }
}

/// Verifies the update, and writes the commitments from now on.
///
/// # Errors
/// When the update does not lead from the root that is kept to another one, an input cannot be
/// read, or the output cannot be written.
pub fn run(request: &Request, events: &mut Events<'_>, _control: &Control<'_>) -> Result<Summary, Error> {
    request.check()?;
    let mut all = files::kept(&request.kept)?;
    let wrong =
        |why| Error::from(Problem::Malformed { path: request.update.clone(), why: format!("not an update: {why}") });
    let renewal = Renewal::decode(&files::input(&request.update, files::SHORT)?).map_err(wrong)?;
    let meant = files::one(all.clone(), request.identity.as_deref())?;
    let meant = files::unlock_all(vec![meant], &request.kept, request.secret.as_ref())?.remove(0);
    let rejected =
        |why: &dyn fmt::Display| Problem::Rejected { identity: meant.identity.clone(), why: why.to_string() };
    let commitment = meant.commitment.renew(&renewal).map_err(|why| rejected(&why))?;
    for kept in all.iter_mut().filter(|kept| kept.identity == meant.identity) {
        kept.commitment = commitment;
    }
    let lines: String = all.iter().map(|kept| format!("{kept}\n")).collect();
    files::output(&request.output, lines.as_bytes())?;
    let summary = Summary { identity: meant.identity, commitment, ranges: renewal.ranges().to_vec() };
    events(Event::Renewed(&summary)).map_err(Error::Sink)?;
    Ok(summary)
}

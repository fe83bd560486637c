//! `challenge`: a question about a file, with a fresh random nonce and a sample of leaves. Run by
//! the auditor.

use super::{Error, Events, Extent, files};
use crate::Destination;
use crate::outputs::Outputs;
use pfh_engine::Control;
use std::ffi::OsString;
use std::path::PathBuf;

/// The auditor's copy, and the size of the proof.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Request {
    /// The output of [`commit`](super::commit); `-` is standard input.
    pub kept: PathBuf,
    /// Which file, if several are kept.
    pub identity: Option<OsString>,
    /// How much must be shown.
    pub extent: Extent,
    /// Where the challenge goes.
    pub output: Destination,
    /// Whether an existing file may be replaced; inputs never are.
    pub replace: bool,
}

impl Request {
    /// The usual extent, to standard output.
    pub fn new(kept: impl Into<PathBuf>) -> Request {
        let (extent, output) = (Extent::default(), Destination::default());
        Request { kept: kept.into(), identity: None, extent, output, replace: false }
    }

    /// The challenge goes there.
    #[must_use]
    pub fn output(mut self, output: impl Into<Destination>) -> Request {
        self.output = output.into();
        self
    }

    /// Inputs and outputs.
    pub fn outputs(&self) -> Outputs {
        let mut outputs = Outputs::new(self.replace);
        outputs.file("output", self.output.path()).reads(&self.kept);
        outputs
    }

    /// Whether the request makes sense and its output may be written; nothing is.
    ///
    /// # Errors
    /// When it does not, or the output is refused.
    pub fn check(&self) -> Result<(), Error> {
        self.outputs().check()?;
        self.extent.sample()?;
        Ok(())
    }
}

/// Writes a challenge, which is good for one answer.
///
/// # Errors
/// When the commitments cannot be read, the extent makes no sense, the system has no random
/// numbers, or the output cannot be written.
pub fn run(request: &Request, _events: &mut Events<'_>, _control: &Control<'_>) -> Result<(), Error> {
    request.check()?;
    let kept = files::one(files::kept(&request.kept)?, request.identity.as_deref())?;
    let question = pfh_audit::challenge(&kept, request.extent.sample()?)?;
    files::output(&request.output, &question.encode())
}

//! `tokens`: challenges with their answers, made while the auditor has the data; each is good for
//! one audit without it.

use super::{Error, Events, Extent, copy, files};
use crate::algorithms::Secret;
use crate::outputs::Outputs;
use crate::tree::beside;
use pfh_audit::Tokens;
use pfh_engine::Control;
use std::ffi::OsString;
use std::path::PathBuf;

/// The auditor's copy, and the number of tokens.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Request {
    /// The output of [`commit`](super::commit); `-` is standard input.
    pub kept: PathBuf,
    /// Which file, if several are kept.
    pub identity: Option<OsString>,
    /// The auditor's copy of the file.
    pub data: PathBuf,
    /// How many tokens.
    pub count: u32,
    /// How much each asks for.
    pub extent: Extent,
    /// The key of the file's tree, if it has one.
    pub secret: Option<Secret>,
    /// Where the tokens go: a file that only its owner may read.
    pub output: PathBuf,
    /// Whether an existing file may be replaced; inputs never are.
    pub replace: bool,
}

impl Request {
    /// Twelve tokens of the usual extent.
    pub fn new(kept: impl Into<PathBuf>, data: impl Into<PathBuf>, output: impl Into<PathBuf>) -> Request {
        let (kept, data, output) = (kept.into(), data.into(), output.into());
        Request {
            kept,
            identity: None,
            data,
            count: 12,
            extent: Extent::default(),
            secret: None,
            output,
            replace: false,
        }
    }

    /// Inputs and outputs.
    pub fn outputs(&self) -> Outputs {
        let mut outputs = Outputs::new(self.replace);
        outputs.file("output", Some(&self.output)).reads_apart([&self.kept, &self.data]).reads(beside(&self.data));
        outputs.reads_apart(self.secret.as_ref().and_then(Secret::path));
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

/// Makes tokens and writes them.
///
/// # Errors
/// When the commitments or the copy cannot be read, the copy is not the file, or the tokens cannot
/// be written.
pub fn run(request: &Request, _events: &mut Events<'_>, control: &Control<'_>) -> Result<(), Error> {
    request.check()?;
    let kept = files::one_of(&request.kept, request.identity.as_deref(), request.secret.as_ref())?;
    let sample = request.extent.sample()?;
    let mut made = Tokens::new(kept.clone());
    for _ in 0..request.count {
        let challenge = pfh_audit::challenge(&kept, sample)?;
        let answer = copy::answer(&challenge, &kept, &request.data, control)?;
        made.add(challenge, &answer);
    }
    files::save_secret(&request.output, &made.encode())
}

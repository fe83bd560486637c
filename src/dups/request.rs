//! What a search for duplicates is asked for.

use super::chunks::Chunking;
use super::error::Error;
use crate::algorithms::Algorithm;
use crate::input::Input;
use crate::outputs::Outputs;
use pfh_digest::Standing;
use pfh_engine::Plan;
use pfh_source::Recurse;
use std::path::PathBuf;

/// Where duplicates are looked for, and what is made of them.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Request {
    /// What is walked. What is named first is kept by a script.
    pub input: Input,
    /// By what whole files are compared: a cryptographic digest. SHA-256 if none is named.
    pub algorithm: Option<Algorithm>,
    /// Smaller files are left out, in bytes.
    pub least: u64,
    /// Also what a store that keeps each chunk once would save.
    pub chunking: Option<Chunking>,
    /// The file that gets a shell script which removes all but one copy of each group.
    pub script: Option<PathBuf>,
    /// Whether an existing file of that name is replaced.
    pub replace: bool,
    /// How files are read.
    pub plan: Plan,
}

impl Request {
    /// Everything below this input but empty files, with the machine's defaults.
    pub fn new(mut input: Input) -> Request {
        input.descend.recurse = Recurse::Yes;
        let plan = Plan::default();
        Request { input, algorithm: None, least: 1, chunking: None, script: None, replace: false, plan }
    }

    /// Compares whole files by this algorithm.
    #[must_use]
    pub fn algorithm_of(mut self, algorithm: Option<Algorithm>) -> Request {
        self.algorithm = algorithm;
        self
    }

    /// Leaves out files of fewer bytes.
    #[must_use]
    pub fn least(mut self, least: u64) -> Request {
        self.least = least;
        self
    }

    /// Measures chunks as well.
    #[must_use]
    pub fn chunking(mut self, chunking: Option<Chunking>) -> Request {
        self.chunking = chunking;
        self
    }

    /// Writes a script into this file; an existing one is replaced if `replace` says so.
    #[must_use]
    pub fn script(mut self, script: Option<PathBuf>, replace: bool) -> Request {
        (self.script, self.replace) = (script, replace);
        self
    }

    /// Reads according to this plan.
    #[must_use]
    pub fn plan(mut self, plan: Plan) -> Request {
        self.plan = plan;
        self
    }

    /// The algorithm, if it proves that files are equal.
    pub(super) fn algorithm(&self) -> Result<pfh_digest::Algorithm, Error> {
        let algorithm = match self.algorithm {
            Some(algorithm) => *algorithm,
            None => "sha256".parse().map_err(|_| Error::Weak("sha256".into()))?,
        };
        match algorithm.standing() {
            Standing::Secure | Standing::Broken => Ok(algorithm),
            Standing::NonCryptographic | Standing::Similarity => Err(Error::Weak(algorithm.to_string())),
        }
    }

    /// What chunks are told apart by: the fastest of those that prove it.
    pub(super) fn chunk_algorithm(&self) -> Result<pfh_digest::Algorithm, Error> {
        "blake3".parse().map_err(|_| Error::Weak("blake3".into()))
    }

    /// Whether all files below the input are looked at, empty ones aside.
    pub(super) fn is_whole(&self) -> bool {
        self.least <= 1 && self.input.descend.selection.is_all()
    }

    /// What is read and written.
    pub(super) fn outputs(&self) -> Outputs {
        let mut outputs = Outputs::new(self.replace);
        outputs.file("--script", self.script.as_ref());
        self.input.guard(&mut outputs);
        outputs
    }
}

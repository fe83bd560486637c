//! The request of a search for duplicates.

use super::chunks::Chunking;
use super::problem::Problem;
use super::rule::{Action, Below, Keep};
use crate::algorithms::Algorithm;
use crate::input::Input;
use crate::job::Error;
use crate::outputs::Outputs;
use pfh_digest::Standing;
use pfh_engine::Plan;
use pfh_source::{Recurse, is_address};
use std::path::PathBuf;

/// Where duplicates are looked for, and how they are treated.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Request {
    /// The operands. Files of the first one are kept, unless a rule says otherwise.
    pub input: Input,
    /// The algorithm by which whole files are compared: a cryptographic digest. SHA-256 if none is
    /// named.
    pub algorithm: Option<Algorithm>,
    /// Smaller files are left out, in bytes.
    pub least: u64,
    /// Also the saving of a store that keeps each chunk once, and the files that share chunks.
    pub chunking: Option<Chunking>,
    /// At most that many pairs of files that share chunks are handed out. All are counted.
    pub top: Option<u64>,
    /// Which copy of a group stays.
    pub keep: Keep,
    /// Copies below these directories stay as well; one of them is the copy that is kept, where
    /// there is one.
    pub never: Vec<PathBuf>,
    /// The action of a script on the others.
    pub action: Action,
    /// The file into which the caller has a [`Script`](super::Script) written.
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
        let (keep, never, action) = (Keep::First, Vec::new(), Action::Remove);
        Request {
            input,
            algorithm: None,
            least: 1,
            chunking: None,
            top: None,
            keep,
            never,
            action,
            script: None,
            replace: false,
            plan,
        }
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

    /// Hands out the pairs with the most bytes in common, at most that many.
    #[must_use]
    pub fn top(mut self, top: Option<u64>) -> Request {
        self.top = top;
        self
    }

    /// Keeps copies by this rule.
    #[must_use]
    pub fn keep(mut self, keep: Keep) -> Request {
        self.keep = keep;
        self
    }

    /// Keeps all copies below these directories.
    #[must_use]
    pub fn never(mut self, directories: impl IntoIterator<Item = impl Into<PathBuf>>) -> Request {
        self.never = directories.into_iter().map(Into::into).collect();
        self
    }

    /// A script does this with the others.
    #[must_use]
    pub fn action(mut self, action: Action) -> Request {
        self.action = action;
        self
    }

    /// A script is written into this file, by [`write`](super::write) or the caller; an existing
    /// one is replaced if `replace` says so.
    #[must_use]
    pub fn script(mut self, script: Option<PathBuf>, replace: bool) -> Request {
        (self.script, self.replace) = (script, replace);
        self
    }

    /// Reads according to this plan.
    #[must_use]
    pub fn plan(mut self, plan: Plan) -> Request {
        self.plan = self.input.share(plan);
        self
    }

    /// Refuses requests that can be refused before the input is walked.
    ///
    /// # Errors
    /// When the algorithm does not prove that files are equal, the input makes no sense, the script
    /// is a file that is read or that somebody else made, or objects are to be treated as files
    /// are.
    pub fn check(&self) -> Result<(), Error> {
        self.algorithm()?;
        self.input.check()?;
        if let Some(address) = self.objects().next() {
            let of_files = [
                (self.script.is_some(), "a script"),
                (self.action != Action::Remove, "an action"),
                (matches!(self.keep, Keep::Oldest | Keep::Newest), "the age of a copy"),
                (self.chunking.is_some(), "the search for chunks"),
            ];
            if let Some((_, what)) = of_files.iter().find(|(is_asked, _)| *is_asked) {
                return Err(Error::request(Problem::Objects(address.to_vec(), what)));
            }
        }
        if let Keep::Under(directory) = &self.keep {
            Below::new([directory])?;
        }
        Below::new(&self.never)?;
        Ok(self.outputs().check()?)
    }

    /// The addresses among the operands.
    fn objects(&self) -> impl Iterator<Item = &[u8]> {
        self.input.paths.iter().map(|path| path.as_encoded_bytes()).filter(|path| is_address(path))
    }

    /// Whether objects of a store are among the operands.
    pub(super) fn has_objects(&self) -> bool {
        self.objects().next().is_some()
    }

    /// The algorithm, if it proves that files are equal.
    pub(super) fn algorithm(&self) -> Result<pfh_digest::Algorithm, Error> {
        let algorithm = match self.algorithm {
            Some(algorithm) => *algorithm,
            None => "sha256".parse().map_err(|_| Error::request(Problem::Weak("sha256".into())))?,
        };
        match algorithm.standing() {
            Standing::Secure | Standing::Broken => Ok(algorithm),
            Standing::NonCryptographic | Standing::Similarity => {
                Err(Error::request(Problem::Weak(algorithm.to_string())))
            }
        }
    }

    /// The algorithm that distinguishes chunks: the fastest of those that prove equality.
    pub(super) fn chunk_algorithm(&self) -> Result<pfh_digest::Algorithm, Error> {
        "blake3".parse().map_err(|_| Error::request(Problem::Weak("blake3".into())))
    }

    /// Whether all files below the input are looked at, empty ones aside.
    pub(super) fn is_whole(&self) -> bool {
        self.least <= 1 && self.input.descend.selection.is_all()
    }

    /// Inputs and outputs.
    pub(super) fn outputs(&self) -> Outputs {
        let mut outputs = Outputs::new(self.replace);
        outputs.file("script", self.script.as_ref());
        self.input.guard(&mut outputs);
        outputs
    }
}

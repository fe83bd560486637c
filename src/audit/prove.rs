//! `prove`: the answer to a challenge, from the file and its tree. Run by the server, which stores
//! both.

use super::{Error, Events, Wrong, files};
use crate::Destination;
use crate::key::{self, SigningKey};
use crate::outputs::Outputs;
use crate::tree::beside;
use pfh_audit::AnswerFile;
use pfh_engine::Control;
use pfh_outboard as outboard;
use pfh_tree::audit::ProofError;
use std::path::PathBuf;

/// Answers from the file.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Answer {
    /// The leaves, with their proof, signed if there is the file of a private key.
    Leaves(Option<PathBuf>),
    /// 32 bytes under a key made of the nonce, for an auditor who has the file as well.
    Keyed,
}

/// A challenge, and the file that it asks about.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Request {
    /// The challenge; `-` is standard input.
    pub challenge: PathBuf,
    /// The file.
    pub file: PathBuf,
    /// Its tree.
    pub tree: PathBuf,
    /// The answer.
    pub answer: Answer,
    /// Bytes of leaves that the answer may hold.
    pub most: u64,
    /// Where the answer goes.
    pub output: Destination,
    /// Whether an existing file may be replaced; inputs never are.
    pub replace: bool,
}

impl Request {
    /// The file has its tree beside it; the answer is not signed, and goes to standard output.
    pub fn new(challenge: impl Into<PathBuf>, file: impl Into<PathBuf>) -> Request {
        let (challenge, file) = (challenge.into(), file.into());
        let tree = beside(&file);
        let (answer, output) = (Answer::Leaves(None), Destination::default());
        Request { challenge, file, tree, answer, most: u64::MAX, output, replace: false }
    }

    /// The answer goes there.
    #[must_use]
    pub fn output(mut self, output: impl Into<Destination>) -> Request {
        self.output = output.into();
        self
    }

    /// Inputs and outputs.
    pub fn outputs(&self) -> Outputs {
        let mut outputs = Outputs::new(self.replace);
        outputs.file("output", self.output.path()).reads_apart([&self.challenge, &self.file]).reads(&self.tree);
        if let Answer::Leaves(Some(key)) = &self.answer {
            outputs.reads_apart([key]);
        }
        outputs
    }

    /// Whether the request makes sense and its output may be written; nothing is.
    ///
    /// # Errors
    /// When it does not, the output is refused, or a key cannot be read.
    pub fn check(&self) -> Result<(), Error> {
        self.outputs().check()?;
        self.key().map(drop)
    }

    /// The key that signs the answer.
    fn key(&self) -> Result<Option<SigningKey>, Error> {
        match &self.answer {
            Answer::Leaves(Some(path)) => Ok(Some(key::signing(path)?)),
            _ => Ok(None),
        }
    }
}

/// Writes the answer.
///
/// # Errors
/// When the challenge is none or asks for too much, file or tree cannot be read or are not those
/// asked about, or the output cannot be written.
pub fn run(request: &Request, _events: &mut Events<'_>, _control: &Control<'_>) -> Result<(), Error> {
    request.outputs().check()?;
    let key = request.key()?;
    let challenge = files::question(&request.challenge)?;
    let tree = outboard::open(&request.tree).map_err(Wrong::from)?;
    let held = AnswerFile { file: files::open(&request.file)?, tree };
    if request.answer == Answer::Keyed {
        return files::output(&request.output, pfh_audit::keyed(&challenge, held, request.most)?.bytes());
    }
    let mut to = request.output.open()?;
    let answered = pfh_audit::answer(&challenge, held, key.as_ref(), request.most, &mut |_| Ok(()), &mut to);
    answered.map_err(|error| match error {
        Wrong::Unproved(ProofError::Write(error)) => Error::Sink(error),
        error => error.into(),
    })?;
    to.commit().map_err(Error::Sink)
}

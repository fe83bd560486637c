//! `verify`: whether an answer proves the challenged leaves. Run by the auditor.

use super::{AuditVerdict, Error, Event, Events, Evidence, Extent, Problem, Wrong, copy, files};
use crate::algorithms::Secret;
use crate::key::{self, VerifyingKey};
use crate::outputs::Outputs;
use pfh_audit::KeptCommitment;
use pfh_engine::Control;
use pfh_source::os::names::OsStrExt;
use pfh_tree::audit::{AnswerError, Challenge, KeyedAnswer, Proof, Rejection};
use std::ffi::OsStr;
use std::io::{BufReader, Read};
use std::path::{Path, PathBuf};

/// Bytes of a keyed answer.
const KEYED: u64 = 32;

/// The auditor's copy, the challenge, and its answer.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Request {
    /// The output of [`commit`](super::commit); `-` is standard input.
    pub kept: PathBuf,
    /// The challenge: the auditor's own, asked just once.
    pub challenge: PathBuf,
    /// The answer; `-` is standard input.
    pub answer: PathBuf,
    /// The file of the public key that must have signed the answer.
    pub signed_by: Option<PathBuf>,
    /// The auditor's copy of the file, if the answer is a keyed one.
    pub data: Option<PathBuf>,
    /// The key of the file's tree, if it has one.
    pub secret: Option<Secret>,
    /// The fraction of the leaves for which the probability of finding their loss is stated,
    /// between 0 and 1.
    pub loss: f64,
}

impl Request {
    /// An answer that shows leaves, signed by anybody or nobody.
    pub fn new(kept: impl Into<PathBuf>, challenge: impl Into<PathBuf>, answer: impl Into<PathBuf>) -> Request {
        let (kept, challenge, answer) = (kept.into(), challenge.into(), answer.into());
        Request { kept, challenge, answer, signed_by: None, data: None, secret: None, loss: Extent::default().loss }
    }

    /// The inputs; nothing is written.
    pub fn outputs(&self) -> Outputs {
        let mut outputs = Outputs::new(false);
        outputs.reads_apart([&self.kept, &self.challenge, &self.answer]);
        outputs.reads_apart(self.signed_by.iter().chain(&self.data));
        outputs.reads_apart(self.secret.as_ref().and_then(Secret::path));
        outputs
    }

    /// Whether the request makes sense and its key is one; nothing is written.
    ///
    /// # Errors
    /// When it does not, or the key cannot be read.
    pub fn check(&self) -> Result<(), Error> {
        self.outputs().check()?;
        self.key().map(drop)
    }

    /// The key that must have signed the answer.
    fn key(&self) -> Result<Option<VerifyingKey>, Error> {
        Ok(self.signed_by.as_deref().map(key::verifying).transpose()?)
    }

    /// An answer that shows leaves.
    fn judge(&self, control: &Control<'_>) -> Result<AuditVerdict, Error> {
        let challenge = files::question(&self.challenge)?;
        let kept = files::one_of(&self.kept, Some(OsStr::from_bytes(challenge.identity())), self.secret.as_ref())?;
        match &self.data {
            Some(data) => self.keyed(data, &kept, &challenge, control),
            None => self.leaves(&kept, &challenge),
        }
    }

    fn leaves(&self, kept: &KeptCommitment, challenge: &Challenge) -> Result<AuditVerdict, Error> {
        let key = self.key()?;
        let mut verdict = AuditVerdict::of(kept, challenge, self.loss, Evidence::Root);
        let mut from = BufReader::with_capacity(1 << 20, files::source(&self.answer)?);
        let mut first = Vec::new();
        (&mut from).take(KEYED + 1).read_to_end(&mut first).map_err(files::unread(&self.answer))?;
        if first.len() as u64 == KEYED && !Proof::is_begun_by(&first) {
            // A digest that is compared with the data's: nothing was found out about it.
            return Err(Problem::Keyed(self.answer.clone()).into());
        }
        let mut from = first.chain(from);
        match kept.commitment.judge(challenge, &mut from) {
            Ok(accepted) => verdict.accept(&accepted, self.signed_by.as_deref().zip(key.as_ref()))?,
            Err(AnswerError::Read(error)) => return Err(files::unread(&self.answer)(error)),
            Err(AnswerError::Malformed(malformed)) => verdict.result = Err(Wrong::Answer(malformed)),
            Err(AnswerError::Rejected(rejected)) => verdict.result = Err(rejected.into()),
        }
        Ok(verdict)
    }

    /// A keyed answer, which the copy must give as well.
    fn keyed(
        &self,
        data: &Path,
        kept: &KeptCommitment,
        challenge: &Challenge,
        control: &Control<'_>,
    ) -> Result<AuditVerdict, Error> {
        let mut verdict = AuditVerdict::of(kept, challenge, self.loss, Evidence::Copy);
        if !challenge.is_about(&kept.commitment) {
            verdict.result = Err(Rejection::Challenge.into());
            return Ok(verdict);
        }
        let answer = files::input(&self.answer, files::SHORT)?;
        // The verdict is about the server; that one's own copy cannot be read, or is not the file,
        // is none.
        let expected = copy::answer(challenge, kept, data, control)?;
        let judged = match <[u8; 32]>::try_from(&answer[..]) {
            Ok(received) => expected.verify(&KeyedAnswer::from_bytes(received)),
            Err(_) => Err(Rejection::Digest),
        };
        verdict.result = judged.map_err(Wrong::from);
        Ok(verdict)
    }
}

/// Judges the answer. Nothing is written.
///
/// # Errors
/// When an input cannot be read, or the copy is not the file. That an answer proves nothing is a
/// verdict.
pub fn run(request: &Request, events: &mut Events<'_>, control: &Control<'_>) -> Result<AuditVerdict, Error> {
    request.check()?;
    let verdict = request.judge(control)?;
    events(Event::Judged(&verdict)).map_err(Error::Sink)?;
    Ok(verdict)
}

//! `ask`: a server is asked about every file that is kept, and its answers are judged; once, or
//! again and again.

use super::{AuditVerdict, Error, Event, Events, Evidence, Extent, Problem, Sample, Status, Wrong, copy, files, turn};
use crate::algorithms::Secret;
use crate::job;
use crate::key::{self, VerifyingKey};
use crate::outputs::{Existing, Kind, Outputs};
use crate::tree;
use pfh_audit::{KeptCommitment, TimedAnswer, Tokens};
use pfh_engine::Control;
use pfh_source::os::names::with_ending;
use pfh_source::os::names::{OsStrExt, OsStringExt};
use pfh_source::{Output, os};
use pfh_tree::audit::{Challenge, KeyedAnswer, Proof, spread};
use pfh_tree::outboard::Function;
use std::ffi::OsString;
use std::io::{Read, Write};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// Bytes of a catalogue at most.
const CATALOGUE: u64 = 256 << 20;

/// How the server is asked.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum AskMode {
    /// For a sample of the leaves of each file.
    Each,
    /// For one sample of the leaves of all files together.
    Together,
    /// For files on the server that list others, whose commitments are kept: each is fetched and
    /// proved whole, then its files are asked for together.
    Catalogue,
    /// For a keyed digest of the leaves, 32 bytes. It is compared with that of this copy, or of the
    /// file under its identity in this directory.
    Keyed(PathBuf),
    /// With the next token of this file, which is marked as used before the question goes out. The
    /// auditor's copy is in the file.
    Token(PathBuf),
}

/// A server, and the question.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Request {
    /// The server: `http://HOST:PORT`.
    pub url: String,
    /// The output of [`commit`](super::commit); `-` is standard input.
    pub kept: PathBuf,
    /// Only this file.
    pub identity: Option<OsString>,
    /// How much must be shown.
    pub extent: Extent,
    /// How the server is asked.
    pub how: AskMode,
    /// The key of trees that have one.
    pub secret: Option<Secret>,
    /// The file of the public key that must have signed the answers.
    pub signed_by: Option<PathBuf>,
    /// Time for each file, from the question to the end of the answer; a second is added for each
    /// MiB of leaves.
    pub timeout: Duration,
    /// Challenge and answer of the Nth file are kept as this name with `.N.challenge` and
    /// `.N.proof`.
    pub evidence: Option<PathBuf>,
    /// Whether existing files may be replaced by the evidence; inputs never are.
    pub replace: bool,
    /// Rounds begin at this distance; without one there is a single round.
    pub every: Option<Duration>,
    /// The number of rounds; without one they end with an answer that proves nothing, or when the
    /// control is cancelled.
    pub rounds: Option<u32>,
}

impl Request {
    /// Every file that is kept, by the usual extent, once.
    pub fn new(url: impl Into<String>, kept: impl Into<PathBuf>) -> Request {
        Request {
            url: url.into(),
            kept: kept.into(),
            identity: None,
            extent: Extent::default(),
            how: AskMode::Each,
            secret: None,
            signed_by: None,
            timeout: Duration::from_secs(60),
            evidence: None,
            replace: false,
            every: None,
            rounds: None,
        }
    }

    /// A file of the evidence about the file with this number.
    fn kept_as(&self, number: usize, end: &str) -> Option<PathBuf> {
        Some(with_ending(self.evidence.as_ref()?, format!(".{number}.{end}")))
    }

    /// Inputs and outputs, if this number of files is kept. Evidence must not take the place of
    /// inputs, or of somebody else's files.
    pub fn outputs(&self, files: usize) -> Outputs {
        let mut outputs = Outputs::new(self.replace);
        outputs.reads_apart([&self.kept]).reads_apart(&self.signed_by);
        outputs.reads_apart(self.secret.as_ref().and_then(Secret::path));
        match &self.how {
            AskMode::Keyed(data) => drop(outputs.reads_apart([data]).reads(tree::beside(data))),
            AskMode::Token(tokens) => {
                outputs.writes("tokens", tokens, Kind::File, Existing::Own(0, b"pfh-tokens 1"));
            }
            _ => {}
        }
        for number in 0..if self.evidence.is_some() { files } else { 0 } {
            for end in ["challenge", "proof"] {
                outputs.file("evidence", self.kept_as(number, end));
            }
        }
        outputs
    }

    /// Whether the request makes sense and its output may be written; nothing is.
    ///
    /// # Errors
    /// When it does not, the output is refused, or a key cannot be read.
    pub fn check(&self) -> Result<(), Error> {
        self.outputs(0).check()?;
        self.key()?;
        self.extent.sample()?;
        Ok(())
    }

    /// The key that must have signed the answers.
    fn key(&self) -> Result<Option<VerifyingKey>, Error> {
        Ok(self.signed_by.as_deref().map(key::verifying).transpose()?)
    }
}

/// Asks, and judges the answers.
///
/// # Errors
/// When the commitments, a key or a copy cannot be used, evidence cannot be written, the sink
/// refuses an event, or the control is cancelled between two rounds. The answer of a server, or its
/// silence, is a verdict.
pub fn run(request: &Request, events: &mut Events<'_>, control: &Control<'_>) -> Result<Status, Error> {
    request.check()?;
    let mut asking = Asking { request, events, control };
    let Some(every) = request.every else { return asking.round(1) };
    let mut worst = Status::Proved;
    for round in 1.. {
        let from = Instant::now();
        let status = match asking.round(round) {
            // A round that could not be asked is followed by the next one.
            Err(error) if error.kind() == job::Kind::Input => {
                (asking.events)(Event::Missed(&error)).map_err(Error::Sink)?;
                Status::NotAsked
            }
            other => other?,
        };
        worst = worst.max(status);
        if status == Status::Rejected || request.rounds == Some(round) {
            break;
        }
        while from.elapsed() < every {
            if control.is_cancelled() {
                return Err(Problem::Cancelled.into());
            }
            std::thread::sleep(Duration::from_millis(100).min(every - from.elapsed().min(every)));
        }
    }
    Ok(worst)
}

/// A request under way.
struct Asking<'a, 'b> {
    request: &'a Request,
    events: &'a mut Events<'b>,
    control: &'a Control<'a>,
}

impl Asking<'_, '_> {
    /// Asks once about everything.
    fn round(&mut self, number: u32) -> Result<Status, Error> {
        let request = self.request;
        if let AskMode::Token(tokens) = &request.how {
            return self.token(tokens);
        }
        let key = request.key()?;
        let mut all = files::kept(&request.kept)?;
        all.retain(|kept| request.identity.as_ref().is_none_or(|name| name.as_bytes() == kept.identity));
        if all.is_empty() {
            return Err(Problem::NotKept.into());
        }
        let secret = request.secret.as_ref();
        all = match &request.how {
            // The files that a catalogue lists may be the ones under a key.
            AskMode::Catalogue => files::unlock(all, &request.kept, secret)?,
            _ => files::unlock_all(all, &request.kept, secret)?,
        };
        // Later rounds replace the evidence of earlier ones.
        let mut outputs = request.outputs(all.len());
        outputs.set_replace(request.replace || number > 1);
        outputs.check()?;
        match &request.how {
            AskMode::Catalogue => return self.catalogues(&all, key.as_ref()),
            AskMode::Together => return self.set(request.kept.as_os_str().as_bytes(), &all, key.as_ref()),
            _ => {}
        }
        let sample = request.extent.sample()?;
        let mut worst = Status::Proved;
        for (number, kept) in all.iter().enumerate() {
            let verdict = self.one(number, kept, sample, key.as_ref(), None)?;
            worst = worst.max(self.judged(&verdict)?);
        }
        Ok(worst)
    }

    fn judged(&mut self, verdict: &AuditVerdict) -> Result<Status, Error> {
        (self.events)(Event::Judged(verdict)).map_err(Error::Sink)?;
        Ok(verdict.status())
    }

    /// Asks about one file. Its answer goes to the evidence, or to `copy`.
    fn one(
        &self,
        number: usize,
        kept: &KeptCommitment,
        sample: Sample,
        key: Option<&VerifyingKey>,
        copy: Option<&mut Vec<u8>>,
    ) -> Result<AuditVerdict, Error> {
        let (request, challenge) = (self.request, pfh_audit::challenge(kept, sample)?);
        if let AskMode::Keyed(data) = &request.how {
            return self.short(data, kept, &challenge);
        }
        let mut verdict = AuditVerdict::of(kept, &challenge, request.extent.loss, Evidence::Root);
        let mut evidence = match (request.kept_as(number, "challenge"), request.kept_as(number, "proof")) {
            (Some(question), Some(answer)) => {
                files::output(&question.into(), &challenge.encode())?;
                Some(Output::file(&answer).map_err(Error::Sink)?)
            }
            _ => None,
        };
        let to = match (&mut evidence, copy) {
            (Some(evidence), _) => Some(evidence as &mut dyn Write),
            (None, Some(copy)) => Some(copy as &mut dyn Write),
            (None, None) => None,
        };
        let answered = pfh_audit::ask(
            &request.url,
            &challenge,
            &kept.commitment,
            request.timeout,
            to,
            self.control.cancel().flag(),
        );
        if self.control.is_cancelled() {
            return Err(Problem::Cancelled.into());
        }
        // An answer that proves nothing is evidence as well.
        if let (Some(evidence), true) = (evidence, answered.as_ref().map_or_else(Wrong::is_verdict, |_| true)) {
            evidence.commit().map_err(Error::Sink)?;
        }
        match answered {
            Ok(TimedAnswer { answer, time }) => {
                verdict.time = Some(time);
                verdict.accept(&answer, request.signed_by.as_deref().zip(key))?;
            }
            Err(wrong) => verdict.result = Err(wrong),
        }
        Ok(verdict)
    }

    /// Asks for a keyed digest, and compares it with that of the auditor's copy.
    fn short(&self, data: &Path, kept: &KeptCommitment, challenge: &Challenge) -> Result<AuditVerdict, Error> {
        let data = if data.is_dir() { data.join(OsString::from_vec(kept.identity.clone())) } else { data.to_owned() };
        let expected = copy::answer(challenge, kept, &data, self.control)?;
        self.keyed(kept, challenge, &expected, Evidence::Copy)
    }

    /// Asks for a keyed digest, and compares it with this one.
    fn keyed(
        &self,
        kept: &KeptCommitment,
        challenge: &Challenge,
        expected: &KeyedAnswer,
        evidence: Evidence,
    ) -> Result<AuditVerdict, Error> {
        let mut verdict = AuditVerdict::of(kept, challenge, self.request.extent.loss, evidence);
        let answered = pfh_audit::ask_keyed(
            &self.request.url,
            challenge,
            &kept.commitment,
            self.request.timeout,
            self.control.cancel().flag(),
        );
        if self.control.is_cancelled() {
            return Err(Problem::Cancelled.into());
        }
        verdict.result = answered.and_then(|TimedAnswer { answer, time }| {
            verdict.time = Some(time);
            Ok(expected.verify(&answer)?)
        });
        Ok(verdict)
    }

    /// Asks with a token.
    fn token(&mut self, path: &Path) -> Result<Status, Error> {
        let over = |error| Error::about(path, error);
        // From the reading to the writing no other run takes a token: it would be the same one.
        let held = turn::taken(path)?;
        let mut text = Vec::new();
        held.file().take(CATALOGUE).read_to_end(&mut text).map_err(files::unread(path))?;
        let mut tokens = Tokens::parse(&text).map_err(over)?;
        let (challenge, expected) = tokens.take().ok_or_else(|| over(Wrong::NoToken))?;
        if !os::REPLACES_OPEN {
            drop(held);
        }
        files::save_secret(path, &tokens.encode())?;
        // Locked until here, where an open file can be replaced.
        let verdict = self.keyed(tokens.kept(), &challenge, &expected, Evidence::Token)?;
        let status = self.judged(&verdict)?;
        if tokens.left() == 0 {
            (self.events)(Event::LastToken(path)).map_err(Error::Sink)?;
        }
        Ok(status)
    }

    /// Draws one sample from all files and asks those that it hits.
    fn set(&mut self, name: &[u8], all: &[KeptCommitment], key: Option<&VerifyingKey>) -> Result<Status, Error> {
        let leaves: Vec<u64> = all.iter().map(|kept| kept.commitment.leaf_count()).collect();
        let extent = self.request.extent;
        let counts = spread(&pfh_audit::seed()?, &leaves, extent.sample()?);
        let (mut shown, mut asked, mut worst) = (0, 0, Status::Proved);
        for (number, (kept, count)) in all.iter().zip(&counts).enumerate().filter(|(_, (_, count))| **count > 0) {
            let whole = *count == kept.commitment.leaf_count();
            let part = u32::try_from(*count).ok().filter(|_| !whole).map_or(Ok(Sample::All), Sample::leaves);
            let verdict = self.one(number, kept, part.map_err(Wrong::from)?, key, None)?;
            if verdict.status() == Status::Proved {
                shown += *count;
                asked += 1;
            } else {
                worst = worst.max(self.judged(&verdict)?);
            }
        }
        if worst != Status::Proved {
            let partly = Event::Partly { name, proved: asked, of: all.len() };
            (self.events)(partly).map_err(Error::Sink)?;
            return Ok(worst);
        }
        let total = leaves.iter().fold(0u64, |sum, count| sum.saturating_add(*count));
        let first = all[0].commitment.parameters().function();
        let functions = || all.iter().map(|kept| kept.commitment.parameters().function());
        let algorithm = match functions().all(|function| function == first) {
            true => first.name(),
            false if functions().any(Function::is_keyed) => "blake3, sha or keyed",
            false => "blake3 or sha",
        };
        let verdict = AuditVerdict::of_set(name, algorithm, (shown, total), (asked, all.len()), extent.loss);
        self.judged(&verdict)
    }

    /// Fetches catalogues, which are proved whole, and asks about their files.
    fn catalogues(&mut self, all: &[KeptCommitment], key: Option<&VerifyingKey>) -> Result<Status, Error> {
        let mut worst = Status::Proved;
        for kept in all {
            let identity = kept.identity.clone();
            if kept.commitment.length() > CATALOGUE {
                return Err(Problem::LongCatalogue { identity, most: CATALOGUE }.into());
            }
            let mut answer = Vec::new();
            let verdict = self.one(0, kept, Sample::All, key, Some(&mut answer))?;
            if verdict.status() != Status::Proved {
                worst = worst.max(self.judged(&verdict)?);
                continue;
            }
            // The answer was just proved: its leaves are the catalogue.
            let proof = Proof::decode(&answer).map_err(Wrong::Answer)?;
            let bytes: Vec<u8> = proof.leaves().flatten().copied().collect();
            let wrong = |why: String| Problem::Catalogue { identity: identity.clone(), why };
            let listed = pfh_audit::parse(&bytes).map_err(|error| wrong(format!("is not a catalogue: {error}")))?;
            if listed.is_empty() {
                return Err(wrong("the catalogue is empty".into()).into());
            }
            let listed = files::unlock(listed, &self.request.kept, self.request.secret.as_ref())?;
            worst = worst.max(self.set(&identity, &listed, key)?);
        }
        Ok(worst)
    }
}

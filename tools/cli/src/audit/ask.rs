//! `pfh audit ask`

use super::print::{Evidence, Verdict};
use super::{Stop, files, sample};
use crate::exit::{self, Exit};
use crate::shown;
use crate::signals::Signals;
use clap::Args;
use ed25519_dalek::VerifyingKey;
use pfh::outputs::{Existing, Kind, Outputs};
use pfh::tree::audit::{Challenge, Sample, spread};
use pfh_audit::{Error, Kept, Tokens};
use std::ffi::OsString;
use std::io::Write;
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::{Path, PathBuf};
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

/// Bytes of a catalogue at most.
const CATALOGUE: u64 = 256 << 20;

/// The client.
#[derive(Args)]
#[command(after_help = super::help::ASK)]
pub struct Ask {
    /// The server: http://HOST:PORT.
    #[arg(value_name = "URL")]
    pub url: String,
    /// What `commit` printed: every file in it is asked for.
    #[arg(value_name = "KEPT", required_unless_present = "tokens")]
    pub kept: Option<PathBuf>,
    /// Only this file.
    #[arg(long, value_name = "NAME")]
    pub identity: Option<OsString>,
    /// How much is to be shown.
    #[command(flatten)]
    pub sample: sample::Options,
    /// Draw one sample from the leaves of all files of KEPT together, instead of one for each file.
    #[arg(long, conflicts_with_all = ["tokens", "keyed"])]
    pub together: bool,
    /// KEPT is the commitment of a catalogue: a file on the server that holds what `commit` printed of many files. It is fetched and proved
    /// whole, then its files are asked for --together.
    #[arg(long, conflicts_with_all = ["tokens", "keyed"])]
    pub catalogue: bool,
    /// Ask for a keyed digest of the leaves, 32 bytes, and compare it with that of --data.
    #[arg(long, requires = "data")]
    pub keyed: bool,
    /// Your own copy of the file, or of several files the directory with them under their identities. It must give the kept root.
    #[arg(long, value_name = "COPY", requires = "keyed")]
    pub data: Option<PathBuf>,
    /// Ask with the next of the tokens that `pfh audit tokens` made; it is marked as used in the file before the question goes out.
    #[arg(long, value_name = "TOKENS", conflicts_with_all = ["kept", "keyed", "find", "confidence", "leaves", "all", "signed_by", "identity", "evidence"])]
    pub tokens: Option<PathBuf>,
    /// Take only answers that are signed by this Ed25519 key (PEM or hexadecimal).
    #[arg(long, value_name = "KEY", conflicts_with = "keyed")]
    pub signed_by: Option<PathBuf>,
    /// Time for each file, from the question to the end of the answer; a second is added for each MiB of leaves.
    #[arg(long, value_name = "SECONDS", default_value_t = 60, value_parser = clap::value_parser!(u64).range(1..=86_400))]
    pub timeout: u64,
    /// Keep challenge and answer of the Nth file as PREFIX.N.challenge and PREFIX.N.proof: evidence for others, if it is signed.
    #[arg(long, value_name = "PREFIX", conflicts_with_all = ["keyed", "catalogue"])]
    pub evidence: Option<PathBuf>,
    /// Replace existing files of --evidence; never one that is read.
    #[arg(long)]
    pub force: bool,
    /// Ask again and again, at this distance (90s, 15m, 6h, 1d), until an answer is REJECTED (exit 1) or a signal comes.
    #[arg(long, value_name = "DURATION", value_parser = duration)]
    pub every: Option<Duration>,
    /// With --every: end after this number of rounds, with the worst exit of all.
    #[arg(long, value_name = "N", requires = "every", value_parser = clap::value_parser!(u32).range(1..))]
    pub rounds: Option<u32>,
    /// One JSON object per line.
    #[arg(long)]
    pub json: bool,
}

/// Reads `90s`, `15m`, `6h` or `1d`.
fn duration(text: &str) -> Result<Duration, String> {
    let wrong = || format!("{text:?} is no duration: write 90s, 15m, 6h or 1d");
    let units = [('s', 1), ('m', 60), ('h', 3600), ('d', 86_400)];
    let (digits, seconds) =
        units.iter().find_map(|(unit, seconds)| Some((text.strip_suffix(*unit)?, *seconds))).ok_or_else(wrong)?;
    let number: u64 = digits.parse().map_err(|_| wrong())?;
    number.checked_mul(seconds).filter(|seconds| *seconds > 0).map(Duration::from_secs).ok_or_else(wrong)
}

/// The worse of two ends: a server that was caught counts more than one that did not answer.
fn worse(one: Exit, other: Exit) -> Exit {
    let rank = |exit: &Exit| match exit {
        Exit::Good => 0,
        Exit::Incomplete => 1,
        Exit::Usage => 2,
        Exit::Verdict => 3,
        Exit::Aborted | Exit::Signal(_) => 4,
    };
    if rank(&other) > rank(&one) { other } else { one }
}

pub fn run(ask: &Ask) -> Result<Exit, Stop> {
    let Some(every) = ask.every else { return ask.round(1) };
    let signals =
        Signals::catch().map_err(|error| Stop(format!("signals cannot be caught: {error}"), Exit::Aborted))?;
    let mut worst = Exit::Good;
    for round in 1.. {
        let from = Instant::now();
        let exit = match ask.round(round) {
            // A round that could not be asked is followed by the next one.
            Err(Stop(message, Exit::Incomplete)) => {
                exit::say(message);
                Exit::Incomplete
            }
            other => other?,
        };
        worst = worse(worst, exit);
        let caught = !matches!(exit, Exit::Good | Exit::Incomplete);
        if caught || ask.rounds == Some(round) {
            break;
        }
        while from.elapsed() < every {
            if signals.flag().load(Ordering::SeqCst) {
                return Ok(Exit::Signal(signals.number()));
            }
            std::thread::sleep(Duration::from_millis(100).min(every - from.elapsed().min(every)));
        }
    }
    Ok(worst)
}

impl Ask {
    /// A file of the evidence about the file with this number.
    fn kept_as(&self, number: usize, end: &str) -> Option<PathBuf> {
        let mut name = self.evidence.clone()?.into_os_string();
        name.push(format!(".{number}.{end}"));
        Some(name.into())
    }

    /// Refuses evidence that would take the place of what is read, or of somebody else's files. Later rounds replace that of earlier ones.
    fn guard(&self, files: usize, force: bool) -> Result<(), Stop> {
        let mut outputs = Outputs::new(force);
        outputs.reads_all(&self.kept).reads_all(&self.signed_by).reads_all(&self.data);
        outputs.reads_all(self.data.as_deref().map(pfh::outboard::beside));
        for number in 0..if self.evidence.is_some() { files } else { 0 } {
            for end in ["challenge", "proof"] {
                outputs.file("--evidence", self.kept_as(number, end));
            }
        }
        if let Some(tokens) = &self.tokens {
            outputs.writes("--tokens", tokens, Kind::File, Existing::Own(0, b"pfh-tokens 1"));
        }
        outputs.check().map_err(|refused| Stop::usage(refused.to_string()))
    }

    /// Asks once about everything.
    fn round(&self, number: u32) -> Result<Exit, Stop> {
        if let Some(tokens) = &self.tokens {
            self.guard(0, false)?;
            return self.token(tokens);
        }
        let key = self.signed_by.as_deref().map(pfh::key::verifying).transpose().map_err(Stop::usage)?;
        let mut all = files::kept(self.kept.as_deref().unwrap_or(Path::new("-")))?;
        all.retain(|kept| self.identity.as_ref().is_none_or(|name| name.as_bytes() == kept.identity));
        if all.is_empty() {
            return Err(Stop::usage("no file of this identity is kept"));
        }
        self.guard(all.len(), self.force || number > 1)?;
        if self.catalogue {
            return self.catalogues(&all, key.as_ref());
        }
        if self.together {
            let name = self.kept.as_ref().map_or(&b"-"[..], |kept| kept.as_os_str().as_bytes());
            return self.set(name, &all, key.as_ref());
        }
        let sample = self.sample.sample()?;
        let mut worst = Exit::Good;
        for (number, kept) in all.iter().enumerate() {
            let mut verdict = self.one(number, kept, sample, key.as_ref(), None)?;
            worst = worse(worst, print(&mut verdict, self.json)?);
        }
        Ok(worst)
    }

    /// Asks about one file. Its answer goes to the evidence, or to `copy`.
    fn one(
        &self,
        number: usize,
        kept: &Kept,
        sample: Sample,
        key: Option<&VerifyingKey>,
        copy: Option<&mut Vec<u8>>,
    ) -> Result<Verdict, Stop> {
        let challenge = pfh_audit::challenge(kept, sample)?;
        if self.keyed {
            return self.short(kept, &challenge);
        }
        let mut verdict = Verdict::of(kept, &challenge, self.sample.find, Evidence::Root);
        let timeout = Duration::from_secs(self.timeout);
        let mut evidence = match (self.kept_as(number, "challenge"), self.kept_as(number, "proof")) {
            (Some(question), Some(answer)) => {
                files::save(&question, &challenge.encode())?;
                let proof = pfh::Output::file(&answer);
                Some(proof.map_err(|error| Stop(String::new(), exit::of_output(&error)))?)
            }
            _ => None,
        };
        let to = match (&mut evidence, copy) {
            (Some(evidence), _) => Some(evidence as &mut dyn Write),
            (None, Some(copy)) => Some(copy as &mut dyn Write),
            (None, None) => None,
        };
        let answered = pfh_audit::ask(&self.url, &challenge, &kept.commitment, timeout, to);
        // An answer that proves nothing is evidence, too.
        if let (Some(evidence), true) = (evidence, answered.as_ref().map_or_else(Error::is_verdict, |_| true)) {
            evidence.commit().map_err(|error| Stop(String::new(), exit::of_output(&error)))?;
        }
        let judged = answered.and_then(|answered| {
            verdict.took(answered.time);
            verdict.accept(&answered.answer, key)
        });
        verdict.judge(judged);
        Ok(verdict)
    }

    /// Asks for a keyed digest, and compares it with that of the auditor's copy.
    fn short(&self, kept: &Kept, challenge: &Challenge) -> Result<Verdict, Stop> {
        let mut verdict = Verdict::of(kept, challenge, self.sample.find, Evidence::Copy);
        let data = self.data.as_deref().unwrap_or(Path::new("."));
        let copy = if data.is_dir() { data.join(OsString::from_vec(kept.identity.clone())) } else { data.to_owned() };
        let expected = files::of_copy(challenge, kept, &copy)?;
        let answered = pfh_audit::ask_keyed(&self.url, challenge, &kept.commitment, Duration::from_secs(self.timeout));
        let judged = answered.and_then(|answered| {
            verdict.took(answered.time);
            Ok(expected.verify(&answered.answer)?)
        });
        verdict.judge(judged);
        Ok(verdict)
    }

    /// Asks with a token.
    fn token(&self, path: &Path) -> Result<Exit, Stop> {
        let named = |error: Error| Stop(format!("{}: {error}", files::name(path)), Stop::from(error).1);
        let mut tokens = Tokens::parse(&files::input(path, CATALOGUE)?).map_err(named)?;
        let (challenge, expected) = tokens.take().ok_or_else(|| named(Error::NoToken))?;
        files::save_secret(path, &tokens.encode())?;
        let kept = tokens.kept();
        let mut verdict = Verdict::of(kept, &challenge, self.sample.find, Evidence::Token);
        let timeout = Duration::from_secs(self.timeout);
        let answered = pfh_audit::ask_keyed(&self.url, &challenge, &kept.commitment, timeout);
        let judged = answered.and_then(|answered| {
            verdict.took(answered.time);
            Ok(expected.verify(&answered.answer)?)
        });
        verdict.judge(judged);
        let exit = print(&mut verdict, self.json)?;
        if tokens.left() == 0 {
            exit::say(format!("{}: that was the last token", files::name(path)));
        }
        Ok(exit)
    }

    /// Draws one sample from all files and asks those that it hits.
    fn set(&self, name: &[u8], all: &[Kept], key: Option<&VerifyingKey>) -> Result<Exit, Stop> {
        let leaves: Vec<u64> = all.iter().map(|kept| kept.commitment.leaf_count()).collect();
        let sample = self.sample.sample()?;
        let counts = spread(&pfh_audit::seed()?, &leaves, sample);
        let (mut shown, mut asked, mut worst) = (0, 0, Exit::Good);
        for (number, (kept, count)) in all.iter().zip(&counts).enumerate().filter(|(_, (_, count))| **count > 0) {
            let whole = *count == kept.commitment.leaf_count();
            let part = u32::try_from(*count).ok().filter(|_| !whole).map_or(Ok(Sample::All), Sample::leaves);
            let part = part.map_err(|error| Stop::usage(error.to_string()))?;
            let mut verdict = self.one(number, kept, part, key, None)?;
            if verdict.exit() == Exit::Good {
                shown += *count;
                asked += 1;
            } else {
                worst = worse(worst, print(&mut verdict, self.json)?);
            }
        }
        if worst != Exit::Good {
            exit::say(format!("{}: {asked} of {} files proved their part", crate::shown(name), all.len()));
            return Ok(worst);
        }
        let total = leaves.iter().fold(0u64, |sum, count| sum.saturating_add(*count));
        let first = all[0].commitment.parameters().function().name();
        let same = all.iter().all(|kept| kept.commitment.parameters().function().name() == first);
        let algorithm = if same { first } else { "blake3 or sha" };
        let mut verdict = Verdict::of_set(name, algorithm, shown, total, (asked, all.len()), self.sample.find);
        print(&mut verdict, self.json)
    }

    /// Fetches catalogues, which are proved whole, and asks about their files.
    fn catalogues(&self, all: &[Kept], key: Option<&VerifyingKey>) -> Result<Exit, Stop> {
        let mut worst = Exit::Good;
        for kept in all {
            let name = shown(&kept.identity);
            if kept.commitment.length() > CATALOGUE {
                return Err(Stop::usage(format!("{name}: a catalogue has at most {CATALOGUE} bytes")));
            }
            let mut answer = Vec::new();
            let mut verdict = self.one(0, kept, Sample::All, key, Some(&mut answer))?;
            if verdict.exit() != Exit::Good {
                worst = worse(worst, print(&mut verdict, self.json)?);
                continue;
            }
            // The answer was just proved: its leaves are the catalogue.
            let proof = pfh::tree::audit::Proof::decode(&answer).map_err(Error::Answer)?;
            let bytes: Vec<u8> = proof.leaves().flatten().copied().collect();
            let listed = pfh_audit::parse(&bytes)
                .map_err(|error| Stop(format!("{name}: is no catalogue: {error}"), Exit::Incomplete))?;
            if listed.is_empty() {
                return Err(Stop(format!("{name}: the catalogue is empty"), Exit::Incomplete));
            }
            worst = worse(worst, self.set(&kept.identity, &listed, key)?);
        }
        Ok(worst)
    }
}

/// Prints a verdict; an output that cannot be written ends the round.
fn print(verdict: &mut Verdict, json: bool) -> Result<Exit, Stop> {
    match verdict.print(json) {
        broken @ (Exit::Signal(_) | Exit::Aborted) => Err(Stop(String::new(), broken)),
        exit => Ok(exit),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn durations() {
        for (text, seconds) in [("90s", 90), ("15m", 900), ("6h", 21_600), ("1d", 86_400)] {
            assert_eq!(duration(text), Ok(Duration::from_secs(seconds)));
        }
        for text in ["", "5", "0s", "-1s", "1w", "s", "99999999999999999999d", "18446744073709551615d"] {
            assert!(duration(text).is_err(), "{text}");
        }
    }
}

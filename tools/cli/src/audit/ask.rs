//! `pfh audit ask`

use super::print::Verdict;
use super::{Stop, files, sample};
use crate::exit::Exit;
use crate::key;
use clap::Args;
use pfh::outputs::Outputs;
use std::ffi::OsString;
use std::os::unix::ffi::OsStrExt;
use std::path::PathBuf;
use std::time::Duration;

/// The client.
#[derive(Args)]
pub struct Ask {
    /// The server: http://HOST:PORT.
    #[arg(value_name = "URL")]
    pub url: String,
    /// What `commit` printed: every file in it is asked for.
    #[arg(value_name = "KEPT")]
    pub kept: PathBuf,
    /// Only this file.
    #[arg(long, value_name = "NAME")]
    pub identity: Option<OsString>,
    /// How much is to be shown.
    #[command(flatten)]
    pub sample: sample::Options,
    /// Take only answers that are signed by this Ed25519 key (PEM or hexadecimal).
    #[arg(long, value_name = "KEY")]
    pub signed_by: Option<PathBuf>,
    /// Time for each file, from the question to the end of the answer.
    #[arg(long, value_name = "SECONDS", default_value_t = 60, value_parser = clap::value_parser!(u64).range(1..=86_400))]
    pub timeout: u64,
    /// Keep challenge and answer of the Nth file as PREFIX.N.challenge and PREFIX.N.proof: evidence for others, if it is signed.
    #[arg(long, value_name = "PREFIX")]
    pub evidence: Option<PathBuf>,
    /// Replace existing files of --evidence; never one that is read.
    #[arg(long)]
    pub force: bool,
    /// One JSON object per line.
    #[arg(long)]
    pub json: bool,
}

impl Ask {
    /// A file of the evidence about the file with this number.
    fn kept_as(&self, number: usize, end: &str) -> Option<PathBuf> {
        let mut name = self.evidence.clone()?.into_os_string();
        name.push(format!(".{number}.{end}"));
        Some(name.into())
    }

    /// Refuses evidence that would take the place of what is read, or of somebody else's files.
    fn guard(&self, files: usize) -> Result<(), Stop> {
        let mut outputs = Outputs::new(self.force);
        outputs.reads(&self.kept).reads_all(&self.signed_by);
        for number in 0..files {
            for end in ["challenge", "proof"] {
                outputs.file("--evidence", self.kept_as(number, end));
            }
        }
        outputs.check().map_err(|refused| Stop::usage(refused.to_string()))
    }
}

pub fn run(ask: &Ask) -> Result<Exit, Stop> {
    let sample = ask.sample.sample()?;
    let key = ask.signed_by.as_deref().map(key::verifying).transpose().map_err(Stop::usage)?;
    let mut all = files::kept(&ask.kept)?;
    all.retain(|kept| ask.identity.as_ref().is_none_or(|name| name.as_bytes() == kept.identity));
    if all.is_empty() {
        return Err(Stop::usage("no file of this identity is kept"));
    }
    ask.guard(all.len())?;
    let mut worst = Exit::Good;
    for (number, kept) in all.iter().enumerate() {
        let challenge = pfh_audit::challenge(kept, sample)?;
        let mut verdict = Verdict::of(kept, &challenge);
        let leaves = verdict.leaves().saturating_mul(kept.commitment.parameters().leaf_length() as u64);
        let answered = pfh_audit::ask(&ask.url, &challenge, leaves, Duration::from_secs(ask.timeout));
        let judged = answered.map(|answered| {
            verdict.took(answered.time);
            answered.proof
        });
        if let Some(name) = ask.kept_as(number, "challenge") {
            files::save(&name, &challenge.encode())?;
        }
        if let (Some(name), Ok(proof)) = (ask.kept_as(number, "proof"), &judged) {
            files::save(&name, &proof.encode())?;
        }
        let judged = judged.and_then(|proof| verdict.of_proof(kept, &challenge, &proof, key.as_ref()));
        verdict.judge(judged);
        worst = match (worst, verdict.print(ask.json)) {
            (_, broken @ (Exit::Signal(_) | Exit::Aborted)) => return Ok(broken),
            // A server that was caught counts more than one that did not answer.
            (Exit::Verdict, _) | (_, Exit::Verdict) => Exit::Verdict,
            (Exit::Incomplete, _) | (_, Exit::Incomplete) => Exit::Incomplete,
            _ => Exit::Good,
        };
    }
    Ok(worst)
}

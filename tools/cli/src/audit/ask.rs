//! `pfh audit ask`

use super::print::Verdict;
use super::{Stop, files, sample};
use crate::exit::Exit;
use crate::key;
use clap::Args;
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
    /// One JSON object per line.
    #[arg(long)]
    pub json: bool,
}

pub fn run(ask: &Ask) -> Result<Exit, Stop> {
    let sample = ask.sample.sample()?;
    let key = ask.signed_by.as_deref().map(key::verifying).transpose().map_err(Stop::usage)?;
    let mut all = files::kept(&ask.kept)?;
    all.retain(|kept| ask.identity.as_ref().is_none_or(|name| name.as_bytes() == kept.identity));
    if all.is_empty() {
        return Err(Stop::usage("no file of this identity is kept"));
    }
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
        if let Some(prefix) = &ask.evidence {
            let name = |end: &str| {
                let mut name = prefix.clone().into_os_string();
                name.push(format!(".{number}.{end}"));
                PathBuf::from(name)
            };
            files::save(&name("challenge"), &challenge.encode())?;
            if let Ok(proof) = &judged {
                files::save(&name("proof"), &proof.encode())?;
            }
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

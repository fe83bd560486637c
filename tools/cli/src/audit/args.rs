//! The arguments of `pfh audit`.

use super::help;
use crate::exit::Failure;
use crate::leveling::Leveling;
use crate::size;
use crate::tree_key::KeyArgs;
use clap::{Args, Subcommand};
use pfh::audit::{By, Extent};
use std::ffi::OsString;
use std::path::PathBuf;
use std::time::Duration;

/// The steps of an audit.
#[derive(Subcommand)]
#[command(defer = true)]
pub enum Audit {
    /// Print a line for each file, for the auditor to keep: root and length, from its tree.
    Commit(Commit),
    /// Make a question about a file: a fresh random nonce and a sample of leaves.
    Challenge(Challenge),
    /// Answer a question from the file and its tree.
    Prove(Prove),
    /// Judge an answer.
    Verify(Verify),
    /// Prepare audits while you have the data: questions with their answers, each good for one
    /// audit without it.
    Tokens(Tokens),
    /// Follow a change of the file without having it: from the kept root to the new one.
    Renew(Renew),
    /// Stage a server that keeps digests and no data: it passes a plain challenge, and fails ours.
    Demo(Demo),
    #[cfg(feature = "serve")]
    /// Answer questions over HTTP for all files below a directory that have a tree beside them.
    Serve(Serve),
    #[cfg(feature = "serve")]
    /// Ask a server about every file that is kept, and judge its answers.
    Ask(Ask),
}

/// `pfh audit commit`
#[derive(Args)]
#[command(after_help = help::COMMIT)]
pub struct Commit {
    /// Files with a tree beside them (`pfh tree build`).
    #[arg(value_name = "FILE", required = true)]
    pub files: Vec<PathBuf>,
    /// The tree [default: FILE.pfhtree].
    #[arg(long, value_name = "TREE")]
    pub outboard: Option<PathBuf>,
    /// Identity of the file on both sides [default: FILE as given]; on a server, its path below the
    /// server's directory.
    #[arg(long, value_name = "NAME")]
    pub identity: Option<OsString>,
    /// Key of a keyed tree.
    #[command(flatten)]
    pub keyed_tree: KeyArgs,
    /// Write to FILE, which appears only when it is complete.
    #[arg(short, long, value_name = "KEPT")]
    pub output: Option<PathBuf>,
    /// Replace existing files, but never an input.
    #[arg(long)]
    pub force: bool,
}

/// `pfh audit challenge`
#[derive(Args)]
#[command(after_help = help::CHALLENGE)]
pub struct Challenge {
    /// The output of `commit`.
    #[arg(value_name = "KEPT")]
    pub kept: PathBuf,
    /// The file to use, if KEPT has several.
    #[arg(long, value_name = "NAME")]
    pub identity: Option<OsString>,
    /// Size of the sample.
    #[command(flatten)]
    pub sample: Sample,
    /// Write the challenge here [default: standard output].
    #[arg(short, long, value_name = "CHALLENGE")]
    pub output: Option<PathBuf>,
    /// Replace existing files, but never an input.
    #[arg(long)]
    pub force: bool,
}

/// `pfh audit prove`
#[derive(Args)]
#[command(after_help = help::PROVE)]
pub struct Prove {
    /// The challenge, or - for standard input.
    #[arg(value_name = "CHALLENGE")]
    pub challenge: PathBuf,
    /// The file.
    #[arg(value_name = "FILE")]
    pub file: PathBuf,
    /// The tree of FILE [default: FILE.pfhtree].
    #[arg(long, value_name = "TREE")]
    pub outboard: Option<PathBuf>,
    /// Answer with a digest of 32 bytes, keyed by the nonce, for an auditor who has a copy of the
    /// file.
    #[arg(long, conflicts_with = "key")]
    pub keyed: bool,
    /// Sign the answer with this Ed25519 private key (PEM or hexadecimal).
    #[arg(long, value_name = "KEY")]
    pub key: Option<PathBuf>,
    /// Limit the leaves in the answer to this many bytes [default: no limit].
    #[arg(long, value_name = "SIZE", value_parser = size::parse)]
    pub most: Option<u64>,
    /// Write the answer here [default: standard output].
    #[arg(short, long, value_name = "ANSWER")]
    pub output: Option<PathBuf>,
    /// Replace existing files, but never an input.
    #[arg(long)]
    pub force: bool,
}

/// `pfh audit demo`
#[derive(Args)]
#[command(after_help = help::DEMO)]
pub struct Demo {
    /// Size of the file, a multiple of 64 bytes.
    #[arg(long, value_name = "SIZE", value_parser = size::parse, default_value = "16MiB")]
    pub size: u64,
    /// Size of the sample.
    #[command(flatten)]
    pub sample: Sample,
    /// Print one JSON object per line.
    #[arg(long)]
    pub json: bool,
}

/// `pfh audit verify`
#[derive(Args)]
#[command(after_help = help::VERIFY)]
pub struct Verify {
    /// The output of `commit`.
    #[arg(value_name = "KEPT")]
    pub kept: PathBuf,
    /// The challenge: your own, used only once.
    #[arg(value_name = "CHALLENGE")]
    pub challenge: PathBuf,
    /// The answer, or - for standard input.
    #[arg(value_name = "ANSWER")]
    pub answer: PathBuf,
    /// Accept only answers signed by this Ed25519 key (PEM or hexadecimal).
    #[arg(long, value_name = "KEY", conflicts_with = "data")]
    pub signed_by: Option<PathBuf>,
    /// Compute a keyed answer from this copy of the file, which must have the kept root. With
    /// FILE.pfhtree beside it, only the challenged leaves are read.
    #[arg(long, value_name = "FILE")]
    pub data: Option<PathBuf>,
    /// Key of a keyed tree.
    #[command(flatten)]
    pub keyed_tree: KeyArgs,
    /// State the probability of detecting a loss of this fraction of the leaves (1% or 0.01).
    #[arg(long = "find", value_name = "LOSS", value_parser = fraction, default_value = "1%")]
    pub find: f64,
    #[command(flatten)]
    pub levels: Leveling,
    /// Print a JSON object.
    #[arg(long)]
    pub json: bool,
}

/// `pfh audit tokens`
#[derive(Args)]
#[command(after_help = help::TOKENS)]
pub struct Tokens {
    /// The output of `commit`.
    #[arg(value_name = "KEPT")]
    pub kept: PathBuf,
    /// Your copy of the file, which must have the kept root.
    #[arg(long, value_name = "FILE")]
    pub data: PathBuf,
    /// The file to use, if KEPT has several.
    #[arg(long, value_name = "NAME")]
    pub identity: Option<OsString>,
    /// Key of a keyed tree.
    #[command(flatten)]
    pub keyed_tree: KeyArgs,
    /// Number of tokens.
    #[arg(long, value_name = "N", default_value_t = 12, value_parser = clap::value_parser!(u32).range(1..=1_000_000))]
    pub count: u32,
    /// Sample of each token.
    #[command(flatten)]
    pub sample: Sample,
    /// Write the tokens to this file, which only you can read.
    #[arg(short, long, value_name = "TOKENS")]
    pub output: PathBuf,
    /// Replace existing files, but never an input.
    #[arg(long)]
    pub force: bool,
}

/// `pfh audit renew`
#[derive(Args)]
#[command(after_help = help::RENEW)]
pub struct Renew {
    /// The auditor's copy of the file as it was.
    #[arg(value_name = "KEPT")]
    pub kept: PathBuf,
    /// The output of `pfh tree update --proof`, or - for standard input.
    #[arg(value_name = "UPDATE")]
    pub update: PathBuf,
    /// The file to use, if KEPT has several.
    #[arg(long, value_name = "NAME")]
    pub identity: Option<OsString>,
    /// Key of a keyed tree.
    #[command(flatten)]
    pub keyed_tree: KeyArgs,
    /// Write KEPT with the new root here [default: standard output].
    #[arg(short, long, value_name = "KEPT")]
    pub output: Option<PathBuf>,
    /// Replace existing files, but never an input.
    #[arg(long)]
    pub force: bool,
}

#[cfg(feature = "serve")]
/// The server.
#[derive(Args)]
#[command(after_help = help::SERVE)]
pub struct Serve {
    /// Serve the files below this directory that have a tree beside them at the start; nothing else
    /// is opened.
    #[arg(value_name = "DIRECTORY")]
    pub directory: PathBuf,
    /// Address and port (port 0: chosen by the system). Anyone who can connect can ask; think
    /// before listening beyond loopback.
    #[arg(long, value_name = "ADDRESS", default_value = "127.0.0.1:8417")]
    pub listen: String,
    /// Sign answers with this Ed25519 private key (PEM or hexadecimal).
    #[arg(long, value_name = "KEY")]
    pub key: Option<PathBuf>,
    /// Limit the leaves in one answer to this many bytes [default: no limit]. Memory holds one leaf
    /// at a time.
    #[arg(long, value_name = "SIZE", value_parser = size::parse)]
    pub most: Option<u64>,
    /// Time limit for receiving a request, and again for sending the answer; each MiB of leaves
    /// adds a second.
    #[arg(long, value_name = "SECONDS", default_value_t = 60, value_parser = clap::value_parser!(u64).range(1..=86_400))]
    pub timeout: u64,
    /// Number of connections served at a time.
    #[arg(long, value_name = "N", default_value_t = 64, value_parser = clap::value_parser!(u16).range(1..=4096))]
    pub connections: u16,
    /// Do not log requests.
    #[arg(short, long)]
    pub quiet: bool,
}

#[cfg(feature = "serve")]
/// The client.
#[derive(Args)]
#[command(after_help = help::ASK)]
pub struct Ask {
    /// The server: http://HOST:PORT.
    #[arg(value_name = "URL")]
    pub url: String,
    /// The output of `commit`; every file in it is challenged.
    #[arg(value_name = "KEPT", required_unless_present = "tokens")]
    pub kept: Option<PathBuf>,
    /// Challenge only this file.
    #[arg(long, value_name = "NAME")]
    pub identity: Option<OsString>,
    /// Size of the sample.
    #[command(flatten)]
    pub sample: Sample,
    /// Draw one sample from the leaves of all files of KEPT together, not one per file.
    #[arg(long, conflicts_with_all = ["tokens", "keyed"])]
    pub together: bool,
    /// KEPT commits to a catalogue: a file on the server with the `commit` lines of many files. It
    /// is fetched and proved whole, then its files are challenged --together.
    #[arg(long, conflicts_with_all = ["tokens", "keyed"])]
    pub catalogue: bool,
    /// Ask for a keyed digest of the leaves (32 bytes) and compare it with that of --data.
    #[arg(long, requires = "data")]
    pub keyed: bool,
    /// Your copy of the file, or a directory of copies named by their identities. Each must have
    /// the kept root.
    #[arg(long, value_name = "COPY", requires = "keyed")]
    pub data: Option<PathBuf>,
    /// Ask with the next token of `pfh audit tokens`, and mark it as used in the file before the
    /// question is sent.
    #[arg(long, value_name = "TOKENS", conflicts_with_all = ["kept", "keyed", "find", "confidence", "leaves", "all", "signed_by", "identity", "evidence", "key_file"])]
    pub tokens: Option<PathBuf>,
    /// Accept only answers signed by this Ed25519 key (PEM or hexadecimal).
    #[arg(long, value_name = "KEY", conflicts_with = "keyed")]
    pub signed_by: Option<PathBuf>,
    /// Key of a keyed tree.
    #[command(flatten)]
    pub keyed_tree: KeyArgs,
    /// Time limit per file, from the question to the end of the answer; each MiB of leaves adds a
    /// second.
    #[arg(long, value_name = "SECONDS", default_value_t = 60, value_parser = clap::value_parser!(u64).range(1..=86_400))]
    pub timeout: u64,
    /// Keep challenge and answer of the Nth file as PREFIX.N.challenge and PREFIX.N.proof; signed
    /// answers are evidence for others.
    #[arg(long, value_name = "PREFIX", conflicts_with_all = ["keyed", "catalogue"])]
    pub evidence: Option<PathBuf>,
    /// Replace existing files of --evidence, but never an input.
    #[arg(long)]
    pub force: bool,
    /// Repeat at this interval (90s, 15m, 6h, 1d) until an answer is REJECTED (exit 1) or a signal
    /// arrives.
    #[arg(long, value_name = "DURATION", value_parser = duration)]
    pub every: Option<Duration>,
    /// With --every, end after this many rounds, with the worst exit code of all.
    #[arg(long, value_name = "N", requires = "every", value_parser = clap::value_parser!(u32).range(1..))]
    pub rounds: Option<u32>,
    #[command(flatten)]
    pub levels: Leveling,
    /// Print one JSON object per line.
    #[arg(long)]
    pub json: bool,
}

/// A confidence and a loss, a number, or all.
#[derive(Args, Debug, Clone)]
pub struct Sample {
    /// Detect a loss or damage of this fraction of the leaves (1% or 0.01).
    #[arg(long = "find", alias = "corruption", value_name = "LOSS", value_parser = fraction, default_value = "1%")]
    pub find: f64,
    /// Probability of detection (.99 or 99%).
    #[arg(long, value_name = "PROBABILITY", value_parser = fraction, default_value = ".99")]
    pub confidence: f64,
    /// Challenge this many leaves, at most 4,194,304.
    #[arg(long, value_name = "N", conflicts_with_all = ["confidence"], value_parser = clap::value_parser!(u32).range(1..))]
    pub leaves: Option<u32>,
    /// Challenge all leaves: the only sample that is sure to find a single damaged leaf.
    #[arg(long, conflicts_with_all = ["confidence", "find", "leaves"])]
    pub all: bool,
}

impl Sample {
    /// The extent that it asks for.
    pub fn extent(&self) -> Extent {
        let by = match (self.all, self.leaves) {
            (true, _) => By::All,
            (false, Some(leaves)) => By::Leaves(leaves),
            (false, None) => By::Confidence(self.confidence),
        };
        Extent { loss: self.find, by }
    }
}

/// Reads `1%`, `0.01` or `.01`.
fn fraction(text: &str) -> Result<f64, Failure> {
    let (digits, unit) = text.strip_suffix('%').map_or((text, 1.0), |digits| (digits, 100.0));
    let wrong = || format!("{text:?} is not a fraction between 0 and 1: write 1% or 0.01");
    let number: f64 = digits.parse().map_err(|_| wrong())?;
    Ok(Some(number / unit).filter(|fraction| *fraction > 0.0 && *fraction < 1.0).ok_or_else(wrong)?)
}

/// Reads `90s`, `15m`, `6h` or `1d`.
#[cfg(feature = "serve")]
fn duration(text: &str) -> Result<Duration, Failure> {
    let wrong = || format!("{text:?} is not a duration: write 90s, 15m, 6h or 1d");
    let units = [('s', 1), ('m', 60), ('h', 3600), ('d', 86_400)];
    let (digits, seconds) =
        units.iter().find_map(|(unit, seconds)| Some((text.strip_suffix(*unit)?, *seconds))).ok_or_else(wrong)?;
    let number: u64 = digits.parse().map_err(|_| wrong())?;
    let seconds = number.checked_mul(seconds).filter(|seconds| *seconds > 0).ok_or_else(wrong)?;
    Ok(Duration::from_secs(seconds))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn durations() {
        for (text, seconds) in [("90s", 90), ("15m", 900), ("6h", 21_600), ("1d", 86_400)] {
            assert_eq!(duration(text).ok(), Some(Duration::from_secs(seconds)));
        }
        for text in ["", "5", "0s", "-1s", "1w", "s", "99999999999999999999d", "18446744073709551615d"] {
            assert!(duration(text).is_err(), "{text}");
        }
    }
}

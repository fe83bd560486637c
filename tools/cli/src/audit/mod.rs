//! `pfh audit`: does a server still hold the files that it was given?

mod ask;
mod files;
pub mod help;
mod print;
mod sample;
mod serve;

use crate::exit::{self, Exit};
use clap::{Args, Subcommand};
use pfh_audit::Error;
use std::path::PathBuf;

/// The steps of an audit.
#[derive(Subcommand)]
pub enum Audit {
    /// Print what the auditor keeps of files: root and length, from their trees.
    Commit(Commit),
    /// Make a question about a file: a fresh random nonce and a sample of leaves.
    Challenge(Challenge),
    /// Answer a question from the file and its tree.
    Prove(Prove),
    /// Judge an answer.
    Verify(Verify),
    /// Prepare audits while you have the data: questions with their answers, each good for one audit without it.
    Tokens(Tokens),
    /// Follow a change of the file without having it: from the kept root to the new one.
    Renew(Renew),
    /// Answer questions over HTTP for all files below a directory that have a tree beside them.
    Serve(serve::Serve),
    /// Ask a server about every file that is kept, and judge its answers.
    Ask(ask::Ask),
}

/// `pfh audit commit`
#[derive(Args)]
#[command(after_help = help::COMMIT)]
pub struct Commit {
    /// Files with a tree beside them (`pfh tree build`).
    #[arg(value_name = "FILE", required = true)]
    pub files: Vec<PathBuf>,
    /// Where the tree is [default: FILE.pfhtree].
    #[arg(long, value_name = "TREE")]
    pub outboard: Option<PathBuf>,
    /// What both sides call the file [default: the FILE as given]; for a server its path below the server's directory.
    #[arg(long, value_name = "NAME")]
    pub identity: Option<std::ffi::OsString>,
    /// Write to a file that appears whole or not at all.
    #[arg(short, long, value_name = "KEPT")]
    pub output: Option<PathBuf>,
    /// Replace existing files; never one that is read.
    #[arg(long)]
    pub force: bool,
}

/// `pfh audit challenge`
#[derive(Args)]
#[command(after_help = help::CHALLENGE)]
pub struct Challenge {
    /// What `commit` printed.
    #[arg(value_name = "KEPT")]
    pub kept: PathBuf,
    /// Which of the files, if there are several.
    #[arg(long, value_name = "NAME")]
    pub identity: Option<std::ffi::OsString>,
    /// How much is to be shown.
    #[command(flatten)]
    pub sample: sample::Options,
    /// Where the challenge goes [default: standard output].
    #[arg(short, long, value_name = "CHALLENGE")]
    pub output: Option<PathBuf>,
    /// Replace existing files; never one that is read.
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
    /// Where its tree is [default: FILE.pfhtree].
    #[arg(long, value_name = "TREE")]
    pub outboard: Option<PathBuf>,
    /// Answer with 32 bytes under a key made of the nonce, for an auditor who has the file too.
    #[arg(long, conflicts_with = "key")]
    pub keyed: bool,
    /// Sign the answer with this Ed25519 private key (PEM or hexadecimal).
    #[arg(long, value_name = "KEY")]
    pub key: Option<PathBuf>,
    /// Bytes of leaves that an answer may hold [default: no limit].
    #[arg(long, value_name = "SIZE", value_parser = crate::size::parse)]
    pub most: Option<u64>,
    /// Where the answer goes [default: standard output].
    #[arg(short, long, value_name = "ANSWER")]
    pub output: Option<PathBuf>,
    /// Replace existing files; never one that is read.
    #[arg(long)]
    pub force: bool,
}

/// `pfh audit verify`
#[derive(Args)]
#[command(after_help = help::VERIFY)]
pub struct Verify {
    /// What `commit` printed.
    #[arg(value_name = "KEPT")]
    pub kept: PathBuf,
    /// The challenge: your own, asked just once.
    #[arg(value_name = "CHALLENGE")]
    pub challenge: PathBuf,
    /// The answer, or - for standard input.
    #[arg(value_name = "ANSWER")]
    pub answer: PathBuf,
    /// Take only answers that are signed by this Ed25519 key (PEM or hexadecimal).
    #[arg(long, value_name = "KEY", conflicts_with = "data")]
    pub signed_by: Option<PathBuf>,
    /// The answer is a keyed one: compute it from this copy of the file, which must give the kept root (with FILE.pfhtree beside it only
    /// the leaves asked for are read, else all of it).
    #[arg(long, value_name = "FILE")]
    pub data: Option<PathBuf>,
    /// The loss whose probability of being found is stated: a fraction of the leaves (1% or 0.01).
    #[arg(long = "find", value_name = "LOSS", value_parser = sample::fraction, default_value = "1%")]
    pub find: f64,
    /// One JSON object.
    #[arg(long)]
    pub json: bool,
}

/// `pfh audit tokens`
#[derive(Args)]
#[command(after_help = help::TOKENS)]
pub struct Tokens {
    /// What `commit` printed.
    #[arg(value_name = "KEPT")]
    pub kept: PathBuf,
    /// Your copy of the file, which must give the kept root.
    #[arg(long, value_name = "FILE")]
    pub data: PathBuf,
    /// Which of the files, if there are several.
    #[arg(long, value_name = "NAME")]
    pub identity: Option<std::ffi::OsString>,
    /// How many tokens.
    #[arg(long, value_name = "N", default_value_t = 12, value_parser = clap::value_parser!(u32).range(1..=1_000_000))]
    pub count: u32,
    /// How much each asks for.
    #[command(flatten)]
    pub sample: sample::Options,
    /// Where the tokens go: a file that only you may read.
    #[arg(short, long, value_name = "TOKENS")]
    pub output: PathBuf,
    /// Replace existing files; never one that is read.
    #[arg(long)]
    pub force: bool,
}

/// `pfh audit renew`
#[derive(Args)]
#[command(after_help = help::RENEW)]
pub struct Renew {
    /// What is kept of the file as it was.
    #[arg(value_name = "KEPT")]
    pub kept: PathBuf,
    /// What `pfh tree update --proof` wrote, or - for standard input.
    #[arg(value_name = "UPDATE")]
    pub update: PathBuf,
    /// Which of the files, if there are several.
    #[arg(long, value_name = "NAME")]
    pub identity: Option<std::ffi::OsString>,
    /// Where KEPT with the new root goes [default: standard output].
    #[arg(short, long, value_name = "KEPT")]
    pub output: Option<PathBuf>,
    /// Replace existing files; never one that is read.
    #[arg(long)]
    pub force: bool,
}

/// Why a command ends without a result: a sentence, and the exit.
pub struct Stop(String, Exit);

impl Stop {
    fn usage(message: impl std::fmt::Display) -> Stop {
        Stop(message.to_string(), Exit::Usage)
    }
}

impl From<Error> for Stop {
    fn from(error: Error) -> Stop {
        let exit = match &error {
            error if error.is_verdict() => Exit::Verdict,
            Error::Kept { .. }
            | Error::Tokens { .. }
            | Error::Sample(_)
            | Error::Challenge(_)
            | Error::TooLarge { .. } => Exit::Usage,
            Error::Random(_) | Error::Evidence(_) => Exit::Aborted,
            // Nothing was found out.
            _ => Exit::Incomplete,
        };
        Stop(error.to_string(), exit)
    }
}

/// Runs one of the commands.
pub fn run(audit: &Audit) -> Exit {
    let done = match audit {
        Audit::Commit(commit) => files::commit(commit),
        Audit::Challenge(challenge) => files::challenge(challenge),
        Audit::Prove(prove) => files::prove(prove),
        Audit::Verify(verify) => files::verify(verify),
        Audit::Tokens(tokens) => files::tokens(tokens),
        Audit::Renew(renew) => files::renew(renew),
        Audit::Serve(serve) => serve::run(serve),
        Audit::Ask(ask) => ask::run(ask),
    };
    done.unwrap_or_else(|Stop(message, exit)| {
        if !message.is_empty() {
            exit::say(message);
        }
        exit
    })
}

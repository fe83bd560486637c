//! `pfh audit`: does a server still hold the files that it was given?

mod ask;
mod files;
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
    /// Answer questions over HTTP for all files below a directory that have a tree beside them.
    Serve(serve::Serve),
    /// Ask a server about every file that is kept, and judge its answers.
    Ask(ask::Ask),
}

/// `pfh audit commit`
#[derive(Args)]
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
    /// Bytes of leaves that an answer may hold.
    #[arg(long, value_name = "SIZE", value_parser = crate::size::parse, default_value = "1GiB")]
    pub most: u64,
    /// Where the answer goes [default: standard output].
    #[arg(short, long, value_name = "ANSWER")]
    pub output: Option<PathBuf>,
    /// Replace existing files; never one that is read.
    #[arg(long)]
    pub force: bool,
}

/// `pfh audit verify`
#[derive(Args)]
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
    /// The answer is a keyed one: compute it from this copy of the file.
    #[arg(long, value_name = "FILE")]
    pub data: Option<PathBuf>,
    /// One JSON object.
    #[arg(long)]
    pub json: bool,
}

/// Why a command ends without a result: a sentence, and the exit.
pub struct Stop(String, Exit);

impl Stop {
    fn usage(message: impl Into<String>) -> Stop {
        Stop(message.into(), Exit::Usage)
    }
}

impl From<Error> for Stop {
    fn from(error: Error) -> Stop {
        let exit = match &error {
            error if error.is_verdict() => Exit::Verdict,
            Error::Kept { .. } | Error::Sample(_) | Error::Challenge(_) | Error::TooLarge { .. } => Exit::Usage,
            Error::Random(_) => Exit::Aborted,
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

//! The errors of either side of an audit.

use pfh_outboard::Failure;
use pfh_source::Problem;
use pfh_tree::WireError;
use pfh_tree::audit::{ImpossibleSample, ProofError, Rejection};
use std::io;

/// Why there is no challenge, no answer or no verdict, or why the verdict is negative.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// A line of kept commitments is none; the number counts from 1.
    #[error("line {line} is not a commitment: {why}")]
    Kept {
        /// Which line.
        line: usize,
        /// The fault.
        why: &'static str,
    },
    /// The operating system has no random numbers.
    #[error("no random numbers: {0}")]
    Random(io::Error),
    /// The sample makes no sense.
    #[error("{0}")]
    Sample(#[from] ImpossibleSample),
    /// No challenge, or a changed one.
    #[error("not a challenge: {0}")]
    Challenge(WireError),
    /// The bytes that came are not an answer.
    #[error("not an answer: {0}")]
    Answer(WireError),
    /// The answer proves nothing.
    #[error("{0}")]
    Rejected(#[from] Rejection),
    /// The tree cannot be used.
    #[error("{0}")]
    Tree(#[from] Failure),
    /// The file cannot be read, or changed meanwhile.
    #[error("{0}")]
    Read(#[from] Problem),
    /// Tree and file cannot answer this challenge.
    #[error("{0}")]
    Unproved(#[from] ProofError),
    /// The answer ended with the connection, or could not be read.
    #[error("the answer could not be read to its end: {0}")]
    Interrupted(std::io::Error),
    /// The server sent nothing.
    #[error("the server sent no answer")]
    Cut,
    /// The answer could not be kept.
    #[error("the answer cannot be kept: {0}")]
    Evidence(std::io::Error),
    /// A file of tokens is none.
    #[error("line {line} of the tokens is wrong: {why}")]
    Tokens {
        /// Which line, from 1.
        line: usize,
        /// The fault.
        why: &'static str,
    },
    /// All tokens have been used.
    #[error("all tokens have been used: make new ones while you have the data")]
    NoToken,
    /// The answer would have more bytes than are allowed.
    #[error("an answer of {asked} bytes was asked for, {most} are allowed")]
    TooLarge {
        /// Bytes of the leaves asked for.
        asked: u64,
        /// Bytes that are allowed.
        most: u64,
    },
    /// The server has as much to do as it may.
    #[error("too much is asked for at the moment")]
    Busy,
    /// No file of this name is registered.
    #[error("no file of this name is registered")]
    Unknown,
    /// The server could not be asked: no connection, no answer in time, no HTTP.
    #[error("{0}")]
    Transport(Box<dyn std::error::Error + Send + Sync>),
    /// The server answered with something else than a proof.
    #[error("the server refused: {status} {reason}")]
    Refused {
        /// HTTP's status.
        status: u16,
        /// Its reason, cut and made safe to print.
        reason: String,
    },
}

impl Error {
    /// Whether this is a negative verdict about the server: it answered, and its answer proves
    /// nothing. A refusal is not an answer: whether the server could have given one is not known.
    pub fn is_verdict(&self) -> bool {
        matches!(self, Error::Rejected(_) | Error::Answer(_))
    }
}

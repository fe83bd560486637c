//! The result of a run for each input.

use pfh_digest::Digest;
use pfh_source::{Problem, ReadResult, Skip};
use std::borrow::Cow;

/// One input path's outcome. Every input path has exactly one record.
#[derive(Debug, Clone)]
pub struct Record {
    /// Position in input order, from 0.
    pub number: u64,
    /// The name: bytes, as given or found.
    pub name: Vec<u8>,
    /// Its outcome.
    pub outcome: Outcome,
}

/// The outcome of one input.
#[derive(Debug, Clone)]
pub enum Outcome {
    /// A complete and consistent read.
    Hashed(HashedFile),
    /// Listed, not read.
    Skipped(Skip),
    /// No digest can be given.
    Failed(Problem),
}

impl Outcome {
    /// Why there are no digests, as a sentence; `None` if there are some.
    pub fn cause(&self) -> Option<Cow<'static, str>> {
        match self {
            Outcome::Hashed(_) => None,
            Outcome::Skipped(skip) => Some(skip.reason().into()),
            Outcome::Failed(problem) => Some(problem.cause.to_string().into()),
        }
    }
}

/// Digests of a complete and consistent read.
#[derive(Debug, Clone)]
pub struct HashedFile {
    /// Size and metadata.
    pub closed: ReadResult,
    /// One digest per algorithm of the plan, in its order.
    pub digests: Vec<Digest>,
    /// Digests of its windows, in offset order, where the plan asks for them.
    pub pieces: Vec<Piece>,
}

/// One window of a message.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Piece {
    /// Where it starts, in bytes.
    pub offset: u64,
    /// Its length in bytes; the last one may be short.
    pub length: u64,
    /// One digest per algorithm of the plan, in its order.
    pub digests: Vec<Digest>,
}

//! What happens during a comparison.

use super::{Hot, ListProblem, Refused, SearchStats};
use pfh_digest::Algorithm;
use pfh_engine::Record;
use pfh_similarity::Score;
use std::io;

/// What happens during a comparison. Events come on the thread that called [`run`](super::run).
#[derive(Debug, Clone, Copy)]
#[non_exhaustive]
pub enum Event<'a> {
    /// A file could not be read, or was skipped.
    Unread(&'a Record),
    /// A digest cannot be compared.
    Refused(&'a [u8], &'a Refused),
    /// Something of a list was not understood.
    List(&'a ListProblem),
    /// All files of a set were read once.
    Passed(&'a pfh_engine::Summary),
    /// All digests are there.
    Gathered {
        /// Directories that were left out, since only the files beside them were asked for.
        directories: u64,
        /// Whether there are two inputs to compare, or one in each set.
        comparable: bool,
    },
    /// That many inputs have no digest of this algorithm.
    Without(Algorithm, u64),
    /// Too many digests have something in common: comparing them takes long.
    Costly(Algorithm, &'a Hot),
    /// Pairs with a saturated digest, which is similar to random data.
    Saturated {
        /// The algorithm.
        algorithm: Algorithm,
        /// How many.
        pairs: u64,
        /// Whether they are in the output.
        listed: bool,
    },
    /// All pairs of one algorithm are found and written.
    Searched(&'a Searched<'a>),
}

/// What became of one algorithm's digests.
#[derive(Debug, Clone, Copy)]
#[non_exhaustive]
pub struct Searched<'a> {
    /// The algorithm.
    pub algorithm: Algorithm,
    /// Digests that were compared.
    pub digests: u64,
    /// The pairs, and what finding them took.
    pub found: &'a SearchStats,
    /// Groups that were written, or pairs if not all are listed.
    pub written: u64,
    /// The best score of a pair.
    pub best: Option<Score>,
    /// Whether [`Event::Costly`] was reported.
    pub costly: bool,
}

/// Receives the events of a comparison. An error ends it with [`Error::Sink`](super::Error::Sink).
pub type Sink<'a> = dyn FnMut(Event<'_>) -> io::Result<()> + 'a;

//! The request of a search for pairs, and its results.

use crate::templates::Templates;
use pfh_similarity::{Degenerate, Evidence, Score};
use std::io;
use std::ops::ControlFlow;

/// In which order the pairs come.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum PairOrder {
    /// By the earlier digest of a pair, then by the later one: as `sdhash -g` and `mrsh -g` print.
    Earlier,
    /// By the later one first: as `ssdeep -d` prints.
    Later,
}

/// The request.
#[derive(Clone, Copy, Debug)]
pub struct Search {
    /// The score that a pair must reach.
    pub threshold: Score,
    /// Chunks or features that both must have, where features decide (sdhash, mrsh-v2).
    pub least_shared: u64,
    /// The order of the pairs.
    pub order: PairOrder,
    /// Bytes for the index and for the pairs that wait to be sorted, beside the digests.
    pub memory: usize,
    /// Threads that compare digests of sdhash, mrsh-v2 and TLSH, 1 at least; the pairs are the
    /// same.
    pub threads: usize,
    /// Let names decide ties of sdhash digests, as the reference does; otherwise the order of the
    /// digests does.
    pub names: bool,
}

/// A pair that reaches the threshold.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Pair {
    /// The place of the earlier digest.
    pub a: u32,
    /// The place of the later one.
    pub b: u32,
    /// How alike they are.
    pub score: Score,
    /// The parts that they share for certain, where the features were kept.
    pub evidence: Evidence,
    /// Why the score may mean nothing.
    pub degenerate: Option<Degenerate>,
}

/// Something that most digests have in common, which costs most of the time.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Hot {
    /// Its name: block size and letters, or a feature in hexadecimal.
    pub what: String,
    /// The digests that have it.
    pub digests: u64,
}

/// The result of a search.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct SearchStats {
    /// Pairs handed out.
    pub pairs: u64,
    /// Pairs of digests, or of filters for sdhash and mrsh-v2, that were compared.
    pub compared: u64,
    /// Passes of the index.
    pub passes: u32,
    /// Sorted runs in a temporary file.
    pub spilled: usize,
    /// The features that most digests have in common, most first.
    pub hottest: Vec<Hot>,
    /// Windows or strings that no pair was found by, since more than [`COMMON`] digests have them.
    pub common: u64,
    /// Which digests hold windows of templates, where those count nothing.
    pub templates: Templates,
}

/// Digests that may have a window or string in common, before it says nothing about two of them.
pub const COMMON: usize = 1000;

/// Why a search ended before its time.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Failure {
    /// The caller asked it to.
    #[error("interrupted: the pairs are not complete")]
    Interrupted,
    /// The temporary file.
    #[error("temporary file: {0}")]
    Spill(#[source] io::Error),
    /// The receiver of the pairs.
    #[error("the output failed: {0}")]
    Output(#[source] io::Error),
}

/// Watches a search.
pub trait Watch {
    /// That many of all steps are done; of 0 in all nobody knows. May end the search.
    fn progress(&mut self, done: u64, all: u64) -> ControlFlow<()>;

    /// The features that most digests have in common, most first, before they are compared. May be
    /// reported more than once.
    fn hot(&mut self, hottest: &[Hot]) {
        let _ = hottest;
    }
}

impl<F: FnMut(u64, u64) -> ControlFlow<()>> Watch for F {
    fn progress(&mut self, done: u64, all: u64) -> ControlFlow<()> {
        self(done, all)
    }
}

/// A progress callback.
pub type Watcher<'a> = &'a mut dyn Watch;

//! All pairs of similar digests among many, exactly: the same pairs and scores as comparing each
//! with each, sooner.
//!
//! * [`ssdeep`]: an inverted index of seven-letter sequences. No score above 0 is possible without
//!   one in common, except between identical digests that are too short to have any, which are
//!   found by themselves.
//! * [`mod@tlsh`]: digests grouped by length and quartile ratios, whose terms of the distance bound
//!   it from below; of the groups that remain, eight bodies at a time.
//! * [`bits()`], of digests of pictures: equal pieces, or pieces that differ in one bit. Nothing
//!   more distant than the threshold allows lacks one.
//! * [`crops_share`], of digests of parts of pictures: points whose surroundings have one of two
//!   keys in common. Points without one are not alike.
//! * [`sdhash`], [`mrsh_v2`]: every filter against every filter, 512 at a time and bit by bit,
//!   until none of them can have the bits in common that a score needs. Bloom filters of unrelated
//!   inputs can score by chance, and a third of their bits are set: an index of bits would leave
//!   out none.
//!
//! All of them hand out pairs as they find them and keep none; [`Clusters`] and [`Complete`] make
//! groups of them.

mod bits;
mod cluster;
mod complete;
mod crops;
mod each;
mod filters;
mod grams;
mod linked;
mod packed;
mod ranges;
mod rule;
mod tiles;

pub use bits::{bits, bits_share};
pub use cluster::Clusters;
pub use complete::{Complete, LinkedPlaces};
pub use crops::crops_share;
pub use each::each_share;
pub use filters::{Filters, mrsh_v2, sdhash};
pub use grams::{keys, ssdeep, ssdeep_share};
pub use linked::ssdeep_groups;
pub use ranges::{Ranges, tlsh};

use crate::Score;
use std::ops::ControlFlow;

/// Two digests that are similar enough.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Hit {
    /// The place of one in the list, smaller than `b`.
    pub a: u32,
    /// The place of the other.
    pub b: u32,
    /// Their score.
    pub score: Score,
}

/// Which pairs are asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Pairs {
    /// Every digest with every other.
    All,
    /// Those before this place in the list with those from it on: two sets against each other.
    Across(u32),
}

impl Pairs {
    /// Whether the pair of the digests at these places is asked for.
    pub fn include(self, a: u32, b: u32) -> bool {
        match self {
            Pairs::All => true,
            Pairs::Across(split) => (a < split) != (b < split),
        }
    }
}

/// Which part of a search is done: several parts, each by a thread of its own, together hand out
/// the pairs of one whole search.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Share {
    /// The number of this part, below `of`.
    pub part: u32,
    /// The number of parts, 1 at least.
    pub of: u32,
}

impl Share {
    /// All of it.
    pub const WHOLE: Share = Share { part: 0, of: 1 };
}

/// Takes the pairs.
pub trait Visitor {
    /// Takes a pair; each comes once, in no particular order. May stop the search.
    fn hit(&mut self, hit: Hit) -> ControlFlow<()>;

    /// `done` of `total` steps, which take about the same time each, are done. May stop the search.
    fn progress(&mut self, done: u64, total: u64) -> ControlFlow<()> {
        let _ = (done, total);
        ControlFlow::Continue(())
    }

    /// The sequences that most digests have in common, most first, as far as they are known before
    /// the digests are compared (ssdeep).
    fn hot(&mut self, hottest: &[HotGram]) {
        let _ = hottest;
    }
}

/// A list of pairs takes them all.
impl Visitor for Vec<Hit> {
    fn hit(&mut self, hit: Hit) -> ControlFlow<()> {
        self.push(hit);
        ControlFlow::Continue(())
    }
}

/// The report of a search.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Report {
    /// Pairs of digests, or for sdhash and mrsh-v2 pairs of filters, that were compared.
    pub compared: u64,
    /// The seven-letter sequences that most digests have in common, most first (ssdeep): they cost
    /// the most time, as each digest with such a sequence is compared with each other one. None is
    /// left out for that.
    pub hottest: Vec<HotGram>,
    /// Passes over the digests that the memory allowed took (ssdeep).
    pub passes: u32,
}

/// A sequence of letters that many digests share.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HotGram {
    /// The block size in bytes.
    pub block_size: u64,
    /// The letters.
    pub letters: [u8; 7],
    /// Digests that have it.
    pub digests: u64,
}

/// A pair with the smaller place first.
fn ordered(a: u32, b: u32, score: Score) -> Hit {
    Hit { a: a.min(b), b: a.max(b), score }
}

/// The number of digests as places are counted.
///
/// # Panics
/// If there are 2^31 or more.
fn count<T>(digests: &[T]) -> u32 {
    u32::try_from(digests.len()).ok().filter(|&count| count < 1 << 31).expect("fewer than 2^31 digests")
}

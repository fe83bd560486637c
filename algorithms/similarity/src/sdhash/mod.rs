//! sdhash: similarity digests of statistically improbable features, version 4.0 by Vassil Roussev
//! and Candice Quates.
//!
//! Every 64-byte window gets a rank by its entropy; windows that are the lowest-ranked of their
//! neighbourhood often enough are features, and the SHA-1 of each sets five bits in a Bloom filter.
//! In stream mode a full filter is followed by another; in block mode each block of the input has
//! one.

mod compare;
mod digest;
mod features;
mod generate;
mod mode;
mod ranks;
mod reference;
mod saturated;
mod segments;
pub mod tables;

pub use compare::compare;
pub(crate) use compare::{LEAST_ELEMENTS, cutoff, filter_score};
pub use digest::Digest;
pub use generate::{FeaturedSdhash, Generator};
pub(crate) use mode::WINDOW;
pub use mode::{MINIMUM_LENGTH, REFERENCE_STREAM_LIMIT, Sdhash};
pub use reference::Either;
pub use segments::{SEGMENT, Segment, split_name};

use crate::{Comparison, Evidence, Method, Score};
use std::cmp::Ordering;

impl Method for Sdhash {
    type Digest = Digest;
    type Hasher = Generator;

    fn name(&self) -> &'static str {
        match self.block {
            None => "sdhash-stream",
            Some(_) => "sdhash-dd",
        }
    }

    fn hasher(&self) -> Generator {
        Generator::new(*self)
    }

    /// The score as [`compare`] gives it for equal names. A pair that the reference gives no score
    /// scores 0.
    fn compare(&self, a: &Digest, b: &Digest) -> Comparison {
        Comparison {
            score: Score::Similarity(compare(a, b, Ordering::Equal).unwrap_or(0)),
            evidence: Evidence::default(),
            degenerate: a.degenerate().max(b.degenerate()),
        }
    }
}

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
mod ranks;
mod reference;
mod saturated;
mod segments;
pub mod tables;

pub use compare::compare;
pub(crate) use compare::{LEAST_ELEMENTS, cutoff, filter_score};
pub use digest::Digest;
pub use generate::{Featured, Generator};
pub use reference::Either;
pub use segments::{SEGMENT, Segment, split_name};

use crate::{Comparison, Evidence, Method, Score};
use std::cmp::Ordering;

/// The shortest input with a digest, in bytes.
pub const MINIMUM_LENGTH: u64 = 512;
/// From this length in bytes on, the reference uses block mode by default.
pub const REFERENCE_STREAM_LIMIT: u64 = 16 << 20;
/// Bytes of a window, and of a feature.
pub(crate) const WINDOW: usize = 64;

/// The method in one of its modes. Digests of different modes can be compared, as the reference
/// does.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Sdhash {
    /// Bytes of a block; none in stream mode.
    pub(crate) block: Option<u32>,
}

impl Sdhash {
    /// Stream mode, `sdbf:03`: the reference's choice below 16 MiB, and its `-b 0` for all lengths.
    pub const STREAM: Sdhash = Sdhash { block: None };
    /// Block mode with 16 KiB, `sdbf-dd:03`: the reference's choice from 16 MiB on, and its `-b
    /// 16`.
    pub const BLOCKS: Sdhash = Sdhash { block: Some(16 << 10) };

    /// Block mode with this many KiB, 1 to 16: the reference's `-b`.
    pub fn with_blocks(kib: u32) -> Option<Sdhash> {
        (1..=16).contains(&kib).then_some(Sdhash { block: Some(kib << 10) })
    }

    /// The mode that the reference uses for an input of this length in bytes. (Beyond 128 MiB, it
    /// also cuts the input into segments of that length and makes a digest of each: see
    /// [`Digest::into_segments`].)
    pub fn of_reference(length: u64) -> Sdhash {
        if length < REFERENCE_STREAM_LIMIT { Sdhash::STREAM } else { Sdhash::BLOCKS }
    }
}

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

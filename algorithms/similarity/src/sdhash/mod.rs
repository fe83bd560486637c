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
pub use generate::{Featured, Generator};
pub(crate) use mode::WINDOW;
pub use mode::{MINIMUM_LENGTH, REFERENCE_STREAM_LIMIT, Sdhash};
pub use reference::Either;
pub use segments::{SEGMENT, Segment, split_name};

use crate::registry::{Keeping, kept, parse, row, start};
use crate::{Comparison, Content, Evidence, Method, Named, ParseError, Profile, Score};
use pfh_digest::Row;
use std::cmp::Ordering;

const ALL: Profile = Profile {
    threshold: Score::Similarity(30),
    marks: |text| text.starts_with(b"sdbf:"),
    ..Profile::plain("sdhash", |_, text| text.parse().map(Content::Sdhash))
};

/// Of the mode that the reference takes, of streams, and of blocks.
pub(crate) const PROFILE: Profile = Profile { aliases: &["sdbf"], ..ALL };
pub(crate) const STREAM: Profile =
    Profile { name: "sdhash-stream", marks: |_| false, parse: |_, text| of_mode(text, false), ..ALL };
pub(crate) const BLOCKS: Profile = Profile {
    name: "sdhash-dd",
    aliases: &["sdbf-dd"],
    marks: |text| text.starts_with(b"sdbf-dd:"),
    parse: |_, text| of_mode(text, true),
    ..ALL
};

fn of_mode(text: &str, blocks: bool) -> Result<Content, ParseError> {
    let digest: Digest = text.parse()?;
    if digest.block().is_some() == blocks { Ok(Content::Sdhash(digest)) } else { Err(ParseError::Marker) }
}

pub(crate) const ROW: Row =
    row(&Named::Sdhash, |text| parse(Named::Sdhash, text), || start(Named::Sdhash, Either::new(false)))
        .with_features(|| kept(Named::Sdhash, Either::new(true)));

pub(crate) const STREAM_ROW: Row = row(
    &Named::SdhashStream,
    |text| parse(Named::SdhashStream, text),
    || start(Named::SdhashStream, Sdhash::STREAM.hasher()),
)
.with_features(|| kept(Named::SdhashStream, Generator::keeping_features(Sdhash::STREAM)));

pub(crate) const BLOCKS_ROW: Row =
    row(&Named::SdhashDd, |text| parse(Named::SdhashDd, text), || start(Named::SdhashDd, Sdhash::BLOCKS.hasher()))
        .with_features(|| kept(Named::SdhashDd, Generator::keeping_features(Sdhash::BLOCKS)));

impl From<Digest> for Content {
    fn from(digest: Digest) -> Content {
        Content::Sdhash(digest)
    }
}

impl Keeping for Either {
    fn finish(self) -> Option<(Content, Vec<u64>)> {
        let featured = self.finalize_featured().ok()?;
        Some((featured.digest.into(), featured.features))
    }
}

impl Keeping for Generator {
    fn finish(self) -> Option<(Content, Vec<u64>)> {
        let featured = self.finalize_featured().ok()?;
        Some((featured.digest.into(), featured.features))
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

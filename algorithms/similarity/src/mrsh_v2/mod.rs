//! mrsh-v2: multi-resolution similarity hashing, version 2.0 of 2013 by Frank Breitinger.
//!
//! A rolling hash cuts the input into chunks of about `block size` bytes; each chunk's FNV-1a hash
//! sets five bits in a Bloom filter, and a full filter is followed by another. After a cut the
//! rolling hash skips a quarter of a block.

mod compare;
mod digest;
mod fnv1a;
mod generate;
mod parameters;

pub use compare::{Base, compare};
pub(crate) use compare::{cutoff, filter_score};
pub use digest::Digest;
pub use generate::{Featured, Generator};
pub use parameters::{Ends, MrshV2};

use crate::registry::{Keeping, kept, parse, row, start};
use crate::{Comparison, Content, Evidence, Method, Named, Profile, Score};
use pfh_digest::Row;

impl MrshV2 {
    /// Reads one line of the reference's file format without its end.
    pub fn parse_line<'a>(&self, line: &'a [u8]) -> Result<(Digest, &'a [u8]), crate::ParseError> {
        digest::parse_line(line, self.maximum)
    }
}

pub(crate) const PROFILE: Profile = Profile {
    aliases: &["mrsh", "mrshv2"],
    unit: "chunk",
    shared: 5,
    marks: |text| text.starts_with(b":"),
    ..Profile::plain("mrsh-v2", |_, text| text.parse().map(Content::MrshV2))
};

/// Without the first and the last chunk. Its digests look like those of the plain kind, and are
/// taken for such.
pub(crate) const NETWORK: Profile =
    Profile { name: "mrsh-v2-network", aliases: &["mrsh-v2n"], marks: |_| false, ..PROFILE };

pub(crate) const ROW: Row =
    row(&Named::MrshV2, |text| parse(Named::MrshV2, text), || start(Named::MrshV2, MrshV2::PLAIN.hasher()))
        .with_features(|| kept(Named::MrshV2, Generator::keeping_features(MrshV2::PLAIN)));

pub(crate) const NETWORK_ROW: Row = row(
    &Named::MrshV2Network,
    |text| parse(Named::MrshV2Network, text),
    || start(Named::MrshV2Network, MrshV2::NETWORK.hasher()),
)
.with_features(|| kept(Named::MrshV2Network, Generator::keeping_features(MrshV2::NETWORK)));

impl From<Digest> for Content {
    fn from(digest: Digest) -> Content {
        Content::MrshV2(digest)
    }
}

impl Keeping for Generator {
    fn finish(self) -> Option<(Content, Vec<u64>)> {
        let featured = self.finalize_featured();
        Some((featured.digest.into(), featured.chunks))
    }
}

impl Method for MrshV2 {
    type Digest = Digest;
    type Hasher = Generator;

    fn name(&self) -> &'static str {
        match self.ends {
            Ends::Kept => "mrsh-v2",
            Ends::Dropped => "mrsh-v2-network",
        }
    }

    fn hasher(&self) -> Generator {
        Generator::new(*self)
    }

    /// The score as `compare` of this module gives it for [`Base::Smaller`]; on a tie of lengths
    /// the order of the two can matter by a point or two.
    fn compare(&self, a: &Digest, b: &Digest) -> Comparison {
        Comparison {
            score: Score::Similarity(compare(self, a, b, Base::Smaller)),
            evidence: Evidence::default(),
            degenerate: a.degenerate(self).max(b.degenerate(self)),
        }
    }
}

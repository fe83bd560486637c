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
pub use generate::{FeaturedMrsh, Generator};
pub use parameters::{Ends, MrshV2};

use crate::{Comparison, Evidence, Method, Score};

impl MrshV2 {
    /// Reads one line of the reference's file format without its end.
    pub fn parse_line<'a>(&self, line: &'a [u8]) -> Result<(Digest, &'a [u8]), crate::ParseError> {
        digest::parse_line(line, self.maximum)
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

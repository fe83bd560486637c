//! mrsh-v2: multi-resolution similarity hashing, version 2.0 of 2013 by Frank Breitinger.
//!
//! A rolling hash cuts the input into chunks of about `block size` bytes; each chunk's FNV-1a hash
//! sets five bits in a Bloom filter, and a full filter is followed by another. After a cut the
//! rolling hash skips a quarter of a block.

mod compare;
mod digest;
mod fnv1a;
mod generate;

pub use compare::{Base, compare};
pub(crate) use compare::{cutoff, filter_score};
pub use digest::Digest;
pub use generate::{Featured, Generator};

use crate::{Comparison, Evidence, Method, Score};

/// Whether the first and the last chunk enter the digest.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Ends {
    /// They do: the reference's plain build.
    Kept,
    /// They do not, so that a fragment's digest holds only chunks of the whole: the reference's
    /// `-Dnetwork` build.
    Dropped,
}

/// The method with its parameters. Digests made with different parameters must not be compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct MrshV2 {
    /// The reference's `b`: a chunk ends on average after this many bytes and the skip. 8 to
    /// 65,536.
    pub(crate) block_size: u32,
    /// Chunks that a filter holds. 8 to 400.
    pub(crate) maximum: u32,
    /// Chunks below which a filter is not compared. 1 to `maximum`.
    pub(crate) minimum: u32,
    pub(crate) ends: Ends,
}

impl MrshV2 {
    /// mrsh-v2 2.0: block size 160, 160 chunks per filter, no filter under 8 compared.
    pub const PLAIN: MrshV2 = MrshV2 { block_size: 160, maximum: 160, minimum: 8, ends: Ends::Kept };
    /// The same built with `-Dnetwork`.
    pub const NETWORK: MrshV2 = MrshV2 { ends: Ends::Dropped, ..MrshV2::PLAIN };

    /// Other parameters: block size 8 to 65,536, `maximum` chunks per filter 8 to 400, `minimum` to
    /// compare 1 to `maximum`. None where one is out of its range.
    pub fn with_parameters(block_size: u32, maximum: u32, minimum: u32, ends: Ends) -> Option<MrshV2> {
        let fits =
            (8..=65_536).contains(&block_size) && (8..=400).contains(&maximum) && (1..=maximum).contains(&minimum);
        fits.then_some(MrshV2 { block_size, maximum, minimum, ends })
    }

    /// Bytes that the rolling hash skips after a cut: a quarter of the block size.
    pub fn skip(&self) -> usize {
        self.block_size as usize / 4
    }

    /// Reads one line of the reference's file format without its end.
    pub fn parse_line<'a>(&self, line: &'a [u8]) -> Result<(Digest, &'a [u8]), crate::ParseError> {
        digest::parse_line(line, self.maximum)
    }
}

impl Default for MrshV2 {
    fn default() -> MrshV2 {
        MrshV2::PLAIN
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

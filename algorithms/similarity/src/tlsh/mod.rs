//! TLSH 4.12: 128 buckets, one byte of checksum, version mark `T1`.
//!
//! Text and comparison are the crate fast-tlsh's; the buckets are counted by the kernel crate.

mod digest;
mod generate;

pub use digest::{BYTES, Digest, MAXIMUM_LENGTH, MINIMUM_LENGTH};
pub use generate::Generator;

use crate::{Comparison, Degenerate, Evidence, Method, Score};

/// The method TLSH; it has no parameters.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Tlsh;

impl Method for Tlsh {
    type Digest = Digest;
    type Hasher = Generator;

    fn name(&self) -> &'static str {
        "tlsh"
    }

    fn hasher(&self) -> Generator {
        Generator::default()
    }

    fn compare(&self, a: &Digest, b: &Digest) -> Comparison {
        // Where the third quartile of the buckets is low, many buckets are empty; TLSH refuses the
        // worst of these inputs itself.
        let degenerate = (a.ratios() == (0, 0) || b.ratios() == (0, 0)).then_some(Degenerate::LowEntropy);
        Comparison { score: Score::Distance(a.distance(b)), evidence: Evidence::default(), degenerate }
    }
}

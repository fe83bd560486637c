//! PDQ, the perceptual hash of pictures that Meta published (*The TMK+PDQF Video-Hashing Algorithm
//! and the PDQ Image-Hashing Algorithm*, 2019): 256 bits of a cosine transform, written here from
//! the description.
//!
//! The luma is smoothed twice by a moving average and sampled at 64 by 64 points; of its cosine
//! transform the frequencies 1 to 16 in both directions are compared with their median. Digests are
//! those of Meta's program but for a few bits, as luma and sums are rounded otherwise. Pictures
//! whose quality, in PDQ's measure, is below [`LEAST_QUALITY`](crate::pictures::LEAST_QUALITY) have
//! none.

mod digest;
#[cfg(feature = "pictures")]
mod generate;
mod turned;

pub use digest::Digest;
#[cfg(feature = "pictures")]
pub use generate::{Generator, SampledPicture};
pub use turned::{Orientation, nearest};

#[cfg(feature = "pictures")]
use crate::{Comparison, Evidence, Method, NoDigest, Score};

/// The method; it has no parameters.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Pdq;

#[cfg(feature = "pictures")]
impl Method for Pdq {
    type Digest = Digest;
    type Hasher = Generator;

    fn name(&self) -> &'static str {
        "pdq"
    }

    fn hasher(&self) -> Generator {
        Generator::default()
    }

    fn digest(&self, input: &[u8]) -> Result<Digest, NoDigest> {
        SampledPicture::of(input)?.digest()
    }

    fn compare(&self, a: &Digest, b: &Digest) -> Comparison {
        Comparison { score: Score::Distance(a.distance(b)), evidence: Evidence::default(), degenerate: None }
    }
}

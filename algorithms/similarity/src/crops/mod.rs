//! Parts of pictures: places that differ from all around them, at every scale, with the form of
//! their surroundings. A picture that was cropped, made larger or smaller, turned or mirrored keeps
//! them, and two pictures of one scene have them at the same places if one is laid over the other.
//!
//! The places are those that Lowe describes (*Distinctive Image Features from Scale-Invariant
//! Keypoints*, 2004): extremes of differences of two blurred pictures, in space and scale. The form
//! is the signs of a cosine transform of 8 by 8 samples, as in perceptual hashes.

mod common;
mod digest;
#[cfg(feature = "pictures")]
mod generate;
#[cfg(feature = "pictures")]
mod pyramid;

pub use common::common;
pub(crate) use common::{HALVES, count, is_alike, turned};
pub use digest::{Digest, LEAST_POINTS, Point};
#[cfg(feature = "pictures")]
pub use generate::Generator;

#[cfg(feature = "pictures")]
use crate::{Comparison, Evidence, Method, NoDigest, Score};

/// The method; it has no parameters.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Crops;

#[cfg(feature = "pictures")]
impl Method for Crops {
    type Digest = Digest;
    type Hasher = Generator;

    fn name(&self) -> &'static str {
        "crops"
    }

    fn hasher(&self) -> Generator {
        Generator::default()
    }

    fn digest(&self, input: &[u8]) -> Result<Digest, NoDigest> {
        generate::of_file(input)
    }

    fn compare(&self, a: &Digest, b: &Digest) -> Comparison {
        Comparison { score: Score::Similarity(common(a, b)), evidence: Evidence::default(), degenerate: None }
    }
}

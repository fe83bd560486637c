//! The perceptual hash of 64 bits that many programs call pHash, as the Python package ImageHash
//! computes it: the picture is scaled to 32 by 32 pixels, and the lowest 8 by 8 frequencies of its
//! cosine transform are compared with their median.
//!
//! Scaling is Pillow's with Lanczos' function. Pictures with little contrast, in PDQ's measure,
//! have none.

mod digest;
#[cfg(feature = "pictures")]
mod generate;

pub use digest::Digest;
#[cfg(feature = "pictures")]
pub use generate::{Generator, ScaledPicture};

#[cfg(feature = "pictures")]
use crate::{Comparison, Evidence, Method, NoDigest, Score};

/// The method; it has no parameters.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Phash;

#[cfg(feature = "pictures")]
impl Method for Phash {
    type Digest = Digest;
    type Hasher = Generator;

    fn name(&self) -> &'static str {
        "phash"
    }

    fn hasher(&self) -> Generator {
        Generator::default()
    }

    fn digest(&self, input: &[u8]) -> Result<Digest, NoDigest> {
        ScaledPicture::of(input)?.digest()
    }

    fn compare(&self, a: &Digest, b: &Digest) -> Comparison {
        Comparison { score: Score::Distance(a.distance(b)), evidence: Evidence::default(), degenerate: None }
    }
}

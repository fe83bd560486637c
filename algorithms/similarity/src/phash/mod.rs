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
pub use generate::{Generator, Scaled};

use crate::pictures;
#[cfg(feature = "pictures")]
use crate::registry::{parse, row, start};
#[cfg(feature = "pictures")]
use crate::{Comparison, Evidence, Method, Named, NoDigest, Similar};
use crate::{Content, Profile, Score};
#[cfg(feature = "pictures")]
use pfh_digest::Row;

/// The method; it has no parameters.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Phash;

pub(crate) const PROFILE: Profile = Profile {
    lacking: pictures::LACKING,
    lacking_all: pictures::LACKING_ALL,
    digits: Some(16),
    // Of 524,487 unrelated pairs of pictures none is nearer than 8 (bench/record, pictures).
    threshold: Score::Distance(6),
    reference: Score::Distance(6),
    ..Profile::plain("phash", |_, text| text.parse().map(Content::Phash))
};

#[cfg(feature = "pictures")]
pub(crate) const ROW: Row =
    row(&Named::Phash, |text| parse(Named::Phash, text), || start(Named::Phash, Phash.hasher()))
        .with_whole(|bytes, _| Similar::new(Named::Phash, Phash.digest(bytes).map(Content::Phash), None).into());

impl From<Digest> for Content {
    fn from(digest: Digest) -> Content {
        Content::Phash(digest)
    }
}

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
        Scaled::of(input)?.digest()
    }

    fn compare(&self, a: &Digest, b: &Digest) -> Comparison {
        Comparison { score: Score::Distance(a.distance(b)), evidence: Evidence::default(), degenerate: None }
    }
}

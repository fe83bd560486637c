//! The mode that the reference takes by itself: by the input's length, which nobody knows before
//! its end.

use super::generate::FeaturedSdhash;
use super::{Digest, Generator, REFERENCE_STREAM_LIMIT, Sdhash};
use crate::{Hasher, NoDigest};

/// One input on its way to a digest in the mode of [`Sdhash::of_reference`]. Up to 16 MiB of it are
/// kept, until it is known to be longer.
#[derive(Clone, Debug)]
pub struct Either {
    generator: Generator,
    /// The input as far as it came, while it is in stream mode.
    kept: Option<Vec<u8>>,
    features: bool,
}

impl Either {
    /// For an input that nothing is known of; `features` says whether to keep them for
    /// [`Self::finalize_featured`].
    pub fn new(features: bool) -> Either {
        Either { generator: start(Sdhash::STREAM, features), kept: Some(Vec::new()), features }
    }

    /// The digest with the hashes of its features, if they were kept.
    pub fn finalize_featured(self) -> Result<FeaturedSdhash, NoDigest> {
        self.generator.finalize_featured()
    }
}

fn start(method: Sdhash, features: bool) -> Generator {
    if features { Generator::keeping_features(method) } else { Generator::new(method) }
}

impl Hasher for Either {
    type Digest = Digest;

    fn update(&mut self, bytes: &[u8]) {
        let Some(kept) = &mut self.kept else { return self.generator.update(bytes) };
        if ((kept.len() + bytes.len()) as u64) < REFERENCE_STREAM_LIMIT {
            kept.extend_from_slice(bytes);
            return self.generator.update(bytes);
        }
        self.generator = start(Sdhash::BLOCKS, self.features);
        self.generator.update(kept);
        self.generator.update(bytes);
        self.kept = None;
    }

    fn finalize(self) -> Result<Digest, NoDigest> {
        self.generator.finalize()
    }
}

//! The digest of several inputs together.

use super::chosen::FeatureNames;
use super::digest::{Digest, Unit};
use crate::NoDigest;

/// The windows of inputs of one unit, as of one input that holds them all: the members of a
/// document.
#[derive(Clone, Debug)]
pub struct Union {
    unit: Unit,
    length: u64,
    chosen: FeatureNames,
}

impl Union {
    /// Of nothing yet.
    pub fn new(unit: Unit) -> Union {
        Union { unit, length: 0, chosen: FeatureNames::default() }
    }

    /// Takes the windows of one more input. Those of another unit are left out.
    pub fn take(&mut self, digest: &Digest) {
        if digest.unit() != self.unit {
            return;
        }
        self.length = self.length.saturating_add(digest.length());
        self.chosen.begin_at(digest.level().max(self.unit.finest(self.length).0));
        digest.windows().iter().for_each(|window| self.chosen.push(*window));
    }

    /// The digest of all together, at the coarsest of their levels.
    ///
    /// # Errors
    /// [`NoDigest::LowEntropy`] if nothing was taken.
    pub fn into_digest(self) -> Result<Digest, NoDigest> {
        self.chosen.into_digest(self.unit, self.length)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Hasher;
    use crate::shingles::Generator;

    fn digest(bytes: &[u8]) -> Digest {
        let mut generator = Generator::new();
        generator.update(bytes);
        generator.finish(Unit::Window).unwrap()
    }

    /// Members have the windows of the whole, but for those across their ends.
    #[test]
    fn members_together_are_like_the_whole() {
        let mut state = 7u64;
        let whole: Vec<u8> = (0..200_000)
            .map(|_| {
                state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
                (state >> 56) as u8
            })
            .collect();
        let mut union = Union::new(Unit::Window);
        whole.chunks(7_001).for_each(|member| union.take(&digest(member)));
        let (together, whole) = (union.into_digest().unwrap(), digest(&whole));
        assert_eq!((together.length(), together.level()), (whole.length(), whole.level()));
        let shared = together.shared(&whole);
        assert_eq!(shared, together.windows().len() as u64);
        assert!(shared * 100 > 98 * whole.windows().len() as u64);
        assert!(Union::new(Unit::Window).into_digest().is_err());
        let mut other = Union::new(Unit::Text);
        other.take(&whole);
        assert!(other.into_digest().is_err());
    }
}

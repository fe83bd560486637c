//! The features that are kept of an input, as many as fit.

use super::digest::{Digest, Unit};
use super::parameters::{COARSEST, MOST};
use super::window::level;
use crate::NoDigest;

/// Names of features of a level and above.
#[derive(Clone, Debug, Default)]
pub(crate) struct FeatureNames {
    level: u8,
    /// Repeated ones until there are too many.
    names: Vec<u64>,
}

impl FeatureNames {
    /// Hashes that choose have these bits clear.
    #[inline(always)]
    pub(crate) fn mask(&self) -> u64 {
        (1 << self.level) - 1
    }

    /// The level is this one at least.
    pub(crate) fn begin_at(&mut self, level: u8) {
        self.level = self.level.max(level);
    }

    /// Takes a feature by a hash of it, unless its level is too low: by bits that its name does not
    /// hold.
    pub(crate) fn choose(&mut self, hash: u64) {
        let mix = |hash: u64, odd: u64| {
            let hash = (hash ^ (hash >> 32)).wrapping_mul(odd);
            hash ^ (hash >> 29)
        };
        let level = mix(hash, 0xbf58_476d_1ce4_e5b9);
        if level & self.mask() == 0 {
            let name = mix(hash, 0x94d0_49bb_1331_11eb) & !63;
            self.push(name | u64::from(level.trailing_zeros().min(63)));
        }
    }

    /// Takes the name of a feature of the level or above.
    #[inline]
    pub(crate) fn push(&mut self, name: u64) {
        self.names.push(name);
        // Not at each repetition: as many again may come before they are sorted.
        if self.names.len() >= 2 * MOST {
            self.thin_out();
        }
    }

    /// Takes out repeated names, and those that a coarser level leaves out if there are too many.
    fn thin_out(&mut self) {
        self.names.sort_unstable();
        self.names.dedup();
        loop {
            let least = self.level;
            self.names.retain(|&name| level(name) >= least);
            if self.names.len() <= MOST {
                return;
            }
            if self.level == COARSEST {
                // Only an input that is made for it comes here.
                self.names.truncate(MOST);
                return;
            }
            self.level += 1;
        }
    }

    /// The digest of the chosen features of an input of this length.
    pub(crate) fn into_digest(mut self, unit: Unit, length: u64) -> Result<Digest, NoDigest> {
        self.thin_out();
        match self.names.is_empty() {
            true => Err(NoDigest::LowEntropy),
            false => Ok(Digest::new(unit, length, self.level, self.names)),
        }
    }
}

//! Which pairs with a saturated digest share features for certain: their score alone says nothing.

use crate::collection::{Collection, posting};
use crate::pair::{COMMON, Failure, Watcher};
use crate::sorter::Sorter;
use pfh_digest::Digest;
use pfh_similarity::Similar;
use pfh_similarity::index::Pairs;
use std::io;

/// One in that many of the smaller one's features must be shared: a compiler or a site puts less
/// into each file.
const SHARE: u64 = 10;
/// Steps between two looks at the watcher.
const STEP: u64 = 1 << 16;

/// The features of a collection's digests, kept beside it.
pub struct FeatureFile {
    features: Sorter<u128>,
    /// By the place: how many there are.
    counts: Vec<u32>,
    memory: usize,
}

impl FeatureFile {
    /// None yet; beyond that many bytes they go to a temporary file.
    pub fn new(memory: usize) -> FeatureFile {
        FeatureFile { features: Sorter::new(memory / 2), counts: Vec::new(), memory }
    }

    /// Takes the features of the digest at a place.
    ///
    /// # Errors
    /// The temporary file's.
    pub fn take(&mut self, place: u32, digest: &Digest) -> io::Result<()> {
        let features = Similar::of(digest).and_then(Similar::features).unwrap_or_default();
        self.counts.resize(place as usize, 0);
        // Fits: eight bytes each are in memory.
        self.counts.push(features.len() as u32);
        features.iter().try_for_each(|feature| self.features.push(posting(*feature, place)))
    }

    /// The pairs with a saturated digest that share as many features, and a tenth of the smaller
    /// one's. Features of more than [`COMMON`] digests do not count.
    ///
    /// # Errors
    /// See [`Failure`].
    pub fn certain(self, collection: &Collection, least: u64, watch: Watcher<'_>) -> Result<Certain, Failure> {
        let mut shared: Sorter<u64> = Sorter::new(self.memory / 2);
        if !collection.has_saturated() {
            return Certain::of(shared, self.counts, least);
        }
        let pairs = collection.split().map_or(Pairs::All, Pairs::Across);
        let mut close = |group: &[u32]| {
            for (i, &a) in group.iter().enumerate().take(if group.len() > COMMON { 0 } else { group.len() }) {
                for &b in group[i + 1..].iter().filter(|&&b| pairs.include(a, b)) {
                    if collection.is_saturated(a) || collection.is_saturated(b) {
                        shared.push(key(a, b)).map_err(Failure::Spill)?;
                    }
                }
            }
            Ok(())
        };
        let (mut current, mut group, mut steps) = (None, Vec::new(), 0u64);
        for posting in self.features.sorted().map_err(Failure::Spill)? {
            let posting = posting.map_err(Failure::Spill)?;
            steps += 1;
            if steps.is_multiple_of(STEP) && watch.progress(steps, 0).is_break() {
                return Err(Failure::Interrupted);
            }
            if current.replace(posting >> 32) != Some(posting >> 32) {
                close(&group)?;
                group.clear();
            }
            group.push(posting as u32);
        }
        close(&group)?;
        Certain::of(shared, self.counts, least)
    }
}

/// Places have 31 bits.
fn key(a: u32, b: u32) -> u64 {
    u64::from(a.min(b)) << 31 | u64::from(a.max(b))
}

/// Pairs that share features for certain, to be asked for in ascending order.
pub struct Certain {
    keys: Box<dyn Iterator<Item = io::Result<u64>>>,
    ahead: Option<u64>,
    counts: Vec<u32>,
    least: u64,
}

impl Certain {
    fn of(shared: Sorter<u64>, counts: Vec<u32>, least: u64) -> Result<Certain, Failure> {
        let mut keys = Box::new(shared.sorted().map_err(Failure::Spill)?);
        let ahead = keys.next().transpose().map_err(Failure::Spill)?;
        Ok(Certain { keys, ahead, counts, least })
    }

    /// How many features two digests share, if they are enough. Pairs are asked for by the earlier
    /// place, then by the later one, each once.
    ///
    /// # Errors
    /// The temporary file's.
    pub fn shared(&mut self, a: u32, b: u32) -> io::Result<Option<u64>> {
        let (wanted, mut count) = (key(a, b), 0);
        while let Some(ahead) = self.ahead.filter(|ahead| *ahead <= wanted) {
            count += u64::from(ahead == wanted);
            self.ahead = self.keys.next().transpose()?;
        }
        let [a, b] = [a, b].map(|place| self.counts.get(place as usize).copied().unwrap_or(0));
        let least = self.least.max(u64::from(a.min(b)).div_ceil(SHARE)).max(1);
        Ok((count >= least).then_some(count))
    }
}

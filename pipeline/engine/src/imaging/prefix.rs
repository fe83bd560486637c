//! Digests of the image's prefix: kept while it is written, compared before it is resumed.

use super::ImagingError;
use pfh_digest::{Digest, Hasher};
use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};

/// Digests of the prefixes that a checkpoint may need, by their length in bytes.
#[derive(Default)]
pub(super) struct History(Mutex<BTreeMap<u64, Digest>>);

impl History {
    pub(super) fn extend(&self, found: Vec<(u64, Digest)>) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).extend(found);
    }

    /// The digest of the first `upto` bytes, where it is known. Digests of shorter prefixes are
    /// forgotten.
    pub(super) fn take(&self, upto: u64) -> Option<Digest> {
        let mut all = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let found = all.get(&upto).cloned()?;
        *all = all.split_off(&upto);
        Some(found)
    }
}

/// Where in a portion that starts at `offset` digests are taken: behind every multiple of `grain`,
/// and at its end.
pub(super) fn cuts(offset: u64, length: u64, grain: Option<u64>) -> impl Iterator<Item = u64> {
    let end = offset + length;
    let mut at = offset;
    std::iter::from_fn(move || {
        if at >= end {
            return None;
        }
        at = grain.filter(|grain| *grain > 0).map_or(end, |grain| (at / grain + 1) * grain).min(end);
        Some(at)
    })
}

/// Compares the present bytes with the digests that the map states of them.
pub(super) struct Check<'a> {
    stated: &'a [(u64, Digest)],
    hasher: Option<Hasher>,
    at: u64,
    good: u64,
}

impl<'a> Check<'a> {
    pub(super) fn new(stated: &'a [(u64, Digest)]) -> Self {
        Check { stated, hasher: stated.first().map(|(_, digest)| digest.algorithm().hasher()), at: 0, good: 0 }
    }

    /// Takes the next bytes.
    pub(super) fn update(&mut self, mut bytes: &[u8]) -> Result<(), ImagingError> {
        let Some(hasher) = &mut self.hasher else { return Ok(()) };
        while let Some((upto, stated)) = self.stated.first() {
            let now = ((upto - self.at) as usize).min(bytes.len());
            hasher.update(&bytes[..now]);
            self.at += now as u64;
            bytes = &bytes[now..];
            if self.at < *upto {
                return Ok(());
            }
            if hasher.clone().finalize() != *stated {
                return Err(ImagingError::Changed { from: self.good, upto: *upto });
            }
            self.good = *upto;
            self.stated = &self.stated[1..];
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use pfh_digest::Algorithm;

    #[test]
    fn a_changed_byte_is_found_between_its_checkpoints() {
        let blake3: Algorithm = "blake3".parse().unwrap();
        let bytes: Vec<u8> = (0..1000_u32).map(|n| n as u8).collect();
        let of = |upto: usize| {
            let mut hasher = blake3.hasher();
            hasher.update(&bytes[..upto]);
            (upto as u64, hasher.finalize())
        };
        let stated = [of(100), of(550), of(900)];
        let check = |bytes: &[u8], portion: usize| {
            let mut check = Check::new(&stated);
            bytes.chunks(portion).try_for_each(|portion| check.update(portion))
        };
        for portion in [1, 7, 100, 1000] {
            assert!(check(&bytes, portion).is_ok());
            for (at, from, upto) in [(0, 0, 100), (99, 0, 100), (100, 100, 550), (899, 550, 900)] {
                let mut changed = bytes.clone();
                changed[at] ^= 1;
                let found = check(&changed, portion);
                let expected = (from, upto);
                assert!(matches!(found, Err(ImagingError::Changed { from, upto }) if (from, upto) == expected), "{at}");
            }
        }
        assert_eq!(cuts(3, 10, Some(4)).collect::<Vec<_>>(), [4, 8, 12, 13]);
        assert_eq!(cuts(4, 4, Some(4)).collect::<Vec<_>>(), [8]);
        assert_eq!(cuts(4, 9, None).collect::<Vec<_>>(), [13]);
    }
}

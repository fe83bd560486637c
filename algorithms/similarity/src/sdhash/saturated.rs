//! Digests that match random data, so that their matches mean nothing.
//!
//! In stream mode a feature that came before sets its bits and is not counted: input that repeats
//! itself fills filters beyond their 160 elements, until every other filter is found in them. The
//! reference does the same.

use super::compare::directed;
use super::{Digest, Sdhash};
use crate::{Degenerate, Method};
use std::sync::OnceLock;

/// A digest that scores this with random data would be reported as similar to it.
const LEAST: u8 = 21;
/// Bytes of random data: some eight filters.
const LENGTH: usize = 80_000;

impl Digest {
    /// [`Degenerate::Saturated`] if it matches random data; [`Degenerate::FewFeatures`] if no
    /// filter holds the 16 elements without which it is not compared; [`Degenerate::LowEntropy`] if
    /// the elements stand for less than 2 % of the input, so that even a score of 100 is about a
    /// small part of it.
    pub fn degenerate(&self) -> Option<Degenerate> {
        if is_saturated(self) {
            return Some(Degenerate::Saturated);
        }
        self.plain()
    }
}

/// Whether the filters match those of random data.
fn is_saturated(digest: &Digest) -> bool {
    static RANDOM: OnceLock<Option<Digest>> = OnceLock::new();
    let random = RANDOM.get_or_init(|| Sdhash::STREAM.digest(&random()).ok());
    let Some(random) = random else { return false };
    directed(random, digest).is_some_and(|score| score >= LEAST)
}

/// Always the same (splitmix64 by Steele, Lea and Flood).
fn random() -> Vec<u8> {
    let mut state = 0x7066_6820_7364_6861_u64;
    let mut next = || {
        state = state.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let z = (state ^ (state >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        let z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    };
    (0..LENGTH / 8).flat_map(|_| next().to_le_bytes()).collect()
}

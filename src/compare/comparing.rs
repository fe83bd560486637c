//! The work of the second stage of a comparison, and its time.

use std::time::Duration;

/// The work of comparing and its time, beside reading and hashing.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Comparing {
    /// Wall time of searching and writing.
    pub elapsed: Duration,
    /// Pairs of digests that were decided: similar or not.
    pub pairs: u64,
    /// Pairs of digests, or of filters for sdhash and mrsh-v2, that had to be scored for that.
    pub scored: u64,
}

impl Comparing {
    /// Pairs per second; 0 of no time.
    pub fn rate(&self) -> f64 {
        if self.elapsed.is_zero() { 0.0 } else { self.pairs as f64 / self.elapsed.as_secs_f64() }
    }
}

//! How much of the input was decoded by one thread, because its compression allows no more.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// Streams that one thread decoded beside those who read and hash. Clones count together.
#[derive(Debug, Clone, Default)]
pub struct Alone(Arc<(AtomicU64, AtomicU64)>);

impl Alone {
    /// Counts a stream.
    pub fn stream(&self) {
        self.0.0.fetch_add(1, Ordering::Relaxed);
    }

    /// Counts bytes that came out of one.
    pub fn bytes(&self, count: u64) {
        self.0.1.fetch_add(count, Ordering::Relaxed);
    }

    /// How many streams, and their bytes.
    pub fn counted(&self) -> (u64, u64) {
        (self.0.0.load(Ordering::Relaxed), self.0.1.load(Ordering::Relaxed))
    }
}

//! How much of the input was worked on by one thread, because it allows no more.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

/// Work that one thread did beside those that read and hash. Clones count together.
#[derive(Debug, Clone, Default)]
pub struct Alone(Arc<Counts>);

#[derive(Debug, Default)]
struct Counts {
    streams: AtomicU64,
    bytes: AtomicU64,
    /// Processor time in nanoseconds.
    names: AtomicU64,
}

impl Alone {
    /// Counts a compressed stream that cannot be cut.
    pub fn stream(&self) {
        self.0.streams.fetch_add(1, Ordering::Relaxed);
    }

    /// Counts bytes that came out of one.
    pub fn bytes(&self, count: u64) {
        self.0.bytes.fetch_add(count, Ordering::Relaxed);
    }

    /// Counts processor time in which names in a container were listed.
    pub fn names(&self, spent: Duration) {
        // Fits: 584 years.
        self.0.names.fetch_add(spent.as_nanos() as u64, Ordering::Relaxed);
    }

    /// How many streams, and their bytes.
    pub fn streams(&self) -> (u64, u64) {
        (self.0.streams.load(Ordering::Relaxed), self.0.bytes.load(Ordering::Relaxed))
    }

    /// The processor time of listing names.
    pub fn named(&self) -> Duration {
        Duration::from_nanos(self.0.names.load(Ordering::Relaxed))
    }
}

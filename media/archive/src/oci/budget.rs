//! A limit on the bytes and members that come out of the layers of a tar.

use crate::limits::Limits;
use std::sync::atomic::{AtomicU64, Ordering};

/// Bytes and members that may come out of all layers of all images of a tar.
pub struct Budget {
    /// The bytes at first.
    pub most: u64,
    bytes: AtomicU64,
    entries: AtomicU64,
}

impl Budget {
    /// The budget of a tar of this size.
    pub fn new(limits: &Limits, size: u64) -> Budget {
        let most = limits.most(size);
        Budget { most, bytes: AtomicU64::new(most), entries: AtomicU64::new(limits.entries) }
    }

    fn take(of: &AtomicU64, amount: u64) -> bool {
        of.fetch_update(Ordering::Relaxed, Ordering::Relaxed, |left| left.checked_sub(amount)).is_ok()
    }

    /// Takes a member; whether there was one left.
    pub fn take_entry(&self) -> bool {
        Budget::take(&self.entries, 1)
    }

    /// Lets no further member come out.
    pub fn close(&self) {
        self.entries.store(0, Ordering::Relaxed);
    }

    /// Whether no further member may come out.
    pub fn is_closed(&self) -> bool {
        self.entries.load(Ordering::Relaxed) == 0
    }

    /// Takes bytes; whether there were as many.
    pub fn take_bytes(&self, amount: u64) -> bool {
        Budget::take(&self.bytes, amount)
    }
}

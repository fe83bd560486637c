//! Memory bounded in bytes, handed out in slabs.

use crate::event_count::EventCount;
use crate::host::atomic::{AtomicUsize, Ordering};
use crate::host::{Mutex, MutexGuard};
use std::sync::{Arc, PoisonError};

/// Slabs start at a page, so that reads with O_DIRECT could use them too.
const ALIGN: usize = 4096;
/// Largest slab. 1 MiB reads run at full speed (reads of 128 KiB and more do), and a slab of small
/// files fills the lanes.
const LARGEST: usize = 1 << 20;
/// Smallest slab.
const SMALLEST: usize = 4096;
/// A budget is cut into at least this many slabs where it is large enough.
const CUT: usize = 16;

/// A byte-bounded pool of equal slabs. Slabs are made on demand, kept, and handed out again: a
/// fresh page costs a fault and a clearing, which is as dear as hashing it with BLAKE3.
pub struct Budget {
    slab: usize,
    limit: AtomicUsize,
    inner: Mutex<Inner>,
    events: Arc<EventCount>,
}

#[derive(Default)]
struct Inner {
    idle: Vec<Memory>,
    out: usize,
    peak: usize,
}

struct Memory {
    bytes: Vec<u8>,
    start: usize,
}

impl Budget {
    /// A budget of `bytes`, shared by `readers`. At least one slab per reader can be had, even if
    /// `bytes` is less: memory in flight is at most `bytes` plus one slab per reader.
    pub fn new(bytes: usize, readers: usize, events: Arc<EventCount>) -> Arc<Self> {
        let slab = (bytes / CUT.max(readers * 2)).next_power_of_two() / 2;
        let slab = slab.clamp(SMALLEST, LARGEST);
        let limit = (bytes / slab).max(readers.max(1));
        Arc::new(Budget { slab, limit: AtomicUsize::new(limit), inner: Mutex::default(), events })
    }

    /// A budget of that many slabs, of that many bytes each, a multiple of 4,096.
    pub fn of(slab: usize, slabs: usize, events: Arc<EventCount>) -> Arc<Self> {
        Arc::new(Budget { slab, limit: AtomicUsize::new(slabs.max(1)), inner: Mutex::default(), events })
    }

    /// Length of a slab in bytes.
    pub fn slab(&self) -> usize {
        self.slab
    }

    /// How many slabs there are.
    pub fn slabs(&self) -> usize {
        self.limit.load(Ordering::Relaxed)
    }

    /// Most bytes that were out at once.
    pub fn peak(&self) -> usize {
        self.lock().peak * self.slab
    }

    /// Slabs out now.
    pub fn out(&self) -> usize {
        self.lock().out
    }

    fn lock(&self) -> MutexGuard<'_, Inner> {
        self.inner.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// A slab, if the budget has one left.
    pub fn try_take(self: &Arc<Self>) -> Option<Slab> {
        let mut inner = self.lock();
        if inner.out >= self.slabs() {
            return None;
        }
        inner.out += 1;
        inner.peak = inner.peak.max(inner.out);
        let idle = inner.idle.pop();
        drop(inner);
        let memory = idle.unwrap_or_else(|| {
            let bytes = vec![0u8; self.slab + ALIGN];
            let start = bytes.as_ptr().align_offset(ALIGN).min(ALIGN);
            Memory { bytes, start }
        });
        Some(Slab { memory: Some(memory), budget: self.clone() })
    }

    /// Hands out none any more, and keeps no memory: that of slabs that come back is freed.
    pub fn retire(&self) {
        let mut inner = self.lock();
        self.limit.store(0, Ordering::Relaxed);
        inner.idle = Vec::new();
    }

    /// Writes off one slab whose reader does not come back.
    pub fn write_off(&self) {
        self.limit.fetch_add(1, Ordering::Relaxed);
        self.events.notify();
    }
}

/// One slab and the permit for it: dropped, both return to the budget.
pub struct Slab {
    memory: Option<Memory>,
    budget: Arc<Budget>,
}

impl Slab {
    /// The slab's bytes.
    pub fn bytes(&self) -> &[u8] {
        self.memory.as_ref().map_or(&[], |m| &m.bytes[m.start..m.start + self.budget.slab])
    }

    /// The slab's bytes, to be filled.
    pub fn bytes_mut(&mut self) -> &mut [u8] {
        let length = self.budget.slab;
        self.memory.as_mut().map_or(&mut [], |m| &mut m.bytes[m.start..m.start + length])
    }
}

impl Drop for Slab {
    fn drop(&mut self) {
        let mut inner = self.budget.lock();
        inner.out -= 1;
        // Freed below, without the lock, where the budget is retired.
        let memory = self.memory.take().filter(|_| self.budget.slabs() > 0);
        inner.idle.extend(memory);
        drop(inner);
        self.budget.events.notify();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn permits_live_in_the_slabs() {
        let budget = Budget::new(1 << 20, 1, Arc::new(EventCount::default()));
        let mut out = Vec::new();
        while let Some(slab) = budget.try_take() {
            assert_eq!(slab.bytes().as_ptr() as usize % ALIGN, 0);
            out.push(Arc::new(slab));
        }
        assert_eq!(out.len() * budget.slab(), 1 << 20);
        let second = out[0].clone();
        out.remove(0);
        assert!(budget.try_take().is_none(), "a holder is left");
        drop(second);
        assert!(budget.try_take().is_some());
        assert_eq!(budget.peak(), 1 << 20);
    }

    #[test]
    fn the_smallest_budget_has_a_slab_for_each_reader() {
        for (bytes, readers) in [(0, 1), (1, 8), (4096, 3), (1 << 30, 64)] {
            let budget = Budget::new(bytes, readers, Arc::new(EventCount::default()));
            assert!(budget.slabs() >= readers);
            assert!(budget.slabs() * budget.slab() <= bytes + readers * budget.slab());
        }
    }
}

//! Memory bounded in bytes, handed out in slabs.

use crate::bell::Bell;
use bytes::{Buf, BytesMut};
use pfh_source::os::prefer_large_pages;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

/// Slabs start at a page, so that reads with O_DIRECT could use them too.
const ALIGN: usize = 4096;
/// Largest slab. 1 MiB reads run at full speed (reads of 128 KiB and more do), and a slab of small files fills the lanes.
const LARGEST: usize = 1 << 20;
/// Smallest slab.
const SMALLEST: usize = 4096;
/// A budget is cut into at least this many slabs where it is large enough.
const CUT: usize = 16;
/// A large page of x86-64 and of AArch64 with small ones of 4 KiB.
const LARGE_PAGE: usize = 2 << 20;
/// Slabs are cut out of blocks of so many bytes, with large pages where the kernel grants them: 4,457 cached files under MD5, SHA-1 and
/// SHA-256 took 33,900 faults and 1.00 s of processor time without, 2,200 and .90 s with (minima of nine interleaved rounds).
const BLOCK: usize = 4 * LARGE_PAGE;
/// So many bytes are made slab by slab, of small pages: who hashes one small file must not clear 2 MiB for it.
const SINGLE: usize = 4 << 20;

/// A byte-bounded pool of equal slabs. Slabs are made on demand, kept, and handed out again: a fresh page costs a fault
/// and a clearing, which is as dear as hashing it with BLAKE3.
pub struct Budget {
    slab: usize,
    limit: AtomicUsize,
    inner: Mutex<Inner>,
    bell: Arc<Bell>,
}

#[derive(Default)]
struct Inner {
    idle: Vec<BytesMut>,
    /// What is left of the last block.
    rest: BytesMut,
    made: usize,
    out: usize,
    peak: usize,
}

impl Inner {
    /// A fresh slab of `slab` bytes.
    fn cut(&mut self, slab: usize) -> BytesMut {
        if self.rest.len() < slab {
            self.rest = if self.made * slab < SINGLE {
                aligned(slab, ALIGN)
            } else {
                let mut block = aligned(BLOCK.max(slab), LARGE_PAGE);
                prefer_large_pages(&mut block);
                block
            };
        }
        self.made += 1;
        self.rest.split_to(slab)
    }
}

/// So many bytes, all zero and untouched until they are used, that start at a multiple of `align`.
fn aligned(length: usize, align: usize) -> BytesMut {
    let mut bytes = BytesMut::zeroed(length + align);
    let start = bytes.as_ptr().align_offset(align).min(align);
    bytes.advance(start);
    bytes.truncate(length);
    bytes
}

impl Budget {
    /// A budget of `bytes`, shared by `readers`. At least one slab per reader can be had, whatever `bytes` is: memory in
    /// flight is at most `bytes` plus one slab per reader.
    pub fn new(bytes: usize, readers: usize, bell: Arc<Bell>) -> Arc<Self> {
        let slab = (bytes / CUT.max(readers * 2)).next_power_of_two() / 2;
        let slab = slab.clamp(SMALLEST, LARGEST);
        let limit = (bytes / slab).max(readers.max(1));
        Arc::new(Budget { slab, limit: AtomicUsize::new(limit), inner: Mutex::default(), bell })
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

    fn lock(&self) -> std::sync::MutexGuard<'_, Inner> {
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
        let memory = inner.idle.pop().unwrap_or_else(|| inner.cut(self.slab));
        drop(inner);
        Some(Slab { memory: Some(memory), budget: self.clone() })
    }

    /// Writes off one slab whose reader does not come back.
    pub fn write_off(&self) {
        self.limit.fetch_add(1, Ordering::Relaxed);
        self.bell.ring();
    }
}

/// One slab and the permit for it: dropped, both return to the budget.
pub struct Slab {
    memory: Option<BytesMut>,
    budget: Arc<Budget>,
}

impl Slab {
    /// The slab's bytes.
    pub fn bytes(&self) -> &[u8] {
        self.memory.as_deref().unwrap_or_default()
    }

    /// The slab's bytes, to be filled.
    pub fn bytes_mut(&mut self) -> &mut [u8] {
        self.memory.as_deref_mut().unwrap_or_default()
    }
}

impl Drop for Slab {
    fn drop(&mut self) {
        let mut inner = self.budget.lock();
        inner.out -= 1;
        inner.idle.extend(self.memory.take());
        drop(inner);
        self.budget.bell.ring();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn permits_live_in_the_slabs() {
        let budget = Budget::new(1 << 20, 1, Arc::new(Bell::default()));
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
            let budget = Budget::new(bytes, readers, Arc::new(Bell::default()));
            assert!(budget.slabs() >= readers);
            assert!(budget.slabs() * budget.slab() <= bytes + readers * budget.slab());
        }
    }
}

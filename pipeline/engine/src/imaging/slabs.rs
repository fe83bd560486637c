//! The slabs of a run, which may change their size on the way.

use super::Imaging;
use super::sizes::{SMALLEST, Sizes};
use pfh_prefetch::{Budget, EventCount, Slab};
use std::sync::Arc;
use std::time::{Duration, Instant};

/// Slabs for blocks of one size after the other.
pub(super) struct Slabs {
    now: Arc<Budget>,
    /// Those of former sizes, until the last one is back.
    before: Vec<Arc<Budget>>,
    events: Arc<EventCount>,
    sizes: Option<Sizes>,
    memory: usize,
    /// Bytes that were handed on, and those of them that came back.
    delivered: u64,
    back: u64,
    clock: Instant,
}

impl Slabs {
    pub(super) fn new(imaging: &Imaging) -> Slabs {
        let events = Arc::new(EventCount::default());
        let (now, memory, sizes) = match imaging.ring {
            None => (Budget::new(imaging.memory, 1, events.clone()), imaging.memory, None),
            Some(ring) if ring.is_measured() => {
                let memory = imaging.memory.max(2 * SMALLEST);
                (Budget::of(SMALLEST, memory / SMALLEST, events.clone()), memory, Some(Sizes::new(memory)))
            }
            Some(ring) => (Budget::of(ring.block(), ring.blocks(), events.clone()), ring.block() * ring.blocks(), None),
        };
        Slabs { now, before: Vec::new(), events, sizes, memory, delivered: 0, back: 0, clock: Instant::now() }
    }

    /// The number of events so far, for [`wait`](Slabs::wait).
    pub(super) fn noted(&self) -> u64 {
        self.events.noted()
    }

    /// Waits for a slab that comes back, at most that long; how long it took.
    pub(super) fn wait(&self, noted: u64, longest: Duration) -> Duration {
        self.events.wait(noted, longest)
    }

    /// A slab, if there is one.
    pub(super) fn try_take(&mut self) -> Option<Slab> {
        self.before.retain(|budget| budget.out() > 0);
        // Without former ones a slab is had in any case.
        let is_full = !self.before.is_empty() && self.out() + self.now.slab() > self.memory;
        if is_full { None } else { self.now.try_take() }
    }

    /// Bytes of the slabs that are out.
    fn out(&self) -> usize {
        self.before.iter().chain([&self.now]).map(|budget| budget.out() * budget.slab()).sum()
    }

    /// Takes in how many bytes were handed on, and how many are left, if that is known.
    pub(super) fn delivered(&mut self, bytes: u64, left: Option<u64>) {
        self.delivered += bytes;
        let back = self.delivered.saturating_sub(self.out() as u64).max(self.back);
        let Some(sizes) = &mut self.sizes else { return };
        sizes.add(self.clock.elapsed(), back - self.back);
        self.back = back;
        let size = sizes.next(left);
        if size != self.now.slab() {
            let next = Budget::of(size, self.memory / size, self.events.clone());
            let last = std::mem::replace(&mut self.now, next);
            last.retire();
            self.before.push(last);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::Ring;
    use super::*;

    /// Sizes change while slabs are out, and the memory stays within its bound.
    #[test]
    fn slabs_of_all_sizes_stay_within_the_memory() {
        let imaging = Imaging { ring: Some(Ring::measured()), ..Imaging::new(Vec::<pfh_digest::Algorithm>::new()) };
        let mut slabs = Slabs::new(&imaging);
        let memory = slabs.memory;
        let mut out: std::collections::VecDeque<Slab> = Default::default();
        let mut sizes = std::collections::BTreeSet::new();
        for step in 0..2_000_u64 {
            // The rate rises with the size, and later falls with it.
            let size = slabs.now.slab() as u64;
            let time = if step < 1_000 { 1_000_000 / size } else { size * size };
            slabs.clock -= Duration::from_micros(time.min(10_000_000));
            match slabs.try_take() {
                Some(slab) => out.push_back(slab),
                None => drop(out.pop_front()),
            }
            slabs.delivered(2 * size, (step % 500 == 499).then_some(0));
            let held: usize = out.iter().map(|slab| slab.bytes().len()).sum();
            assert!(held <= memory, "{held} at {step}");
            sizes.insert(size);
        }
        assert!(sizes.len() > 1, "{sizes:?}");
        drop(out);
        assert!(slabs.try_take().is_some());
    }
}

//! The size of a block by the bytes a second that each size brought (Panichprecha et al. leave it
//! to future work). No clock and no devices; times are the caller's.
//!
//! A block costs at the start and at the end: nothing is written before the first one is full, and
//! nothing is read any more while the last one is written. So the smallest size stays, unless a
//! larger one raises the rate: where a target has a fixed cost for each write, or several readers
//! seek.

use std::time::Duration;

/// Bytes of the smallest block: reads have as many.
pub(super) const SMALLEST: usize = 1 << 20;
/// From one size to the next.
const STEP: usize = 4;
/// Blocks of the largest size that the memory holds: some are written while others are read.
const FEWEST: usize = 4;
/// A rate has to rise by a tenth for larger blocks, and must not fall by one for smaller ones.
const RISE: f64 = 1.1;
/// After a trial that failed, and each further one, that many times as many windows are measured
/// before the next.
const PATIENCE: u64 = 8;
/// Trials that failed count up to here.
const MOST: u32 = 3;
/// Blocks that are left when a size is given up for a smaller one: the end is near.
const LAST: u64 = 16;

/// The size of a block now, and the measurements by which it is chosen.
pub(super) struct Sizes {
    memory: u64,
    size: usize,
    /// Bytes since the window began, or since the size changed: the first ones are still blocks of
    /// the former size.
    bytes: u64,
    /// When the window began, once those are through.
    from: Option<Duration>,
    /// The size before, and its bytes a second.
    trial: Option<(usize, f64)>,
    /// Trials that failed since one was kept.
    failed: u32,
    /// Windows that were measured since the last trial.
    measured: u64,
}

impl Sizes {
    /// Begins with the smallest, in a ring of that many bytes.
    pub(super) fn new(memory: usize) -> Sizes {
        let memory = memory as u64;
        Sizes { memory, size: SMALLEST, bytes: 0, from: None, trial: None, failed: 0, measured: 0 }
    }

    /// The size of the next block, where that many bytes are left, if that is known.
    pub(super) fn next(&self, left: Option<u64>) -> usize {
        let mut size = self.size;
        while size > SMALLEST && left.is_some_and(|left| size as u64 * LAST > left) {
            size /= STEP;
        }
        size
    }

    /// Takes in bytes that every end had done with up to this time. Bytes that were read would say
    /// nothing of a slow end before the ring is full.
    pub(super) fn add(&mut self, now: Duration, bytes: u64) {
        self.bytes += bytes;
        match self.from {
            None if self.bytes >= self.memory => (self.from, self.bytes) = (Some(now), 0),
            Some(from) if self.bytes >= self.memory => {
                let rate = self.bytes as f64 / (now.saturating_sub(from)).as_secs_f64().max(1e-9);
                self.window(now, rate);
            }
            _ => {}
        }
    }

    /// A window ended with this rate.
    fn window(&mut self, now: Duration, rate: f64) {
        (self.from, self.bytes) = (Some(now), 0);
        match self.trial.take() {
            None => self.measured += 1,
            Some((before, least)) => {
                let is_kept = if self.size > before { rate >= least * RISE } else { rate * RISE >= least };
                match is_kept {
                    // And the next one in the same direction.
                    true => (self.failed, self.measured) = (0, 1),
                    false => {
                        (self.failed, self.measured) = ((self.failed + 1).min(MOST), 0);
                        self.change(before);
                    }
                }
            }
        }
        if self.measured >= PATIENCE.pow(self.failed)
            && let Some(size) = self.other()
        {
            self.trial = Some((self.size, rate));
            self.measured = 0;
            self.change(size);
        }
    }

    /// The size to be tried: a larger one, and after each trial that failed the other direction.
    fn other(&self) -> Option<usize> {
        let larger = Some(self.size * STEP).filter(|size| (size * FEWEST) as u64 <= self.memory);
        let smaller = Some(self.size / STEP).filter(|size| *size >= SMALLEST);
        if self.failed.is_multiple_of(2) { larger.or(smaller) } else { smaller.or(larger) }
    }

    fn change(&mut self, size: usize) {
        (self.size, self.bytes, self.from) = (size, 0, None);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::VecDeque;

    const MIB: f64 = (1 << 20) as f64;
    const MEMORY: usize = 64 << 20;

    /// A source or target: seconds for each block, and MiB a second.
    #[derive(Debug, Clone, Copy)]
    struct Device(f64, f64);

    impl Device {
        fn seconds(self, bytes: usize) -> f64 {
            self.0 + bytes as f64 / MIB / self.1
        }
    }

    /// The first block, if it was written by then.
    fn done_by(under_way: &mut VecDeque<(f64, usize)>, now: f64) -> Option<(f64, usize)> {
        if under_way.front().is_some_and(|(end, _)| *end <= now) { under_way.pop_front() } else { None }
    }

    /// Seconds from the first read to the last write, through a ring of bytes: a block is
    /// read when its room is free, and written after the one before it.
    fn model(from: Device, to: Device, total: u64, ring: usize, mut size: impl FnMut(f64, usize, u64) -> usize) -> f64 {
        let (mut read, mut written, mut done, mut held) = (0.0, 0.0, 0, 0);
        let mut under_way: VecDeque<(f64, usize)> = VecDeque::new();
        while done < total {
            let mut free = 0;
            while let Some((_, bytes)) = done_by(&mut under_way, read) {
                (held, free) = (held - bytes, free + bytes);
            }
            let block = size(read, free, total - done).min((total - done) as usize);
            while held + block > ring {
                read = under_way.front().expect("a block fits").0;
                free = 0;
                while let Some((_, bytes)) = done_by(&mut under_way, read) {
                    (held, free) = (held - bytes, free + bytes);
                }
                size(read, free, total - done);
            }
            read += from.seconds(block);
            written = f64::max(written, read) + to.seconds(block);
            under_way.push_back((written, block));
            (held, done) = (held + block, done + block as u64);
        }
        written
    }

    fn fixed(from: Device, to: Device, total: u64, block: usize, blocks: usize) -> f64 {
        model(from, to, total, block * blocks, |_, _, _| block)
    }

    fn chosen(from: Device, to: Device, total: u64) -> f64 {
        let mut sizes = Sizes::new(MEMORY);
        model(from, to, total, MEMORY, |now, free, left| {
            sizes.add(Duration::from_secs_f64(now), free as u64);
            sizes.next(Some(left))
        })
    }

    /// Sources by targets: disks, SSDs, a source that seeks for each block, and a target with 20 ms
    /// for each write, as one over a network.
    #[test]
    fn it_is_never_far_from_the_best_size() {
        let sources = [Device(0.0, 62.0), Device(0.0, 131.0), Device(0.0, 500.0), Device(0.004, 131.0)];
        let targets = [Device(0.0, 57.0), Device(0.0, 131.0), Device(0.0, 1500.0), Device(0.02, 110.0)];
        for from in sources {
            for to in targets {
                for total in [64_u64 << 20, 512 << 20, 20 << 30] {
                    let usual = fixed(from, to, total, 1 << 20, 64);
                    let best = [1, 4, 16].map(|mib| fixed(from, to, total, mib << 20, 64 / mib));
                    let best = best.into_iter().fold(f64::MAX, f64::min);
                    let paper = fixed(from, to, total, 64_000_000, 5);
                    let auto = chosen(from, to, total);
                    println!("{from:?} {to:?} {total:>11}: {usual:8.2} {best:8.2} {paper:8.2} {auto:8.2}");
                    // A short copy ends before a trial does; in a long one, trials are few. A rise
                    // of less than a tenth is not seen.
                    let allowed = if total > 1 << 30 { best * RISE } else { usual };
                    assert!(auto <= allowed * 1.01 + 0.02, "{from:?} {to:?} {total}: {auto} of {allowed}");
                }
            }
        }
        // The paper's blocks where two devices are alike: they cost twice the time of filling one.
        let (disk, total) = (Device(0.0, 131.0), 512 << 20);
        let bound = total as f64 / MIB / 131.0;
        assert!(fixed(disk, disk, total, 64_000_000, 5) > bound + 0.4);
        assert!(chosen(disk, disk, total) < bound + 0.05);
    }

    proptest! {
        /// At any times a size is one of few, the ring holds several, and the end is
        /// made of small blocks.
        #[test]
        fn any_rates_give_a_size_that_fits(
            memory in (SMALLEST..1 << 28),
            steps in prop::collection::vec((0_u64..2_000_000, 0_u64..100_000_000), 0..300),
            left in any::<Option<u64>>(),
        ) {
            let (mut sizes, mut now) = (Sizes::new(memory), Duration::ZERO);
            for (micros, bytes) in steps {
                now += Duration::from_micros(micros);
                sizes.add(now, bytes);
                let size = sizes.next(left);
                prop_assert!(size == SMALLEST || size * FEWEST <= memory);
                prop_assert!(size == SMALLEST || left.is_none_or(|left| size as u64 * LAST <= left));
                prop_assert!(size.is_multiple_of(SMALLEST) && (size / SMALLEST).ilog2().is_multiple_of(2));
            }
        }
    }

    /// A target whose fixed cost goes away gets small blocks again.
    #[test]
    fn a_device_that_changes_is_found_out() {
        let mut sizes = Sizes::new(MEMORY);
        let mut now = 0.0;
        let mut run = |sizes: &mut Sizes, windows: usize, fixed: f64| {
            for _ in 0..windows * 64 {
                let size = sizes.next(None);
                now += fixed + size as f64 / MIB / 100.0;
                sizes.add(Duration::from_secs_f64(now), size as u64);
            }
            sizes.next(None)
        };
        assert_eq!(run(&mut sizes, 40, 0.03), 16 << 20);
        assert_eq!(run(&mut sizes, 200, 0.0), 1 << 20);
    }
}

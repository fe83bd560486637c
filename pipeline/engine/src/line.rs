//! Messages that wait for company: when a batch of them begins. No clock and no threads; times are
//! the caller's.

use std::collections::VecDeque;
use std::time::Duration;

/// Bytes and messages of a batch, beyond full lanes: a message that comes while it is hashed waits
/// for its end.
const BATCH_BYTES: usize = 1 << 20;
const BATCH_MOST: usize = 1 << 10;

/// Messages in the order in which they came.
pub(crate) struct Line<T> {
    waiting: VecDeque<Waiting<T>>,
    lanes: usize,
    wait: Duration,
}

struct Waiting<T> {
    since: Duration,
    bytes: usize,
    message: T,
}

/// When the next batch begins.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Due {
    /// Now: the lanes are full, or the oldest message has waited as long as it may.
    Now,
    /// After this time, unless more messages come.
    In(Duration),
    /// Nothing waits.
    Never,
}

impl<T> Line<T> {
    /// No message. A batch begins when `lanes` wait, or one has waited for `wait`.
    pub(crate) fn new(lanes: usize, wait: Duration) -> Line<T> {
        Line { waiting: VecDeque::new(), lanes: lanes.max(1), wait }
    }

    /// A message of that many bytes, at a time that is not before the last one's.
    pub(crate) fn push(&mut self, now: Duration, bytes: usize, message: T) {
        self.waiting.push_back(Waiting { since: now, bytes, message });
    }

    /// Messages that wait.
    pub(crate) fn len(&self) -> usize {
        self.waiting.len()
    }

    /// Whether as many wait as there are lanes.
    pub(crate) fn is_full(&self) -> bool {
        self.waiting.len() >= self.lanes
    }

    /// When the next batch begins, seen at this time.
    pub(crate) fn due(&self, now: Duration) -> Due {
        let Some(oldest) = self.waiting.front() else { return Due::Never };
        let left = oldest.since.saturating_add(self.wait).saturating_sub(now);
        if self.is_full() || left.is_zero() { Due::Now } else { Due::In(left) }
    }

    /// The oldest messages: full lanes of them, and more within the bounds of a batch.
    pub(crate) fn take(&mut self) -> Vec<T> {
        let (mut count, mut bytes) = (0, 0);
        for waiting in &self.waiting {
            if count >= BATCH_MOST.max(self.lanes) || count >= self.lanes && bytes + waiting.bytes > BATCH_BYTES {
                break;
            }
            count += 1;
            bytes += waiting.bytes;
        }
        self.waiting.drain(..count).map(|waiting| waiting.message).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const UNIT: Duration = Duration::from_micros(1);

    proptest! {
        /// A server that is free, by a clock that the test moves: every message is taken once, in
        /// order, none waits longer than it may, and none leaves before without full lanes.
        #[test]
        fn nobody_waits_longer_than_the_bound(
            lanes in 0_usize..20,
            wait in 0_u32..50,
            gaps in prop::collection::vec((0_u32..30, 0_usize..200_000), 0..200),
        ) {
            let mut line = Line::new(lanes, wait * UNIT);
            let (mut now, mut left) = (Duration::ZERO, Vec::new());
            let mut came = Vec::new();
            let serve = |line: &mut Line<usize>, now: Duration, came: &[Duration], left: &mut Vec<usize>| {
                while line.due(now) == Due::Now {
                    let (waited, there) = (now - came[left.len()], line.len());
                    let batch = line.take();
                    prop_assert!(!batch.is_empty() && batch.len() <= there);
                    prop_assert!(waited == wait * UNIT || there >= lanes, "{waited:?} of {there}");
                    left.extend(batch);
                }
                Ok(())
            };
            for (number, (gap, bytes)) in gaps.iter().enumerate() {
                let next = now + *gap * UNIT;
                // The server sleeps until the batch is due, or a message comes.
                while let Due::In(rest) = line.due(now) {
                    if now + rest > next {
                        break;
                    }
                    now += rest;
                    serve(&mut line, now, &came, &mut left)?;
                }
                now = next;
                came.push(now);
                line.push(now, *bytes, number);
                serve(&mut line, now, &came, &mut left)?;
                prop_assert!(came[left.len()..].iter().all(|since| now - *since < wait * UNIT));
            }
            while let Due::In(rest) = line.due(now) {
                now += rest;
                serve(&mut line, now, &came, &mut left)?;
            }
            prop_assert_eq!(line.due(now), Due::Never);
            prop_assert!(left.into_iter().eq(0..gaps.len()));
        }

        /// A server that was busy finds a crowd: batches are full lanes at least, as long as there
        /// are that many, and bounded.
        #[test]
        fn a_crowd_goes_in_batches(lanes in 1_usize..70, sizes in prop::collection::vec(0_usize..500_000, 0..3000)) {
            let mut line = Line::new(lanes, UNIT);
            sizes.iter().enumerate().for_each(|(number, bytes)| line.push(Duration::ZERO, *bytes, number));
            let mut taken = 0;
            while line.len() > 0 {
                let there = line.len();
                let batch = line.take();
                prop_assert!(batch.len() >= lanes.min(there) && batch.len() <= BATCH_MOST);
                let bytes = batch.iter().skip(lanes).map(|number| sizes[*number]).sum::<usize>();
                prop_assert!(bytes <= BATCH_BYTES);
                prop_assert!(batch.iter().copied().eq(taken..taken + batch.len()));
                taken += batch.len();
            }
            prop_assert_eq!(taken, sizes.len());
        }
    }
}

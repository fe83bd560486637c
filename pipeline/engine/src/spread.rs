//! One long message under trees, read by all threads: each takes the next range, reads it to memory
//! that stays in its own cache, hashes it there, and brings the values of its units. Those are
//! joined in order.
//!
//! Ranges hold no end of a file, and report no problems: where one cannot be read, where the file
//! turns out shorter, or where reads begin to wait for the device, no further range is handed out,
//! and the message goes on behind the last one joined as any other, by one reader. So its end, its
//! problems and the proof that the file did not change meanwhile are those of one read.

use pfh_digest::Units;
use pfh_prefetch::RangeEnd;
use pfh_prefetch::host::atomic::{AtomicUsize, Ordering};
use pfh_prefetch::host::{Mutex, MutexGuard};
use pfh_source::{Entry, Positions, Reading, RefusedRead};
use std::collections::{BTreeMap, HashSet};
use std::sync::{Arc, PoisonError};
use std::thread::{ThreadId, current};

/// Bytes that are read and hashed at once, if units are not longer: less than a core's second-level
/// cache.
const SLICE: usize = 256 << 10;
/// Bytes of a range. Handing one out and joining it costs less than a thousandth of hashing it.
const RANGE: usize = 1 << 20;
/// A message of fewer ranges is not worth it.
const FEWEST: u64 = 4;

/// For each hasher of each state the [`Units`] that hash its units, in order.
type HasherUnits = Vec<Box<dyn Units>>;
/// The values that each of these has of a range.
pub(crate) type Values = Vec<Vec<u8>>;

/// How a message is cut.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct MessageDivision {
    /// Where the first range begins.
    pub start: u64,
    /// Bytes that are read at once.
    pub slice: usize,
    /// Bytes of a range: some slices.
    pub range: usize,
    /// Ranges.
    pub count: u64,
}

impl MessageDivision {
    /// For a message with `offset` hashed bytes and `size` stated ones, units of these
    /// lengths, and slabs of that many bytes; `None` if it is not worth it, or cannot be.
    pub fn new(
        offset: u64,
        size: u64,
        mut lengths: impl Iterator<Item = usize>,
        slab: usize,
    ) -> Option<MessageDivision> {
        let unit = lengths.try_fold(1, |all: usize, length| all.checked_mul(length / gcd(all, length)))?;
        if unit > slab {
            return None;
        }
        let slice = (SLICE.min(slab) / unit).max(1) * unit;
        let range = (RANGE / slice).max(1) * slice;
        let start = offset.max(1).next_multiple_of(unit as u64);
        // At least a byte is left for one reader.
        let count = size.checked_sub(start + 1)? / range as u64;
        (count >= FEWEST).then_some(MessageDivision { start, slice, range, count })
    }

    /// Where a range begins.
    pub fn offset(&self, index: u64) -> u64 {
        self.start + index * self.range as u64
    }
}

fn gcd(a: usize, b: usize) -> usize {
    if b == 0 { a } else { gcd(b, a % b) }
}

/// One message.
pub(crate) struct Spread<S> {
    pub entry: Arc<Entry>,
    pub positions: Positions,
    pub cut: MessageDivision,
    pub units: HasherUnits,
    /// Bytes of values that may wait for their turn.
    most: usize,
    /// The thread that had it before.
    by: ThreadId,
    inner: Mutex<Inner<S>>,
}

struct Inner<S> {
    /// The message; none while a thread joins values, and once it goes on as others do.
    message: Option<(Reading, Vec<S>)>,
    /// Ranges that were handed out.
    next: u64,
    /// Ranges that are handed out at most.
    end: u64,
    /// Ranges that were joined, in order.
    joined: u64,
    /// Values of ranges whose turn has not come.
    waiting: BTreeMap<u64, Values>,
    /// Bytes of values of one range, once one was brought.
    each: usize,
    /// The first read that failed.
    refused: Option<RefusedRead>,
    /// Whether a thread found no range because too many values waited.
    held_up: bool,
    is_lost: bool,
    threads: HashSet<ThreadId>,
}

/// The outcome of bringing a range.
pub(crate) enum Brought<S> {
    /// Others are at work.
    Nothing,
    /// Threads that were held up can go on.
    Room,
    /// The message is to go on behind the joined ranges.
    Through(Box<Reading>, Vec<S>),
}

impl<S> Spread<S> {
    /// A message whose states have had the bytes before the cut's start.
    pub fn new(
        entry: Arc<Entry>,
        positions: Positions,
        cut: MessageDivision,
        units: HasherUnits,
        most: usize,
        message: (Reading, Vec<S>),
    ) -> Self {
        let inner = Inner {
            message: Some(message),
            next: 0,
            end: cut.count,
            joined: 0,
            waiting: BTreeMap::new(),
            each: 0,
            refused: None,
            held_up: false,
            is_lost: false,
            threads: HashSet::new(),
        };
        Spread { entry, positions, cut, units, most, by: current().id(), inner: Mutex::new(inner) }
    }

    fn lock(&self) -> MutexGuard<'_, Inner<S>> {
        self.inner.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The next range, if one is left and the values of those before it are not too many.
    pub fn next(&self) -> Option<u64> {
        let mut inner = self.lock();
        if inner.is_lost || inner.next >= inner.end {
            return None;
        }
        let ahead = usize::try_from(inner.next - inner.joined).unwrap_or(usize::MAX);
        if ahead > 0 && ahead.saturating_mul(inner.each) > self.most {
            inner.held_up = true;
            return None;
        }
        inner.threads.insert(current().id());
        inner.next += 1;
        Some(inner.next - 1)
    }

    /// Whether the calling thread had the message before.
    pub fn is_begun_here(&self) -> bool {
        self.by == current().id()
    }

    /// Threads that have had a range.
    pub fn threads(&self) -> usize {
        self.lock().threads.len()
    }

    /// No range is handed out any more.
    pub fn end(&self) -> Brought<S> {
        let mut inner = self.lock();
        inner.end = inner.end.min(inner.next);
        self.through(&mut inner)
    }

    /// The message is given up: a reader was lost with a range of it.
    fn lose(&self) {
        let mut inner = self.lock();
        inner.is_lost = true;
        inner.message = None;
        inner.waiting.clear();
    }

    /// Brings a range: its values if it was read to its end. `join` takes those into the states
    /// that come next.
    pub fn bring(&self, index: u64, reached: RangeEnd, values: Values, join: impl Fn(&mut [S], &Values)) -> Brought<S> {
        let mut inner = self.lock();
        if inner.is_lost {
            return Brought::Nothing;
        }
        if reached == RangeEnd::All {
            inner.each = values.iter().map(Vec::len).sum();
            inner.waiting.insert(index, values);
        } else if index < inner.end {
            inner.end = index;
            inner.refused = if let RangeEnd::Refused(refused) = reached { Some(refused) } else { None };
        }
        // The thread that finds the message here joins all that there is, without the lock.
        let Some((reading, mut states)) = inner.message.take() else { return Brought::Nothing };
        loop {
            let turn = inner.joined;
            let values = (turn < inner.end).then(|| inner.waiting.remove(&turn)).flatten();
            let Some(values) = values else { break };
            drop(inner);
            join(&mut states, &values);
            inner = self.lock();
            if inner.is_lost {
                return Brought::Nothing;
            }
            inner.joined += 1;
        }
        inner.message = Some((reading, states));
        match self.through(&mut inner) {
            Brought::Nothing if std::mem::take(&mut inner.held_up) => Brought::Room,
            other => other,
        }
    }

    fn through(&self, inner: &mut Inner<S>) -> Brought<S> {
        if inner.joined < inner.end {
            return Brought::Nothing;
        }
        let Some((mut reading, states)) = inner.message.take() else { return Brought::Nothing };
        reading.go_on(self.cut.offset(inner.joined), inner.refused.take());
        Brought::Through(Box::new(reading), states)
    }
}

/// The messages of a run that several threads read.
pub(crate) struct Spreads<S> {
    all: Mutex<Vec<Arc<Spread<S>>>>,
    count: AtomicUsize,
}

impl<S> Default for Spreads<S> {
    fn default() -> Self {
        Spreads { all: Mutex::default(), count: AtomicUsize::new(0) }
    }
}

impl<S> Spreads<S> {
    fn change<T>(&self, change: impl FnOnce(&mut Vec<Arc<Spread<S>>>) -> T) -> T {
        let mut all = self.all.lock().unwrap_or_else(PoisonError::into_inner);
        let result = change(&mut all);
        self.count.store(all.len(), Ordering::SeqCst);
        result
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.count.load(Ordering::SeqCst) == 0
    }

    /// All of them.
    pub fn all(&self) -> Vec<Arc<Spread<S>>> {
        if self.is_empty() { Vec::new() } else { self.change(|all| all.clone()) }
    }

    pub fn add(&self, spread: Spread<S>) {
        self.change(|all| all.push(Arc::new(spread)));
    }

    /// Takes out one that is through.
    pub fn remove(&self, number: u64) {
        self.change(|all| all.retain(|spread| spread.entry.number != number));
    }

    /// Gives up a message whose reader was lost.
    pub fn lose(&self, number: u64) {
        self.change(|all| {
            all.extract_if(.., |spread| spread.entry.number == number).for_each(|spread| spread.lose());
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_are_whole_units_and_leave_the_end() {
        let mib = 1u64 << 20;
        let cut =
            |offset, size, lengths: &[usize]| MessageDivision::new(offset, size, lengths.iter().copied(), 1 << 20);
        let blake3 = cut(0, 16 * mib, &[128 << 10]).unwrap();
        assert_eq!(blake3, MessageDivision { start: 128 << 10, slice: 256 << 10, range: 1 << 20, count: 15 });
        assert_eq!(blake3.offset(2), 2 * mib + (128 << 10));
        // The last byte is for one reader.
        let end = 4 * mib + (128 << 10);
        assert_eq!((cut(5, end, &[128 << 10]), cut(5, end + 1, &[128 << 10]).unwrap().count), (None, 4));
        assert_eq!(cut(mib, 16 * mib, &[8192, 128 << 10]).unwrap().start, mib);
        assert_eq!(cut(mib + 1, 16 * mib, &[8192]).unwrap().start, mib + 8192);
        let odd = cut(60 << 10, 16 * mib, &[3000, 2000]).unwrap();
        assert_eq!(odd, MessageDivision { start: 66_000, slice: 258_000, range: 1_032_000, count: 16 });
        // Units longer than a slab, sizes of nothing, and sizes that are made up.
        assert_eq!(cut(0, 16 * mib, &[2 << 20]), None);
        assert_eq!((cut(0, 0, &[8192]), cut(9 * mib, 8 * mib, &[8192])), (None, None));
        assert!(cut(0, u64::MAX, &[8192]).is_some());
    }
}

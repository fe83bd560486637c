//! The entries that a reader has in hand, for when the reader does not come back.

use crate::host::atomic::{AtomicBool, AtomicU64, Ordering};
use crate::host::{Mutex, MutexGuard};
use pfh_source::Entry;
use std::collections::VecDeque;
use std::sync::{Arc, PoisonError};

/// The state of a reader that others may know while it is inside a system call.
#[derive(Default)]
pub struct InHand {
    held: Mutex<HandState>,
    /// Milliseconds (of the run's clock) at which the system call at hand began; 0 outside of one.
    since: AtomicU64,
    lost: AtomicBool,
}

#[derive(Default)]
pub(crate) struct HandState {
    /// Entries read or being read, and not yet in the table; the last one is being read.
    pub entries: Vec<Arc<Entry>>,
    /// Entries whose turn comes after those.
    ahead: VecDeque<Arc<Entry>>,
    /// Of several open messages of `entries` the one that is being read; without it the last.
    at: Option<u64>,
    /// Whether `ahead` is in one system call, and nobody knows which of it keeps the call from
    /// coming back.
    together: bool,
}

/// The work taken from a reader that does not return.
#[derive(Default)]
pub struct LostWork {
    /// The entry at which it stands; `None` while it reads several at once.
    pub culprit: Option<Arc<Entry>>,
    /// Everything else that it had: to be read again, one by one.
    pub others: Vec<Arc<Entry>>,
}

impl InHand {
    /// When the system call at hand began, in milliseconds of the run's clock.
    pub fn since(&self) -> Option<u64> {
        Some(self.since.load(Ordering::SeqCst)).filter(|&ms| ms > 0)
    }

    /// Declares the reader lost: the entries that it has in hand are taken from it. Anything that
    /// it brings when it comes back is dropped.
    pub fn lose(&self) -> LostWork {
        let mut held = self.lock();
        self.lost.store(true, Ordering::SeqCst);
        let HandState { mut entries, at, ahead, together } = std::mem::take(&mut *held);
        let culprit = match at {
            Some(number) => entries.iter().position(|entry| entry.number == number).map(|at| entries.remove(at)),
            None if together => None,
            None => entries.pop(),
        };
        entries.extend(ahead);
        LostWork { culprit, others: entries }
    }

    /// Whether the reader was declared lost.
    pub fn is_lost(&self) -> bool {
        self.lost.load(Ordering::SeqCst)
    }

    pub(crate) fn enter(&self, now: u64) {
        self.since.store(now, Ordering::SeqCst);
    }

    pub(crate) fn leave(&self) {
        self.since.store(0, Ordering::SeqCst);
    }

    /// The reader begins to read an entry. `false`: it was declared lost, and nobody would miss an
    /// entry that it takes now.
    #[must_use]
    pub(crate) fn take(&self, entry: Arc<Entry>) -> bool {
        let mut held = self.lock();
        let is_lost = self.is_lost();
        if !is_lost {
            held.entries.push(entry);
        }
        !is_lost
    }

    /// Takes an entry out of the reader's hands; `false` when it was taken already.
    pub(crate) fn release(&self, entry: &Entry) -> bool {
        let mut held = self.lock();
        let place = held.entries.iter().position(|e| e.number == entry.number);
        place.map(|place| held.entries.remove(place)).is_some()
    }

    /// Of the messages that the reader has open, this one is read now.
    pub(crate) fn turn(&self, entry: &Entry) {
        self.lock().at = Some(entry.number);
    }

    /// Sets the entries that the reader has in hand; `false`, and nothing is set, when it was
    /// declared lost.
    pub(crate) fn hold(&self, entries: impl Iterator<Item = Arc<Entry>>) -> bool {
        let mut held = self.lock();
        if self.is_lost() {
            return false;
        }
        held.entries.clear();
        held.entries.extend(entries);
        held.at = None;
        true
    }

    /// Takes the entry being read out of the reader's hands; `false` when it was taken already.
    pub(crate) fn drop_last(&self) -> bool {
        self.lock().entries.pop().is_some()
    }

    /// The reader begins to read several entries at once. `false`, and none is taken, when it was
    /// declared lost: nobody would miss them.
    #[must_use]
    pub(crate) fn take_together(&self, entries: &[Arc<Entry>]) -> bool {
        let mut held = self.lock();
        let is_lost = self.is_lost();
        if !is_lost {
            held.ahead.extend(entries.iter().cloned());
            held.together = true;
        }
        !is_lost
    }

    /// The next of several is now read by itself; `false` when the reader was declared lost.
    pub(crate) fn take_next(&self) -> bool {
        let mut held = self.lock();
        held.together = false;
        let next = held.ahead.pop_front();
        let any = next.is_some();
        held.entries.extend(next);
        any
    }

    /// Takes the next of several out of the reader's hands; `false` when it was taken already.
    pub(crate) fn drop_next(&self) -> bool {
        self.lock().ahead.pop_front().is_some()
    }

    pub(crate) fn lock(&self) -> MutexGuard<'_, HandState> {
        self.held.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use pfh_source::Origin;

    fn entry(number: u64) -> Arc<Entry> {
        Arc::new(Entry { number, origin: Origin::Stream(pfh_source::Stream::standard()), stat: None })
    }

    #[test]
    fn nobody_is_blamed_for_what_several_may_have_done() {
        let in_hand = InHand::default();
        assert!(in_hand.take(entry(0)));
        assert!(in_hand.take_together(&[entry(1), entry(2), entry(3)]));
        let lost = in_hand.lose();
        assert!(lost.culprit.is_none());
        assert_eq!(lost.others.iter().map(|e| e.number).collect::<Vec<_>>(), [0, 1, 2, 3]);
        assert!(!in_hand.take_together(&[entry(4), entry(5)]), "it comes back to nothing");
        assert!(!in_hand.take_next() && !in_hand.drop_next() && !in_hand.drop_last());
    }

    #[test]
    fn of_several_open_messages_the_one_whose_turn_it_is_is_named() {
        let in_hand = InHand::default();
        assert!(in_hand.hold([entry(4), entry(5), entry(6)].into_iter()));
        in_hand.turn(&entry(5));
        let lost = in_hand.lose();
        assert_eq!(lost.culprit.map(|e| e.number), Some(5));
        assert_eq!(lost.others.iter().map(|e| e.number).collect::<Vec<_>>(), [4, 6]);
        assert!(!in_hand.hold([entry(4)].into_iter()) && !in_hand.take(entry(4)) && !in_hand.release(&entry(5)));
        assert!(in_hand.lose().others.is_empty(), "it comes back to nothing");
    }

    #[test]
    fn the_one_being_read_is_named() {
        let in_hand = InHand::default();
        assert!(in_hand.take(entry(0)));
        assert!(in_hand.take_together(&[entry(1), entry(2), entry(3)]));
        assert!(in_hand.drop_next() && in_hand.take_next());
        let lost = in_hand.lose();
        assert_eq!(lost.culprit.map(|e| e.number), Some(2));
        assert_eq!(lost.others.iter().map(|e| e.number).collect::<Vec<_>>(), [0, 3]);
    }
}

//! Who of the readers reads ahead, and whether any does.

use crate::choice::{Choice, Way};
use crate::event_count::EventCount;
use crate::host::atomic::{AtomicBool, AtomicUsize, Ordering};
use crate::host::{Instant, Mutex, MutexGuard};
use std::sync::{Arc, PoisonError};
use std::time::Duration;

/// A step's weight after each further step: the last dozen decides whether reads wait.
const FADE: f64 = 0.9;
/// Readers ahead are called when more than this share of the reading time was waiting.
const LONG: f64 = 0.5;
/// Without a byte for so long, another reader may begin: the ones that read may stand.
const STANDING: Duration = Duration::from_millis(500);
/// From this many readers on, each reads several small files at a time.
const MANY: usize = 4;

/// Decides whether readers ahead are called, and who of them reads.
///
/// They are called where reads wait. Where the data is in the page cache a read is a copy by the
/// processor, and more readers only take turns with those who hash, and touch the whole table:
/// 4,457 cached files under MD5, SHA-1 and SHA-256 took two hashing threads 1.07 s of processor
/// time with six readers besides, .99 s with one (4,400 and 290 waits).
pub struct Reserve {
    called: AtomicBool,
    /// Where reads wait too, threads read for their own lanes.
    in_lanes: AtomicBool,
    /// No thread could be started that reads ahead: all others read for themselves.
    forgone: AtomicBool,
    /// Whether it is known if reads wait, and whether a thread is finding out.
    known: AtomicBool,
    scouted: AtomicBool,
    limit: AtomicUsize,
    inner: Mutex<Inner>,
    /// Most readers.
    most: usize,
    /// The number never changes.
    fixed: bool,
    /// Notified when a reader ahead may read now that could not before.
    events: EventCount,
    /// The run's own events, for readers that have other work.
    run: Arc<EventCount>,
}

struct Inner {
    /// Time of the last steps, the older the less: waiting, and all.
    waited: f64,
    total: f64,
    /// Readers that have begun, in order, and whether each is in the middle of a file.
    turns: Vec<(u64, bool)>,
    /// The last byte.
    last: Instant,
    choice: Choice,
}

impl Reserve {
    /// At most `most` readers besides `threads` that hash; `fixed`: always as many.
    pub fn new(most: usize, threads: usize, fixed: bool, run: Arc<EventCount>) -> Self {
        let most = most.max(1);
        let choice = Choice::new(most, threads > 1);
        let inner = Inner { waited: 0.0, total: 0.0, turns: Vec::new(), last: Instant::now(), choice };
        Reserve {
            called: AtomicBool::new(most == 1),
            in_lanes: AtomicBool::new(false),
            forgone: AtomicBool::new(false),
            known: AtomicBool::new(false),
            scouted: AtomicBool::new(false),
            limit: AtomicUsize::new(if fixed { most } else { 1 }),
            inner: Mutex::new(inner),
            most,
            fixed,
            events: EventCount::default(),
            run,
        }
    }

    fn lock(&self) -> MutexGuard<'_, Inner> {
        self.inner.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn notify(&self) {
        self.events.notify();
        self.run.notify();
    }

    /// Takes in a reading step: how long it waited, and how long it took. One reader alone is
    /// always called.
    pub fn note(&self, (waited, total): (Duration, Duration)) {
        let mut inner = self.lock();
        inner.waited = inner.waited * FADE + waited.as_secs_f64();
        inner.total = inner.total * FADE + total.as_secs_f64();
        let long = inner.waited > inner.total * LONG || self.most == 1;
        drop(inner);
        self.know();
        if self.called.swap(long, Ordering::SeqCst) != long {
            self.lock().choice.begin();
            self.notify();
        }
    }

    /// Whether a thread may read for its own lanes: one alone does until it is known if reads wait.
    pub fn may_lap(&self) -> bool {
        self.known.load(Ordering::SeqCst) || !self.scouted.swap(true, Ordering::SeqCst)
    }

    /// A thread has read for its own lanes, or found nothing to read: others may.
    pub fn know(&self) {
        if !self.known.load(Ordering::SeqCst) && !self.known.swap(true, Ordering::SeqCst) {
            self.run.notify();
        }
    }

    /// Takes in bytes that were read, and files that ended. One reader alone has no choice.
    pub(crate) fn add(&self, files: u64, bytes: u64) {
        if self.fixed || self.most == 1 || !self.waits() {
            return;
        }
        let mut inner = self.lock();
        inner.last = Instant::now();
        if inner.choice.add(files, bytes) {
            self.go(inner);
        }
    }

    /// Takes in bytes of a range of a file.
    pub fn add_range(&self, bytes: u64) {
        self.add(0, bytes);
    }

    /// Reads in the way that was chosen.
    fn go(&self, inner: MutexGuard<'_, Inner>) {
        let way = inner.choice.way();
        drop(inner);
        if let Way::Ahead(readers) = way {
            self.limit.store(readers, Ordering::SeqCst);
        }
        self.in_lanes.store(way == Way::Lanes, Ordering::SeqCst);
        self.notify();
    }

    /// Readers wait for room in the table: what was measured says nothing of the device.
    pub fn is_full(&self) {
        if !self.fixed {
            self.lock().choice.begin();
        }
    }

    /// Whether a reader may take its next step now; `mid`: it is in the middle of a file. One file
    /// is read to its end before the next is begun, by whichever reader: those go first.
    pub fn may_read(&self, reader: u64, mid: bool) -> bool {
        let limit = self.limit();
        let mut inner = self.lock();
        let known = inner.turns.iter().position(|(number, _)| *number == reader);
        let changed = match known {
            Some(at) => std::mem::replace(&mut inner.turns[at].1, mid) && !mid,
            None if inner.turns.len() < limit => {
                inner.turns.push((reader, mid));
                false
            }
            None if !mid => return false,
            None => {
                inner.turns.push((reader, mid));
                false
            }
        };
        let mut order: Vec<_> = inner.turns.iter().enumerate().map(|(at, (number, mid))| (!mid, at, *number)).collect();
        let waits = order.len() > limit;
        order.sort_unstable();
        let may = order.iter().take(limit).any(|(_, _, number)| *number == reader);
        drop(inner);
        if changed && waits {
            self.notify();
        }
        may
    }

    /// A reader does not read for now.
    pub fn leave(&self, reader: u64) {
        let mut inner = self.lock();
        let before = inner.turns.len();
        inner.turns.retain(|(number, _)| *number != reader);
        let left = inner.turns.len() < before;
        drop(inner);
        if left {
            self.notify();
        }
    }

    /// From time to time: where no byte has come for long, one more reader may read.
    pub fn look(&self) {
        self.know();
        let mut inner = self.lock();
        let in_lanes = inner.choice.way() == Way::Lanes;
        let stands = inner.last.elapsed() > STANDING && (in_lanes || !inner.turns.is_empty());
        let readers = if in_lanes { 1 } else { self.limit() + 1 };
        if stands && !self.fixed && self.waits() && readers <= self.most {
            inner.choice.take(Way::Ahead(readers));
            inner.last = Instant::now();
            self.go(inner);
        }
    }

    /// How many may read.
    pub fn limit(&self) -> usize {
        self.limit.load(Ordering::SeqCst)
    }

    /// Whether a reader asks for several small files at a time.
    pub(crate) fn is_wide(&self) -> bool {
        self.limit() >= MANY
    }

    /// Whether reads wait, and there are readers for it.
    fn waits(&self) -> bool {
        self.called.load(Ordering::SeqCst) && !self.forgone.load(Ordering::SeqCst)
    }

    /// Whether readers ahead should read: reads wait, and lanes do not bring more.
    pub fn is_called(&self) -> bool {
        self.waits() && !self.in_lanes.load(Ordering::SeqCst)
    }

    /// No reader ahead could be started: none is called from now on.
    pub fn forgo(&self) {
        self.forgone.store(true, Ordering::SeqCst);
        self.notify();
    }

    /// Note it before looking at [`is_called`](Reserve::is_called), for [`wait`](Reserve::wait).
    pub fn noted(&self) -> u64 {
        self.events.noted()
    }

    /// Waits until a reader ahead may do more than after `noted`, at most a second.
    pub fn wait(&self, noted: u64) {
        self.events.wait(noted, Duration::from_secs(1));
    }

    /// Wakes all who wait: the run is over.
    pub fn dismiss(&self) {
        self.events.notify();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn called_when_reads_wait_and_held_back_when_they_do_not() {
        let reserve = Reserve::new(6, 2, false, Arc::default());
        let ms = Duration::from_millis;
        assert!(!reserve.is_called());
        for _ in 0..20 {
            reserve.note((ms(0), ms(1)));
        }
        assert!(!reserve.is_called(), "all of it was work");
        reserve.note((ms(30), ms(31)));
        assert!(reserve.is_called(), "one long wait outweighs short steps");
        for _ in 0..60 {
            reserve.note((ms(0), ms(1)));
        }
        assert!(!reserve.is_called(), "the wait has faded");
        assert!(Reserve::new(1, 2, false, Arc::default()).is_called(), "nobody else reads");
    }

    #[test]
    fn a_file_that_was_begun_is_read_before_the_next() {
        let reserve = Reserve::new(2, 2, false, Arc::default());
        assert!(reserve.may_read(7, false) && !reserve.may_read(8, false));
        reserve.limit.store(2, Ordering::SeqCst);
        assert!(reserve.may_read(7, true) && reserve.may_read(8, true));
        reserve.limit.store(1, Ordering::SeqCst);
        assert!(reserve.may_read(7, true) && !reserve.may_read(8, true));
        // The first one has ended its file: the other's turn.
        assert!(!reserve.may_read(7, false) && reserve.may_read(8, true));
        reserve.leave(8);
        assert!(reserve.may_read(7, false));
    }
}

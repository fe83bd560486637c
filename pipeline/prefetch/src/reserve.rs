//! How many readers read ahead at a time: as many as make the device bring more.
//!
//! No device is asked what it is. Where seeks cost, a second reader makes the first one slower, and
//! is sent back; where latencies can be waited for together, each one more is worth it.

use crate::event_count::EventCount;
use crate::host::atomic::{AtomicBool, AtomicUsize, Ordering};
use crate::host::{Instant, Mutex, MutexGuard};
use std::sync::{Arc, PoisonError};
use std::time::Duration;

/// A step's weight after each further step: the last dozen decides whether reads wait.
const FADE: f64 = 0.9;
/// Readers ahead are called when more than this share of the reading time was waiting.
const LONG: f64 = 0.5;
/// Files, or bytes, over which a rate is measured.
const FILES: u64 = 16;
const BYTES: u64 = 8 << 20;
/// A trial of more readers ends after this part of that. On a disk with one head it costs a seek
/// for each piece that is read.
const TRIAL: u64 = 4;
/// A short trial must show that much, since seeks vary; a whole window follows.
const CLEAR: f64 = 1.3;
/// The opening of a file counts as this many bytes: rates of small and of large files are alike.
const OPENING: u64 = 128 << 10;
/// A rate has to rise by a tenth for one step up, and must not fall by one for a step down.
const RISE: f64 = 1.1;
/// A trial that has taken that many times what fewer readers would have taken has failed.
const LATE: f64 = 1.5;
/// After a trial that failed, and each further one, that many times as many files are read before
/// the next. The share of trials in all reading is small, and a device that changes is found out.
const PATIENCE: u64 = 8;
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
    from: Instant,
    last: Instant,
    files: u64,
    bytes: u64,
    trial: Option<Trial>,
    /// Windows that were measured since the last trial, and those that must have been.
    measured: u64,
    needed: u64,
}

impl Reserve {
    /// At most that many readers; `fixed`: always as many.
    pub fn new(most: usize, fixed: bool, run: Arc<EventCount>) -> Self {
        let now = Instant::now();
        let inner = Inner {
            waited: 0.0,
            total: 0.0,
            turns: Vec::new(),
            from: now,
            last: now,
            files: 0,
            bytes: 0,
            trial: None,
            measured: 0,
            needed: 1,
        };
        let most = most.max(1);
        Reserve {
            called: AtomicBool::new(most == 1),
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
            self.lock().begin();
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

    /// Takes in what a reader ahead has read: files that ended, and bytes.
    pub(crate) fn add(&self, files: u64, bytes: u64) {
        if self.fixed || !self.is_called() {
            return;
        }
        let mut inner = self.lock();
        inner.files += files;
        inner.bytes += bytes;
        inner.last = Instant::now();
        let limit = self.limit();
        let took = inner.from.elapsed().as_secs_f64().max(1e-9);
        let next = inner.next(limit, self.most, took);
        drop(inner);
        if next != limit {
            self.limit.store(next, Ordering::SeqCst);
            self.notify();
        }
    }

    /// Readers wait for room in the table: what was measured says nothing of the device.
    pub fn is_full(&self) {
        if !self.fixed {
            self.lock().begin();
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
        let stands = !inner.turns.is_empty() && inner.last.elapsed() > STANDING;
        if stands && !self.fixed && self.limit() < self.most {
            inner.begin();
            inner.last = Instant::now();
            drop(inner);
            self.limit.fetch_add(1, Ordering::SeqCst);
            self.notify();
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

    /// Whether reads wait, so that readers ahead should read.
    pub fn is_called(&self) -> bool {
        self.called.load(Ordering::SeqCst) && !self.forgone.load(Ordering::SeqCst)
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

/// A trial of another number of readers.
#[derive(Clone, Copy)]
struct Trial {
    /// Readers before, and their bytes a second.
    before: usize,
    rate: f64,
    /// The part of a window that it takes.
    part: u64,
}

impl Inner {
    /// Begins to measure.
    fn begin(&mut self) {
        (self.from, self.files, self.bytes) = (Instant::now(), 0, 0);
    }

    /// How many readers are to read from now on: at most `most`, after `limit` have read for `took`
    /// seconds.
    fn next(&mut self, limit: usize, most: usize, took: f64) -> usize {
        let part = self.trial.map_or(1, |trial| trial.part);
        let work = (self.bytes + OPENING * self.files) as f64;
        let is_late =
            self.trial.is_some_and(|trial| trial.before < limit && took > LATE * most_work(part) / trial.rate);
        if self.files * part < FILES && self.bytes * part < BYTES && !is_late {
            return limit;
        }
        let rate = work / took;
        self.begin();
        match self.trial.take() {
            Some(Trial { before, rate: old, part }) => {
                let up = limit > before;
                if up && part > 1 && rate >= old * CLEAR {
                    self.trial = Some(Trial { before, rate: old, part: 1 });
                    return limit;
                }
                let good = if up { part == 1 && rate >= old * RISE } else { rate * RISE >= old };
                self.measured = 0;
                self.needed = if good { 1 } else { self.needed.saturating_mul(PATIENCE).max(PATIENCE) };
                if good { limit } else { before }
            }
            None => {
                self.measured += 1;
                if self.measured < self.needed {
                    return limit;
                }
                // Up as long as that is not known to be in vain; a trial of fewer in its place from
                // time to time, since devices change.
                let up = limit < most && (limit == 1 || self.needed == 1);
                let next = if up { (limit * 2).min(most) } else { (limit / 2).max(1) };
                if next != limit {
                    self.trial = Some(Trial { before: limit, rate, part: if next > limit { TRIAL } else { 1 } });
                }
                next
            }
        }
    }
}

/// The most work of a window.
fn most_work(part: u64) -> f64 {
    (FILES * OPENING + BYTES) as f64 / part as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn called_when_reads_wait_and_held_back_when_they_do_not() {
        let reserve = Reserve::new(6, false, Arc::default());
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
        assert!(Reserve::new(1, false, Arc::default()).is_called(), "nobody else reads");
    }

    /// Reads windows at the rate that each number of readers has; the number at the end.
    fn climbs(rate: impl Fn(usize) -> f64) -> usize {
        let mut inner = Reserve::new(8, false, Arc::default()).inner.into_inner().unwrap();
        let mut limit = 1;
        for _ in 0..64 {
            let files = if inner.trial.is_some_and(|trial| trial.part > 1) { FILES / TRIAL } else { FILES };
            (inner.files, inner.bytes) = (files, 0);
            limit = inner.next(limit, 8, (files * OPENING) as f64 / rate(limit));
        }
        if let Some(trial) = inner.trial { trial.before } else { limit }
    }

    #[test]
    fn readers_are_as_many_as_raise_the_rate() {
        let mib = f64::from(1 << 20);
        assert_eq!(climbs(|readers| 20.0 * mib / readers as f64), 1, "a disk with one head");
        assert_eq!(climbs(|_| 20.0 * mib), 1, "a device that does one thing at a time");
        assert_eq!(climbs(|readers| 20.0 * mib * readers as f64), 8, "latencies that are waited for together");
        assert_eq!(climbs(|readers| 20.0 * mib * readers.min(4) as f64), 4, "four at a time");
    }

    #[test]
    fn a_file_that_was_begun_is_read_before_the_next() {
        let reserve = Reserve::new(2, false, Arc::default());
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

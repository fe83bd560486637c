//! Event counts: a thread waits for a change and misses none.

use crate::host::atomic::{AtomicU64, AtomicUsize, Ordering};
use crate::host::{Condvar, Instant, Mutex, wait};
use std::sync::PoisonError;
use std::time::Duration;

/// An event count. A thread takes the [`noted`](EventCount::noted) count, looks for the thing that
/// it needs (space, data, a free slot), and if it finds none [`wait`](EventCount::wait)s for the
/// next event after that count: an event between look and wait is never lost.
/// [`notify`](EventCount::notify) costs one atomic addition while nobody waits.
#[derive(Default)]
pub struct EventCount {
    count: AtomicU64,
    waiting: AtomicUsize,
    lock: Mutex<()>,
    changed: Condvar,
    /// An event wakes one.
    one: bool,
}

impl EventCount {
    /// Events for equals: each wakes one of those who wait, who takes what the event is about. Who
    /// leaves something of it for others notifies again.
    pub fn for_equals() -> EventCount {
        EventCount { one: true, ..EventCount::default() }
    }

    /// The number of events so far. Note it before looking.
    pub fn noted(&self) -> u64 {
        self.count.load(Ordering::SeqCst)
    }

    /// Wakes everybody who waits; one of equals.
    pub fn notify(&self) {
        self.wake(self.one);
    }

    /// Wakes everybody who waits, equals too.
    pub fn notify_all(&self) {
        self.wake(false);
    }

    fn wake(&self, one: bool) {
        self.count.fetch_add(1, Ordering::SeqCst);
        // SeqCst on both sides: either this load sees the waiter, or the waiter's check of `count`
        // sees this event.
        if self.waiting.load(Ordering::SeqCst) > 0 {
            drop(self.lock.lock().unwrap_or_else(PoisonError::into_inner));
            if one {
                self.changed.notify_one();
            } else {
                self.changed.notify_all();
            }
        }
    }

    /// Waits for an event after `noted`, at most `longest`. Returns how long it took.
    pub fn wait(&self, noted: u64, longest: Duration) -> Duration {
        let from = Instant::now();
        self.waiting.fetch_add(1, Ordering::SeqCst);
        let mut guard = self.lock.lock().unwrap_or_else(PoisonError::into_inner);
        while self.count.load(Ordering::SeqCst) == noted {
            let left = longest.saturating_sub(from.elapsed());
            if left.is_zero() {
                break;
            }
            guard = wait(&self.changed, &self.lock, guard, left);
        }
        drop(guard);
        self.waiting.fetch_sub(1, Ordering::SeqCst);
        from.elapsed()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::Arc;

    #[test]
    fn an_event_between_look_and_wait_is_not_lost() {
        let events = Arc::new(EventCount::default());
        let noted = events.noted();
        events.notify();
        assert!(events.wait(noted, Duration::from_secs(3600)) < Duration::from_secs(3000));
    }

    #[test]
    fn of_equals_each_event_wakes_one_at_least() {
        let (events, there) = (Arc::new(EventCount::for_equals()), Arc::new(AtomicU64::new(0)));
        let live = |events: Arc<EventCount>, there: Arc<AtomicU64>| {
            std::thread::spawn(move || {
                let noted = events.noted();
                there.fetch_add(1, Ordering::SeqCst);
                events.wait(noted, Duration::from_secs(3600));
            })
        };
        let threads: Vec<_> = (0..3).map(|_| live(events.clone(), there.clone())).collect();
        while there.load(Ordering::SeqCst) < 3 || events.waiting.load(Ordering::SeqCst) < 3 {
            std::thread::yield_now();
        }
        // One that is not asleep yet sees the same event: more than one may leave.
        let left = |most: usize| {
            while events.waiting.load(Ordering::SeqCst) > most {
                std::thread::yield_now();
            }
        };
        events.notify();
        left(2);
        events.notify();
        left(1);
        events.notify_all();
        threads.into_iter().for_each(|thread| thread.join().unwrap());
    }

    #[test]
    fn ping_pong() {
        let (events, turn) = (Arc::new(EventCount::default()), Arc::new(AtomicU64::new(0)));
        let (other, there) = (events.clone(), turn.clone());
        let play = move |events: &EventCount, turn: &AtomicU64, mine: u64| {
            for _ in 0..10_000 {
                loop {
                    let noted = events.noted();
                    if turn.load(Ordering::SeqCst) % 2 == mine {
                        break;
                    }
                    events.wait(noted, Duration::from_secs(3600));
                }
                turn.fetch_add(1, Ordering::SeqCst);
                events.notify();
            }
        };
        let second = std::thread::spawn(move || play(&other, &there, 1));
        play(&events, &turn, 0);
        second.join().unwrap();
        assert_eq!(turn.load(Ordering::SeqCst), 20_000);
    }
}

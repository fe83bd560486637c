//! One bell for every change that a waiting thread may be waiting for.

use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::{Condvar, Mutex, PoisonError};
use std::time::{Duration, Instant};

/// An event count. A thread notes [`heard`](EventCount::heard), looks at whatever it needs (space, data, a free slot), and if
/// it finds nothing [`wait`](EventCount::wait)s for the next ring after what it heard: a ring between look and wait is never
/// lost. Ringing costs one atomic addition while nobody waits.
#[derive(Default)]
pub struct EventCount {
    rings: AtomicU64,
    waiting: AtomicUsize,
    lock: Mutex<()>,
    rung: Condvar,
}

impl EventCount {
    /// The number of rings so far. Note it before looking.
    pub fn heard(&self) -> u64 {
        self.rings.load(Ordering::SeqCst)
    }

    /// Wakes everybody who waits.
    pub fn ring(&self) {
        self.rings.fetch_add(1, Ordering::SeqCst);
        // SeqCst on both sides: either this load sees the waiter, or the waiter's check of `rings` sees this ring.
        if self.waiting.load(Ordering::SeqCst) > 0 {
            drop(self.lock.lock().unwrap_or_else(PoisonError::into_inner));
            self.rung.notify_all();
        }
    }

    /// Waits for a ring after `heard`, at most `longest`. Returns how long it took.
    pub fn wait(&self, heard: u64, longest: Duration) -> Duration {
        let from = Instant::now();
        self.waiting.fetch_add(1, Ordering::SeqCst);
        let mut guard = self.lock.lock().unwrap_or_else(PoisonError::into_inner);
        while self.rings.load(Ordering::SeqCst) == heard {
            let left = longest.saturating_sub(from.elapsed());
            if left.is_zero() {
                break;
            }
            guard = self.rung.wait_timeout(guard, left).unwrap_or_else(PoisonError::into_inner).0;
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
    fn a_ring_between_look_and_wait_is_not_lost() {
        let bell = Arc::new(EventCount::default());
        let heard = bell.heard();
        bell.ring();
        assert!(bell.wait(heard, Duration::from_secs(3600)) < Duration::from_secs(3000));
    }

    #[test]
    fn ping_pong() {
        let (bell, turn) = (Arc::new(EventCount::default()), Arc::new(AtomicU64::new(0)));
        let (other, there) = (bell.clone(), turn.clone());
        let play = move |bell: &EventCount, turn: &AtomicU64, mine: u64| {
            for _ in 0..10_000 {
                loop {
                    let heard = bell.heard();
                    if turn.load(Ordering::SeqCst) % 2 == mine {
                        break;
                    }
                    bell.wait(heard, Duration::from_secs(3600));
                }
                turn.fetch_add(1, Ordering::SeqCst);
                bell.ring();
            }
        };
        let second = std::thread::spawn(move || play(&other, &there, 1));
        play(&bell, &turn, 0);
        second.join().unwrap();
        assert_eq!(turn.load(Ordering::SeqCst), 20_000);
    }
}

//! Readers that are held back until reads wait for the device.

use crate::event_count::EventCount;
use crate::host::Mutex;
use crate::host::atomic::{AtomicBool, Ordering};
use std::sync::PoisonError;
use std::time::Duration;

/// Decides whether more readers would help. They do where reads wait: eight in flight take a disk's
/// latency together. Where the data is in the page cache a read is a copy by the processor, and
/// more readers only take turns with those who hash, and touch the whole table: 4,457 cached files
/// under MD5, SHA-1 and SHA-256 took two hashing threads 1.07 s of processor time with six readers
/// besides, .99 s with one (4,400 and 290 waits).
#[derive(Default)]
pub struct Reserve {
    called: AtomicBool,
    recent: Mutex<Recent>,
    events: EventCount,
}

/// Time of the last steps, the older the less.
#[derive(Default)]
struct Recent {
    waited: f64,
    total: f64,
}

/// A step's weight after each further step: the last dozen decides.
const FADE: f64 = 0.9;
/// The reserve is called when more than this share of the reading time was waiting.
const LONG: f64 = 0.5;

impl Reserve {
    /// Takes in a reading step: how long it waited, and how long it took.
    pub fn note(&self, (waited, total): (Duration, Duration)) {
        let mut recent = self.recent.lock().unwrap_or_else(PoisonError::into_inner);
        recent.waited = recent.waited * FADE + waited.as_secs_f64();
        recent.total = recent.total * FADE + total.as_secs_f64();
        let long = recent.waited > recent.total * LONG;
        if self.called.swap(long, Ordering::SeqCst) != long && long {
            self.events.notify();
        }
    }

    /// Whether the readers that are held back should read.
    pub fn is_called(&self) -> bool {
        self.called.load(Ordering::SeqCst)
    }

    /// Note it before looking at [`is_called`](Reserve::is_called), for [`wait`](Reserve::wait).
    pub fn noted(&self) -> u64 {
        self.events.noted()
    }

    /// Waits until the reserve is called or dismissed after `noted`, at most a second.
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
        let reserve = Reserve::default();
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
    }
}

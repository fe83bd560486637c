//! A model of a device without moving parts: each read takes a while, and several go on at a time.

use std::sync::{Condvar, Mutex, PoisonError};
use std::time::Duration;

/// A latency, and the number of reads that the device answers at a time; a further one waits.
#[derive(Debug)]
pub struct Latency {
    time: Duration,
    most: usize,
    free: Mutex<usize>,
    freed: Condvar,
}

impl Latency {
    /// A device that takes `time` for a read, and `most` reads at a time.
    pub fn new(time: Duration, most: usize) -> Latency {
        Latency { time, most, free: Mutex::new(most), freed: Condvar::new() }
    }

    /// Reads that go on at a time.
    pub(crate) fn most(&self) -> usize {
        self.most
    }

    /// Takes the time of one read.
    pub(crate) fn pass(&self) {
        let mut free = self.free.lock().unwrap_or_else(PoisonError::into_inner);
        while *free == 0 {
            free = self.freed.wait(free).unwrap_or_else(PoisonError::into_inner);
        }
        *free -= 1;
        drop(free);
        std::thread::sleep(self.time);
        *self.free.lock().unwrap_or_else(PoisonError::into_inner) += 1;
        self.freed.notify_one();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::atomic::{AtomicUsize, Ordering};

    #[test]
    fn no_more_than_it_takes_go_on_at_a_time() {
        let device = Latency::new(Duration::from_millis(5), 3);
        let most = AtomicUsize::new(0);
        std::thread::scope(|scope| {
            for _ in 0..12 {
                scope.spawn(|| {
                    device.pass();
                    let on = device.most - *device.free.lock().unwrap();
                    most.fetch_max(on, Ordering::Relaxed);
                });
            }
        });
        assert!(most.into_inner() <= 3);
        assert_eq!(*device.free.lock().unwrap(), 3);
    }
}

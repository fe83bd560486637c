//! The working time of a container, with all its entries.

use crate::limit::TOO_SLOW;
use pfh_source::{Cause, FindingId, Problem, Stage};
use std::cell::Cell;
use std::io::{self, Read};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

thread_local! {
    /// When this thread began to work on a container, so that nested calls count once.
    static SINCE: Cell<Option<Instant>> = const { Cell::new(None) };
}

/// The time that was spent on a container of the input, by all threads together: listing it,
/// unpacking it, reading its entries. Time in which nobody works on it does not count.
#[derive(Debug, Default)]
pub struct Clock {
    /// `None` for as long as it takes.
    limit: Option<Duration>,
    nanoseconds: AtomicU64,
}

impl Clock {
    /// A clock that stands at zero.
    pub fn new(limit: Option<Duration>) -> Arc<Clock> {
        Arc::new(Clock { limit, nanoseconds: AtomicU64::new(0) })
    }

    /// Whether there is time left.
    ///
    /// # Errors
    /// [`Cause::Inside`], if there is none.
    pub fn check(&self) -> Result<(), Problem> {
        let Some(limit) = self.limit else { return Ok(()) };
        let now = SINCE.get().map_or(Duration::ZERO, |since| since.elapsed());
        if Duration::from_nanos(self.nanoseconds.load(Ordering::Relaxed)) + now <= limit {
            return Ok(());
        }
        let cause = format!("its container took more than {} seconds, {TOO_SLOW}", limit.as_secs_f64());
        Err(Problem::new(Stage::Read, Cause::Inside(FindingId::InsideSlow, cause.into())))
    }

    /// Counts the time that some work takes.
    pub fn during<T>(&self, work: impl FnOnce() -> T) -> T {
        if self.limit.is_none() || SINCE.get().is_some() {
            return work();
        }
        let since = Instant::now();
        SINCE.set(Some(since));
        let done = work();
        SINCE.set(None);
        // Fits: 584 years.
        self.nanoseconds.fetch_add(since.elapsed().as_nanos() as u64, Ordering::Relaxed);
        done
    }
}

/// A reader whose time counts, and that fails when there is none left.
pub struct TimedReader<R> {
    /// The input.
    pub reader: R,
    /// The clock that the reading counts on.
    pub clock: Arc<Clock>,
}

impl<R: Read> Read for TimedReader<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        self.clock.check().map_err(io::Error::other)?;
        let TimedReader { reader, clock } = self;
        clock.during(|| reader.read(buffer))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Slow;

    impl Read for Slow {
        fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
            std::thread::sleep(Duration::from_millis(2));
            buffer[0] = 1;
            Ok(1)
        }
    }

    #[test]
    fn an_endless_reader_ends_and_idle_time_does_not_count() {
        let clock = Clock::new(Some(Duration::from_millis(50)));
        std::thread::sleep(Duration::from_millis(60));
        clock.check().unwrap();
        // Nested work counts once.
        clock.during(|| clock.during(|| std::thread::sleep(Duration::from_millis(3))));
        clock.check().unwrap();
        let error = io::copy(&mut TimedReader { reader: Slow, clock: clock.clone() }, &mut io::sink()).unwrap_err();
        assert!(error.to_string().contains("more than 0.05 seconds"), "{error}");
        assert!(clock.check().is_err());
        let clock = Clock::new(None);
        clock.during(|| std::thread::sleep(Duration::from_millis(1)));
        clock.check().unwrap();
    }
}

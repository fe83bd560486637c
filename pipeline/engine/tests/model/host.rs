//! The host of the model: locks and threads of shuttle, a clock that counts, waits and faults that
//! the seed decides.

pub use pfh_source::Ahead;
use pfh_source::{Entry, Problem, Reading};
use shuttle::rand::{Rng, thread_rng};
pub use shuttle::sync::{Condvar, Mutex, MutexGuard, atomic};
use std::cell::Cell;
use std::ops::Sub;
use std::sync::PoisonError;
use std::time::Duration;

/// Small, so that readers meet it.
pub const AHEAD: u64 = 6;
/// Longer waits end by a notification alone: one that is lost stops the run, and is found.
const TICK: Duration = Duration::from_millis(50);

thread_local! {
    /// Microseconds since the run began. All threads of a schedule share one thread of the system.
    static CLOCK: Cell<u64> = const { Cell::new(0) };
    /// Threads that can still be had.
    static THREADS: Cell<u32> = const { Cell::new(u32::MAX) };
    /// Files that may be open.
    static DESCRIPTORS: Cell<usize> = const { Cell::new(1024) };
}

/// Begins a schedule, in which that many threads can be had, and that many files may be open.
pub fn begin(threads: u32, descriptors: usize) {
    CLOCK.set(0);
    THREADS.set(threads);
    DESCRIPTORS.set(descriptors);
}

/// Files that may be open.
pub fn descriptors() -> usize {
    DESCRIPTORS.get()
}

/// One chance in `many`.
pub fn chance(many: u32) -> bool {
    thread_rng().gen_ratio(1, many)
}

/// Others take up to that many steps.
pub fn pause(steps: u32) {
    for _ in 0..thread_rng().gen_range(0..=steps) {
        shuttle::thread::yield_now();
    }
}

/// A time of the model's clock.
#[derive(Debug, Clone, Copy)]
pub struct Instant(u64);

impl Instant {
    pub fn now() -> Instant {
        CLOCK.set(CLOCK.get() + 20);
        Instant(CLOCK.get())
    }

    pub fn elapsed(&self) -> Duration {
        Instant::now() - *self
    }
}

impl Sub for Instant {
    type Output = Duration;

    fn sub(self, other: Instant) -> Duration {
        Duration::from_micros(self.0.saturating_sub(other.0))
    }
}

pub fn spawn(life: impl FnOnce() + Send + 'static) -> std::io::Result<()> {
    let left = THREADS.get().checked_sub(1).ok_or(std::io::ErrorKind::WouldBlock)?;
    THREADS.set(left);
    shuttle::thread::Builder::new().spawn(life).map(drop)
}

pub fn wait<'a, T>(
    changed: &Condvar,
    lock: &'a Mutex<T>,
    guard: MutexGuard<'a, T>,
    longest: Duration,
) -> MutexGuard<'a, T> {
    if longest > TICK {
        return changed.wait(guard).unwrap_or_else(PoisonError::into_inner);
    }
    drop(guard);
    CLOCK.set(CLOCK.get() + longest.as_micros() as u64);
    shuttle::thread::yield_now();
    lock.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Says of each span as it likes whether it was waiting.
pub struct Waits;

impl Waits {
    pub fn new(_queue: bool) -> Waits {
        Waits
    }

    pub fn begin(&mut self) {}

    pub fn end(&mut self) -> (Duration, Duration) {
        let total = Duration::from_millis(1);
        (if chance(2) { total } else { Duration::ZERO }, total)
    }
}

/// Files together: some do not open here, and answers come late.
pub struct Batch;

impl Batch {
    pub const WIDTH: usize = 4;

    pub fn new() -> Option<Batch> {
        (!chance(8)).then_some(Batch)
    }

    pub fn is_broken(&self) -> bool {
        chance(64)
    }

    pub fn open<'a>(&mut self, entries: impl Iterator<Item = &'a Entry>) -> Vec<Option<Reading>> {
        pause(if chance(4) { 40 } else { 2 });
        entries.map(|entry| if chance(4) { None } else { entry.open().ok() }).collect()
    }

    pub fn read(&mut self, files: &mut [Ahead<'_>]) -> Vec<Result<usize, Problem>> {
        files.iter_mut().map(|file| file.reading.read(file.room)).collect()
    }
}

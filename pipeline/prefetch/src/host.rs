//! The machine below a run: locks, threads, a clock, waits, open files, calls for several files at
//! once. The model of the scheduler (`pipeline/engine/tests/model`) compiles the same
//! sources over a host of its own, in which one seed decides who runs next and what fails.

pub use pfh_source::os::{Waits, descriptors};
pub use pfh_source::{Ahead, Batch};
pub use std::sync::{Condvar, Mutex, MutexGuard, atomic};
pub use std::time::Instant;

use std::sync::PoisonError;
use std::time::Duration;

/// How far readers may run ahead of the oldest record that is not out yet. Entries, bytes that were
/// read of them, and records wait for it in memory, together some 1 kB for each. Twice the window
/// of a reading order, so that no order can stand in its own way.
pub const AHEAD: u64 = 8_192;

/// Starts a thread of a run.
///
/// # Errors
/// The system's, where no thread can be had.
pub fn spawn(life: impl FnOnce() + Send + 'static) -> std::io::Result<()> {
    std::thread::Builder::new().name("pfh".into()).spawn(life).map(drop)
}

/// Waits for `changed` for at most that long, without the lock that `guard` holds.
pub fn wait<'a, T>(
    changed: &Condvar,
    _lock: &'a Mutex<T>,
    guard: MutexGuard<'a, T>,
    longest: Duration,
) -> MutexGuard<'a, T> {
    changed.wait_timeout(guard, longest).unwrap_or_else(PoisonError::into_inner).0
}

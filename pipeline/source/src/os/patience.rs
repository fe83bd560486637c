//! How long a call is made again that the system breaks off at once: EINTR, EAGAIN.
//!
//! Signals interrupt a call once; a system, or a file system in user space, that never stops
//! interrupting would keep the program busy forever. Every loop over such a call asks its
//! [`Patience`] for leave, and fails when that has run out.

use super::platform::Errno;
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};
use std::time::{Duration, Instant};

/// The limit in milliseconds. One for the process: the calls of all its runs meet the same system.
static LIMIT: AtomicU64 = AtomicU64::new(60_000);
/// How often patience has run out since such a call last ended well. Each time halves the limit, so
/// that an error which meets every file does not cost the full limit for each of them.
static WEARY: AtomicU32 = AtomicU32::new(0);
/// The limit is halved at most so often: to a 64th.
const HALVINGS: u32 = 6;
/// Attempts without a pause: a signal or two.
const AT_ONCE: u32 = 4;
/// The longest pause between two attempts.
const PAUSE: Duration = Duration::from_millis(20);
/// A call that took so long before it was interrupted waited for something, and a signal came: that
/// begins again.
const BLOCKED: Duration = Duration::from_secs(1);
/// A descriptor that was polled for so long was not ready: its call was not broken off at once.
const WAITED: Duration = Duration::from_millis(1);

/// Sets how long a call may fail with EINTR or EAGAIN before that is an error: `--stall-timeout`.
/// 60 s by default.
pub fn set_patience(limit: Duration) {
    LIMIT.store(u64::try_from(limit.as_millis()).unwrap_or(u64::MAX), Ordering::Relaxed);
}

/// The limit that holds now.
pub fn patience() -> Duration {
    Duration::from_millis(LIMIT.load(Ordering::Relaxed))
}

/// Leave to make one call again, which is withdrawn when the limit has passed.
#[derive(Debug, Default)]
pub struct Patience {
    tries: u32,
    from: Option<Instant>,
    /// When leave was last given.
    last: Option<Instant>,
    /// A limit of its own.
    within: Option<Duration>,
}

impl Patience {
    /// With a limit of its own in place of the process's: for things that can be done without.
    pub fn within(limit: Duration) -> Self {
        Patience { within: Some(limit), ..Patience::default() }
    }

    /// Waits a little before the call is made again: not at all at first, then for longer and
    /// longer.
    ///
    /// # Errors
    /// The errno, when the call has failed for as long as is allowed. Nothing else in [`os`](super)
    /// returns EINTR or EAGAIN.
    pub fn again(&mut self, errno: Errno) -> Result<(), Errno> {
        if self.last.is_some_and(|last| last.elapsed() >= BLOCKED) {
            *self = Patience { within: self.within, ..Patience::default() };
        }
        self.tries += 1;
        if self.tries <= AT_ONCE {
            self.last = Some(Instant::now());
            return Ok(());
        }
        let from = *self.from.get_or_insert_with(Instant::now);
        // A little less than the limit: the watching thread must not take it for lost before it
        // reports by itself.
        let shared = (patience() / 8 * 7) / (1 << WEARY.load(Ordering::Relaxed).min(HALVINGS));
        let limit = self.within.unwrap_or(shared);
        if from.elapsed() >= limit {
            if self.within.is_none() {
                WEARY.fetch_add(1, Ordering::Relaxed);
            }
            return Err(errno);
        }
        let pause = Duration::from_micros(10 << (self.tries - AT_ONCE).min(16)).min(PAUSE);
        std::thread::sleep(pause.min(limit));
        self.last = Some(Instant::now());
        Ok(())
    }

    /// The call has ended in another way: the full limit holds again.
    pub fn end(&self) {
        if self.tries > 0 {
            WEARY.store(0, Ordering::Relaxed);
        }
    }

    /// As [`again`](Patience::again) for a descriptor that is not ready, after `wait` has waited
    /// for it. Waiting may take any time; the limit holds for a descriptor that is said to be ready
    /// and is not.
    pub(crate) fn again_after(&mut self, wait: impl FnOnce() -> Result<(), Errno>) -> Result<(), Errno> {
        let from = Instant::now();
        wait()?;
        if from.elapsed() >= WAITED {
            *self = Patience::default();
        }
        self.again(Errno::AGAIN)
    }
}

/// Makes a call until it is not interrupted.
///
/// # Errors
/// The call's own; EINTR when that did not end within the limit.
pub fn retry<T>(mut call: impl FnMut() -> Result<T, Errno>) -> Result<T, Errno> {
    let mut patience = Patience::default();
    loop {
        match call() {
            Err(Errno::INTR) => patience.again(Errno::INTR)?,
            other => {
                patience.end();
                return other;
            }
        }
    }
}

//! How long a call is made again that the system breaks off at once: EINTR, EAGAIN.
//!
//! Signals interrupt a call once; a system, or a file system in user space, that never stops
//! interrupting would keep the program busy forever. Every loop over such a call asks its
//! [`Patience`] for leave, and fails when that has run out.

use super::platform::{self, Errno};
use std::io::{self, Read, Seek, SeekFrom, Write};
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
/// begins anew.
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
    /// With a limit of its own in place of the process's: for what can be done without.
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
        // A little less than the limit: whoever watches the thread is not to take it for lost
        // before it reports by itself.
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

    /// The call has ended in another way: what waited is not weary any more.
    pub fn end(&self) {
        if self.tries > 0 {
            WEARY.store(0, Ordering::Relaxed);
        }
    }

    /// As [`again`](Patience::again) for a descriptor that is not ready, after `wait` has waited
    /// for it. Waiting may take as long as it likes; that the descriptor is said to be ready and is
    /// not may go on for the limit.
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

/// Writes to a descriptor; EINTR is retried, and one that does not block (O_NONBLOCK) is waited
/// for.
///
/// # Errors
/// As `write`; EINTR and EAGAIN when they did not end.
pub fn write(fd: impl std::os::fd::AsFd, bytes: &[u8]) -> Result<usize, Errno> {
    let mut patience = Patience::default();
    loop {
        match platform::write_once(&fd, bytes) {
            Err(Errno::INTR) => patience.again(Errno::INTR)?,
            Err(Errno::AGAIN) => patience.again_after(|| {
                // A signal ends the wait: the next attempt begins another.
                match platform::wait_writable(&fd) {
                    Err(Errno::INTR) => Ok(()),
                    other => other,
                }
            })?,
            other => {
                patience.end();
                return other;
            }
        }
    }
}

/// An errno of `call` as an I/O error. EINTR and EAGAIN, which come only after the limit, become an
/// error of the kind `TimedOut` that names the call: the standard library would repeat an
/// `Interrupted` call forever.
pub fn broken(call: &str, errno: Errno) -> io::Error {
    match errno {
        Errno::INTR | Errno::AGAIN => {
            let name = crate::problem::errno_name(errno.raw_os_error());
            let text = format!("stalled: {call} failed with {name} again and again for {} s", patience().as_secs());
            io::Error::new(io::ErrorKind::TimedOut, text)
        }
        other => other.into(),
    }
}

/// A reader or writer whose interrupted calls are made again, within the limit. Nothing behind it
/// sees `Interrupted`.
#[derive(Debug)]
pub struct Patient<T>(pub T);

impl Patient<std::fs::File> {
    /// Opens a file for reading.
    ///
    /// # Errors
    /// As `open`.
    pub fn open(path: &std::path::Path) -> io::Result<Self> {
        let opened = retry(|| platform::open_once(path));
        opened.map(|fd| Patient(fd.into())).map_err(|errno| broken("open", errno))
    }
}

/// Makes a call of the standard library until it is not interrupted.
fn retry_io<T>(name: &str, mut call: impl FnMut() -> io::Result<T>) -> io::Result<T> {
    let mut patience = Patience::default();
    loop {
        match call() {
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {
                patience.again(Errno::INTR).map_err(|errno| broken(name, errno))?;
            }
            other => {
                patience.end();
                return other;
            }
        }
    }
}

impl<R: Read> Read for Patient<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        retry_io("read", || self.0.read(buffer))
    }
}

impl<W: Write> Write for Patient<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        retry_io("write", || self.0.write(bytes))
    }

    fn flush(&mut self) -> io::Result<()> {
        self.0.flush()
    }
}

impl<S: Seek> Seek for Patient<S> {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        self.0.seek(to)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// One test for all that depends on the limit, which is the process's.
    #[test]
    fn what_does_not_end_is_an_error_and_a_little_of_it_is_not() {
        let mut left = 9;
        let few = retry(|| {
            left -= 1;
            if left > 0 { Err(Errno::INTR) } else { Ok(7) }
        });
        assert_eq!(few, Ok(7));
        set_patience(Duration::from_millis(400));
        let from = Instant::now();
        let mut calls = 0;
        let always = retry(|| -> Result<(), Errno> {
            calls += 1;
            Err(Errno::INTR)
        });
        assert_eq!(always, Err(Errno::INTR));
        assert!(from.elapsed() >= Duration::from_millis(350));
        // It does not spin: the pauses add up to the limit.
        assert!(calls < 200, "{calls} calls");
        struct Never;
        impl Read for Never {
            fn read(&mut self, _: &mut [u8]) -> io::Result<usize> {
                Err(io::ErrorKind::Interrupted.into())
            }
        }
        let error = Patient(Never).read_to_end(&mut Vec::new()).unwrap_err();
        assert_eq!(error.kind(), io::ErrorKind::TimedOut);
        assert!(error.to_string().starts_with("stalled: read failed with EINTR"), "{error}");
        set_patience(Duration::from_secs(60));
    }
}

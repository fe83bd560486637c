//! The end of a process that a signal asked to end and that does not notice: it waits for a disk,
//! sorts, or writes to a pipe that nobody reads.

use crate::interruption::is_noticed;
use std::sync::atomic::{AtomicBool, AtomicI32, Ordering};

/// Microseconds from the signal to the end, within which a job that looks at its control ends by
/// itself, or says that it does.
const PATIENCE: libc::suseconds_t = 800_000;

/// The signal that came.
static SIGNAL: AtomicI32 = AtomicI32::new(0);
static IS_SET: AtomicBool = AtomicBool::new(false);

/// From now on the process ends soon after one of these signals, as by the signal, unless a job has
/// noticed it by then. Outputs that are not whole have no name yet. A further call does nothing.
///
/// # Errors
/// As `sigaction`.
pub fn end_when_overdue(signals: &[i32]) -> std::io::Result<()> {
    if IS_SET.swap(true, Ordering::SeqCst) {
        return Ok(());
    }
    // SAFETY: the action makes no call but those of `expire`.
    unsafe { signal_hook_registry::register(libc::SIGALRM, expire)? };
    for &signal in signals {
        // SAFETY: the action makes no call but those of `arm`.
        unsafe { signal_hook_registry::register(signal, move || arm(signal))? };
    }
    Ok(())
}

/// Sets the timer. No thread waits for it: the process has those that it was asked to have.
fn arm(signal: i32) {
    SIGNAL.store(signal, Ordering::SeqCst);
    let none = libc::timeval { tv_sec: 0, tv_usec: 0 };
    let timer = libc::itimerval { it_interval: none, it_value: libc::timeval { tv_usec: PATIENCE, ..none } };
    // SAFETY: reads one value that lives as long as the call; one system call, in every libc.
    unsafe { libc::setitimer(libc::ITIMER_REAL, &raw const timer, std::ptr::null_mut()) };
}

fn expire() {
    const WORDS: &[u8] = b"pfh: interrupted\n";
    let signal = SIGNAL.load(Ordering::SeqCst);
    if signal == 0 || is_noticed() {
        return;
    }
    // SAFETY: both may be called in a handler (POSIX, 2.4.3); the words live for ever.
    unsafe {
        libc::write(2, WORDS.as_ptr().cast(), WORDS.len());
        libc::_exit(128 + signal);
    }
}

//! This process and its machine.

use std::path::Path;
use std::time::Duration;

/// A small text file of the system's; `None` where it is not there or cannot be read.
pub fn kernel_text(path: impl AsRef<Path>) -> Option<String> {
    std::fs::read_to_string(path).ok()
}

/// The system's name; its release takes calls of the platform.
pub fn system_name() -> String {
    std::env::consts::OS.to_owned()
}

/// Processor time that all threads of this process have used.
pub fn cpu_time() -> Duration {
    let mut time = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: the call writes one `timespec`, which lives as long as the call, or nothing when it
    // fails.
    unsafe { libc::clock_gettime(libc::CLOCK_PROCESS_CPUTIME_ID, &raw mut time) };
    Duration::new(time.tv_sec.max(0) as u64, time.tv_nsec as u32)
}

/// The processors' time of all processes that this one started, and whose end it has seen: user's
/// and system's together.
pub fn children_time() -> Duration {
    // SAFETY: all fields of a `rusage` are integers, for which zero is a value; the call writes
    // one, or nothing when it fails.
    let usage = unsafe {
        let mut usage: libc::rusage = std::mem::zeroed();
        libc::getrusage(libc::RUSAGE_CHILDREN, &raw mut usage);
        usage
    };
    let time = |t: libc::timeval| Duration::new(t.tv_sec.max(0) as u64, t.tv_usec.clamp(0, 999_999) as u32 * 1000);
    time(usage.ru_utime) + time(usage.ru_stime)
}

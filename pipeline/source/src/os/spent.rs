//! What the calling thread has used so far.

use std::time::Duration;

/// What a thread has used of a processor, and how often it gave it up.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Spent {
    /// Time on a processor, in the program and in the kernel.
    pub processor: Duration,
    /// How often the thread waited for something, a device for example; being made to wait by another thread's turn does not count.
    pub waits: u64,
}

/// What the calling thread has used since it began: getrusage(2) of `RUSAGE_THREAD`, some 300 ns.
pub fn spent() -> Spent {
    let mut usage = std::mem::MaybeUninit::<libc::rusage>::zeroed();
    // SAFETY: the call writes one `rusage` where it is told to, or nothing when it fails; all of its fields are integers, for which zero is a value.
    let usage = unsafe {
        libc::getrusage(libc::RUSAGE_THREAD, usage.as_mut_ptr());
        usage.assume_init()
    };
    let time = |t: libc::timeval| Duration::new(t.tv_sec.max(0) as u64, t.tv_usec.clamp(0, 999_999) as u32 * 1000);
    Spent { processor: time(usage.ru_utime) + time(usage.ru_stime), waits: usage.ru_nvcsw.max(0) as u64 }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn waiting_and_working_differ() {
        let from = spent();
        std::thread::sleep(Duration::from_millis(1));
        let slept = spent();
        assert!(slept.waits > from.waits, "{slept:?}");
        // It ends once the clock has moved: a thread that works uses time.
        while spent().processor <= slept.processor {}
    }
}

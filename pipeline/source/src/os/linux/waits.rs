//! The waits of the calling thread.

use rustix::io::pread;
use rustix::time::{ClockId, clock_gettime};
use std::fs::File;
use std::time::{Duration, Instant};

/// Tells how long the thread that made it waits for devices, as against working, and against
/// waiting for its turn on a processor.
pub struct Waits {
    /// `/proc/thread-self/schedstat`, where the kernel keeps it.
    schedule: Option<File>,
    /// Time in the queue for a processor, at the last look.
    queued: Duration,
    from: Instant,
    spent: ThreadTime,
}

/// The processor time of a thread, and how often it gave the processor up by itself.
#[derive(Clone, Copy)]
struct ThreadTime {
    processor: Duration,
    waits: i64,
}

impl Waits {
    /// For the calling thread, and only for it. The first span begins now. Without `queue` it keeps
    /// no file open, and calls waiting for a processor waiting.
    pub fn new(queue: bool) -> Self {
        let schedule = queue.then(schedule).flatten();
        let mut waits = Waits { schedule, queued: Duration::ZERO, from: Instant::now(), spent: spent() };
        waits.queued = waits.queue();
        waits
    }

    /// Begins a span: some 300 ns.
    pub fn begin(&mut self) {
        (self.from, self.spent) = (Instant::now(), spent());
    }

    /// Ends the span: how long the thread waited in it, and how long it took. Without a wait at all
    /// some 300 ns, else 2 µs.
    pub fn end(&mut self) -> (Duration, Duration) {
        let (total, now) = (self.from.elapsed(), spent());
        if now.waits == self.spent.waits {
            return (Duration::ZERO, total);
        }
        // The queue since the last look, which may lie before the span: rather too little is called
        // waiting than too much.
        let before = std::mem::replace(&mut self.queued, Duration::ZERO);
        self.queued = self.queue();
        let worked = now.processor.saturating_sub(self.spent.processor);
        (total.saturating_sub(worked).saturating_sub(self.queued.saturating_sub(before)), total)
    }

    /// The second field: nanoseconds on a run queue (Documentation/scheduler/sched-stats.rst).
    fn queue(&self) -> Duration {
        let mut text = [0; 64];
        let field = self.schedule.as_ref().and_then(|file| {
            let length = pread(file, &mut text, 0).ok()?;
            std::str::from_utf8(&text[..length]).ok()?.split_whitespace().nth(1)?.parse().ok()
        });
        Duration::from_nanos(field.unwrap_or(0))
    }
}

/// Not by the standard library, which would open it again for as long as it is interrupted.
fn schedule() -> Option<File> {
    use rustix::fs::{CWD, Mode, OFlags, openat};
    openat(CWD, "/proc/thread-self/schedstat", OFlags::RDONLY | OFlags::CLOEXEC, Mode::empty()).ok().map(File::from)
}

/// The processor time of the calling thread, to the nanosecond: some 200 ns. That of `getrusage` is
/// as of the last tick or switch.
pub fn thread_time() -> Duration {
    let time = clock_gettime(ClockId::ThreadCPUTime);
    Duration::new(time.tv_sec.max(0) as u64, time.tv_nsec.clamp(0, 999_999_999) as u32)
}

/// The processors' time of all processes that this one started, and whose end it has seen: user's
/// and system's together.
pub fn children_time() -> Duration {
    usage(libc::RUSAGE_CHILDREN).processor
}

fn spent() -> ThreadTime {
    usage(libc::RUSAGE_THREAD)
}

fn usage(who: libc::c_int) -> ThreadTime {
    let mut usage = std::mem::MaybeUninit::<libc::rusage>::zeroed();
    // SAFETY: the call writes one `rusage` where it is asked to, or nothing when it fails; all of
    // its fields are integers, for which zero is a value.
    let usage = unsafe {
        libc::getrusage(who, usage.as_mut_ptr());
        usage.assume_init()
    };
    let time = |t: libc::timeval| Duration::new(t.tv_sec.max(0) as u64, t.tv_usec.clamp(0, 999_999) as u32 * 1000);
    ThreadTime { processor: time(usage.ru_utime) + time(usage.ru_stime), waits: usage.ru_nvcsw }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_time_of_a_child_counts_when_it_has_ended() {
        let before = children_time();
        let work = "i=0; while [ $i -lt 20000 ]; do i=$((i+1)); done";
        assert!(std::process::Command::new("sh").args(["-c", work]).status().unwrap().success());
        assert!(children_time() > before);
    }

    #[test]
    fn the_time_of_a_thread_is_its_work() {
        let from = thread_time();
        std::thread::sleep(Duration::from_millis(30));
        let slept = thread_time();
        assert!(slept - from < Duration::from_millis(20), "{:?}", slept - from);
        let mut sum = 0_u64;
        (0..100_000_u64).for_each(|number| sum = std::hint::black_box(sum + number));
        assert!(thread_time() > slept);
    }

    #[test]
    fn work_is_no_waiting_and_sleep_is() {
        let mut waits = Waits::new(true);
        waits.begin();
        let from = spent();
        let mut sum = 0_u64;
        while spent().processor < from.processor + Duration::from_millis(5) {
            sum = std::hint::black_box(sum + 1);
        }
        let (waited, total) = waits.end();
        // However often others had their turn meanwhile.
        assert!(waited < total / 2, "{waited:?} of {total:?}");
        // A look of its own: the time that the work stood in the queue would be taken off this.
        let mut waits = Waits::new(true);
        std::thread::sleep(Duration::from_millis(30));
        let (waited, total) = waits.end();
        assert!(waited >= Duration::from_millis(20), "{waited:?} of {total:?}");
    }
}

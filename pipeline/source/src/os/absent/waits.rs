//! The waits of the calling thread.

use std::sync::LazyLock;
use std::time::{Duration, Instant};

/// Would say how long the thread that made it waits for devices; nobody knows here, so no wait is
/// reported, and no reader is added on account of one.
pub struct Waits {
    from: Instant,
}

impl Waits {
    /// For the calling thread, and only for it. The first span begins now.
    pub fn new(_: bool) -> Self {
        Waits { from: Instant::now() }
    }

    /// Begins a span.
    pub fn begin(&mut self) {
        self.from = Instant::now();
    }

    /// Ends the span: how long the thread waited in it, and how long it took.
    pub fn end(&mut self) -> (Duration, Duration) {
        (Duration::ZERO, self.from.elapsed())
    }
}

/// The time that passes, in place of the calling thread's own.
pub fn thread_time() -> Duration {
    static FROM: LazyLock<Instant> = LazyLock::new(Instant::now);
    FROM.elapsed()
}

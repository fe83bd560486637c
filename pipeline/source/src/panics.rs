//! Panics of this process, and places where a test makes one.
//!
//! A panic of any thread, whichever its role, means that the program has a bug: its results
//! afterwards cannot be trusted. A program that runs jobs counts panics here (from its panic hook);
//! an [`Output`](crate::Output) that was opened before one gets no name, and the process ends with
//! the exit code of an aborted run.

use std::sync::atomic::{AtomicU64, Ordering};

static PANICS: AtomicU64 = AtomicU64::new(0);

/// Counts a panic of this process.
pub fn note_panic() {
    PANICS.fetch_add(1, Ordering::SeqCst);
}

/// How many panics were counted.
pub fn panics() -> u64 {
    PANICS.load(Ordering::SeqCst)
}

/// A place of a thread's work at which a test can make that thread panic: `PFH_FAIL_POINT=walk:3`
/// does it when `walk` is reached for the third time. Only in builds with debug assertions; in all
/// others this is nothing.
#[inline]
pub fn fail_point(name: &str) {
    #[cfg(debug_assertions)]
    wanted::reached(name);
    #[cfg(not(debug_assertions))]
    let _ = name;
}

#[cfg(debug_assertions)]
mod wanted {
    use std::sync::OnceLock;
    use std::sync::atomic::{AtomicU64, Ordering};

    /// The place, and how often it may still be reached.
    static WANTED: OnceLock<Option<(String, AtomicU64)>> = OnceLock::new();

    pub fn reached(name: &str) {
        let wanted = WANTED.get_or_init(|| {
            let text = std::env::var("PFH_FAIL_POINT").ok()?;
            let (name, times) = text.split_once(':').unwrap_or((&text, "1"));
            Some((name.to_owned(), AtomicU64::new(times.parse().ok()?)))
        });
        if let Some((wanted, left)) = wanted
            && wanted == name
            && left.fetch_sub(1, Ordering::SeqCst) == 1
        {
            panic!("the fail point {name} was asked for");
        }
    }
}

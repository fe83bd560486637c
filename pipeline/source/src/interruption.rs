//! The end of reading at a signal: lists that others send may have no end, and are read before a
//! job's own control is asked.

use std::cell::{Cell, OnceCell};
use std::io;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, OnceLock};

/// One for the process, as signals are.
static FLAG: OnceLock<Arc<AtomicBool>> = OnceLock::new();

/// Whether the reading of a text ended so: what its reader says of it is the signal's doing.
static ENDED: AtomicBool = AtomicBool::new(false);

thread_local! {
    /// The flag of the job that this thread carries out, in a process that has several.
    static FLAG_HERE: OnceCell<Arc<AtomicBool>> = const { OnceCell::new() };
    static ENDED_HERE: Cell<bool> = const { Cell::new(false) };
}

/// Whether a job ends since it was asked to.
static NOTICED: AtomicBool = AtomicBool::new(false);

/// A job has noticed that it is asked to end, and ends by itself, however long that takes: an image
/// is synced, a line of the log is written.
pub fn notice_end() {
    if !NOTICED.load(Ordering::Relaxed) {
        NOTICED.store(true, Ordering::Relaxed);
    }
}

/// Whether one has.
#[cfg(unix)]
pub(crate) fn is_noticed() -> bool {
    NOTICED.load(Ordering::Relaxed)
}

/// Texts end with an error once this flag is set. A program sets its signals' flag once; a further
/// one is not taken.
pub fn end_texts_when(flag: Arc<AtomicBool>) {
    let _ = FLAG.set(flag);
}

/// Texts that this thread reads end with an error once this flag is set: a thread is of one job. A
/// further flag is not taken.
pub fn end_texts_here_when(flag: Arc<AtomicBool>) {
    FLAG_HERE.with(|own| {
        let _ = own.set(flag);
    });
}

/// Whether this thread did not read a text on because its flag was set.
pub fn is_text_ended_here() -> bool {
    ENDED_HERE.get()
}

/// Whether a text was not read on because the flag was set.
pub fn is_text_ended() -> bool {
    ENDED.load(Ordering::Relaxed)
}

/// Whether texts are to be read on.
pub(crate) fn go_on() -> io::Result<()> {
    let is_set = |flag: Option<&Arc<AtomicBool>>| flag.is_some_and(|flag| flag.load(Ordering::Relaxed));
    let is_ended_here = FLAG_HERE.with(|own| is_set(own.get()));
    let is_ended = is_set(FLAG.get());
    if is_ended_here || is_ended {
        // One job's end is nothing to the others of the process.
        ENDED.fetch_or(is_ended, Ordering::Relaxed);
        ENDED_HERE.set(is_ended_here);
        notice_end();
        // Not of the kind `Interrupted`, which readers would repeat.
        return Err(io::Error::other("interrupted"));
    }
    Ok(())
}

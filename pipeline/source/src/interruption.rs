//! The end of reading at a signal: lists that others send may have no end, and are read before a
//! job's own control is asked.

use std::io;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, OnceLock};

/// One for the process, as signals are.
static FLAG: OnceLock<Arc<AtomicBool>> = OnceLock::new();

/// Whether the reading of a text ended so: what its reader says of it is the signal's doing.
static ENDED: AtomicBool = AtomicBool::new(false);

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

/// Whether a text was not read on because the flag was set.
pub fn is_text_ended() -> bool {
    ENDED.load(Ordering::Relaxed)
}

/// Whether texts are to be read on.
pub(crate) fn go_on() -> io::Result<()> {
    if FLAG.get().is_some_and(|flag| flag.load(Ordering::Relaxed)) {
        ENDED.store(true, Ordering::Relaxed);
        notice_end();
        // Not of the kind `Interrupted`, which readers would repeat.
        return Err(io::Error::other("interrupted"));
    }
    Ok(())
}

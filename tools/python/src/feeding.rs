//! Bytes for the state of a hash. Many of them are hashed on a thread of their own, so that Ctrl-C
//! ends them.

use crate::buffer::LONG;
use crate::job;
use pyo3::prelude::*;
use std::sync::{Mutex, PoisonError};

/// From here on a signal need not wait for the end.
pub const LARGE: usize = 16 << 20;
/// Bytes between two looks: a tenth of a second of the slowest functions.
const PIECE: usize = 4 << 20;

/// Feeds bytes into a state: all of them or, when a signal's handler raises, none. `update` takes
/// `threads` pieces at a time.
///
/// # Errors
/// The exception of a signal's handler.
pub fn feed<S: Clone + Send>(
    py: Python<'_>,
    state: &Mutex<S>,
    bytes: &[u8],
    threads: usize,
    update: impl Fn(&mut S, &[u8]) + Send + Sync,
) -> PyResult<()> {
    // A short message is not worth letting go of the interpreter, unless another thread has the
    // state.
    if bytes.len() < LONG
        && let Ok(mut state) = state.try_lock()
    {
        update(&mut state, bytes);
        return Ok(());
    }
    let locked = || state.lock().unwrap_or_else(PoisonError::into_inner);
    if bytes.len() < LARGE {
        py.detach(|| update(&mut locked(), bytes));
        return Ok(());
    }
    job::run(py, |control| {
        let mut state = locked();
        let mut fed = state.clone();
        for piece in bytes.chunks(PIECE * threads.max(1)) {
            if control.is_cancelled() {
                return;
            }
            update(&mut fed, piece);
        }
        *state = fed;
    })
}

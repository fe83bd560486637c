//! Jobs run beside the interpreter, and Ctrl-C ends them.

use pfh::{Cancel, Control};
use pyo3::prelude::*;
use std::sync::mpsc;
use std::time::Duration;

/// Between two looks for signals.
pub const LOOK: Duration = Duration::from_millis(50);

/// Carries out a job on a thread of its own. This one waits for it without the interpreter's lock;
/// a signal whose handler raises cancels the job, and its exception is raised once the job ended.
///
/// # Errors
/// The exception of a signal's handler.
pub fn run<T: Send>(py: Python<'_>, work: impl FnOnce(&Control<'_>) -> T + Send) -> PyResult<T> {
    let cancel = Cancel::default();
    let control = Control::new().with_cancel(cancel.clone());
    py.detach(|| {
        std::thread::scope(|scope| {
            let (ended, end) = mpsc::channel::<()>();
            let control = &control;
            let worker = scope.spawn(move || {
                // Dropped at the end, also of a panic.
                let _ended = ended;
                work(control)
            });
            let mut raised = None;
            while end.recv_timeout(LOOK) == Err(mpsc::RecvTimeoutError::Timeout) {
                if raised.is_none() {
                    raised = Python::attach(|py| py.check_signals()).err();
                    if raised.is_some() {
                        cancel.cancel();
                    }
                }
            }
            let result = worker.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic));
            raised.map_or(Ok(result), Err)
        })
    })
}

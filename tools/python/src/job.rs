//! Jobs run beside the interpreter, and Ctrl-C ends them.

use crate::error;
use pfh::{Cancel, Control};
use pyo3::prelude::*;
use std::sync::{Once, mpsc};
use std::time::Duration;

/// Between two looks for signals.
pub const LOOK: Duration = Duration::from_millis(50);

/// From here on panics of this module's threads are counted: an output that was opened before one
/// gets no name, and no job that ran meanwhile has a result.
pub fn count_panics() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        let before = std::panic::take_hook();
        std::panic::set_hook(Box::new(move |panic| {
            pfh::process::note_panic();
            before(panic);
        }));
    });
}

/// Why a job during which a thread panicked has no result.
pub const PANICKED: &str = "a thread of the run panicked: its result cannot be relied on";

/// Carries out a job on a thread of its own. This one waits for it without the interpreter's lock;
/// a signal whose handler raises cancels the job, and its exception is raised once the job ended.
///
/// # Errors
/// The exception of a signal's handler; `AbortedError` when no thread can be had, and when another
/// thread than the job's panicked.
/// A panic of the job's own thread is a `PanicException`.
pub fn run<T: Send>(py: Python<'_>, work: impl FnOnce(&Control<'_>) -> T + Send) -> PyResult<T> {
    let cancel = Cancel::default();
    let control = Control::new().with_cancel(cancel.clone());
    let panics = pfh::process::panics();
    let result = py.detach(|| {
        std::thread::scope(|scope| {
            let (ended, end) = mpsc::channel::<()>();
            let control = &control;
            let thread = std::thread::Builder::new().name("pfh-job".into());
            let worker = thread.spawn_scoped(scope, move || {
                // Dropped at the end, also of a panic.
                let _ended = ended;
                pfh::process::fail_point("job");
                work(control)
            });
            let worker = worker
                .map_err(|cause| Python::attach(|py| error::aborted(py, &format!("no thread: {cause}"), None)))?;
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
    })?;
    match pfh::process::panics() == panics {
        true => Ok(result),
        false => Err(error::aborted(py, PANICKED, None)),
    }
}

//! Jobs run beside the interpreter, and Ctrl-C ends them.

use crate::cancel::Token;
use crate::error;
use crate::log::{Level, log};
use crate::progress::Pace;
use pfh::{Cancel, Control};
use pyo3::prelude::*;
use std::sync::{Once, mpsc};
use std::time::{Duration, Instant};

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

/// Hooks into a job that runs: a callback for its progress, and a token that ends it.
#[derive(Default)]
pub struct Hooks {
    /// The name of the job, for the log.
    pub job: &'static str,
    /// Called with `pfh.Progress`.
    pub on_event: Option<Py<PyAny>>,
    /// The token.
    pub cancel: Option<Py<Token>>,
}

/// Carries out a job on a thread of its own, which nobody follows: see [`run_with`].
///
/// # Errors
/// As for [`run_with`].
pub fn run<T: Send>(py: Python<'_>, work: impl FnOnce(&Control<'_>) -> T + Send) -> PyResult<T> {
    run_with(py, &Hooks::default(), work)
}

/// Carries out a job on a thread of its own. This one waits for it without the interpreter's lock,
/// and calls back some twenty times a second. A signal whose handler raises cancels the job, and so
/// does a callback that raises; the exception is raised once the job ended.
///
/// # Errors
/// The exception of a signal's handler or of the callback; `AbortedError` when no thread can be
/// had, and when another thread than the job's panicked. A panic of the job's own thread is a
/// `PanicException`.
pub fn run_with<T: Send>(py: Python<'_>, hooks: &Hooks, work: impl FnOnce(&Control<'_>) -> T + Send) -> PyResult<T> {
    let cancel = Cancel::default();
    if let Some(token) = &hooks.cancel {
        token.get().follow(&cancel);
    }
    let (pace, call) = (Pace::default(), hooks.on_event.as_ref());
    let mut control = Control::new().with_cancel(cancel.clone());
    if call.is_some() {
        let pace = pace.clone();
        control = control.on_progress(move |progress| pace.note(progress));
    }
    let look = || {
        Python::attach(|py| {
            py.check_signals()?;
            call.map_or(Ok(()), |call| pace.report(py, call))
        })
    };
    let (job, began) = (hooks.job, Instant::now());
    if !job.is_empty() {
        log(py, Level::Debug, || format!("{job} begins"));
    }
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
                // A list may be a pipe to which nobody writes.
                pfh::process::end_texts_here_when(control.cancel().clone().into());
                let result = work(control);
                (result, pfh::process::is_text_ended_here())
            });
            let worker = worker
                .map_err(|cause| Python::attach(|py| error::aborted(py, &format!("no thread: {cause}"), None)))?;
            let mut raised = None;
            while end.recv_timeout(LOOK) == Err(mpsc::RecvTimeoutError::Timeout) {
                if raised.is_none() {
                    raised = look().err();
                    if raised.is_some() {
                        cancel.cancel();
                    }
                }
            }
            let (result, is_text_ended) = worker.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic));
            // How far it came: also a job that was faster than the first look.
            raised = raised.or_else(|| look().err());
            if is_text_ended && raised.is_none() {
                raised = Some(Python::attach(|py| error::cancelled(py, "interrupted")));
            }
            raised.map_or(Ok(result), Err)
        })
    });
    if !job.is_empty() {
        let how = if result.is_ok() { "ended" } else { "was ended by an exception" };
        log(py, Level::Debug, || format!("{job} {how} after {:.3} s", began.elapsed().as_secs_f64()));
    }
    let result = result?;
    match pfh::process::panics() == panics {
        true => Ok(result),
        false => Err(error::aborted(py, PANICKED, None)),
    }
}

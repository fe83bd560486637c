//! One interpreter of a process: classes and functions that were looked up once are kept for all
//! threads, and belong to the interpreter that made them. Threads of a run call it while it lives.

use pyo3::exceptions::PyImportError;
use pyo3::prelude::*;
use std::sync::atomic::{AtomicBool, AtomicI64, AtomicUsize, Ordering};
use std::time::{Duration, Instant};

/// No interpreter has this number.
const NONE: i64 = -1;

/// Claims the module for the interpreter that imports it now.
///
/// # Errors
/// `ImportError` when another one has it. Since CPython 3.12 interpreters with a lock of their own
/// do not come so far: they refuse modules that do not say otherwise.
pub fn claim(_py: Python<'_>) -> PyResult<()> {
    static OWNER: AtomicI64 = AtomicI64::new(NONE);
    // SAFETY: this thread is attached to an interpreter, which is asked for its number.
    let number = unsafe { pyo3::ffi::PyInterpreterState_GetID(pyo3::ffi::PyInterpreterState_Get()) };
    match OWNER.compare_exchange(NONE, number, Ordering::SeqCst, Ordering::SeqCst) {
        Err(owner) if owner != number => Err(PyImportError::new_err(
            "another interpreter of this process has pfh, and subinterpreters do not share it",
        )),
        _ => Ok(()),
    }
}

/// The interpreter ends: threads of a run call it no more.
static ENDING: AtomicBool = AtomicBool::new(false);
/// Calls of such threads that have not come back.
static CALLS: AtomicUsize = AtomicUsize::new(0);
/// An end waits so long for a call that does not come back, such as a read of a dead server.
const PATIENCE: Duration = Duration::from_secs(5);

/// Calls Python from a thread that Python does not know. None when the interpreter ends.
///
/// Python before 3.14 ends a thread that asks for the lock of an interpreter that is being torn
/// down, even in the midst of a call, and that end cannot pass through Rust: the process aborts.
/// So an end waits for these calls, see [`ending`].
pub fn call<T>(work: impl FnOnce(Python<'_>) -> T) -> Option<T> {
    struct Called;
    impl Drop for Called {
        fn drop(&mut self) {
            CALLS.fetch_sub(1, Ordering::SeqCst);
        }
    }
    CALLS.fetch_add(1, Ordering::SeqCst);
    let _called = Called;
    match ENDING.load(Ordering::SeqCst) {
        true => None,
        false => Python::try_attach(work),
    }
}

/// Registered with `atexit`: refuses further calls, and waits for those that are under way.
#[pyfunction]
#[pyo3(name = "_ending")]
pub fn ending(py: Python<'_>) {
    ENDING.store(true, Ordering::SeqCst);
    py.detach(|| {
        let began = Instant::now();
        while CALLS.load(Ordering::SeqCst) > 0 && began.elapsed() < PATIENCE {
            std::thread::sleep(Duration::from_millis(1));
        }
    });
}

//! One interpreter of a process: classes and functions that were looked up once are kept for all
//! threads, and belong to the interpreter that made them.

use pyo3::exceptions::PyImportError;
use pyo3::prelude::*;
use std::sync::atomic::{AtomicI64, Ordering};

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

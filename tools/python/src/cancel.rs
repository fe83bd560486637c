//! A token that ends jobs, from any thread.

use pfh::Cancel;
use pyo3::prelude::*;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError, Weak};

/// Ends the jobs that were given it as `cancel`, from any thread: they raise
/// `pfh.CancelledError`. A job that gets a token which was cancelled before ends at once.
#[pyclass(frozen, name = "Cancel", module = "pfh")]
#[derive(Default)]
pub struct Token {
    asked: AtomicBool,
    /// The flags of jobs that run.
    jobs: Mutex<Vec<Weak<AtomicBool>>>,
}

impl Token {
    /// A job follows this token, for as long as its own flag lives.
    pub fn follow(&self, job: &Cancel) {
        let mut jobs = self.jobs.lock().unwrap_or_else(PoisonError::into_inner);
        jobs.retain(|job| job.strong_count() > 0);
        jobs.push(Arc::downgrade(&Arc::from(job.clone())));
        drop(jobs);
        if self.asked.load(Ordering::SeqCst) {
            job.cancel();
        }
    }
}

#[pymethods]
impl Token {
    #[new]
    fn new() -> Token {
        Token::default()
    }

    /// Asks the jobs to end, those that run and those that will be given this token.
    fn cancel(&self) {
        self.asked.store(true, Ordering::SeqCst);
        let jobs = self.jobs.lock().unwrap_or_else(PoisonError::into_inner);
        jobs.iter().filter_map(Weak::upgrade).for_each(|job| job.store(true, Ordering::SeqCst));
    }

    /// Whether `cancel` was called.
    #[getter]
    fn cancelled(&self) -> bool {
        self.asked.load(Ordering::SeqCst)
    }

    fn __repr__(&self) -> String {
        format!("<pfh.Cancel {}>", if self.cancelled() { "cancelled" } else { "not cancelled" })
    }
}

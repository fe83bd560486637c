//! How far a job is, for `on_event`.

use pfh::Progress;
use pyo3::prelude::*;
use std::sync::{Arc, Mutex, PoisonError};

/// How far a job is. `done` of `total` (`None` if that is not known) are bytes, or with `unit`
/// `"steps"` pairs, records or nodes.
#[pyclass(frozen, get_all, name = "Progress", module = "pfh")]
#[derive(Clone)]
pub struct Step {
    /// The current work: `hashing`, `acquiring`, `verifying`, `comparing`, `reading` or `building`.
    phase: String,
    /// Bytes or steps so far.
    done: u64,
    /// All bytes or steps, if their number is known.
    total: Option<u64>,
    /// `bytes` or `steps`.
    unit: &'static str,
    /// Files that are done, where files are counted.
    files: Option<u64>,
}

#[pymethods]
impl Step {
    fn __repr__(&self) -> String {
        let total = self.total.map_or_else(String::new, |total| format!(" of {total}"));
        format!("<pfh.Progress {} {}{total} {}>", self.phase, self.done, self.unit)
    }
}

impl From<&Progress> for Step {
    fn from(progress: &Progress) -> Step {
        let (done, total, unit, files) = match progress {
            Progress::Files(files) => (files.bytes, files.total.map(|(_, bytes)| bytes), "bytes", Some(files.files)),
            Progress::Medium(medium) => (medium.bytes, medium.total, "bytes", None),
            Progress::Steps { done, total, .. } => (*done, *total, "steps", None),
            _ => (0, None, "steps", None),
        };
        Step { phase: progress.phase().to_string(), done, total, unit, files }
    }
}

/// The news of a job, which the thread that waits for it hands to a callback.
#[derive(Clone, Default)]
pub struct Pace(Arc<Mutex<Option<Step>>>);

impl Pace {
    /// Notes how far the job is.
    pub fn note(&self, progress: &Progress) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = Some(progress.into());
    }

    /// Calls back with how far the job is, if that is news.
    ///
    /// # Errors
    /// The exception of the callback.
    pub fn report(&self, py: Python<'_>, call: &Py<PyAny>) -> PyResult<()> {
        let news = self.0.lock().unwrap_or_else(PoisonError::into_inner).take();
        news.map_or(Ok(()), |step| call.call1(py, (step,)).map(drop))
    }
}

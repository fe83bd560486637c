//! Files hashed, as an iterator of records or a stream of Arrow's.

use crate::cancel::Token;
use crate::hashing::all_named;
use crate::job::LOOK;
use crate::log::{Level, log};
use crate::progress::Pace;
use crate::run::{Message, run};
use crate::taking::{Next, Taking};
use crate::{arrow, error, record, request};
use pfh::{Algorithm, Cancel, Record};
use pyo3::prelude::*;
use pyo3::types::{PyCapsule, PyDict};
use std::sync::Arc;
use std::sync::mpsc::sync_channel;
use std::time::Duration;

/// Records that may wait for the consumer.
const WAITING: usize = 4096;

/// The records of files, in input order: an iterator of `Hashed`, `Skipped` and `Failed`, each
/// input once. By `__arrow_c_stream__` also a stream of record batches, which pyarrow, polars,
/// pandas and DuckDB read. Files are read ahead while the iterator is used; `close()`, or leaving
/// a `with` block, ends the run.
#[pyclass(frozen, module = "pfh")]
pub struct Files {
    taking: Arc<Taking>,
    algorithms: Vec<Algorithm>,
    pace: Pace,
    on_event: Option<Py<PyAny>>,
}

/// Hashes files on threads of its own, and gives their records as they come, in input order.
///
/// `paths` is one path or several, `algorithms` one name or several. With `recursive` directories
/// are walked; `follow` follows symbolic links. With `exactly` an address of a store is the object
/// of that key alone, not all below it. `threads` hash, `memory` bytes may be read ahead.
/// `on_event(progress)` is called while records are taken one by one, `cancel` ends the run.
/// A file that cannot be read is a record, `Failed`, and no exception.
#[pyfunction]
#[pyo3(signature = (paths, algorithms, *, recursive = false, follow = false, exactly = false, threads = None, memory = None, on_event = None, cancel = None))]
#[expect(clippy::too_many_arguments, reason = "keyword arguments")]
pub fn hash_files(
    py: Python<'_>,
    paths: &Bound<'_, PyAny>,
    algorithms: &Bound<'_, PyAny>,
    recursive: bool,
    follow: bool,
    exactly: bool,
    threads: Option<usize>,
    memory: Option<usize>,
    on_event: Option<Py<PyAny>>,
    cancel: Option<Py<Token>>,
) -> PyResult<Files> {
    let mut input = request::input(request::paths(paths)?, recursive, follow);
    input.addresses = request::addresses(exactly);
    let algorithms = all_named(algorithms)?;
    let plan = request::plan(algorithms.clone(), threads, memory);
    let source = input.source().map_err(error::value)?;
    let (sender, messages) = sync_channel(WAITING);
    let (stop, pace) = (Cancel::default(), Pace::default());
    if let Some(token) = &cancel {
        token.get().follow(&stop);
    }
    let followed = on_event.is_some().then(|| pace.clone());
    let control = stop.clone();
    let start = std::thread::Builder::new().name("pfh-files".into());
    let started = start.spawn(move || run(source, &plan, &sender, control, followed));
    log(py, Level::Debug, || "hash_files begins".to_owned());
    started.map_err(|cause| error::aborted(py, &format!("no thread: {cause}"), None))?;
    Ok(Files { taking: Arc::new(Taking::new(messages, stop)), algorithms, pace, on_event })
}

impl Files {
    /// The next record, which nobody else gets; `None` at the end. What the callback raises loses
    /// none: the record is still held then.
    fn next(&self, py: Python<'_>) -> PyResult<Option<Record>> {
        loop {
            let next = py.detach(|| self.taking.next(LOOK)).map_err(|gone| gone.error(py))?;
            if let Some(call) = &self.on_event {
                self.pace.report(py, call)?;
            }
            match next {
                Next::End => return Ok(None),
                Next::Held => match py.detach(|| self.taking.hand_over()) {
                    Some(Message::Record(record)) => return Ok(Some(record)),
                    Some(Message::End(ended)) => {
                        self.taking.end(*ended).map_err(|gone| gone.error(py))?;
                        log(py, Level::Debug, || "hash_files ended".to_owned());
                    }
                    None => {}
                },
                Next::Nothing => {
                    if let Err(raised) = py.check_signals() {
                        self.close();
                        return Err(raised);
                    }
                }
            }
        }
    }
}

#[pymethods]
impl Files {
    fn __iter__(this: Py<Files>) -> Py<Files> {
        this
    }

    fn __next__(&self, py: Python<'_>) -> PyResult<Option<Py<PyAny>>> {
        self.next(py)?.map(|record| record::object(py, record)).transpose()
    }

    /// The records for `async for`: the event loop runs while there is none.
    fn __aiter__<'py>(this: Bound<'py, Files>) -> PyResult<Bound<'py, PyAny>> {
        this.py().import("pfh._async")?.call_method1("records", (this,))
    }

    /// Waits that many seconds at most until `next` would not wait.
    fn _wait(&self, py: Python<'_>, seconds: f64) -> bool {
        let wait = Duration::try_from_secs_f64(seconds).unwrap_or_default();
        py.detach(|| !matches!(self.taking.next(wait), Ok(Next::Nothing)))
    }

    /// Ends the run; records that were not taken are lost, and taking more raises `ValueError`.
    fn close(&self) {
        self.taking.close();
    }

    fn __enter__(this: Py<Files>) -> Py<Files> {
        this
    }

    fn __exit__(&self, _kind: Py<PyAny>, _error: Py<PyAny>, _traceback: Py<PyAny>) {
        self.close();
    }

    /// The counts once all records were taken: `hashed`, `skipped`, `failed`, `bytes`. `None`
    /// before.
    #[getter]
    fn summary<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyDict>>> {
        let Some(summary) = self.taking.summary() else { return Ok(None) };
        let counts = PyDict::new(py);
        let rows = [("hashed", summary.hashed), ("skipped", summary.skipped), ("failed", summary.failed)];
        for (name, count) in rows.into_iter().chain([("bytes", summary.bytes)]) {
            counts.set_item(name, count)?;
        }
        Ok(Some(counts))
    }

    /// The records that were not taken yet as a stream of Arrow's C data interface. Columns:
    /// `number`, `path` (null if it is not UTF-8), `path_bytes`, `status`, `size`, `mtime_ns`, one
    /// for each algorithm, `stage`, `offset`, `cause`. A stream takes the records with its first
    /// batch: some readers ask for one stream to see the schema, and for another to read.
    #[pyo3(signature = (requested_schema = None))]
    fn __arrow_c_stream__<'py>(
        &self,
        py: Python<'py>,
        requested_schema: Option<Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyCapsule>> {
        // A wish that may be left unheeded.
        drop(requested_schema);
        self.taking.left().map_err(|gone| gone.error(py))?;
        arrow::stream(py, arrow::Records::new(self.algorithms.clone(), self.taking.clone()))
    }

    /// The columns of the stream, as a schema of Arrow's C data interface.
    fn __arrow_c_schema__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyCapsule>> {
        arrow::schema(py, arrow::Records::new(self.algorithms.clone(), self.taking.clone()).schema())
    }
}

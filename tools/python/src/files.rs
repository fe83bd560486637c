//! Files hashed, as an iterator of records or a stream of Arrow's.

use crate::cancel::Token;
use crate::hashing::{all, named};
use crate::job::LOOK;
use crate::log::{Level, log};
use crate::progress::Pace;
use crate::request::Threads;
use crate::run::{Notes, Work, run};
use crate::taking::{Handed, Next, Taking};
use crate::walk::Walk;
use crate::walked::Walked;
use crate::{arrow, error, objects, record, request};
use pfh::hash::{Request, Reuse};
use pfh::{Algorithm, Cancel, Plan, Record, Secret};
use pyo3::prelude::*;
use pyo3::types::{PyCapsule, PyDict};
use std::path::PathBuf;
use std::sync::mpsc::sync_channel;
use std::sync::{Arc, Mutex, PoisonError};
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
    notes: Arc<Mutex<Notes>>,
}

/// How files are read and hashed, as `pfh/_files.py` hands it over.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
pub struct Manner {
    memory: Option<usize>,
    retries: u32,
    stall_timeout: Option<u64>,
    cache: Option<PathBuf>,
    cache_verify: f64,
    key_file: Option<PathBuf>,
    derive_key: Option<String>,
}

impl Manner {
    fn plan(&self, algorithms: Vec<Algorithm>, threads: Option<Threads>) -> PyResult<Plan> {
        let mut plan = request::plan(algorithms, threads, self.memory);
        plan.retries = self.retries;
        if let Some(seconds) = self.stall_timeout {
            if seconds == 0 {
                return Err(error::value("stall_timeout is 1 second or more"));
            }
            plan.stall = Duration::from_secs(seconds);
        }
        Ok(plan)
    }

    fn secret(&self, py: Python<'_>) -> PyResult<Option<Secret>> {
        match (&self.key_file, &self.derive_key) {
            (Some(_), Some(_)) => Err(error::value("key_file and derive_key exclude each other")),
            (Some(path), None) => request::secret_of(py, path).map(Some),
            (None, context) => Ok(context.as_deref().map(Secret::context)),
        }
    }
}

/// Begins to hash files: see `pfh/_files.py`.
#[pyfunction]
#[pyo3(name = "_hash_files")]
#[expect(clippy::too_many_arguments, reason = "keyword arguments")]
pub fn hash_files(
    py: Python<'_>,
    paths: &Bound<'_, PyAny>,
    algorithms: &Bound<'_, PyAny>,
    walk: Walk,
    manner: Manner,
    threads: Option<Threads>,
    filesystem: Option<&Bound<'_, PyAny>>,
    on_event: Option<Py<PyAny>>,
    cancel: Option<Py<Token>>,
) -> PyResult<Files> {
    let secret = manner.secret(py)?;
    let algorithms = all(algorithms)?;
    let algorithms: Vec<Algorithm> = match &secret {
        Some(secret) => {
            let found = algorithms.iter().map(|name| secret.algorithm(name).map_err(error::value));
            found.collect::<PyResult<_>>()?
        }
        None => algorithms.iter().map(|name| named(name)).collect::<PyResult<_>>()?,
    };
    let plan = manner.plan(algorithms.clone(), threads)?;
    let work = match filesystem {
        // A walk opens what it finds.
        Some(walk) if walk.is(paths) => Work::Objects(Box::new(Walked::new(walk)?), plan),
        Some(filesystem) => Work::Objects(objects::source(filesystem, paths.extract()?)?, plan),
        None => {
            let input = walk.input(request::paths(paths)?)?;
            let reuse = manner.cache.clone().map(|path| Reuse { path, sample: manner.cache_verify });
            let asked = Request::new(input, Vec::new()).plan(plan).reuse(reuse).secret(secret);
            asked.check().map_err(|refused| error::of_job(py, &refused, None))?;
            Work::Job(Box::new(asked))
        }
    };
    let (sender, messages) = sync_channel(WAITING);
    let (stop, pace, notes) = (Cancel::default(), Pace::default(), Arc::<Mutex<Notes>>::default());
    if let Some(token) = &cancel {
        token.get().follow(&stop);
    }
    let followed = on_event.is_some().then(|| pace.clone());
    let (control, noted) = (stop.clone(), notes.clone());
    let start = std::thread::Builder::new().name("pfh-files".into());
    let started = start.spawn(move || run(work, &sender, control, followed, &noted));
    log(py, Level::Debug, || "hash_files begins".to_owned());
    started.map_err(|cause| error::aborted(py, &format!("no thread: {cause}"), None))?;
    Ok(Files { taking: Arc::new(Taking::new(messages, stop)), algorithms, pace, on_event, notes })
}

impl Files {
    /// The next record, which nobody else gets; `None` at the end. An exception of the callback
    /// loses none: the record is still held then.
    fn next(&self, py: Python<'_>) -> PyResult<Option<Record>> {
        loop {
            let next = py.detach(|| self.taking.next(LOOK)).map_err(|gone| gone.error(py))?;
            if let Some(call) = &self.on_event {
                self.pace.report(py, call)?;
            }
            match next {
                Next::End => return Ok(None),
                Next::Held => match py.detach(|| self.taking.hand_over()).map_err(|gone| gone.error(py))? {
                    Handed::Record(record) => return Ok(Some(*record)),
                    Handed::End => log(py, Level::Debug, || "hash_files ended".to_owned()),
                    Handed::Nothing => {}
                },
                Next::Nothing => {
                    if let Err(raised) = py.check_signals() {
                        self.close(py);
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
    fn close(&self, py: Python<'_>) {
        py.detach(|| self.taking.close());
    }

    fn __enter__(this: Py<Files>) -> Py<Files> {
        this
    }

    fn __exit__(&self, py: Python<'_>, _kind: Py<PyAny>, _error: Py<PyAny>, _traceback: Py<PyAny>) {
        self.close(py);
    }

    /// The counts once all records were taken: `hashed`, `skipped`, `failed`, `bytes`; with a cache
    /// also `reused`, `verified`, `changed`. `None` before.
    #[getter]
    fn summary<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyDict>>> {
        let Some(summary) = py.detach(|| self.taking.summary()) else { return Ok(None) };
        let counts = PyDict::new(py);
        let rows = [("hashed", summary.hashed), ("skipped", summary.skipped), ("failed", summary.failed)];
        for (name, count) in rows.into_iter().chain([("bytes", summary.bytes)]) {
            counts.set_item(name, count)?;
        }
        // Before anything is made of it: a thread that makes an object may wait for a thread that
        // waits for this.
        let cache = self.notes.lock().unwrap_or_else(PoisonError::into_inner).cache;
        if let Some(cache) = cache {
            for (name, count) in [("reused", cache.reused), ("verified", cache.verified), ("changed", cache.changed)] {
                counts.set_item(name, count)?;
            }
        }
        Ok(Some(counts))
    }

    /// Sentences about the run: patterns that matched nothing, a cache that is not used, content
    /// that changed under the same times.
    #[getter]
    fn messages(&self) -> Vec<String> {
        self.notes.lock().unwrap_or_else(PoisonError::into_inner).messages.clone()
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
        py.detach(|| self.taking.left()).map_err(|gone| gone.error(py))?;
        arrow::stream(py, arrow::Records::new(self.algorithms.clone(), self.taking.clone()))
    }

    /// The columns of the stream, as a schema of Arrow's C data interface.
    fn __arrow_c_schema__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyCapsule>> {
        arrow::schema(py, arrow::Records::new(self.algorithms.clone(), self.taking.clone()).schema())
    }
}

//! Files hashed, as an iterator of records or a stream of Arrow's.

use crate::hashing::{all, named};
use crate::job::LOOK;
use crate::request::Threads;
use crate::run::{Message, Notes, Pace, Work, run};
use crate::walk::Walk;
use crate::{arrow, error, objects, record, request};
use pfh::hash::{Request, Reuse};
use pfh::{Algorithm, Cancel, Plan, Secret, Summary};
use pyo3::prelude::*;
use pyo3::types::{PyCapsule, PyDict};
use std::path::PathBuf;
use std::sync::mpsc::{Receiver, RecvTimeoutError, sync_channel};
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
    /// `None` once the stream was handed over or all was taken.
    messages: Mutex<Option<Receiver<Message>>>,
    algorithms: Vec<Algorithm>,
    cancel: Cancel,
    pace: Pace,
    on_event: Option<Py<PyAny>>,
    /// The process that the run's threads are in.
    process: u32,
    summary: Arc<Mutex<Option<Summary>>>,
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
            (Some(path), None) => {
                let read = Secret::read(path).map(Some);
                read.map_err(|unread| error::of_job(py, &unread.into(), Some(path)))
            }
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
    let (cancel, pace, notes) = (Cancel::default(), Pace::default(), Arc::<Mutex<Notes>>::default());
    let followed = on_event.is_some().then(|| pace.clone());
    let (control, noted) = (cancel.clone(), notes.clone());
    let start = std::thread::Builder::new().name("pfh-files".into());
    let started = start.spawn(move || run(work, &sender, control, followed, &noted));
    started.map_err(|cause| error::aborted(py, &format!("no thread: {cause}"), None))?;
    Ok(Files {
        messages: Mutex::new(Some(messages)),
        algorithms,
        cancel,
        pace,
        on_event,
        process: std::process::id(),
        summary: Arc::default(),
        notes,
    })
}

impl Files {
    /// The next message; `None` once the end was taken.
    fn next(&self, py: Python<'_>) -> PyResult<Option<Message>> {
        // A fork has no threads but the one that forked: nobody would ever send anything.
        if std::process::id() != self.process {
            return Err(error::aborted(
                py,
                "the run belongs to the process that began it, and this is a fork of it",
                None,
            ));
        }
        loop {
            let next = py.detach(|| {
                let messages = self.messages.lock().unwrap_or_else(PoisonError::into_inner);
                messages.as_ref().map(|messages| messages.recv_timeout(LOOK))
            });
            self.report(py)?;
            match next {
                None => return Ok(None),
                Some(Ok(message)) => return Ok(Some(message)),
                Some(Err(RecvTimeoutError::Disconnected)) => {
                    return Err(error::aborted(py, "the run ended before its time", None));
                }
                Some(Err(RecvTimeoutError::Timeout)) => {
                    if let Err(raised) = py.check_signals() {
                        self.close();
                        return Err(raised);
                    }
                }
            }
        }
    }

    /// Calls back with how far the run is, if that is news.
    fn report(&self, py: Python<'_>) -> PyResult<()> {
        let Some(call) = &self.on_event else { return Ok(()) };
        let news = self.pace.lock().unwrap_or_else(PoisonError::into_inner).take();
        news.map_or(Ok(()), |pace| call.call1(py, pace).map(drop))
    }
}

impl Drop for Files {
    fn drop(&mut self) {
        if self.messages.get_mut().is_ok_and(|messages| messages.is_some()) {
            self.cancel.cancel();
        }
    }
}

#[pymethods]
impl Files {
    fn __iter__(this: Py<Files>) -> Py<Files> {
        this
    }

    fn __next__(&self, py: Python<'_>) -> PyResult<Option<Py<PyAny>>> {
        match self.next(py)? {
            None => Ok(None),
            Some(Message::Record(record)) => record::object(py, record).map(Some),
            Some(Message::End(ended)) => {
                self.messages.lock().unwrap_or_else(PoisonError::into_inner).take();
                let summary = (*ended).map_err(|why| error::aborted(py, &why, None))?;
                *self.summary.lock().unwrap_or_else(PoisonError::into_inner) = Some(summary);
                Ok(None)
            }
        }
    }

    /// Ends the run; records that were not taken are lost.
    fn close(&self) {
        self.cancel.cancel();
        self.messages.lock().unwrap_or_else(PoisonError::into_inner).take();
    }

    fn __enter__(this: Py<Files>) -> Py<Files> {
        this
    }

    fn __exit__(&self, _kind: Py<PyAny>, _error: Py<PyAny>, _traceback: Py<PyAny>) {
        self.close();
    }

    /// The counts once all records were taken: `hashed`, `skipped`, `failed`, `bytes`; with a cache
    /// also `reused`, `verified`, `changed`. `None` before.
    #[getter]
    fn summary<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyDict>>> {
        let summary = *self.summary.lock().unwrap_or_else(PoisonError::into_inner);
        let Some(summary) = summary else { return Ok(None) };
        let counts = PyDict::new(py);
        let rows = [("hashed", summary.hashed), ("skipped", summary.skipped), ("failed", summary.failed)];
        for (name, count) in rows.into_iter().chain([("bytes", summary.bytes)]) {
            counts.set_item(name, count)?;
        }
        if let Some(cache) = self.notes.lock().unwrap_or_else(PoisonError::into_inner).cache {
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
    /// for each algorithm, `stage`, `offset`, `cause`.
    #[pyo3(signature = (requested_schema = None))]
    fn __arrow_c_stream__<'py>(
        &self,
        py: Python<'py>,
        requested_schema: Option<Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyCapsule>> {
        // A wish that may be left unheeded.
        drop(requested_schema);
        let taken = self.messages.lock().unwrap_or_else(PoisonError::into_inner).take();
        let messages = taken.ok_or_else(|| error::value("the records were taken"))?;
        arrow::stream(
            py,
            arrow::Records::new(self.algorithms.clone(), messages, self.cancel.clone(), self.summary.clone()),
        )
    }
}

//! Similarity digests from columns, and the pairs of a share of their comparison.

use crate::arrow::Messages;
use crate::request::Threads;
use crate::{error, job};
use pfh::compare::Thresholds;
use pfh::pairs::{Collection, DigestRefusal, Failure, Pair, PairOrder, Search};
use pfh::similarity::index::Share;
use pfh::similarity::{Degenerate, MethodName};
use pfh::{Algorithm, Digest, Phase, Progress};
use pyo3::exceptions::PyKeyboardInterrupt;
use pyo3::prelude::*;
use pyo3::types::PyBytes;
use std::io;
use std::ops::ControlFlow;
use std::sync::{Arc, PoisonError, RwLock, RwLockReadGuard};

/// Pairs that are handed over at a time.
const BATCH: usize = 1 << 20;

/// Digests of one similarity method in the order in which they came; `pfh.cluster` compares them.
#[pyclass(frozen, module = "pfh._pfh")]
pub struct Digests {
    algorithm: Algorithm,
    inner: RwLock<Inner>,
}

struct Inner {
    collection: Collection,
    /// The row that each place is of: a row without a digest has none, one in segments several.
    rows: Vec<u32>,
    /// Rows so far.
    count: u32,
}

impl Digests {
    /// Without the interpreter's lock: who holds this one may wait for that.
    fn inner(&self) -> RwLockReadGuard<'_, Inner> {
        self.inner.read().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Columns of pairs: places and scores as numbers of 32 bits, and why a score may mean nothing.
#[derive(Default)]
struct Columns {
    a: Vec<u8>,
    b: Vec<u8>,
    score: Vec<u8>,
    degenerate: Vec<u8>,
}

impl Columns {
    fn add(&mut self, pair: &Pair) {
        self.a.extend_from_slice(&pair.a.to_le_bytes());
        self.b.extend_from_slice(&pair.b.to_le_bytes());
        self.score.extend_from_slice(&pair.score.number().to_le_bytes());
        self.degenerate.push(match pair.degenerate {
            None => 0,
            Some(Degenerate::FewFeatures) => 1,
            Some(Degenerate::LowEntropy) => 2,
            Some(Degenerate::Saturated) => 3,
            Some(Degenerate::Packed) => 4,
        });
    }

    fn len(&self) -> usize {
        self.degenerate.len()
    }

    /// Hands the columns to a function of Python's.
    fn hand_over(&mut self, take: &Py<PyAny>) -> PyResult<()> {
        let columns = std::mem::take(self);
        Python::attach(|py| {
            let [a, b, score, degenerate] =
                [columns.a, columns.b, columns.score, columns.degenerate].map(|bytes| PyBytes::new(py, &bytes));
            take.call1(py, (a, b, score, degenerate)).map(drop)
        })
    }
}

#[pymethods]
impl Digests {
    /// None yet, of this method.
    #[new]
    fn new(algorithm: &str) -> PyResult<Digests> {
        let algorithm = crate::hashing::named(algorithm)?;
        if MethodName::of(algorithm.into()).is_none() {
            return Err(error::value(format!("{} is not a similarity method", algorithm.name())));
        }
        let collection = Collection::new(algorithm.into());
        Ok(Digests { algorithm, inner: RwLock::new(Inner { collection, rows: Vec::new(), count: 0 }) })
    }

    /// Takes in the digests of a column of text. Gives the rows of the column that hold no digest
    /// of the method, each with the reason; a null is none of them.
    fn add(&self, py: Python<'_>, column: &Bound<'_, PyAny>) -> PyResult<Vec<(u32, String)>> {
        let column = Messages::get(column)?;
        let values = column.values()?;
        py.detach(|| {
            let mut inner = self.inner.write().unwrap_or_else(PoisonError::into_inner);
            let mut malformed = Vec::new();
            let nameless: Arc<[u8]> = Arc::default();
            for (at, value) in (0..).zip(&values) {
                let row = inner.count;
                inner.count = inner.count.checked_add(1).ok_or_else(|| error::value("more than 2^32 rows"))?;
                let Some(value) = value else { continue };
                let text = str::from_utf8(value).map_err(|_| "no text".to_owned());
                let parse = |text| Digest::parse(self.algorithm.into(), text).map_err(|wrong| wrong.to_string());
                match text.and_then(parse) {
                    Ok(digest) => match inner.collection.add(&nameless, &digest) {
                        Ok(()) => {}
                        Err(refused @ DigestRefusal::Malformed(_)) => malformed.push((at, refused.to_string())),
                        Err(refused) => return Err(error::value(refused)),
                    },
                    Err(wrong) => malformed.push((at, wrong)),
                }
                let places = inner.collection.len();
                inner.rows.resize(places, row);
            }
            Ok(malformed)
        })
    }

    /// From here on the digests are those of the second set: only pairs across the two are asked
    /// for.
    fn begin_second_set(&self, py: Python<'_>) {
        py.detach(|| self.inner.write().unwrap_or_else(PoisonError::into_inner).collection.begin_second_set());
    }

    /// Inputs that came and have no digest of the method.
    #[getter]
    fn without(&self, py: Python<'_>) -> u64 {
        py.detach(|| self.inner().collection.without())
    }

    /// The row of each place, as numbers of 32 bits.
    #[getter]
    fn rows<'py>(&self, py: Python<'py>) -> Bound<'py, PyBytes> {
        let bytes = py.detach(|| -> Vec<u8> { self.inner().rows.iter().flat_map(|row| row.to_le_bytes()).collect() });
        PyBytes::new(py, &bytes)
    }

    /// The texts that the tool adds to the name of a file whose digest is in segments, each with
    /// its place.
    #[getter]
    fn segments<'py>(&self, py: Python<'py>) -> Vec<(u32, Bound<'py, PyBytes>)> {
        let named = py.detach(|| -> Vec<(u32, Vec<u8>)> {
            let inner = self.inner();
            let names = (0..inner.collection.len() as u32).map(|place| (place, inner.collection.name(place).to_vec()));
            names.filter(|(_, name)| !name.is_empty()).collect()
        });
        named.into_iter().map(|(place, name)| (place, PyBytes::new(py, &name))).collect()
    }

    fn __len__(&self, py: Python<'_>) -> usize {
        py.detach(|| self.inner().collection.len())
    }

    /// Calls `take` with the pairs of share `part` of `of`, in batches of four columns: the places
    /// of both, the score, and why it may mean nothing (1 few features, 2 low entropy, 3
    /// saturated, 4 packed). `threshold` is the method's own unless it is given.
    #[pyo3(signature = (take, part = 0, of = 1, *, threshold = None, threads = Threads::ONE, memory = None))]
    #[expect(clippy::too_many_arguments, reason = "keyword arguments")]
    fn pairs(
        &self,
        py: Python<'_>,
        take: Py<PyAny>,
        part: u32,
        of: u32,
        threshold: Option<u32>,
        threads: Threads,
        memory: Option<usize>,
    ) -> PyResult<()> {
        if part >= of {
            return Err(error::value("a part is below the number of parts"));
        }
        let search = Search {
            threshold: Thresholds::one(threshold).of(self.algorithm.into()),
            least_shared: 1,
            order: PairOrder::Earlier,
            memory: memory.unwrap_or(pfh::DEFAULT_MEMORY),
            threads: threads.number(),
            names: false,
        };
        let mut raised = None;
        let ended = job::run(py, |control| {
            let mut watch = |done: u64, all: u64| {
                control.report(&Progress::Steps { phase: Phase::Comparing, done, total: Some(all) });
                if control.is_cancelled() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
            };
            let mut columns = Columns::default();
            let mut hand_over = |columns: &mut Columns| {
                columns.hand_over(&take).map_err(|error| {
                    raised = Some(error);
                    io::Error::other("the pairs were not taken")
                })
            };
            let inner = self.inner();
            search.run_share(&inner.collection, Share { part, of }, &mut watch, &mut |pair| {
                columns.add(&pair);
                if columns.len() < BATCH { Ok(()) } else { hand_over(&mut columns) }
            })?;
            if columns.len() > 0 { hand_over(&mut columns).map_err(Failure::Output) } else { Ok(()) }
        })?;
        match (ended, raised) {
            (_, Some(raised)) => Err(raised),
            (Ok(()), None) => Ok(()),
            (Err(Failure::Interrupted), None) => Err(PyKeyboardInterrupt::new_err("interrupted")),
            (Err(failure), None) => Err(error::aborted(py, &failure.to_string(), None)),
        }
    }

    fn __repr__(&self) -> String {
        format!("<pfh._pfh.Digests {}>", self.algorithm.name())
    }
}

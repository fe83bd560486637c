//! All pairs of similar files.

use crate::{error, job, record, request};
use pfh::compare::{Collection, Failure, Pair as Found, PairOrder, Search, Thresholds};
use pfh::{Algorithm, Control, Input, Outcome, Phase, Progress, Record};
use pyo3::exceptions::PyKeyboardInterrupt;
use pyo3::prelude::*;
use std::ffi::OsString;
use std::ops::ControlFlow;
use std::sync::Arc;

/// Two files that are alike.
#[pyclass(frozen, get_all, module = "pfh")]
pub struct Pair {
    /// The earlier one in input order.
    a: OsString,
    /// The later one.
    b: OsString,
    /// 0 to 100, for TLSH a distance from 0 on.
    score: u32,
    /// Why the score may mean nothing: `few features`, `low entropy`, `saturated`; or `None`.
    degenerate: Option<String>,
}

#[pymethods]
impl Pair {
    fn __repr__(&self) -> String {
        let name = |name: &OsString| pfh::terminal::render(name.as_encoded_bytes());
        format!("<pfh.Pair {} {} {}>", name(&self.a), name(&self.b), self.score)
    }
}

/// Why there are no pairs.
enum Wrong {
    Value(String),
    Run(String),
    Interrupted,
}

impl From<Failure> for Wrong {
    fn from(failure: Failure) -> Wrong {
        match failure {
            Failure::Interrupted => Wrong::Interrupted,
            other => Wrong::Run(other.to_string()),
        }
    }
}

/// All pairs of files whose score reaches `threshold` (the algorithm's own if it is not given), in
/// input order, and the files that have no digest: `pairs, left_out = compare("samples/",
/// "ssdeep", recursive=True)`. `left_out` has a `Failed` or `Skipped` for what was not read; a file
/// that is too short or too plain for the method has no pair. Algorithms that are no similarity
/// methods find equal files.
#[pyfunction]
#[pyo3(signature = (paths, algorithm = "mrsh-v2", *, threshold = None, recursive = false, follow = false, threads = None, memory = None))]
#[expect(clippy::too_many_arguments, reason = "keyword arguments")]
pub fn compare(
    py: Python<'_>,
    paths: &Bound<'_, PyAny>,
    algorithm: &str,
    threshold: Option<u32>,
    recursive: bool,
    follow: bool,
    threads: Option<usize>,
    memory: Option<usize>,
) -> PyResult<(Vec<Pair>, Vec<Py<PyAny>>)> {
    let input = request::input(request::paths(paths)?, recursive, follow);
    let algorithm = crate::hashing::named(algorithm)?;
    let plan = request::plan(vec![algorithm], threads, memory);
    let search = Search {
        threshold: Thresholds::one(threshold).of(algorithm.into()),
        order: PairOrder::Earlier,
        memory: memory.unwrap_or(pfh::DEFAULT_MEMORY),
        threads: plan.threads,
        names: false,
    };
    let found = job::run(py, |control| pairs(&input, algorithm, &plan, &search, control))?;
    let (pairs, left_out) = found.map_err(|wrong| match wrong {
        Wrong::Value(why) => error::value(why),
        Wrong::Run(why) => error::aborted(py, &why, None),
        Wrong::Interrupted => PyKeyboardInterrupt::new_err("interrupted"),
    })?;
    let left_out = left_out.into_iter().map(|record| record::object(py, record));
    Ok((pairs, left_out.collect::<PyResult<_>>()?))
}

fn pairs(
    input: &Input,
    algorithm: Algorithm,
    plan: &pfh::Plan,
    search: &Search,
    control: &Control<'_>,
) -> Result<(Vec<Pair>, Vec<Record>), Wrong> {
    let mut collection = Collection::new(algorithm.into());
    let mut left_out = Vec::new();
    let source = input.source().map_err(|error| Wrong::Value(error.to_string()))?;
    let mut sink = |record: Record| {
        match &record.outcome {
            Outcome::Hashed(hashed) => {
                let name: Arc<[u8]> = record.name.as_slice().into();
                hashed
                    .digests
                    .iter()
                    .try_for_each(|digest| collection.add(&name, digest))
                    .map_err(std::io::Error::other)?;
            }
            _ => left_out.push(record),
        }
        Ok(())
    };
    let run = pfh::run(source, plan, &mut sink, control).map_err(|error| Wrong::Run(error.to_string()))?;
    if run.interrupted {
        return Err(Wrong::Interrupted);
    }
    let mut places = Vec::new();
    let mut watch = |done: u64, all: u64| {
        control.report(&Progress::Steps { phase: Phase::Comparing, done, total: Some(all) });
        if control.is_cancelled() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    };
    search.run(&mut collection, &mut watch, &mut |pair| {
        places.push(pair);
        Ok(())
    })?;
    let pair = |pair: &Found| Pair {
        a: record::decoded(collection.name(pair.a)),
        b: record::decoded(collection.name(pair.b)),
        score: pair.score.number(),
        degenerate: pair.degenerate.map(|why| why.to_string()),
    };
    Ok((places.iter().map(pair).collect(), left_out))
}

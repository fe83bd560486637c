//! All pairs of similar files.

use crate::cancel::Token;
use crate::job::Hooks;
use crate::request::Threads;
use crate::value::value;
use crate::{error, job, record, request};
use pfh::compare::{self as comparison, Event, Request, Thresholds};
use pfh::similarity::Evidence;
use pfh::{InputError, Record};
use pyo3::prelude::*;
use std::collections::BTreeMap;
use std::ffi::OsString;

/// Two files that are alike.
pub struct Pair {
    /// The earlier one in input order.
    a: OsString,
    /// The later one.
    b: OsString,
    /// 0 to 100, for TLSH a distance from 0 on.
    score: u32,
    /// Why the score may mean nothing: `few features`, `low entropy`, `saturated`, `packed`; or
    /// `None`.
    degenerate: Option<String>,
    /// Unrelated files of this size reach the score once in that many pairs.
    once_in: Option<u64>,
    /// None of those pairs did.
    rarer: bool,
}

value!(Pair { a, b, score, degenerate, once_in, rarer });

/// Two files, with the results of all methods.
pub struct Related {
    /// The earlier one in input order.
    a: OsString,
    /// The later one.
    b: OsString,
    /// `equal`, `nearly-equal`, `a-in-b`, `b-in-a`, `shares` or `alike`.
    relation: &'static str,
    /// 1 to 100.
    score: u8,
    /// About how many bytes both hold.
    shared_bytes: Option<u64>,
    /// How much of the first one the second holds, in percent.
    a_in_b: Option<u8>,
    /// How much of the second one the first holds.
    b_in_a: Option<u8>,
    /// How much of all that the two hold together both hold.
    resemblance: Option<u8>,
    /// The score of each other method by its name; of TLSH a distance.
    scores: BTreeMap<&'static str, u32>,
    /// Why a score may mean nothing.
    degenerate: Option<String>,
    /// Digests of unrelated files of these kinds and this size are as much alike once in that many
    /// pairs.
    once_in: Option<u64>,
    /// None of those pairs was.
    rarer: bool,
}

value!(Related {
    a,
    b,
    relation,
    score,
    shared_bytes,
    a_in_b,
    b_in_a,
    resemblance,
    scores,
    degenerate,
    once_in,
    rarer
});

impl Related {
    fn of(row: &comparison::InputRelation<'_>) -> Related {
        Related {
            a: record::decoded(row.a),
            b: record::decoded(row.b),
            relation: row.relation.word(),
            score: row.score,
            shared_bytes: row.shared_bytes,
            a_in_b: row.contained.map(|[share, _]| share),
            b_in_a: row.contained.map(|[_, share]| share),
            resemblance: Evidence { contained: row.contained, ..Evidence::default() }.resemblance(),
            scores: row.scores.iter().map(|(method, score)| (method.name(), score.number())).collect(),
            degenerate: row.degenerate.map(|why| why.to_string()),
            once_in: row.chance.map(|chance| chance.once_in),
            rarer: row.chance.is_some_and(|chance| chance.is_bound),
        }
    }
}

/// All pairs of files whose score reaches `threshold` (the algorithm's own if it is not given), in
/// input order, and the files that have no digest: `pairs, left_out = compare("samples/",
/// "ssdeep", recursive=True)`. Without an algorithm files are compared by all methods at once, and
/// the pairs are `Related`, the closest first. `left_out` has a `Failed` or `Skipped` for each file
/// that was not read; one that is too short or too plain for the method has a pair only with files
/// of the same content.
/// Algorithms other than similarity methods find equal files. Lists of digests among the paths are
/// read as such; `pfh.UnreadError` if something in one is not understood. Pairs with a saturated
/// digest, which is like anything, are left out unless `saturated` is given. With `versions` every
/// version of an object in a store is compared, as `KEY?versionId=ID`.
#[pyfunction]
#[pyo3(signature = (paths, algorithm = None, *, threshold = None, recursive = false, follow = false, versions = false, saturated = false, threads = None, memory = None, on_event = None, cancel = None))]
#[expect(clippy::too_many_arguments, reason = "keyword arguments")]
pub fn compare(
    py: Python<'_>,
    paths: &Bound<'_, PyAny>,
    algorithm: Option<&str>,
    threshold: Option<u32>,
    recursive: bool,
    follow: bool,
    versions: bool,
    saturated: bool,
    threads: Option<Threads>,
    memory: Option<usize>,
    on_event: Option<Py<PyAny>>,
    cancel: Option<Py<Token>>,
) -> PyResult<Compared> {
    let mut input = request::input(request::paths(paths)?, recursive, follow);
    input.addresses = request::addresses(&input.paths, false, versions)?;
    let algorithm = algorithm.map(crate::hashing::named).transpose()?;
    let mut request = Request::new(input).plan(request::plan(Vec::new(), threads, memory), memory);
    request.algorithms = algorithm.into_iter().collect();
    request.thresholds = Thresholds::one(threshold);
    request.saturated = saturated;
    let (ran, found) = job::run_with(py, &Hooks { job: "compare", on_event, cancel }, |control| {
        let mut found = Found::default();
        let mut take = |event: Event<'_>| {
            match event {
                Event::Pair(pair) => found.pairs.push(Pair {
                    a: record::decoded(pair.a),
                    b: record::decoded(pair.b),
                    score: pair.score.number(),
                    degenerate: pair.degenerate.map(|why| why.to_string()),
                    once_in: pair.chance.map(|chance| chance.once_in),
                    rarer: pair.chance.is_some_and(|chance| chance.is_bound),
                }),
                Event::Related(row) => found.related.push(Related::of(row)),
                Event::Unread(record) => found.left_out.push(record.clone()),
                Event::List(problem) => found.faults.push(problem.to_string()),
                Event::Refused(name, why) => {
                    found.faults.push(format!("{}: {why}", pfh::terminal::render(name)));
                }
                _ => {}
            }
            Ok(())
        };
        let ran = comparison::run(&request, &mut take, control);
        (ran, found)
    })?;
    ran.map_err(|failed| match failed.find::<InputError>() {
        Some(InputError::List { .. }) | None => error::of_job(py, &failed, None),
        Some(why) => error::value(why),
    })?;
    if !found.faults.is_empty() {
        return Err(error::unread(py, &found.faults.join("\n"), None));
    }
    let left_out = found.left_out.into_iter().map(|record| record::object(py, record));
    let pairs = found.pairs.into_iter().map(|pair| Ok(pair.into_pyobject(py)?.unbind()));
    let related = found.related.into_iter().map(|row| Ok(row.into_pyobject(py)?.unbind()));
    Ok((pairs.chain(related).collect::<PyResult<_>>()?, left_out.collect::<PyResult<_>>()?))
}

/// The pairs, and the records of inputs that were not read.
type Compared = (Vec<Py<PyAny>>, Vec<Py<PyAny>>);

/// The result of a comparison.
#[derive(Default)]
struct Found {
    pairs: Vec<Pair>,
    related: Vec<Related>,
    left_out: Vec<Record>,
    /// Lines of lists that were not understood.
    faults: Vec<String>,
}

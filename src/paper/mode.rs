//! The meaning of the value of `-c`.

use super::letters::{Letters, PaperJob, Problem, default_algorithm};
use crate::algorithms::REGISTRY;
use crate::compare::{self, given};
use crate::destination::Destination;
use crate::hash;
use crate::input::Input;
use pfh_digest::Algorithm;
use pfh_engine::{DEFAULT_MEMORY, Plan};
use pfh_manifest::{End, Layout, Marker};
use pfh_pairs::{List, Reading};
use pfh_report::pairs::Format;
use std::ffi::{OsStr, OsString};

/// The job. `named` is the algorithm that `-h` names.
pub fn asked(letters: &Letters, input: Input, plan: Plan, named: Option<Algorithm>) -> Result<PaperJob, Problem> {
    let Some(mode) = letters.mode.as_deref().filter(|mode| !mode.eq_ignore_ascii_case("hash")) else {
        let algorithm = named.map_or_else(default_algorithm, Ok)?;
        return Ok(hashing(input, plan, algorithm));
    };
    let reading = Reading { limit: DEFAULT_MEMORY, bare: true, assumed: named.into_iter().collect() };
    let is_digests = input.paths.iter().any(|path| list_at(path, &reading).is_some());
    // A list of digests names their algorithm itself.
    let algorithms = match named {
        Some(named) => vec![named],
        None if is_digests => Vec::new(),
        None => vec![default_algorithm()?],
    };
    let mut request = comparing(input, plan, algorithms);
    if mode.eq_ignore_ascii_case("full") {
        return Ok(PaperJob::Full(Box::new(request)));
    }
    if std::fs::metadata(mode).is_ok_and(|found| found.is_file()) {
        return filename(mode, request, named, &reading, is_digests);
    }
    let algorithm = match (named, is_digests) {
        (Some(named), _) => named,
        (None, true) => {
            let list = list_at(&request.input.paths[0], &reading);
            list.and_then(longest).map_or_else(default_algorithm, Ok)?
        }
        (None, false) => default_algorithm()?,
    };
    let Some(digest) = given(algorithm, mode) else { return Err(Problem::Mode { mode: mode.to_owned(), algorithm }) };
    request.given = vec![digest];
    request.algorithms = vec![algorithm.into()];
    Ok(PaperJob::Sought(Box::new(request)))
}

/// FILENAME mode: the file holds a list of digests.
fn filename(
    list: &OsStr,
    mut request: compare::Request,
    named: Option<Algorithm>,
    reading: &Reading,
    is_digests: bool,
) -> Result<PaperJob, Problem> {
    let Some(found) = list_at(list, reading) else { return set(list, request, named, is_digests) };
    request.against = vec![OsString::from(list)];
    if let Some(algorithm) = named.or_else(|| longest(found)) {
        request.algorithms = vec![algorithm.into()];
    }
    Ok(PaperJob::Sought(Box::new(request)))
}

/// The algorithm of a list's first record; of several, the one with the longest digests.
fn longest(mut list: List) -> Option<Algorithm> {
    list.algorithms().into_iter().max_by_key(|algorithm| algorithm.length())
}

/// A file that is a list of digests.
fn list_at(path: &OsStr, reading: &Reading) -> Option<List> {
    List::find(path.as_ref(), reading, REGISTRY)
}

/// FILENAME mode with a file that only known sets are read from: a compiled set, a database, a
/// filter, a table.
#[cfg(feature = "known")]
fn set(
    list: &OsStr,
    request: compare::Request,
    named: Option<Algorithm>,
    is_digests: bool,
) -> Result<PaperJob, Problem> {
    use crate::matching::{Empty, Request, Sets, Verdicts};
    use pfh_known::KnownStatus;

    let assumed: Vec<Algorithm> = named.into_iter().collect();
    if !pfh_known::is_set(list.as_ref(), &assumed) {
        return Err(Problem::NoList { list: list.to_owned() });
    }
    if is_digests {
        return Err(Problem::SetAgainstList { list: list.to_owned() });
    }
    let algorithms = assumed.into_iter().map(Into::into).collect();
    let sets = Sets { empty: Empty::Counts, algorithms, ..Sets::new([list]) };
    let found =
        KnownStatus::ALL.into_iter().filter(|status| !matches!(status, KnownStatus::Unknown | KnownStatus::Error));
    let request = Request::new(request.input, sets).plan(request.plan);
    let verdicts = Verdicts::new(Destination::default()).form(pfh_report::verdict::Format::Values);
    Ok(PaperJob::Known { request: Box::new(request), verdicts: verdicts.only(found.collect()) })
}

#[cfg(not(feature = "known"))]
fn set(list: &OsStr, _: compare::Request, _: Option<Algorithm>, _: bool) -> Result<PaperJob, Problem> {
    Err(Problem::NoList { list: list.to_owned() })
}

fn hashing(input: Input, plan: Plan, algorithm: Algorithm) -> PaperJob {
    let layout = Layout { end: End::Line, marker: Marker::Text };
    let plan = Plan { algorithms: vec![algorithm], ..plan };
    let manifest = hash::Manifest::new(Destination::default()).format(hash::own_format(algorithm), layout);
    PaperJob::Hash { request: Box::new(hash::Request::new(input, Vec::new()).plan(plan)), manifest }
}

/// The table is as large as `-m` says; the index and pairs that wait to be sorted are not in it.
fn comparing(input: Input, plan: Plan, algorithms: Vec<Algorithm>) -> compare::Request {
    let mut request = compare::Request::new(input);
    request.plan = request.input.share(plan);
    request.algorithms = algorithms.into_iter().map(Into::into).collect();
    (request.bare, request.form) = (true, Format::Values);
    request
}

//! The pairs themselves, for callers who write nothing.

use super::report::Watching;
use super::{Collection, Comparing, Error, Event, Failure, Request, Sink, Summary, gather};
use pfh_digest::Algorithm;
use pfh_engine::Control;
use pfh_similarity::{Degenerate, Score};
use std::io;
use std::time::Instant;

/// A pair with its names.
#[derive(Debug, Clone, Copy)]
#[non_exhaustive]
pub struct Alike<'a> {
    /// The one that came first.
    pub a: &'a [u8],
    /// The other one.
    pub b: &'a [u8],
    /// By what they are alike; the algorithm of whole contents for equal files that the method
    /// asked for makes no digest of.
    pub algorithm: Algorithm,
    /// How alike they are.
    pub score: Score,
    /// Why the score may mean nothing.
    pub degenerate: Option<Degenerate>,
}

/// Compares everything that is named as [`run`](super::run) does, and hands the pairs to `take` in
/// place of writing them. Order, groups, page and format of the request count for nothing.
///
/// # Errors
/// When the request makes no sense, or `take` or the sink fails. A file that cannot be read is an
/// event, and no error.
pub fn each(
    request: &Request,
    take: &mut dyn FnMut(Alike<'_>) -> io::Result<()>,
    sink: &mut Sink<'_>,
    control: &Control<'_>,
) -> Result<Summary, Error> {
    if request.input.is_named() {
        request.input.streams_and(&request.against)?;
    }
    let mut sets = gather::Sets::gather(request, sink, control)?;
    let (directories, comparable) = (sets.directories, sets.collections.iter().any(Collection::is_comparable));
    sink(Event::Gathered { directories, comparable }).map_err(Error::Sink)?;
    let (from, mut pairs, mut scored) = (Instant::now(), 0, 0);
    for collection in &mut sets.collections {
        let (algorithm, without) = (collection.algorithm(), collection.without());
        if without > 0 {
            sink(Event::Without(algorithm, without)).map_err(Error::Sink)?;
        }
        let mut watching = Watching { control, sink, algorithm, whole: false, costly: false, refused: None };
        let (search, features) = (request.search(collection), collection.features.take());
        let collection = &*collection;
        let (mut found, mut saturated) = (0, 0);
        let searched = search.run_with(collection, features, &mut watching, &mut |pair| {
            if pair.degenerate == Some(Degenerate::Saturated) {
                saturated += 1;
                if !request.lists_saturated() {
                    return Ok(());
                }
            }
            found += 1;
            let (a, b) = (collection.name(pair.a), collection.name(pair.b));
            take(Alike { a, b, algorithm, score: pair.score, degenerate: pair.degenerate })
        });
        if saturated > 0 {
            watching.tell(Event::Saturated { algorithm, pairs: saturated, listed: request.lists_saturated() });
        }
        if let Some(error) = watching.refused.take() {
            return Err(Error::Sink(error));
        }
        scored += searched.map_err(|failure: Failure| Error::from(failure))?.compared;
        pairs += found;
    }
    let possible = sets.collections.iter().map(Collection::possible).sum();
    let comparing = Comparing { elapsed: from.elapsed(), pairs: possible, scored };
    let without = sets.collections.iter().map(Collection::without).sum();
    Ok(Summary { run: sets.run, comparing, without, pairs, faults: sets.faults, directories, comparable })
}

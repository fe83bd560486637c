//! The job *compare*: every pair of similar files, or of digests in lists.
//!
//! A [`Request`] names files and lists of digests, in one set or two. [`run`] hashes the files,
//! reads the lists and searches each algorithm's digests; its events are the pairs, or the groups
//! that pairs link together, in an order that depends on the digests alone. Where no algorithm is
//! named, files are compared by all methods at once, and each pair is one [`InputRelation`]. A
//! [`Writer`] writes them, and [`write()`] does both. The search itself is [`crate::pairs`].
//!
//! ```
//! use pfh::compare::{self, Event, Request};
//! use pfh::{Control, Input, Recurse};
//!
//! # let room = std::env::temp_dir().join(format!("pfh-compare-{}", std::process::id()));
//! # std::fs::create_dir_all(&room)?;
//! for name in ["a", "b"] {
//!     std::fs::write(room.join(name), "the same".repeat(999))?;
//! }
//! let mut request = Request::new(Input::new([&room]).recurse(Recurse::Yes));
//! request.algorithms = vec!["sha256".parse()?];
//! let mut scores = Vec::new();
//! let summary = compare::run(
//!     &request,
//!     &mut |event| {
//!         if let Event::Pair(pair) = event {
//!             scores.push(pair.score.number());
//!         }
//!         Ok(())
//!     },
//!     &Control::new(),
//! )?;
//! assert_eq!((summary.pairs, scores), (1, vec![100]));
//! # std::fs::remove_dir_all(&room)?;
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod comparing;
mod documents;
mod event;
mod find;
mod gather;
mod grouping;
mod linkage;
#[cfg(feature = "inside")]
mod opening;
mod places;
mod problem;
mod relate;
mod request;
mod thresholds;
mod writer;

pub use comparing::Comparing;
pub use event::{
    AUTO, Event, Events, Group, InputRelation, Pair, Relating, Relation, RelationSummary, SearchSummary, Searching,
};
pub use linkage::Linkage;
pub use pfh_pairs::{By, given};
pub use problem::Problem;
pub use request::Request;
pub use thresholds::{ThresholdError, Thresholds};
pub use writer::{Writer, write};

use crate::job::Error;
use grouping::Before;
use pfh_engine::Control;
use pfh_pairs::Collection;
use pfh_similarity::MethodName;
use std::time::Instant;

/// The result of a comparison.
#[derive(Debug, Clone, Copy)]
#[non_exhaustive]
pub struct Summary {
    /// The counts of reading and hashing, and where that time went; of lists alone there are none.
    pub run: Option<pfh_engine::Summary>,
    /// The work of comparing.
    pub comparing: Comparing,
    /// Files that were read and have no digest of an algorithm, because they are too short, too
    /// plain or too long for it; each algorithm counts them.
    pub without: u64,
    /// Pairs of all algorithms.
    pub pairs: u64,
    /// Inputs that should have a digest and have none: files that could not be read, malformed
    /// lines.
    pub faults: u64,
    /// Directories that were left out.
    pub directories: u64,
    /// Whether there was anything to compare.
    pub comparable: bool,
}

/// Compares everything that is named and hands out the pairs or groups. Nothing is written.
///
/// # Errors
/// When the request makes no sense, or its events are refused. A file that cannot be read is an
/// event, and no error.
pub fn run(request: &Request, events: &mut Events<'_>, control: &Control<'_>) -> Result<Summary, Error> {
    request.check()?;
    let before = request.earlier.as_deref().map(Before::read).transpose()?;
    let mut sets = gather::Sets::gather(request, events, control)?;
    let (directories, comparable) = (sets.directories, sets.collections.iter().any(Collection::is_comparable));
    let all = sets.inputs.is_some();
    // Equal contents stand for a method that has no digests of them.
    let shown: Vec<_> = sets.collections.iter().map(Collection::shown_as).collect();
    let several = !all && shown.iter().any(|algorithm| *algorithm != shown[0]);
    events(Event::Gathered { directories, comparable, all, several }).map_err(Error::Sink)?;
    if let Some(before) = &before {
        let names: Vec<&str> = sets.collections.iter().map(|collection| collection.algorithm().name()).collect();
        for (algorithm, members) in before.others(if all { &[AUTO] } else { &names }) {
            events(Event::Missing { algorithm, members }).map_err(Error::Sink)?;
        }
    }
    let (from, mut pairs, mut scored) = (Instant::now(), 0, 0);
    if let (Some(inputs), Some(documents)) = (&sets.inputs, &mut sets.documents) {
        let of = (request, before.as_ref());
        let counts = relate::search(of, &mut sets.collections, (inputs, documents), events, control)?;
        (pairs, scored) = (counts.pairs, counts.scored);
    } else {
        for collection in &mut sets.collections {
            let is_sdhash = MethodName::of(collection.algorithm()).is_some_and(MethodName::is_sdhash);
            let beside = if is_sdhash { sets.beside.take() } else { None };
            let counts = find::search((request, before.as_ref()), (collection, beside), events, control)?;
            pairs += counts.pairs;
            scored += counts.scored;
        }
    }
    let decided = if sets.inputs.is_some() { &sets.collections[..1] } else { &sets.collections };
    let possible = decided.iter().map(Collection::possible).sum();
    let comparing = Comparing { elapsed: from.elapsed(), pairs: possible, scored };
    let without = sets.collections.iter().map(Collection::without).sum();
    Ok(Summary { run: sets.run, comparing, without, pairs, faults: sets.faults, directories, comparable })
}

//! The job *compare*: every pair of similar files, or of digests in lists.
//!
//! A [`Request`] names files and lists of digests, in one set or two. [`run`] hashes the files,
//! reads the lists, searches each algorithm's digests for pairs and writes them in an order that
//! depends on the digests alone.
//!
//! A [`Collection`] takes the digests of one algorithm, from records or from files; [`Search::run`]
//! hands out the pairs, the same ones and with the same scores as comparing each with each. What
//! outgrows the memory allowed goes to a temporary file: the pairs found, and with evidence the
//! features; the index of ssdeep makes more passes instead.
//!
//! ```
//! use pfh::compare::{self, Request};
//! use pfh::{Control, Input, Recurse};
//!
//! # let room = std::env::temp_dir().join(format!("pfh-compare-{}", std::process::id()));
//! # std::fs::create_dir_all(&room)?;
//! for name in ["a", "b"] {
//!     std::fs::write(room.join(name), "the same".repeat(999))?;
//! }
//! let mut request = Request::new(Input::new([&room]).recurse(Recurse::Yes)).output(room.join("pairs"));
//! request.algorithms = vec!["sha256".parse()?];
//! let summary = compare::run(&request, &mut |_event| Ok(()), &Control::new())?;
//! assert_eq!(summary.pairs, 1);
//! # std::fs::remove_dir_all(&room)?;
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod blocks;
mod collection;
mod comparing;
mod each;
mod error;
mod event;
mod gather;
mod given;
mod join;
mod listing;
mod lists;
mod lookup;
mod pair;
mod ranking;
mod report;
mod request;
mod search;
mod sorter;
pub mod stored;
mod thresholds;
mod words;

pub use collection::{Collection, Refused};
pub use comparing::Comparing;
pub use each::{Alike, each};
pub use error::Error;
pub use event::{Event, Searched, Sink};
pub use given::given;
pub use lists::{ListProblem, Reading, Wrong, algorithms as list_algorithms, is_list, load};
pub use lookup::{Lookup, Match};
pub use pair::{Failure, Hot, Pair, PairOrder, Search, SearchStats, Watch};
pub use ranking::{By, Ranking};
pub use request::{EvidenceError, Request};
pub use thresholds::{ThresholdError, Thresholds};

use pfh_engine::Control;
use std::time::Instant;

/// The result of a comparison.
#[derive(Debug, Clone, Copy)]
#[non_exhaustive]
pub struct Summary {
    /// The counts of reading and hashing, and where that time went; of lists alone there are none.
    pub run: Option<pfh_engine::Summary>,
    /// What comparing did.
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

/// Compares everything that is named and writes the pairs.
///
/// # Errors
/// When the request makes no sense, or the pairs cannot be written. A file that cannot be read is
/// an event, and no error.
pub fn run(request: &Request, sink: &mut Sink<'_>, control: &Control<'_>) -> Result<Summary, Error> {
    if request.input.is_named() {
        request.input.streams_and(&request.against)?;
    }
    request.outputs().check()?;
    let mut sets = gather::Sets::gather(request, sink, control)?;
    let (directories, comparable) = (sets.directories, sets.collections.iter().any(Collection::is_comparable));
    sink(Event::Gathered { directories, comparable }).map_err(Error::Sink)?;
    let from = Instant::now();
    let report = report::Report { request, output: request.output.open()? };
    let (pairs, scored) = report.write(&mut sets.collections, sink, control)?;
    let comparing =
        Comparing { elapsed: from.elapsed(), pairs: sets.collections.iter().map(Collection::possible).sum(), scored };
    let without = sets.collections.iter().map(Collection::without).sum();
    Ok(Summary { run: sets.run, comparing, without, pairs, faults: sets.faults, directories, comparable })
}

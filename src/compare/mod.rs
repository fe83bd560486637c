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
mod gather;
mod given;
mod join;
mod listing;
mod lists;
mod lookup;
mod ranking;
mod report;
mod request;
mod search;
mod sorter;
pub mod stored;
mod thresholds;
mod words;

pub use collection::{Collection, Refused};
pub use given::given;
pub use lists::{ListProblem, Reading, Wrong, algorithms as list_algorithms, is_list, load};
pub use lookup::{Lookup, Match};
pub use ranking::{By, Ranking};
pub use request::{EvidenceError, Request};
pub use search::{Failure, Found, Hot, Pair, PairOrder, Search, Watch};
pub use thresholds::{ThresholdError, Thresholds};

use crate::destination::OpenError;
use crate::input::InputError;
use crate::pass::ends_a_pass;
use pfh_digest::Algorithm;
use pfh_engine::{Control, Record};
use pfh_similarity::Score;
use pfh_source::terminal;
use std::io;
use std::path::PathBuf;
use std::time::{Duration, Instant};

/// What happens during a comparison. Events come on the thread that called [`run`].
#[derive(Debug, Clone, Copy)]
#[non_exhaustive]
pub enum Event<'a> {
    /// A file could not be read, or was skipped.
    Unread(&'a Record),
    /// A digest cannot be compared.
    Refused(&'a [u8], &'a Refused),
    /// Something of a list was not understood.
    List(&'a ListProblem),
    /// All files of a set were read once.
    Passed(&'a pfh_engine::Summary),
    /// All digests are there.
    Gathered {
        /// Directories that were left out, since only the files beside them were asked for.
        directories: u64,
        /// Whether there are two inputs to compare, or one in each set.
        comparable: bool,
    },
    /// That many inputs have no digest of this algorithm.
    Without(Algorithm, u64),
    /// Too many digests have something in common: comparing them takes long.
    Costly(Algorithm, &'a Hot),
    /// Pairs with a saturated digest, which is similar to random data.
    Saturated {
        /// The algorithm.
        algorithm: Algorithm,
        /// How many.
        pairs: u64,
        /// Whether they are in the output.
        listed: bool,
    },
    /// All pairs of one algorithm are found and written.
    Searched(&'a Searched<'a>),
}

/// What became of one algorithm's digests.
#[derive(Debug, Clone, Copy)]
#[non_exhaustive]
pub struct Searched<'a> {
    /// The algorithm.
    pub algorithm: Algorithm,
    /// Digests that were compared.
    pub digests: u64,
    /// The pairs, and what finding them took.
    pub found: &'a Found,
    /// Groups that were written, or pairs if not all are listed.
    pub written: u64,
    /// The best score of a pair.
    pub best: Option<Score>,
    /// Whether [`Event::Costly`] was reported.
    pub costly: bool,
}

/// Receives the events of a comparison. An error ends it with [`Error::Sink`].
pub type Sink<'a> = dyn FnMut(Event<'_>) -> io::Result<()> + 'a;

/// What the second stage, comparing, did and took.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Comparing {
    /// Wall time of searching and writing.
    pub elapsed: Duration,
    /// Pairs of digests of which it is known now whether they are similar.
    pub pairs: u64,
    /// Pairs of digests, or of filters for sdhash and mrsh-v2, that had to be scored for that.
    pub scored: u64,
}

impl Comparing {
    /// Pairs per second; 0 of no time.
    pub fn rate(&self) -> f64 {
        if self.elapsed.is_zero() { 0.0 } else { self.pairs as f64 / self.elapsed.as_secs_f64() }
    }
}

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

/// Why there are no pairs, or not all.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// An output is a file that is read, or one that somebody else made.
    #[error(transparent)]
    Refused(#[from] crate::outputs::Refused),
    /// Nothing is named.
    #[error("nothing is named: give a PATH, or --files-from FILE")]
    Nothing,
    /// The input.
    #[error(transparent)]
    Input(#[from] InputError),
    /// Evidence cannot be had.
    #[error(transparent)]
    Evidence(#[from] EvidenceError),
    /// A given digest cannot be compared.
    #[error(transparent)]
    Given(Refused),
    /// The output cannot be opened.
    #[error(transparent)]
    Open(#[from] OpenError),
    /// The caller ended the run; how many records were taken.
    #[error("interrupted: {0} records are out, the rest is missing")]
    InterruptedReading(u64),
    /// The caller ended the search.
    #[error("interrupted: the pairs are not complete")]
    Interrupted,
    /// A temporary file failed.
    #[error("temporary file: {0}")]
    Spill(#[source] io::Error),
    /// The page cannot be written.
    #[error("{}: {error}", terminal::render(path.as_os_str().as_encoded_bytes()))]
    Page {
        /// The page.
        path: PathBuf,
        /// Why.
        error: io::Error,
    },
    /// The output failed, or the sink refused an event.
    #[error("the output failed: {0}")]
    Sink(#[source] io::Error),
    /// The files could not be read at all.
    #[error(transparent)]
    Run(pfh_engine::Error),
}

impl Error {
    /// Whether the caller ended the comparison.
    pub fn is_interrupted(&self) -> bool {
        matches!(self, Error::Interrupted | Error::InterruptedReading(_))
    }
}

ends_a_pass!(Error);

impl From<Failure> for Error {
    fn from(failure: Failure) -> Self {
        match failure {
            Failure::Interrupted => Error::Interrupted,
            Failure::Spill(error) => Error::Spill(error),
            Failure::Output(error) => Error::Sink(error),
        }
    }
}

/// Compares everything that is named and writes the pairs.
///
/// # Errors
/// When the request makes no sense, or the pairs cannot be written. A file that cannot be read is
/// an event, and no error.
pub fn run(request: &Request, sink: &mut Sink<'_>, control: &Control<'_>) -> Result<Summary, Error> {
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

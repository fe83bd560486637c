//! The request of a comparison.

use super::linkage::Linkage;
use super::problem::Problem;
use super::thresholds::Thresholds;
use crate::algorithms::computed;
use crate::destination::Destination;
use crate::input::Input;
use crate::job::Error;
use crate::outputs::Outputs;
use pfh_digest::{Algorithm, Digest};
use pfh_engine::{DEFAULT_MEMORY, Plan};
use pfh_pairs::{By, Collection, PairOrder, Reading, Search};
use pfh_report::pairs::Format;
use pfh_similarity::{MethodName, Score};
use std::ffi::OsString;
use std::path::PathBuf;

/// Bytes of the table: similarity digests fill no lanes with many files, and the bytes read are
/// still in the processor's cache when they are hashed.
const TABLE: usize = 32 << 20;

/// Files and lists, which of their pairs are results, and how a [`Writer`](super::Writer) writes
/// those.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Request {
    /// Files, directories, and lists of digests.
    pub input: Input,
    /// A second set of the same kind: then only pairs of one from each are searched for.
    pub against: Vec<OsString>,
    /// Digests of the second set, with their names.
    pub given: Vec<(Vec<u8>, Digest)>,
    /// Whether lists of digests are read as such; otherwise they are files like others.
    pub lists: bool,
    /// Whether a digest may stand alone on its line in a list; it is then named by its line.
    pub bare: bool,
    /// The algorithms; if there are none, those of the lists, and without lists all similarity
    /// methods at once.
    pub algorithms: Vec<crate::Algorithm>,
    /// Whether only pairs that share a feature for certain are searched for.
    pub evidence: bool,
    /// The scores that pairs must reach.
    pub thresholds: Thresholds,
    /// Whether ties, order and marks are those of the reference tools.
    pub parity: bool,
    /// Whether pairs with a saturated sdhash digest are listed.
    pub saturated: bool,
    /// The number of best pairs that are listed of each algorithm.
    pub top: Option<u64>,
    /// The order of pairs, if it is not that of the inputs.
    pub sort: Option<By>,
    /// Whether groups that pairs link together are the results in place of the pairs.
    pub cluster: bool,
    /// Which inputs are one group.
    pub linkage: Linkage,
    /// The groups that an earlier run wrote as JSON: they keep their numbers and members, and get
    /// those inputs that are alike to each of their members.
    pub earlier: Option<PathBuf>,
    /// The format of the results. Those of ssdeep come in the order of its tool for text, the later
    /// one of a pair first.
    pub form: Format,
    /// Where the results go.
    pub output: Destination,
    /// A page of all pairs, with the groups as a graph.
    pub page: Option<PathBuf>,
    /// The line that asked for it, as it stands on the page; empty if there was none.
    pub command: String,
    /// How files are read.
    pub plan: Plan,
    /// Bytes for the index and for pairs that wait to be sorted.
    pub memory: usize,
    /// Whether files of the outputs' names are replaced. One that is read never is.
    pub replace: bool,
}

impl Request {
    /// All pairs as text on standard output. Where containers are opened, documents are as well.
    #[cfg_attr(not(feature = "inside"), expect(unused_mut))]
    pub fn new(mut input: Input) -> Request {
        let plan = Plan::default();
        // A document that was written again has its parts in common with the other.
        #[cfg(feature = "inside")]
        if let Some(inside) = &mut input.inside {
            inside.documents = true;
        }
        Request {
            input,
            against: Vec::new(),
            given: Vec::new(),
            lists: true,
            bare: false,
            algorithms: Vec::new(),
            evidence: false,
            thresholds: Thresholds::one(None),
            parity: false,
            saturated: false,
            top: None,
            sort: None,
            cluster: false,
            linkage: Linkage::default(),
            earlier: None,
            form: Format::Text,
            output: Destination::default(),
            page: None,
            command: String::new(),
            plan: Plan { memory: TABLE, ..plan },
            memory: DEFAULT_MEMORY,
            replace: false,
        }
    }

    /// Reads according to this plan; `memory` bytes, if given, are the table and bound the index.
    #[must_use]
    pub fn plan(mut self, plan: Plan, memory: Option<usize>) -> Request {
        self.memory = memory.unwrap_or(DEFAULT_MEMORY);
        self.plan = self.input.share(Plan { memory: memory.unwrap_or(plan.memory.min(TABLE)), ..plan });
        self
    }

    /// Writes to this destination.
    #[must_use]
    pub fn output(mut self, output: impl Into<Destination>) -> Request {
        self.output = output.into();
        self
    }

    /// Replaces existing files of the outputs' names.
    #[must_use]
    pub fn replace(mut self, replace: bool) -> Request {
        self.replace = replace;
        self
    }

    /// Refuses requests that make no sense, and outputs that would replace an input or somebody's
    /// file. [`run`](super::run) does so first.
    ///
    /// # Errors
    /// The reason.
    pub fn check(&self) -> Result<(), Error> {
        if self.input.is_named() {
            self.input.streams_and(&self.against)?;
        }
        self.outputs().check()?;
        if !self.input.is_named() {
            return Err(Error::request(Problem::Nothing));
        }
        if self.top == Some(0) {
            return Err(Error::request(Problem::NoPairs));
        }
        if self.cluster && self.is_ranked() {
            return Err(Error::request(Problem::Ordered));
        }
        if self.earlier.is_some() && (!self.cluster || self.linkage == Linkage::Single) {
            return Err(Error::request(Problem::NotGrouped));
        }
        self.thresholds.check(self.evidence).map_err(Error::request)?;
        if self.evidence {
            with_features(&computed(&self.algorithms))?;
        }
        Ok(())
    }

    /// Inputs and outputs.
    fn outputs(&self) -> Outputs {
        let mut outputs = Outputs::new(self.replace);
        outputs.file("output", self.output.path()).file("html", self.page.as_ref());
        self.input.guard(outputs.reads_all(&self.against).reads_all(&self.earlier));
        outputs
    }

    /// How lists are read. A digest is one line, and those of large files are long.
    pub(super) fn reading(&self) -> Reading {
        let assumed = if self.bare { computed(&self.algorithms) } else { Vec::new() };
        Reading { limit: self.memory.max(1 << 20), bare: self.bare, assumed }
    }

    /// Whether pairs come in another order than that of the inputs.
    pub(super) fn is_ranked(&self) -> bool {
        self.top.is_some() || self.sort.is_some()
    }

    /// Whether groups are made of pairs that come by their scores.
    pub(super) fn is_linked_completely(&self) -> bool {
        self.cluster && self.linkage == Linkage::Complete
    }

    /// Whether pairs with a saturated digest are listed.
    pub(super) fn lists_saturated(&self) -> bool {
        self.saturated || self.parity || self.evidence
    }

    /// The search over one algorithm's digests.
    pub(super) fn search(&self, collection: &Collection) -> Search {
        let like_ssdeep = matches!(MethodName::of(collection.shown_as()), Some(MethodName::Ssdeep) | None)
            && self.form == Format::Text;
        let counted =
            self.evidence && !MethodName::of(collection.algorithm()).is_some_and(|method| method.profile().is_features);
        Search {
            threshold: if counted { Score::Similarity(0) } else { self.thresholds.of(collection.algorithm()) },
            least_shared: self.thresholds.shared(collection.algorithm()),
            order: if like_ssdeep { PairOrder::Later } else { PairOrder::Earlier },
            // The other half is for the pairs that wait for another order.
            memory: if self.is_ranked() || self.is_linked_completely() { self.memory / 2 } else { self.memory },
            threads: self.plan.threads,
            names: self.parity,
        }
    }
}

/// The same algorithms with their features.
pub(super) fn with_features(algorithms: &[Algorithm]) -> Result<Vec<Algorithm>, Error> {
    let keeping = |algorithm: &Algorithm| {
        algorithm.keeping_features().ok_or_else(|| match MethodName::of(*algorithm) {
            Some(_) => Error::request(Problem::NoFeatures(*algorithm)),
            None => Error::request(Problem::Exact(*algorithm)),
        })
    };
    algorithms.iter().map(keeping).collect()
}

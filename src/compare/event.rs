//! The events of a comparison, and its results.

use super::grouping::InputGroup;
use pfh_digest::Algorithm;
use pfh_engine::Record;
use pfh_pairs::{Collection, DigestRefusal, Hot, ListProblem, SearchStats};
use pfh_similarity::{Chance, Degenerate, Evidence, Score};
use std::fmt;
use std::io;

/// The name of all methods at once where one has its name.
pub const AUTO: &str = "auto";

/// An event of a comparison. Events come on the thread that called [`run`](super::run).
#[derive(Debug, Clone, Copy)]
#[non_exhaustive]
pub enum Event<'a> {
    /// A file could not be read, or was skipped.
    Unread(&'a Record),
    /// A digest cannot be compared.
    Refused(&'a [u8], &'a DigestRefusal),
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
        /// Whether they are compared by all methods at once.
        all: bool,
        /// Whether they are compared by several algorithms, one after the other.
        several: bool,
    },
    /// That many inputs have no digest of this algorithm.
    Without(Algorithm, u64),
    /// That many inputs are pictures in formats that are not read, as TIFF and HEIF.
    OtherPictures(u64),
    /// The digests of an algorithm are searched from here on.
    Searching(&'a Searching),
    /// Too many digests have something in common: comparing them takes long.
    Costly(Algorithm, &'a Hot),
    /// A pair that was found, whether it is among the results or not; only where the request has a
    /// page, which shows all pairs.
    Found(&'a Pair<'a>),
    /// A result: a pair, in the order asked for.
    Pair(&'a Pair<'a>),
    /// A result: a group that pairs link together, where groups are asked for.
    Group(&'a Group<'a>),
    /// Members of the groups of an earlier run that are not among the inputs.
    Missing {
        /// The algorithm's name, or `auto`.
        algorithm: &'a str,
        /// How many.
        members: u64,
    },
    /// Pairs with a saturated digest, which is similar to random data.
    Saturated {
        /// The algorithm.
        algorithm: Algorithm,
        /// How many.
        pairs: u64,
        /// Whether they are among the results.
        listed: bool,
    },
    /// All pairs of one algorithm are found.
    Searched(&'a SearchSummary<'a>),
    /// All methods are searched at once from here on: none was asked for.
    Relating(&'a Relating),
    /// A pair that one of all methods found, the closest first; a result if it is listed.
    Related(&'a InputRelation<'a>),
    /// All pairs of all methods are found.
    AllRelated(&'a RelationSummary<'a>),
}

/// The digests of all methods that are searched at once.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Relating {
    /// Files that are compared.
    pub files: u64,
    /// The methods, that of whole contents first.
    pub algorithms: Vec<Algorithm>,
}

/// How two inputs are related, the closest first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Relation {
    /// They have the same bytes.
    Equal,
    /// Each has at least four fifths of the other's windows.
    NearlyEqual,
    /// The second holds at least four fifths of the first.
    AInB,
    /// The first holds at least four fifths of the second.
    BInA,
    /// They have bytes in common.
    Shares,
    /// Their digests are alike, without a window in common, or more than their bytes: strings of
    /// executables, words of texts.
    Alike,
}

impl Relation {
    /// All of them, the closest first.
    pub const ALL: [Relation; 6] =
        [Relation::Equal, Relation::NearlyEqual, Relation::AInB, Relation::BInA, Relation::Shares, Relation::Alike];

    /// The word for it in a table.
    pub const fn word(self) -> &'static str {
        match self {
            Relation::Equal => "equal",
            Relation::NearlyEqual => "nearly-equal",
            Relation::AInB => "a-in-b",
            Relation::BInA => "b-in-a",
            Relation::Shares => "shares",
            Relation::Alike => "alike",
        }
    }
}

/// The results of all methods for two inputs.
#[derive(Clone)]
#[non_exhaustive]
pub struct InputRelation<'a> {
    /// The name of the one that came first; raw bytes.
    pub a: &'a [u8],
    /// The name of the other one.
    pub b: &'a [u8],
    /// The numbers of both among the inputs.
    pub places: [u32; 2],
    /// How they are related.
    pub relation: Relation,
    /// From 1 to 100: the share of the smaller one that the other holds; where only
    /// digests are alike the best score, or 100 less the distance.
    pub score: u8,
    /// About how many bytes of distinct content both hold, where both have enough windows.
    pub shared_bytes: Option<u64>,
    /// How much of the first one the second holds, and of the second the first, in percent.
    pub contained: Option<[u8; 2]>,
    /// The score of each other method that has digests of both.
    pub scores: Vec<(Algorithm, Score)>,
    /// Where only digests are alike: how often the digests of unrelated files of these kinds and
    /// this size are so much alike by any of the methods.
    pub chance: Option<Chance>,
    /// Why a score may mean nothing.
    pub degenerate: Option<Degenerate>,
    /// Whether it is among the results.
    pub listed: bool,
}

/// The outcome of all methods at once.
#[derive(Clone, Copy)]
#[non_exhaustive]
pub struct RelationSummary<'a> {
    /// The inputs that were searched.
    pub relating: &'a Relating,
    /// The pairs.
    pub pairs: u64,
    /// Those of them, or the groups, that are results.
    pub listed: u64,
    /// Inputs that are in documents: two of them make no pair, since their documents are compared.
    pub members: u64,
    /// Documents that were opened for their members, in runs that open no other containers.
    pub opened: u64,
    /// Files whose names promise a document or an archive, and that were not opened.
    pub closed: u64,
    /// By the method: windows and strings that no pair was found by, since too many files have
    /// them.
    pub common: &'a [(Algorithm, u64)],
    pub(super) groups: &'a [InputGroup],
    pub(super) collection: &'a Collection,
}

impl fmt::Debug for RelationSummary<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("AllRelated").field("relating", self.relating).field("pairs", &self.pairs).finish()
    }
}

impl fmt::Debug for InputRelation<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [a, b] = [self.a, self.b].map(pfh_source::terminal::render);
        write!(f, "Related({a}, {b}, {}, {})", self.relation.word(), self.score)
    }
}

/// The digests that are searched.
#[derive(Debug, Clone, Copy)]
#[non_exhaustive]
pub struct Searching {
    /// The algorithm.
    pub algorithm: Algorithm,
    /// Digests that are compared.
    pub digests: u64,
    /// The score that a pair must reach.
    pub threshold: Score,
}

/// Two inputs that are alike.
#[derive(Clone, Copy)]
#[non_exhaustive]
pub struct Pair<'a> {
    /// The name of the one that came first; raw bytes.
    pub a: &'a [u8],
    /// The name of the other one.
    pub b: &'a [u8],
    /// The places of both among the digests of the algorithm.
    pub places: [u32; 2],
    /// The algorithm by which they are alike; the algorithm of whole contents for equal files that
    /// the method asked for makes no digest of.
    pub algorithm: Algorithm,
    /// The algorithm asked for.
    pub asked: Algorithm,
    /// How alike they are.
    pub score: Score,
    /// The parts that they share for certain, where that was asked for.
    pub evidence: Evidence,
    /// How often unrelated files of this size reach the score.
    pub chance: Option<Chance>,
    /// Why the score may mean nothing.
    pub degenerate: Option<Degenerate>,
    pub(super) collection: &'a Collection,
}

impl Pair<'_> {
    /// The digests of both, as their method prints them.
    pub fn values(&self) -> [String; 2] {
        self.places.map(|place| self.collection.text(place))
    }
}

impl fmt::Debug for Pair<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [a, b] = [self.a, self.b].map(pfh_source::terminal::render);
        write!(f, "Pair({a}, {b}, {}, {})", self.algorithm, self.score)
    }
}

/// Inputs that pairs link together.
#[derive(Clone, Copy)]
#[non_exhaustive]
pub struct Group<'a> {
    /// The algorithm by which they are alike; none for all methods at once.
    pub algorithm: Option<Algorithm>,
    /// From 1 for the largest group; that of an earlier run where it is one that grew.
    pub number: u64,
    /// The score of its two members that are the least alike; none if groups are chains of pairs,
    /// or if two members of an earlier group no longer reach the threshold.
    pub weakest: Option<Score>,
    /// The place of the member that is most like all others; none if groups are chains.
    pub representative: Option<u32>,
    /// The places of the members among the digests of the algorithm.
    pub places: &'a [u32],
    pub(super) collection: &'a Collection,
}

impl<'a> Group<'a> {
    /// The algorithm's name, or `auto`.
    pub fn name(&self) -> &'static str {
        self.algorithm.map_or(AUTO, Algorithm::name)
    }

    /// A group as it was found.
    pub(super) fn of(algorithm: Option<Algorithm>, group: &'a InputGroup, collection: &'a Collection) -> Group<'a> {
        let InputGroup { number, ref places, weakest, representative } = *group;
        Group { algorithm, number, weakest, representative, places, collection }
    }

    /// The name of the representative.
    pub fn representative_name(&self) -> Option<&'a [u8]> {
        self.representative.map(|place| self.collection.name(place))
    }

    /// The names of the members; raw bytes.
    pub fn names(&self) -> impl ExactSizeIterator<Item = &'a [u8]> {
        let collection = self.collection;
        self.places.iter().map(move |&place| collection.name(place))
    }

    /// The sizes of the members in bytes, where they are known.
    pub fn sizes(&self) -> impl ExactSizeIterator<Item = Option<u64>> {
        let collection = self.collection;
        self.places.iter().map(move |&place| collection.size(place))
    }
}

impl fmt::Debug for Group<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names: Vec<String> = self.names().map(pfh_source::terminal::render).collect();
        write!(f, "Group({}, {names:?})", self.name())
    }
}

/// The outcome of one algorithm's digests.
#[derive(Clone, Copy)]
#[non_exhaustive]
pub struct SearchSummary<'a> {
    /// The algorithm.
    pub algorithm: Algorithm,
    /// Digests that were compared.
    pub digests: u64,
    /// The pairs, and the work of finding them.
    pub found: &'a SearchStats,
    /// Groups among the results, or pairs if not all are listed.
    pub listed: u64,
    /// The best score of a pair.
    pub best: Option<Score>,
    /// Whether [`Event::Costly`] was reported.
    pub costly: bool,
    pub(super) groups: &'a [InputGroup],
    pub(super) collection: &'a Collection,
}

impl SearchSummary<'_> {
    /// The groups that all pairs link together, the largest first, where groups or a page are asked
    /// for.
    pub fn groups(&self) -> impl Iterator<Item = Group<'_>> {
        let (algorithm, collection) = (Some(self.algorithm), self.collection);
        self.groups.iter().map(move |group| Group::of(algorithm, group, collection))
    }
}

impl fmt::Debug for SearchSummary<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Searched").field("algorithm", &self.algorithm).field("found", self.found).finish()
    }
}

/// Receives the events of a comparison. An error ends it with
/// [`job::Error::Sink`](crate::job::Error::Sink).
pub type Events<'a> = dyn FnMut(Event<'_>) -> io::Result<()> + 'a;

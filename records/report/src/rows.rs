//! Verdicts, pairs and groups as rows: what serde makes JSON of, and a schema.

use crate::facts::{self, KnownFacts, Pair, Place};
use pfh_digest::Digest;
use pfh_engine::{Outcome, Record};
use pfh_manifest::jsonl::{ContainerFacts, Stamps};
use pfh_manifest::row::{Digests, Is, NameField, Path, TextField, Word};
use pfh_manifest::{Times, constants};
use pfh_similarity::{Chance, Evidence, Score};
use pfh_source::{FindingId, Level};
use serde::Serialize;
use std::borrow::Cow;

/// Types of rows, and names of members.
pub mod word {
    super::constants! {
        Match = "match", Lookup = "lookup", Pair = "pair", Related = "related", Cluster = "cluster", Summary = "summary", A = "a", B = "b",
    }
}

/// The verdicts on files.
#[cfg(feature = "schema")]
const VERDICTS: [&str; 7] = ["known-bad", "known-good", "known", "maybe", "unknown", "error", "skipped"];

/// The verdicts on digests.
#[cfg(feature = "schema")]
const LOOKED_UP: [&str; 7] =
    ["known-bad", "known-good", "known", "maybe", "unknown", "error", "nothing-to-compare-with"];

/// The verdict of the sets on a file.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Match<'a> {
    r#type: Is<word::Match>,
    #[serde(flatten)]
    path: Path<'a>,
    /// The verdict.
    #[cfg_attr(feature = "schema", schemars(extend("enum" = VERDICTS)))]
    verdict: &'a str,
    #[serde(flatten)]
    facts: Facts<'a>,
    /// Whether it is empty, which says nothing.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    empty: bool,
    /// The sets that hold it.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    sets: Vec<Holder<'a>>,
}

impl<'a> Match<'a> {
    /// The row of a file; `names` are those of its digests, in their order.
    pub fn of(known: &KnownFacts<'a>, names: &'a [String]) -> Match<'a> {
        let KnownFacts { record, verdict, places, empty } = *known;
        Match {
            r#type: Is(word::Match),
            path: Path(&record.name),
            verdict,
            facts: Facts::of(record, names),
            empty,
            sets: places.iter().map(Holder::of).collect(),
        }
    }
}

/// A file that was read, or why it was not.
#[derive(Default, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
struct Facts<'a> {
    /// Bytes that were read.
    #[serde(skip_serializing_if = "Option::is_none")]
    size: Option<u64>,
    #[serde(flatten)]
    times: Stamps,
    /// Digests by algorithm, as `pfh algorithms` names them.
    #[serde(skip_serializing_if = "Option::is_none")]
    digests: Option<Digests<'a>>,
    /// The container's statements about it.
    #[serde(skip_serializing_if = "Option::is_none")]
    inside: Option<ContainerFacts<'a>>,
    /// The step that failed.
    #[serde(skip_serializing_if = "Option::is_none")]
    stage: Option<&'a str>,
    /// Why it has no digest, as a word.
    #[serde(skip_serializing_if = "Option::is_none")]
    code: Option<&'a str>,
    /// Why it has no digest.
    #[serde(skip_serializing_if = "Option::is_none")]
    cause: Option<Cow<'a, str>>,
    /// The finding that it is.
    #[serde(skip_serializing_if = "Option::is_none")]
    id: Option<TextField<FindingId>>,
    /// How much it counts.
    #[serde(skip_serializing_if = "Option::is_none")]
    level: Option<Word<Level>>,
}

impl<'a> Facts<'a> {
    fn of(record: &'a Record, names: &'a [String]) -> Facts<'a> {
        match &record.outcome {
            Outcome::Hashed(hashed) => Facts {
                size: Some(hashed.closed.size),
                times: Stamps::of(&Times::of(&hashed.closed)),
                digests: Some(Digests(names, &hashed.digests)),
                inside: hashed.closed.inside.as_deref().map(ContainerFacts::of),
                ..Facts::default()
            },
            Outcome::Skipped(skip) => Facts {
                code: Some(skip.reason()),
                cause: Some(skip.reason().into()),
                id: Some(TextField(skip.finding())),
                ..Facts::default()
            },
            Outcome::Failed(problem) => Facts {
                stage: Some(problem.stage.name()),
                code: Some(problem.code()),
                cause: Some(problem.cause.to_string().into()),
                id: Some(TextField(problem.finding())),
                level: Some(Word(problem.level)),
                ..Facts::default()
            },
        }
    }
}

/// A set that holds a file or a digest.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
struct Holder<'a> {
    /// Its name.
    set: &'a str,
    /// Its class.
    class: &'a str,
    /// Its version.
    #[serde(skip_serializing_if = "Option::is_none")]
    version: Option<&'a str>,
    /// Its product.
    #[serde(skip_serializing_if = "Option::is_none")]
    product: Option<&'a str>,
    /// Its remark on the entry.
    #[serde(skip_serializing_if = "Option::is_none")]
    tag: Option<&'a str>,
    /// The algorithm of the digest that was found.
    algorithm: &'a str,
    /// Whether it is a filter, which says no more than maybe.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    maybe: bool,
}

impl<'a> Holder<'a> {
    fn of(place: &Place<'a>) -> Holder<'a> {
        let Place { set, class, version, product, tag, algorithm, maybe } = *place;
        Holder { set, class, version, product, tag, algorithm, maybe }
    }
}

/// The verdict of the sets on a digest.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Lookup<'a> {
    r#type: Is<word::Lookup>,
    /// The algorithm of the digest.
    algorithm: &'a str,
    #[cfg_attr(feature = "schema", schemars(regex(pattern = "^[0-9a-f]+$")))]
    digest: TextField<&'a Digest>,
    /// The verdict.
    #[cfg_attr(feature = "schema", schemars(extend("enum" = LOOKED_UP)))]
    verdict: &'a str,
    /// Whether it is that of the empty file, which says nothing.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    empty: bool,
    /// The sets that hold it.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    sets: Vec<Holder<'a>>,
}

impl<'a> Lookup<'a> {
    /// The row of a digest.
    pub fn of(digest: &'a Digest, verdict: &'a str, places: &[Place<'a>], empty: bool) -> Lookup<'a> {
        let sets = places.iter().map(Holder::of).collect();
        Lookup {
            r#type: Is(word::Lookup),
            algorithm: digest.algorithm().name(),
            digest: TextField(digest),
            verdict,
            empty,
            sets,
        }
    }
}

/// The last row of verdicts.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Total<C> {
    /// `summary`.
    pub r#type: Is<word::Summary>,
    /// How many files have each verdict.
    #[serde(flatten)]
    pub counts: C,
}

/// Two inputs that are similar.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Similar<'a> {
    r#type: Is<word::Pair>,
    #[serde(flatten)]
    a: NameField<'a, word::A>,
    #[serde(flatten)]
    b: NameField<'a, word::B>,
    /// The algorithm of the digests.
    algorithm: &'a str,
    /// From 0 to 100, which is the best.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schemars(range(max = 100)))]
    similarity: Option<u32>,
    /// From 0, which is the best.
    #[serde(skip_serializing_if = "Option::is_none")]
    distance: Option<u32>,
    /// Chunks that both have.
    #[serde(skip_serializing_if = "Option::is_none")]
    shared_chunks: Option<u64>,
    /// Features that both have.
    #[serde(skip_serializing_if = "Option::is_none")]
    shared_features: Option<u64>,
    #[serde(flatten)]
    shared: SharedParts,
    #[serde(flatten)]
    chance: UnrelatedRate,
    /// Why the score says little.
    #[serde(skip_serializing_if = "Option::is_none")]
    degenerate: Option<String>,
}

impl<'a> Similar<'a> {
    /// The row of a pair.
    pub fn of(pair: &Pair<'a>) -> Similar<'a> {
        let number = pair.score.number();
        let (similarity, distance) = match pair.score {
            Score::Similarity(_) => (Some(number), None),
            Score::Distance(_) => (None, Some(number)),
        };
        Similar {
            r#type: Is(word::Pair),
            a: NameField(pair.a, word::A),
            b: NameField(pair.b, word::B),
            algorithm: pair.algorithm.name(),
            similarity,
            distance,
            shared_chunks: pair.evidence.shared_chunks,
            shared_features: pair.evidence.shared_features,
            shared: SharedParts::of(pair.evidence.shared_bytes, pair.evidence.contained),
            chance: UnrelatedRate::of(pair.chance),
            degenerate: pair.degenerate.map(|why| why.to_string()),
        }
    }
}

/// The parts that two inputs share, where their windows say it.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
struct SharedParts {
    /// About how many bytes of distinct content both have.
    #[serde(skip_serializing_if = "Option::is_none")]
    shared_bytes: Option<u64>,
    /// How much of the first one the second has, in percent.
    #[serde(skip_serializing_if = "Option::is_none")]
    a_in_b: Option<u8>,
    /// How much of the second one the first has, in percent.
    #[serde(skip_serializing_if = "Option::is_none")]
    b_in_a: Option<u8>,
    /// How much of all that the two have together both have, in percent.
    #[serde(skip_serializing_if = "Option::is_none")]
    resemblance: Option<u8>,
}

/// How often unrelated files of these kinds and this size are as much alike.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
struct UnrelatedRate {
    /// Once in that many pairs.
    #[serde(skip_serializing_if = "Option::is_none")]
    once_in: Option<u64>,
    /// None of those pairs was: more rarely than that.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    rarer: bool,
}

impl UnrelatedRate {
    fn of(chance: Option<Chance>) -> UnrelatedRate {
        UnrelatedRate {
            once_in: chance.map(|chance| chance.once_in),
            rarer: chance.is_some_and(|chance| chance.is_bound),
        }
    }
}

impl SharedParts {
    fn of(shared_bytes: Option<u64>, contained: Option<[u8; 2]>) -> SharedParts {
        let [a_in_b, b_in_a] = [0, 1].map(|i| contained.map(|contained| contained[i]));
        let resemblance = Evidence { contained, ..Evidence::default() }.resemblance();
        SharedParts { shared_bytes, a_in_b, b_in_a, resemblance }
    }
}

/// Two inputs, with the results of all methods.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct RelatedRow<'a> {
    r#type: Is<word::Related>,
    #[serde(flatten)]
    a: NameField<'a, word::A>,
    #[serde(flatten)]
    b: NameField<'a, word::B>,
    /// `equal`, `nearly-equal`, `a-in-b`, `b-in-a`, `shares` (bytes) or `alike` (only the digests).
    relation: &'a str,
    /// The share of the smaller one that the other holds, in percent; of `alike` the best score, or
    /// 100 less the distance.
    #[cfg_attr(feature = "schema", schemars(range(max = 100)))]
    score: u8,
    #[serde(flatten)]
    shared: SharedParts,
    /// The score of ssdeep, from 0 to 100.
    #[serde(skip_serializing_if = "Option::is_none")]
    ssdeep: Option<u32>,
    /// The score of sdhash, from 0 to 100.
    #[serde(skip_serializing_if = "Option::is_none")]
    sdhash: Option<u32>,
    /// The score of mrsh-v2, from 0 to 100.
    #[serde(skip_serializing_if = "Option::is_none")]
    mrsh_v2: Option<u32>,
    /// The distance of TLSH, from 0, which is the best.
    #[serde(skip_serializing_if = "Option::is_none")]
    tlsh: Option<u32>,
    /// The score of two executables' strings, from 0 to 100.
    #[serde(skip_serializing_if = "Option::is_none")]
    strings: Option<u32>,
    /// The score of two texts in their normal form, from 0 to 100.
    #[serde(skip_serializing_if = "Option::is_none")]
    text: Option<u32>,
    /// The share of the cells of two tables that both have, in percent.
    #[serde(skip_serializing_if = "Option::is_none")]
    cells: Option<u32>,
    /// The distance of two pictures by PDQ, from 0, which is the best, to 256.
    #[serde(skip_serializing_if = "Option::is_none")]
    pdq: Option<u32>,
    /// The number of places that two pictures have in common, in any size and orientation.
    #[serde(skip_serializing_if = "Option::is_none")]
    crops: Option<u32>,
    #[serde(flatten)]
    chance: UnrelatedRate,
    /// Why a score says little.
    #[serde(skip_serializing_if = "Option::is_none")]
    degenerate: Option<String>,
}

impl<'a> RelatedRow<'a> {
    /// The row of a pair.
    pub fn of(row: &facts::RelationFacts<'a>) -> RelatedRow<'a> {
        RelatedRow {
            r#type: Is(word::Related),
            a: NameField(row.a, word::A),
            b: NameField(row.b, word::B),
            relation: row.relation,
            score: row.score,
            shared: SharedParts::of(row.shared_bytes, row.contained),
            ssdeep: row.ssdeep,
            sdhash: row.sdhash,
            mrsh_v2: row.mrsh_v2,
            tlsh: row.tlsh,
            strings: row.strings,
            text: row.text,
            cells: row.cells,
            pdq: row.pdq,
            crops: row.crops,
            chance: UnrelatedRate::of(row.chance),
            degenerate: row.degenerate.map(|why| why.to_string()),
        }
    }
}

/// Inputs that are similar to each other, or by way of others where no weakest pair is given.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Cluster<'a> {
    r#type: Is<word::Cluster>,
    /// The algorithm of the digests.
    algorithm: &'a str,
    /// Its number, from 1.
    cluster: u64,
    /// How many inputs are in it.
    size: u64,
    /// The score of its two members that are the least alike: a similarity from 1 to 100, a
    /// distance for TLSH.
    #[serde(skip_serializing_if = "Option::is_none")]
    weakest: Option<u32>,
    /// The member that is most like all others.
    #[serde(skip_serializing_if = "Option::is_none")]
    representative: Option<Member<'a>>,
    /// The inputs.
    members: Vec<Member<'a>>,
}

/// An input.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
struct Member<'a> {
    #[serde(flatten)]
    path: Path<'a>,
}

impl<'a> Cluster<'a> {
    /// The row of a group, and of the names in it.
    pub fn of(of: &facts::GroupFacts<'a>, names: impl Iterator<Item = &'a [u8]>) -> Cluster<'a> {
        let member = |name| Member { path: Path(name) };
        let members: Vec<Member<'a>> = names.map(member).collect();
        Cluster {
            r#type: Is(word::Cluster),
            algorithm: of.algorithm,
            cluster: of.number,
            size: members.len() as u64,
            weakest: of.weakest.map(|score| score.number()),
            representative: of.representative.map(member),
            members,
        }
    }
}

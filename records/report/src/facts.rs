//! Files, sets and pairs as they are written, in every form.

use pfh_digest::Algorithm;
use pfh_engine::Record;
use pfh_similarity::{Chance, Degenerate, Evidence, Score};

/// A pair to be written.
#[derive(Clone, Copy, Debug)]
pub struct Pair<'a> {
    /// The name of the earlier one; raw bytes.
    pub a: &'a [u8],
    /// The name of the later one; raw bytes.
    pub b: &'a [u8],
    /// The algorithm.
    pub algorithm: Algorithm,
    /// How alike they are.
    pub score: Score,
    /// Shared parts that are certain.
    pub evidence: Evidence,
    /// How often unrelated files reach the score.
    pub chance: Option<Chance>,
    /// Why the score may mean nothing.
    pub degenerate: Option<Degenerate>,
    /// The digests of the two, as text, which [`Format::Values`](crate::pairs::Format::Values)
    /// writes.
    pub values: [&'a str; 2],
}

/// The results of all methods for two inputs.
#[derive(Clone, Copy, Debug)]
pub struct RelationFacts<'a> {
    /// The name of the earlier one; raw bytes.
    pub a: &'a [u8],
    /// The name of the later one; raw bytes.
    pub b: &'a [u8],
    /// How they are related, in a word.
    pub relation: &'a str,
    /// From 1 to 100, which is the best.
    pub score: u8,
    /// About how many bytes both hold.
    pub shared_bytes: Option<u64>,
    /// How much of the first one the second holds, and of the second the first, in percent.
    pub contained: Option<[u8; 2]>,
    /// The score of ssdeep.
    pub ssdeep: Option<u32>,
    /// The score of sdhash.
    pub sdhash: Option<u32>,
    /// The score of mrsh-v2.
    pub mrsh_v2: Option<u32>,
    /// The distance of TLSH.
    pub tlsh: Option<u32>,
    /// The score of the strings of executables.
    pub strings: Option<u32>,
    /// The score of texts in their normal form.
    pub text: Option<u32>,
    /// The score of the cells of tables.
    pub cells: Option<u32>,
    /// The distance of PDQ.
    pub pdq: Option<u32>,
    /// The places that two pictures have in common.
    pub crops: Option<u32>,
    /// How often the digests of unrelated files are so much alike.
    pub chance: Option<Chance>,
    /// Why a score may mean nothing.
    pub degenerate: Option<Degenerate>,
}

/// A set that holds a file.
#[derive(Clone, Copy, Debug, Default)]
pub struct Place<'a> {
    /// The set's name.
    pub set: &'a str,
    /// Its class.
    pub class: &'a str,
    /// Its version, where it has one.
    pub version: Option<&'a str>,
    /// Its product, where it has one.
    pub product: Option<&'a str>,
    /// The set's remark on the entry.
    pub tag: Option<&'a str>,
    /// The algorithm of the digest that was found.
    pub algorithm: &'a str,
    /// Whether it is only a filter's "maybe".
    pub maybe: bool,
}

/// Facts about one file.
#[derive(Clone, Copy, Debug)]
pub struct KnownFacts<'a> {
    /// The file with its digests, or why it has none.
    pub record: &'a Record,
    /// The verdict's word.
    pub verdict: &'a str,
    /// The sets that hold it.
    pub places: &'a [Place<'a>],
    /// Whether it is empty, which says nothing.
    pub empty: bool,
}

/// A group, without its members.
#[derive(Clone, Copy, Debug)]
pub struct GroupFacts<'a> {
    /// The algorithm of the digests, or `auto`.
    pub algorithm: &'a str,
    /// Its number, from 1.
    pub number: u64,
    /// The score of its two members that are the least alike, where that is known.
    pub weakest: Option<Score>,
    /// The name of the member that is most like all others, where that is known.
    pub representative: Option<&'a [u8]>,
}

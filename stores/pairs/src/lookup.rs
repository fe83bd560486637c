//! The digests of a known list that are similar to one digest.

use crate::collection::{Collection, Digests};
use crate::stored::StoredIndex;
use pfh_digest::Digest;
use pfh_similarity::mrsh_v2::{self, Base};
use pfh_similarity::shingles::{Outline, SharedWindows};
use pfh_similarity::ssdeep::Target;
use pfh_similarity::{Content, Degenerate, Evidence, Method, MethodName, Score, Similar, sdhash, ssdeep, tlsh};
use std::cmp::{Ordering, Reverse};
use std::io;
use std::path::Path;

/// A known list.
pub enum Lookup {
    /// Digests of ssdeep or TLSH, shingles, texts, strings or imports, in an index.
    Stored(StoredIndex),
    /// Digests of another algorithm; each is compared.
    Listed(Box<Collection>),
}

/// One of the list that is similar enough.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Match {
    /// Its name in the list.
    pub name: Vec<u8>,
    /// Its digest, as the method prints it.
    pub value: String,
    /// How alike the two are.
    pub score: Score,
    /// Their shared parts, where the digests say it (shingles, strings, text); the known one is the
    /// second.
    pub evidence: Evidence,
    /// Why the score may mean nothing.
    pub degenerate: Option<Degenerate>,
}

fn other() -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, "not a digest of the list's algorithm")
}

impl Lookup {
    /// An index that was written with [`crate::stored::write`].
    ///
    /// # Errors
    /// See [`StoredIndex::open`].
    pub fn open(path: &Path) -> io::Result<Lookup> {
        StoredIndex::open(path).map(Lookup::Stored)
    }

    /// The digests of a collection. Those of ssdeep, and windows or strings that are its features,
    /// get an index in a temporary file, sorted with that many bytes of memory.
    ///
    /// # Errors
    /// The temporary file's.
    pub fn new(mut collection: Collection, memory: usize) -> io::Result<Lookup> {
        match collection.digests {
            Digests::Ssdeep(_) | Digests::Outlines(_) => {
                StoredIndex::temporary(&mut collection, memory).map(Lookup::Stored)
            }
            _ => Ok(Lookup::Listed(Box::new(collection))),
        }
    }

    /// The name of the algorithm.
    pub fn algorithm(&self) -> &'static str {
        match self {
            Lookup::Stored(stored) => stored.method().name(),
            Lookup::Listed(collection) => collection.algorithm().name(),
        }
    }

    /// Number of digests.
    pub fn len(&self) -> u64 {
        match self {
            Lookup::Stored(stored) => stored.len(),
            Lookup::Listed(collection) => collection.len() as u64,
        }
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The digests that reach the threshold, in the order of the list. An input without a digest
    /// matches nothing.
    ///
    /// # Errors
    /// The index file's; [`io::ErrorKind::InvalidData`] for a digest of another algorithm.
    pub fn similar(&self, digest: &Digest, threshold: Score) -> io::Result<Vec<Match>> {
        let similar = Similar::of(digest);
        if similar.is_some_and(Similar::is_absent) {
            return Ok(Vec::new());
        }
        match self {
            Lookup::Stored(stored) if stored.method() == MethodName::Tlsh => {
                let Some(Content::Tlsh(digest)) = similar.map(Similar::content) else { return Err(other()) };
                // Nothing reaches a threshold of another kind.
                let Score::Distance(most) = threshold else { return Ok(Vec::new()) };
                let of = |(other, name, distance): (tlsh::Digest, Vec<u8>, u32)| Match {
                    name,
                    value: other.to_string(),
                    score: Score::Distance(distance),
                    evidence: Evidence::default(),
                    degenerate: None,
                };
                Ok(stored.near(digest, most)?.into_iter().map(of).collect())
            }
            Lookup::Stored(stored) if stored.method() != MethodName::Ssdeep => {
                let content = similar.map(Similar::content);
                let Some(Content::Shingles(digest)) = content else { return Err(other()) };
                if digest.unit().method() != stored.method() {
                    return Err(other());
                }
                let of = |(outline, name, shared): (Outline, Vec<u8>, SharedWindows)| Match {
                    name,
                    value: outline.to_string(),
                    score: shared.score(),
                    evidence: shared.evidence(),
                    degenerate: None,
                };
                let found = stored.sharing(digest)?.into_iter().map(of);
                Ok(found.filter(|of| of.score != Score::Similarity(0) && of.score.reaches(threshold)).collect())
            }
            Lookup::Stored(stored) => {
                let Some(Content::Ssdeep(digest)) = similar.map(Similar::content) else { return Err(other()) };
                let least = if let Score::Similarity(least) = threshold { least } else { 1 };
                let of = |(other, name, score): (ssdeep::Digest, Vec<u8>, u8)| {
                    let degenerate = digest.degenerate().max(other.degenerate());
                    Match {
                        name,
                        value: other.to_string(),
                        score: Score::Similarity(score),
                        evidence: Evidence::default(),
                        degenerate,
                    }
                };
                Ok(stored.similar(digest, least)?.into_iter().map(of).collect())
            }
            Lookup::Listed(collection) => listed(collection, digest, threshold),
        }
    }
}

fn listed(collection: &Collection, digest: &Digest, threshold: Score) -> io::Result<Vec<Match>> {
    let mut found = Vec::new();
    let mut take_with = |place: usize, score: Score, evidence: Evidence, degenerate: Option<Degenerate>| {
        if score != Score::Similarity(0) && score.reaches(threshold) {
            // Fits: places are 32 bits.
            let value = collection.text(place as u32);
            found.push(Match { name: collection.names[place].to_vec(), value, score, evidence, degenerate });
        }
    };
    if let (Digests::Shingles(digests), Some(Content::Shingles(digest))) =
        (&collection.digests, Similar::of(digest).map(Similar::content))
        && MethodName::of(collection.algorithm) == Some(digest.unit().method())
    {
        for (place, other) in digests.iter().enumerate() {
            let compared = digest.compare(other);
            take_with(place, compared.score, compared.evidence, compared.degenerate);
        }
        return Ok(found);
    }
    let mut take = |place, score, degenerate| take_with(place, score, Evidence::default(), degenerate);
    match (&collection.digests, Similar::of(digest).map(Similar::content)) {
        (Digests::Ssdeep(digests), Some(Content::Ssdeep(digest))) => {
            let target = Target::new(digest);
            for (place, other) in digests.iter().enumerate() {
                let degenerate = digest.degenerate().max(other.degenerate());
                take(place, Score::Similarity(target.score(&other.collapsed())), degenerate);
            }
        }
        (Digests::Sdhash(digests), Some(Content::Sdhash(digest))) => {
            // Of a file that its tool cuts, the segment that is most alike counts, and of equal
            // ones the one that means most.
            let of = |segment: sdhash::Segment| (segment.digest.degenerate(), segment.digest);
            let segments: Vec<_> = digest.clone().into_segments().into_iter().map(of).collect();
            for (place, other) in digests.iter().enumerate() {
                let score = |digest| sdhash::compare(digest, other, Ordering::Equal).unwrap_or(0);
                let best = segments.iter().map(|(own, digest)| (score(digest), Reverse(*own))).max();
                let Some((score, Reverse(own))) = best else { continue };
                // Fits: places are 32 bits.
                take(place, Score::Similarity(score), own.max(collection.degenerate(place as u32)));
            }
        }
        (Digests::MrshV2(method, digests), Some(Content::MrshV2(digest))) => {
            for (place, other) in digests.iter().enumerate() {
                let score = mrsh_v2::compare(method, digest, other, Base::Smaller);
                take(place, Score::Similarity(score), digest.degenerate(method).max(other.degenerate(method)));
            }
        }
        (Digests::Tlsh(digests), Some(Content::Tlsh(digest))) => {
            for (place, other) in digests.iter().enumerate() {
                take(place, tlsh::Tlsh.compare(digest, other).score, None);
            }
        }
        (Digests::Pdq(digests), Some(Content::Pdq(digest))) => {
            let distances = digests.iter().map(|other| digest.distance(other));
            distances.enumerate().for_each(|(place, distance)| take(place, Score::Distance(distance), None));
        }
        (Digests::Phash(digests), Some(Content::Phash(digest))) => {
            let distances = digests.iter().map(|other| digest.distance(other));
            distances.enumerate().for_each(|(place, distance)| take(place, Score::Distance(distance), None));
        }
        (Digests::Crops(digests), Some(Content::Crops(digest))) => {
            let common = digests.iter().map(|other| pfh_similarity::crops::common(other, digest));
            common.enumerate().for_each(|(place, score)| take(place, Score::Similarity(score), None));
        }
        (Digests::Foreign(digests), Some(Content::Foreign(digest))) => {
            for (place, compared) in digests.iter().enumerate().filter_map(|(at, one)| Some((at, one.compare(digest)?)))
            {
                take_with(place, compared.score, compared.evidence, compared.degenerate);
            }
        }
        (Digests::Exact(digests), _) => {
            for (place, _) in digests.iter().enumerate().filter(|(_, other)| *other == digest) {
                take(place, Score::Similarity(100), None);
            }
        }
        _ => return Err(other()),
    }
    Ok(found)
}

//! What of a known list is similar to one digest.

use super::collection::{Collection, Digests};
use super::stored::Stored;
use pfh_digest::Digest;
use pfh_similarity::mrsh_v2::{self, Base};
use pfh_similarity::ssdeep::Target;
use pfh_similarity::{Degenerate, Method, Named, Score, sdhash, ssdeep, tlsh};
use std::cmp::{Ordering, Reverse};
use std::io;
use std::path::Path;

/// A known list.
pub enum Lookup {
    /// ssdeep digests, in an index.
    Stored(Stored),
    /// Digests of another algorithm, each of which is compared.
    Listed(Collection),
}

/// One of the list that is similar enough.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Match {
    /// Its name in the list.
    pub name: Vec<u8>,
    /// How alike the two are.
    pub score: Score,
    /// Why the score may mean nothing.
    pub degenerate: Option<Degenerate>,
}

fn malformed(error: impl std::fmt::Display) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, error.to_string())
}

impl Lookup {
    /// An index that was written with [`super::stored::write`].
    ///
    /// # Errors
    /// See [`Stored::open`].
    pub fn open(path: &Path) -> io::Result<Lookup> {
        Stored::open(path).map(Lookup::Stored)
    }

    /// The digests of a collection. Those of ssdeep get an index in a temporary file, sorted with so many bytes of memory.
    ///
    /// # Errors
    /// The temporary file's.
    pub fn new(collection: Collection, memory: usize) -> io::Result<Lookup> {
        match collection.digests {
            Digests::Ssdeep(_) => Stored::temporary(&collection, memory).map(Lookup::Stored),
            _ => Ok(Lookup::Listed(collection)),
        }
    }

    /// The name of the algorithm.
    pub fn algorithm(&self) -> &'static str {
        match self {
            Lookup::Stored(_) => Named::Ssdeep.name(),
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

    /// What reaches the threshold, in the order of the list. The text of an input without a digest matches nothing.
    ///
    /// # Errors
    /// The index file's; [`io::ErrorKind::InvalidData`] for a text that is no digest of the algorithm.
    pub fn similar(&self, digest: &Digest, threshold: Score) -> io::Result<Vec<Match>> {
        let text = digest.text().unwrap_or_default();
        if Named::find(digest.algorithm().name()).is_some_and(|method| method.is_absent(text)) {
            return Ok(Vec::new());
        }
        match self {
            Lookup::Stored(stored) => {
                let digest: ssdeep::Digest = text.parse().map_err(malformed)?;
                let least = if let Score::Similarity(least) = threshold { least } else { 1 };
                let of = |(other, name, score): (ssdeep::Digest, Vec<u8>, u8)| {
                    let degenerate = digest.degenerate().max(other.degenerate());
                    Match { name, score: Score::Similarity(score), degenerate }
                };
                Ok(stored.similar(&digest, least)?.into_iter().map(of).collect())
            }
            Lookup::Listed(collection) => listed(collection, digest, threshold),
        }
    }
}

fn listed(collection: &Collection, digest: &Digest, threshold: Score) -> io::Result<Vec<Match>> {
    let text = digest.text().unwrap_or_default();
    let mut found = Vec::new();
    let mut take = |place: usize, score: Score, degenerate: Option<Degenerate>| {
        if score != Score::Similarity(0) && score.reaches(threshold) {
            found.push(Match { name: collection.names[place].to_vec(), score, degenerate });
        }
    };
    match &collection.digests {
        Digests::Ssdeep(digests) => {
            let digest: ssdeep::Digest = text.parse().map_err(malformed)?;
            let target = Target::new(&digest);
            for (place, other) in digests.iter().enumerate() {
                let degenerate = digest.degenerate().max(other.degenerate());
                take(place, Score::Similarity(target.score(&other.collapsed())), degenerate);
            }
        }
        Digests::Sdhash(digests) => {
            let digest: sdhash::Digest = text.parse().map_err(malformed)?;
            // Of a file that its tool cuts, the segment that is most alike counts, and of equal ones the one that means most.
            let of = |segment: sdhash::Segment| (segment.digest.degenerate(), segment.digest);
            let segments: Vec<_> = digest.into_segments().into_iter().map(of).collect();
            for (place, other) in digests.iter().enumerate() {
                let score = |digest| sdhash::compare(digest, other, Ordering::Equal).unwrap_or(0);
                let best = segments.iter().map(|(own, digest)| (score(digest), Reverse(*own))).max();
                let Some((score, Reverse(own))) = best else { continue };
                // Fits: places are 32 bits.
                take(place, Score::Similarity(score), own.max(collection.degenerate(place as u32)));
            }
        }
        Digests::MrshV2(method, digests) => {
            let digest: mrsh_v2::Digest = text.parse().map_err(malformed)?;
            for (place, other) in digests.iter().enumerate() {
                let score = mrsh_v2::compare(method, &digest, other, Base::Smaller);
                take(place, Score::Similarity(score), digest.degenerate(method).max(other.degenerate(method)));
            }
        }
        Digests::Tlsh(digests) => {
            let digest: tlsh::Digest = text.parse().map_err(malformed)?;
            for (place, other) in digests.iter().enumerate() {
                take(place, tlsh::Tlsh.compare(&digest, other).score, None);
            }
        }
        Digests::Exact(digests) => {
            for (place, _) in digests.iter().enumerate().filter(|(_, other)| *other == digest) {
                take(place, Score::Similarity(100), None);
            }
        }
    }
    Ok(found)
}

//! The sets that records are compared with, and their verdicts.

use super::guess;
use pfh_digest::{Algorithm, Digest};
use pfh_known::{Certainty, Class, Error, Hit, KnownSet, KnownStatus, Set};
use pfh_report::verdict::Place;

/// Whether being equal to the empty file says anything.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Empty {
    /// It does not: an empty file is unknown, whichever sets hold its digest.
    #[default]
    SaysNothing,
    /// It is a file like any other.
    Counts,
}

/// Digests that are looked for by themselves, beside the sets.
#[derive(Debug, Clone)]
pub struct Sought {
    /// The digests.
    pub digests: Vec<Digest>,
    /// Their class.
    pub class: Class,
}

/// The sets and digests that records are compared with.
pub struct Reference {
    /// Open sets.
    pub sets: Vec<KnownSet>,
    /// Of each set the algorithms that its digests are taken for by their length alone.
    pub guessed: Vec<Vec<Algorithm>>,
    /// Single digests.
    pub sought: Option<Sought>,
    /// Whether the empty file's digest counts.
    pub empty: Empty,
}

/// The verdict on one digest or file.
#[derive(Debug, Clone, Default)]
pub struct Answer {
    /// Where it is known: the position of the set file, the hit, the algorithm. `None` for the
    /// position stands for the digests that are sought.
    pub hits: Vec<(Option<usize>, Hit, Algorithm)>,
    /// Whether it is in a set as the digest of no bytes at all.
    pub empty: bool,
}

impl Reference {
    /// The algorithms that files must be hashed with so that every set can be asked: for each set
    /// that of most of its digests, of equally many the longest; where some of its records have
    /// none of that, all that it has.
    pub fn algorithms(&self) -> Vec<Algorithm> {
        let mut needed: Vec<Algorithm> = Vec::new();
        let mut need = |algorithm: Algorithm| {
            if !needed.contains(&algorithm) {
                needed.push(algorithm);
            }
        };
        for known in &self.sets {
            let of: Vec<Algorithm> = known.algorithms().map(|(algorithm, _)| algorithm).collect();
            for set in known.sets() {
                let counted = of.iter().map(|algorithm| (count(set, *algorithm), *algorithm));
                let mut counted: Vec<_> = counted.filter(|(count, _)| *count > 0).collect();
                counted.sort_by_key(|(count, algorithm)| std::cmp::Reverse((*count, algorithm.length())));
                if counted.first().is_some_and(|(count, _)| *count >= set.records) {
                    counted.truncate(1);
                }
                counted.into_iter().for_each(|(_, algorithm)| need(algorithm));
            }
            known.filters().for_each(|(algorithm, ..)| need(algorithm));
        }
        self.sought.iter().flat_map(|sought| &sought.digests).for_each(|digest| need(digest.algorithm()));
        let guesses: Vec<Algorithm> = self.guessed.iter().flatten().copied().collect();
        guesses.into_iter().filter(|guess| needed.contains(guess)).collect::<Vec<_>>().into_iter().for_each(|guess| {
            let others = guess::others(guess).filter(|other| !needed.contains(other));
            let others: Vec<Algorithm> = others.collect();
            needed.extend(others);
        });
        needed
    }

    /// Sets that files with digests of these algorithms alone cannot be compared with by every
    /// record: how many records can be compared at most (0 for a filter of another algorithm).
    /// Empty where nothing is left out.
    pub fn left_out(&self, algorithms: &[Algorithm]) -> Vec<(&Set, u64)> {
        let mut left_out = Vec::new();
        for known in &self.sets {
            for (position, set) in known.sets().iter().enumerate().filter(|(_, set)| !set.is_empty()) {
                let mut filters = known.filters().filter(|(_, of, _)| *of == position).peekable();
                if filters.peek().is_some() {
                    if !filters.any(|(algorithm, ..)| algorithms.contains(&algorithm)) {
                        left_out.push((set, 0));
                    }
                    continue;
                }
                let others = known.algorithms().filter(|(algorithm, _)| !algorithms.contains(algorithm));
                let others: u64 = others.map(|(algorithm, _)| count(set, algorithm)).sum();
                let most = algorithms.iter().map(|algorithm| count(set, *algorithm)).max().unwrap_or(0);
                if others > 0 && most < set.records {
                    left_out.push((set, most));
                }
            }
        }
        left_out
    }

    /// Whether any set has digests of an algorithm, so that one of them can be looked up.
    pub fn has(&self, algorithm: Algorithm) -> bool {
        let of = |known: &KnownSet| {
            known.algorithms().any(|(other, _)| other == algorithm)
                || known.filters().any(|(other, ..)| other == algorithm)
        };
        let mut guesses = self.guessed.iter().flatten();
        self.sets.iter().any(of) || guesses.any(|guess| guess::others(*guess).any(|other| other == algorithm))
    }

    /// Whether all sets are bad or notable: then a file that is in none of them is not news.
    pub fn is_of_the_bad(&self) -> bool {
        let mut sets = self.sets.iter().flat_map(|known| known.sets()).peekable();
        sets.peek().is_some() && sets.all(|set| matches!(set.class(), Class::Bad | Class::Notable))
    }

    /// The verdict of the sets on a file with these digests.
    ///
    /// # Errors
    /// A set that cannot be read, or was damaged: then nothing may be concluded.
    pub fn ask(&self, digests: &[Digest]) -> Result<Answer, Error> {
        let mut answer = Answer::default();
        for digest in digests {
            for (position, known) in self.sets.iter().enumerate() {
                let guesses = self.guessed.get(position).map(Vec::as_slice).unwrap_or_default();
                let alike = guesses.iter().filter(|guess| **guess != digest.algorithm());
                let alike: Vec<Digest> = alike.filter_map(|guess| guess::relabelled(digest, *guess)).collect();
                let mut hits = known.find(digest)?;
                for digest in &alike {
                    hits.extend(known.find(digest)?);
                }
                for hit in hits {
                    // The same set may hold the file by several digests; one is enough to say so.
                    let is_named =
                        |(at, other, _): &(Option<usize>, Hit, Algorithm)| *at == Some(position) && *other == hit;
                    if !answer.hits.iter().any(is_named) {
                        answer.hits.push((Some(position), hit, digest.algorithm()));
                    }
                }
            }
            if let Some(sought) = &self.sought
                && sought.digests.contains(digest)
            {
                let hit = Hit { set: 0, tag: None, class: sought.class.clone(), certainty: Certainty::Certain };
                answer.hits.push((None, hit, digest.algorithm()));
            }
        }
        // Only a file in a set can be known by being empty; of the others nobody asks, and there
        // are more of them.
        answer.empty =
            !answer.hits.is_empty() && digests.iter().any(|digest| *digest == digest.algorithm().digest(b""));
        Ok(answer)
    }

    /// The verdict of an answer.
    pub fn verdict(&self, answer: &Answer) -> KnownStatus {
        if answer.empty && self.empty == Empty::SaysNothing {
            return KnownStatus::Unknown;
        }
        let class = |(_, hit, _): &(Option<usize>, Hit, Algorithm)| match hit.certainty {
            Certainty::Certain => Some(hit.class.clone()),
            Certainty::Maybe => None,
        };
        let classes: Vec<Option<Class>> = answer.hits.iter().map(class).collect();
        KnownStatus::of(classes.iter().map(Option::as_ref))
    }

    /// The sets of an answer, as output tells them.
    pub fn places<'a>(&'a self, answer: &'a Answer) -> Vec<Place<'a>> {
        let place = |(at, hit, algorithm): &'a (Option<usize>, Hit, Algorithm)| {
            let set = at.and_then(|at| self.sets[at].sets().get(hit.set));
            Place {
                set: set.map_or("digest", |set| &set.name),
                class: hit.class.name(),
                version: set.and_then(|set| set.version.as_deref()),
                product: set.and_then(|set| set.product.as_deref()),
                tag: hit.tag.as_deref(),
                algorithm: algorithm.name(),
                maybe: hit.certainty == Certainty::Maybe,
            }
        };
        answer.hits.iter().map(place).collect()
    }
}

/// How many digests of an algorithm a set has.
fn count(set: &Set, algorithm: Algorithm) -> u64 {
    set.digests.iter().find(|(name, _)| name == algorithm.name()).map_or(0, |(_, count)| *count)
}

//! Records against known sets: the verdict costs look-ups, and no second read.

use crate::manifest::{About, kind, times};
use crate::output::Output;
use pfh_digest::{Algorithm, Digest};
use pfh_engine::{Hashed, Outcome, Record};
use pfh_format::verdict::{Encoder, Form, Known, Place, skipped};
use pfh_format::{self as format, Kind, Preamble, Row, Summary, Unrepresentable};
use pfh_known::{Certainty, Class, Error, Hit, KnownSet, Set, Verdict};
use std::io;

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

/// What records are compared with.
pub struct Reference {
    /// Open sets.
    pub sets: Vec<KnownSet>,
    /// Single digests.
    pub sought: Option<Sought>,
    /// What the empty file's digest says.
    pub empty: Empty,
}

/// What is known of one digest or file.
#[derive(Debug, Clone, Default)]
pub struct Answer {
    /// Where it is known: the position of the set file, the hit, the algorithm. `None` for the position stands for the digests
    /// that are sought.
    pub hits: Vec<(Option<usize>, Hit, Algorithm)>,
    /// Whether it is in a set as the digest of no bytes at all.
    pub empty: bool,
}

impl Reference {
    /// The algorithms that files must be hashed with so that every set can be asked: for each set that of most of its digests, of
    /// equally many the longest; where some of its records have none of that, all that it has.
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
        needed
    }

    /// Sets of which files with digests of these algorithms alone cannot be compared with every record: how many records can be
    /// compared at most (0 for a filter of another algorithm). Empty where nothing is left out.
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
        self.sets.iter().any(of)
    }

    /// Whether all sets are of what is bad or to be looked at: then a file that is in none of them is no news.
    pub fn is_of_the_bad(&self) -> bool {
        let mut sets = self.sets.iter().flat_map(|known| known.sets()).peekable();
        sets.peek().is_some() && sets.all(|set| matches!(set.class(), Class::Bad | Class::Notable))
    }

    /// What the sets say of a file with these digests.
    ///
    /// # Errors
    /// A set that cannot be read, or was damaged: then nothing may be concluded.
    pub fn ask(&self, digests: &[Digest]) -> Result<Answer, Error> {
        let mut answer = Answer::default();
        for digest in digests {
            for (position, known) in self.sets.iter().enumerate() {
                for hit in known.find(digest)? {
                    // The same set may hold the file by several digests; one is enough to say so.
                    let told =
                        |(at, other, _): &(Option<usize>, Hit, Algorithm)| *at == Some(position) && *other == hit;
                    if !answer.hits.iter().any(told) {
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
        // Only what is in a set can be known by being empty; of the others nobody asks, and there are more of them.
        answer.empty =
            !answer.hits.is_empty() && digests.iter().any(|digest| *digest == digest.algorithm().digest(b""));
        Ok(answer)
    }

    /// The verdict of an answer.
    pub fn verdict(&self, answer: &Answer) -> Verdict {
        if answer.empty && self.empty == Empty::SaysNothing {
            return Verdict::Unknown;
        }
        let class = |(_, hit, _): &(Option<usize>, Hit, Algorithm)| match hit.certainty {
            Certainty::Certain => Some(hit.class.clone()),
            Certainty::Maybe => None,
        };
        let classes: Vec<Option<Class>> = answer.hits.iter().map(class).collect();
        Verdict::of(classes.iter().map(Option::as_ref))
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

/// How many files have each verdict.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Counts([u64; Verdict::ALL.len()]);

impl Counts {
    /// Those with this verdict.
    pub fn of(&self, verdict: Verdict) -> u64 {
        self.0[verdict as usize]
    }

    /// Counts one more.
    pub fn add(&mut self, verdict: Verdict) {
        self.0[verdict as usize] += 1;
    }

    /// Every verdict's word with its number.
    pub fn words(&self) -> Vec<(&'static str, u64)> {
        Verdict::ALL.iter().map(|verdict| (verdict.name(), self.of(*verdict))).collect()
    }
}

/// Writes what is known of every record.
pub struct Matching {
    reference: Reference,
    only: Vec<Verdict>,
    encoder: Encoder,
    output: Output,
    digests: usize,
    bytes: u64,
    counts: Counts,
}

impl Matching {
    /// Starts the output. `only` are the verdicts that are written; all where it is empty. What is not written counts all the same.
    ///
    /// # Errors
    /// When the format cannot hold the algorithms.
    pub fn open(
        reference: Reference,
        only: &[Verdict],
        form: Form,
        about: &About,
        mut output: Output,
    ) -> Result<Self, Unrepresentable> {
        let mut encoder = Encoder::new(form);
        let preamble = Preamble {
            algorithms: &about.algorithms,
            command_line: about.command_line.as_deref(),
            working_directory: about.working_directory.as_deref(),
            base: None,
            version: &about.version,
            start: None,
        };
        encoder.head(output.room(), &preamble)?;
        let (only, digests) = (only.to_vec(), about.algorithms.len());
        Ok(Matching { reference, only, encoder, output, digests, bytes: 0, counts: Counts::default() })
    }

    /// Takes a record. Only one that was read to its end gets an answer of the sets.
    ///
    /// # Errors
    /// The output's, and a known set that cannot be read or was damaged: no verdict after that would be worth anything.
    pub fn write(&mut self, record: &Record) -> io::Result<()> {
        match &record.outcome {
            Outcome::Hashed(hashed) => self.hashed(&record.name, hashed)?,
            Outcome::Skipped(skip) => {
                self.problem(skipped(&record.name, skip.reason()), "skipped", self.only.is_empty())
            }
            Outcome::Failed(found) => {
                let cause = found.cause.to_string();
                let problem = format::Problem {
                    name: &record.name,
                    outcome: format::Outcome::Failed,
                    stage: found.stage.name(),
                    offset: found.offset,
                    length: found.length,
                    code: found.code(),
                    cause: &cause,
                };
                self.counts.add(Verdict::Error);
                let told = self.tells(Verdict::Error);
                self.problem(problem, Verdict::Error.name(), told);
            }
        }
        self.output.advance()
    }

    /// Whether the output has a line for what was skipped.
    pub fn lists_skips(&self) -> bool {
        self.only.is_empty()
    }

    fn tells(&self, verdict: Verdict) -> bool {
        self.only.is_empty() || self.only.contains(&verdict)
    }

    fn problem(&mut self, problem: format::Problem<'_>, word: &str, told: bool) {
        if told {
            let row = Row { name: problem.name, ..Row::default() };
            let known = Known { row, verdict: word, problem: Some(problem), ..Known::default() };
            self.encoder.row(self.output.room(), &known, self.digests);
        }
    }

    fn hashed(&mut self, name: &[u8], hashed: &Hashed) -> io::Result<()> {
        let answer = self.reference.ask(&hashed.digests).map_err(io::Error::other)?;
        let verdict = self.reference.verdict(&answer);
        self.counts.add(verdict);
        self.bytes += hashed.closed.size;
        if self.tells(verdict) {
            let row = Row {
                name,
                size: hashed.closed.size,
                digests: &hashed.digests,
                times: hashed.closed.stat.as_ref().map(times).unwrap_or_default(),
                kind: hashed.closed.stat.as_ref().map_or(Kind::Stream, kind),
                ..Row::default()
            };
            let places = self.reference.places(&answer);
            let known = Known { row, verdict: verdict.name(), problem: None, places: &places, empty: answer.empty };
            self.encoder.row(self.output.room(), &known, self.digests);
        }
        Ok(())
    }

    /// Lets out what is buffered.
    ///
    /// # Errors
    /// The output's.
    pub fn flush(&mut self) -> io::Result<()> {
        io::Write::flush(&mut self.output)
    }

    /// How many files have each verdict so far.
    pub fn counts(&self) -> Counts {
        self.counts
    }

    /// Ends the output and commits it.
    ///
    /// # Errors
    /// The output's; nothing counts as written when there is one.
    pub fn finish(mut self, skipped: u64) -> io::Result<Counts> {
        let failed = self.counts.of(Verdict::Error);
        let files = self.counts.words().iter().map(|(_, count)| count).sum::<u64>() - failed;
        let summary = Summary { files, bytes: self.bytes, failed, skipped };
        self.encoder.tail(self.output.room(), &self.counts.words(), &summary);
        self.output.commit()?;
        Ok(self.counts)
    }
}

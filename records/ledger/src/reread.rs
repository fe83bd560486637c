//! A second read of a file that differs from the statements on it, and the conclusion from both.

use super::facts::Facts;
use super::listing::Listing;
use pfh_digest::{Digest, Registry};
use pfh_engine::{HashedFile, Outcome};
use pfh_manifest::row::Words;
use pfh_source::Note;

/// The conclusion from two reads of a file whose first read differed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
#[non_exhaustive]
pub enum Twice {
    /// Both reads gave the same bytes: the medium holds something else than is stated.
    Same,
    /// The second read is as stated: cable, memory or disk gave wrong bytes once.
    Once,
    /// Both reads differ, from the statements and from each other.
    Other,
    /// The file was written to between the two reads, or during the second.
    Changing,
    /// The second read failed.
    Unread,
}

impl Twice {
    /// The word in output.
    pub fn name(self) -> &'static str {
        match self {
            Twice::Same => "same",
            Twice::Once => "once",
            Twice::Other => "other",
            Twice::Changing => "changing",
            Twice::Unread => "unread",
        }
    }

    /// The conclusion on some number of files.
    pub fn past(self) -> &'static str {
        match self {
            Twice::Same => "differed both times",
            Twice::Once => "differed once: cable or memory",
            Twice::Other => "differed both times, each time otherwise: cable or memory",
            Twice::Changing => "written to between two reads",
            Twice::Unread => "differed, and could not be read a second time",
        }
    }

    /// The conclusion in a few words.
    pub fn sentence(self) -> &'static str {
        match self {
            Twice::Same => "differs both times",
            Twice::Once => "differed once: cable or memory",
            Twice::Other => "differs both times, each time otherwise: cable or memory",
            Twice::Changing => "is changing: written to between two reads",
            Twice::Unread => "differed, and could not be read a second time",
        }
    }
}

impl Words for Twice {
    const ALL: &'static [Twice] = &[Twice::Same, Twice::Once, Twice::Other, Twice::Changing, Twice::Unread];

    fn word(self) -> &'static str {
        self.name()
    }
}

/// A second read of a file that differed.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Reread {
    /// The conclusion.
    pub twice: Twice,
    /// The digests of the first read.
    pub first: Vec<Digest>,
    /// The digests of the second read; none where it failed.
    pub second: Vec<Digest>,
    /// Whether the second read went past the system's cache.
    pub is_uncached: bool,
    /// Why the second read failed.
    pub cause: Option<String>,
}

impl Reread {
    /// The conclusion from the digests of two reads; the second ones are empty where it failed.
    pub fn new(twice: Twice, first: Vec<Digest>, second: Vec<Digest>, is_uncached: bool) -> Reread {
        Reread { twice, first, second, is_uncached, cause: None }
    }

    /// The conclusion with the digests of each read.
    pub fn sentence(&self) -> String {
        let listed = |digests: &[Digest]| {
            let named = digests.iter().map(|digest| format!("{} {digest}", digest.algorithm()));
            named.collect::<Vec<_>>().join(", ")
        };
        let past = if self.is_uncached { ", past the cache" } else { "" };
        let cause = self.cause.as_ref().map(|cause| format!(": {cause}")).unwrap_or_default();
        let mut text = format!("{}{cause}", self.twice.sentence());
        if matches!(self.twice, Twice::Once | Twice::Other | Twice::Changing) && !self.second.is_empty() {
            text += &format!("; first read: {}; second read{past}: {}", listed(&self.first), listed(&self.second));
        }
        text
    }
}

/// Whether two reads of a file have another digest by the same algorithm: one of them was wrong, or
/// the file is another.
pub fn disagree(first: &[Digest], second: &[Digest]) -> bool {
    let other = |one: &Digest| second.iter().any(|other| other.algorithm() == one.algorithm() && other != one);
    first.iter().any(other)
}

impl Listing {
    /// Whether a second read can tell more of a file that was read and is not as stated: it is a
    /// regular file, its size is not already another, and the statements do not contradict
    /// themselves.
    pub fn is_worth_rereading(&self, hashed: &HashedFile) -> bool {
        hashed.closed.stat.is_some_and(|stat| stat.is_file())
            && !hashed.closed.notes.contains(&Note::Reused)
            && !hashed.closed.notes.contains(&Note::Virtual)
            && !self.contradictory
            && self.size.is_none_or(|size| size == hashed.closed.size)
            && !self.judge(&Facts::from(hashed)).is_right()
    }

    /// The conclusion from a read that differed, and a second one with the same algorithms.
    /// Digests without the name of their algorithm are of any in the registry that explains them.
    pub fn reread(&self, first: &HashedFile, second: &Outcome, registry: Registry) -> Reread {
        let reread = |twice, cause| Reread { cause, ..Reread::new(twice, self.stated_of(first), Vec::new(), false) };
        match second {
            Outcome::Hashed(second) => {
                let stats = first.closed.stat.zip(second.closed.stat);
                let changed = stats.map_or(Some("file"), |(one, other)| other.change_since(&one));
                let is_right = self.explained_by(second, registry).judge(&Facts::from(second)).is_right();
                let twice = match changed {
                    Some(_) => Twice::Changing,
                    None if is_right => Twice::Once,
                    None if disagree(&first.digests, &second.digests) => Twice::Other,
                    None => Twice::Same,
                };
                let cause = changed.map(|what| format!("its {what} is another"));
                let is_uncached = second.closed.notes.contains(&Note::Uncached);
                Reread { second: self.stated_of(second), is_uncached, ..reread(twice, cause) }
            }
            Outcome::Failed(problem) if problem.code() == "changed" => {
                reread(Twice::Changing, Some(problem.to_string()))
            }
            Outcome::Failed(problem) => reread(Twice::Unread, Some(problem.to_string())),
            Outcome::Skipped(skip) => reread(Twice::Unread, Some(format!("it is a {} now", skip.reason()))),
        }
    }

    /// The digests of a read by the algorithms that are stated; all where none is.
    fn stated_of(&self, hashed: &HashedFile) -> Vec<Digest> {
        let is_stated = |found: &&Digest| self.all_digests().any(|own| own.algorithm() == found.algorithm());
        let stated: Vec<Digest> = hashed.digests.iter().filter(is_stated).cloned().collect();
        if stated.is_empty() { hashed.digests.clone() } else { stated }
    }
}

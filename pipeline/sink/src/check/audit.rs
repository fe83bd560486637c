//! A tree against a manifest: what became of every file.

use super::expected::{Comparison, Expectations};
use pfh_engine::{Hashed, Outcome, Record};
use std::collections::{HashMap, HashSet};

/// What became of a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Class {
    /// Content and times are as the manifest has them.
    Matched,
    /// The content is; the times are not.
    MetadataOnly,
    /// The content is another.
    Modified,
    /// The content is another though size, mtime and ctime say that nothing was written.
    BitRot,
    /// It is a file of the manifest whose own name is gone.
    Moved,
    /// It is a file of the manifest that is still there under its own name, or that another file was moved from already.
    Copied,
    /// The manifest has neither its name nor its content.
    New,
    /// The manifest has it, the tree does not.
    Missing,
    /// It cannot be said: it could not be read, or the manifest has no digest of it.
    Error,
}

impl Class {
    /// Every class.
    pub const ALL: [Class; 9] = [
        Class::Matched,
        Class::MetadataOnly,
        Class::Modified,
        Class::BitRot,
        Class::Moved,
        Class::Copied,
        Class::New,
        Class::Missing,
        Class::Error,
    ];

    /// The word in output.
    pub fn name(self) -> &'static str {
        match self {
            Class::Matched => "matched",
            Class::MetadataOnly => "metadata-only",
            Class::Modified => "modified",
            Class::BitRot => "bit-rot",
            Class::Moved => "moved",
            Class::Copied => "copied",
            Class::New => "new",
            Class::Missing => "missing",
            Class::Error => "error",
        }
    }
}

/// What is said of one file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Change {
    /// Its name; of a missing one that in the manifest.
    pub name: Vec<u8>,
    /// What became of it.
    pub class: Class,
    /// The name in the manifest of what was moved or copied.
    pub from: Option<Vec<u8>>,
    /// Why nothing can be said.
    pub cause: Option<String>,
    /// Whether some of several digests are as they were, others not: no accident does that.
    pub partly: bool,
}

/// How many files of each class. Files of the tree are all but the missing; entries of the manifest are those matched, changed
/// in metadata or content, moved, missing, and those of errors that have a digest in the manifest.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Counts {
    classes: [u64; Class::ALL.len()],
    /// Files of the tree.
    pub examined: u64,
    /// Entries of the manifest that have digests.
    pub expected: u64,
    /// Files of class error whose entry has a digest.
    pub unverified: u64,
    /// Modified files of which some digests are as they were.
    pub partly: u64,
}

impl Counts {
    /// Those of a class.
    pub fn of(&self, class: Class) -> u64 {
        self.classes[class as usize]
    }

    /// Whether every file of the tree and every entry of the manifest was counted in just one class.
    pub fn add_up(&self) -> bool {
        let sum = |classes: &[Class]| classes.iter().map(|class| self.of(*class)).sum::<u64>();
        use Class::{BitRot, Copied, Error, Matched, MetadataOnly, Missing, Modified, Moved, New};
        let own = sum(&[Matched, MetadataOnly, Modified, BitRot]);
        self.examined == own + sum(&[Moved, Copied, New, Error])
            && self.expected == own + sum(&[Moved, Missing]) + self.unverified
    }

    /// Whether nothing but metadata changed.
    pub fn passed(&self) -> bool {
        self.examined == self.of(Class::Matched) + self.of(Class::MetadataOnly) && self.of(Class::Missing) == 0
    }
}

/// A file whose name the manifest does not have, until the end tells whether it was moved or copied.
struct Stray {
    name: Vec<u8>,
    hashed: Hashed,
}

/// An audit under way. Names are those below the root, without `./` in front.
pub struct Audit {
    expectations: Expectations,
    places: HashMap<Vec<u8>, usize>,
    /// Which entries were met under their own names.
    met: Vec<bool>,
    strays: Vec<Stray>,
    /// Names of which the manifest has no digest.
    without: HashSet<Vec<u8>>,
    counts: Counts,
}

/// A name without `./` in front and doubled slashes.
fn plain(name: &[u8]) -> Vec<u8> {
    let absolute = name.first() == Some(&b'/');
    let parts: Vec<&[u8]> = name.split(|&b| b == b'/').filter(|part| !part.is_empty() && *part != b".").collect();
    let joined = parts.join(&b'/');
    if absolute { [b"/", &joined[..]].concat() } else { joined }
}

impl Audit {
    /// Starts.
    pub fn new(expectations: Expectations) -> Self {
        let places = expectations.entries.iter().enumerate().map(|(at, entry)| (plain(&entry.name), at)).collect();
        let met = vec![false; expectations.entries.len()];
        let counts = Counts { expected: met.len() as u64, ..Counts::default() };
        let without = expectations.unhashed.iter().map(|unhashed| plain(&unhashed.name)).collect();
        Audit { expectations, places, met, strays: Vec::new(), without, counts }
    }

    /// Takes a record under the name `below` the root. Gives what became of it, unless only the end can tell.
    pub fn take(&mut self, record: &Record, below: &[u8]) -> Option<Change> {
        let name = plain(below);
        let place = self.places.get(&name).copied();
        let change = |class| Change { name: name.clone(), class, from: None, cause: None, partly: false };
        match (&record.outcome, place) {
            // A link or a pipe that the manifest does not know either is no file.
            (Outcome::Skipped(_), None) => None,
            (Outcome::Skipped(skip), Some(at)) => {
                let cause = format!("is a {} now", skip.reason());
                Some(self.error(Change { cause: Some(cause), ..change(Class::Error) }, Some(at)))
            }
            (Outcome::Failed(problem), at) => {
                Some(self.error(Change { cause: Some(problem.to_string()), ..change(Class::Error) }, at))
            }
            (Outcome::Hashed(hashed), Some(at)) => {
                let entry = &self.expectations.entries[at];
                self.met[at] = true;
                let comparison = entry.compare(hashed);
                let same_times = hashed.closed.stat.as_ref().is_none_or(|stat| entry.has_times_of(stat));
                let class = match comparison {
                    Comparison::Same if same_times => Class::Matched,
                    Comparison::Same => Class::MetadataOnly,
                    _ if entry.is_at_rest(hashed) => Class::BitRot,
                    _ => Class::Modified,
                };
                let partly = comparison == Comparison::Partly;
                Some(self.count(Change { partly, ..change(class) }))
            }
            (Outcome::Hashed(hashed), None) => {
                if self.without.contains(&name) {
                    let cause = "the manifest has no digest of it".to_owned();
                    return Some(self.error(Change { cause: Some(cause), ..change(Class::Error) }, None));
                }
                self.strays.push(Stray { name, hashed: hashed.clone() });
                None
            }
        }
    }

    fn error(&mut self, change: Change, place: Option<usize>) -> Change {
        if let Some(at) = place {
            self.met[at] = true;
            self.counts.unverified += 1;
        }
        self.count(change)
    }

    fn count(&mut self, change: Change) -> Change {
        self.counts.classes[change.class as usize] += 1;
        self.counts.examined += u64::from(change.class != Class::Missing);
        self.counts.partly += u64::from(change.partly);
        change
    }

    /// Ends: what was moved, copied, is new or missing, in the order of the names.
    pub fn finish(mut self) -> (Vec<Change>, Counts) {
        // Entries with digests by the first of them, and of each digest how many of its entries need not be looked at again: no
        // table of a million digests beside a million entries.
        let entries = &self.expectations.entries;
        let digest_of = |at: &usize| entries[*at].digests.first();
        let mut by_digest: Vec<usize> = (0..entries.len()).filter(|at| digest_of(at).is_some()).collect();
        by_digest.sort_by(|one, other| digest_of(one).cmp(&digest_of(other)).then(one.cmp(other)));
        let mut passed: HashMap<usize, usize> = HashMap::new();
        let mut changes = Vec::new();
        let mut strays = std::mem::take(&mut self.strays);
        strays.sort_by(|one, other| one.name.cmp(&other.name));
        for Stray { name, hashed } in strays {
            let entries = &self.expectations.entries;
            let digest_of = |at: &usize| entries[*at].digests.first();
            let same = |at: usize| entries[at].compare(&hashed) == Comparison::Same;
            let mut from = None;
            for digest in &hashed.digests {
                let start = by_digest.partition_point(|at| digest_of(at) < Some(digest));
                let alike = by_digest[start..].partition_point(|at| digest_of(at) == Some(digest));
                let group = &by_digest[start..start + alike];
                let Some(&first) = group.first() else { continue };
                // An entry whose name is gone was moved; each only once. Those that were met stay so.
                let passed = passed.entry(start).or_default();
                *passed += group[*passed..].iter().take_while(|at| self.met[**at]).count();
                from = match group.get(*passed) {
                    Some(&at) if same(at) => Some(at),
                    _ => Some(first).filter(|at| same(*at)),
                };
                if from.is_some() {
                    break;
                }
            }
            let class = match from {
                None => Class::New,
                Some(at) if self.met[at] => Class::Copied,
                Some(at) => {
                    self.met[at] = true;
                    Class::Moved
                }
            };
            let from = from.map(|at| self.expectations.entries[at].name.clone());
            changes.push(self.count(Change { name, class, from, cause: None, partly: false }));
        }
        for at in 0..self.met.len() {
            if !self.met[at] {
                let name = self.expectations.entries[at].name.clone();
                changes.push(self.count(Change {
                    name,
                    class: Class::Missing,
                    from: None,
                    cause: None,
                    partly: false,
                }));
            }
        }
        changes.sort_by(|one, other| one.name.cmp(&other.name));
        (changes, self.counts)
    }
}

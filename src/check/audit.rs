//! A tree against a manifest: what became of every file.

use super::expected::{Comparison, Expectations};
use pfh_engine::{Hashed, Outcome, Record};
use pfh_source::{Note, Skip};
use std::collections::{HashMap, HashSet};

/// What became of a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[non_exhaustive]
pub enum Class {
    /// Content and modification time are as the manifest has them; ctime, which no copy keeps, does
    /// not count.
    Matched,
    /// The content is; the modification time is not.
    MetadataOnly,
    /// The content is another.
    Modified,
    /// The content is another though size, mtime and ctime say that nothing was written.
    BitRot,
    /// It has the content of another name in the manifest, under which that content is not any
    /// more.
    Moved,
    /// It is a file of the manifest that is still there under its own name, or that another file
    /// was moved from already.
    Copied,
    /// The manifest has neither its name nor its content.
    New,
    /// The manifest has it, the tree does not.
    Missing,
    /// The manifest has it, and nobody looked: it is outside of the part that is audited, or behind
    /// a directory that cannot be read or a link that is not followed.
    Unverified,
    /// It cannot be said: it could not be read, or the manifest has no digest of it.
    Error,
}

impl Class {
    /// Every class.
    pub const ALL: [Class; 10] = [
        Class::Matched,
        Class::MetadataOnly,
        Class::Modified,
        Class::BitRot,
        Class::Moved,
        Class::Copied,
        Class::New,
        Class::Missing,
        Class::Unverified,
        Class::Error,
    ];

    /// Whether it is an alarm: a copy has other times.
    pub fn is_alarm(self) -> bool {
        !matches!(self, Class::Matched | Class::MetadataOnly)
    }

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
            Class::Unverified => "unverified",
            Class::Error => "error",
        }
    }
}

/// What is said of one file.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
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

/// How many files of each class. Files of the tree are all but the missing and unverified; entries
/// of the manifest are those matched, changed in metadata or content, moved, missing, unverified,
/// and those of errors that have a digest in the manifest.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Counts {
    classes: [u64; Class::ALL.len()],
    /// Files of the tree.
    pub examined: u64,
    /// Entries of the manifest that have digests.
    pub expected: u64,
    /// Entries of which nothing can be said: those of class unverified, and those whose file is of
    /// class error.
    pub unverified: u64,
    /// Of these the ones outside of the part that was asked for.
    pub beyond: u64,
    /// Modified files of which some digests are as they were.
    pub partly: u64,
}

impl Counts {
    /// Those of a class.
    pub fn of(&self, class: Class) -> u64 {
        self.classes[class as usize]
    }

    /// Whether every file of the tree and every entry of the manifest was counted in just one
    /// class.
    pub fn add_up(&self) -> bool {
        let sum = |classes: &[Class]| classes.iter().map(|class| self.of(*class)).sum::<u64>();
        use Class::{BitRot, Copied, Error, Matched, MetadataOnly, Missing, Modified, Moved, New};
        let own = sum(&[Matched, MetadataOnly, Modified, BitRot]);
        self.examined == own + sum(&[Moved, Copied, New, Error])
            && self.expected == own + sum(&[Moved, Missing]) + self.unverified
    }

    /// Files that are as the manifest has them, but for times.
    pub fn fine(&self) -> u64 {
        self.of(Class::Matched) + self.of(Class::MetadataOnly)
    }

    /// Files and entries that are not as the manifest has them.
    pub fn negative(&self) -> u64 {
        use Class::{BitRot, Copied, Missing, Modified, Moved, New};
        [Modified, BitRot, Moved, Copied, New, Missing].iter().map(|class| self.of(*class)).sum()
    }

    /// Files and entries of which nothing can be said although they were asked for.
    pub fn unread(&self) -> u64 {
        self.of(Class::Error) + self.unverified.saturating_sub(self.beyond)
    }

    /// Whether nothing but metadata changed.
    pub fn passed(&self) -> bool {
        self.examined == self.of(Class::Matched) + self.of(Class::MetadataOnly)
            && self.of(Class::Missing) == 0
            && self.unverified == self.beyond
    }
}

/// A file whose content is not that of its name in the manifest, until the end tells whether it was
/// moved or copied.
struct Stray {
    name: Vec<u8>,
    hashed: Hashed,
    /// The entry of its name, where there is one, and what the file is if its content is of no
    /// other.
    own: Option<(usize, Class, bool)>,
}

/// What a change of content under the same times proves where the file system keeps no change time.
const UNTIMED: &str = "no change time is kept here: a write that put the old time back looks the same";

/// An audit under way. Names are those below the root, without `./` in front.
pub struct Auditor {
    expectations: Expectations,
    places: HashMap<Vec<u8>, usize>,
    /// Which entries were met under their own names.
    met: Vec<bool>,
    strays: Vec<Stray>,
    /// Names of which the manifest has no digest.
    without: HashSet<Vec<u8>>,
    /// Names that were left out as the run's own output when the manifest was made.
    own: HashSet<Vec<u8>>,
    /// The tree.
    root: Vec<u8>,
    /// The parts that are walked; empty for everything.
    parts: Vec<Vec<u8>>,
    /// Names below which nobody looked.
    unseen: HashSet<Vec<u8>>,
    counts: Counts,
}

/// Whether a name is one of these, or below one of them; an empty one has everything below it.
fn is_below(name: &[u8], places: &HashSet<Vec<u8>>) -> bool {
    if places.is_empty() {
        return false;
    }
    let slashes = name.iter().enumerate().filter(|(_, byte)| **byte == b'/').map(|(at, _)| at);
    places.contains(&b""[..]) || places.contains(name) || slashes.into_iter().any(|at| places.contains(&name[..at]))
}

/// A name without `./` in front and doubled slashes.
fn plain(name: &[u8]) -> Vec<u8> {
    let absolute = name.first() == Some(&b'/');
    let parts: Vec<&[u8]> = name.split(|&b| b == b'/').filter(|part| !part.is_empty() && *part != b".").collect();
    let joined = parts.join(&b'/');
    if absolute { [b"/", &joined[..]].concat() } else { joined }
}

impl Auditor {
    /// Starts. `root` is the name of the tree, and `parts` are those below which it is walked, as
    /// the manifest has them; none for the whole tree.
    pub fn new(expectations: Expectations, root: &[u8], parts: &[Vec<u8>]) -> Self {
        let places = expectations.entries.iter().enumerate().map(|(at, entry)| (plain(&entry.name), at)).collect();
        let met = vec![false; expectations.entries.len()];
        let counts = Counts { expected: met.len() as u64, ..Counts::default() };
        let named = |own: bool| {
            let of = expectations.unhashed.iter().filter(move |unhashed| (unhashed.code == Skip::Own.reason()) == own);
            of.map(|unhashed| plain(&unhashed.name)).collect()
        };
        let (without, own) = (named(false), named(true));
        let parts = parts.iter().map(|part| plain(part)).collect();
        let (root, strays, unseen) = (plain(root), Vec::new(), HashSet::new());
        Auditor { expectations, places, met, strays, without, own, root, parts, unseen, counts }
    }

    /// Takes a record under the name `below` the root. Gives what became of it, unless only the end
    /// can tell.
    pub fn take(&mut self, record: &Record, below: &[u8]) -> Option<Change> {
        let name = plain(below);
        let place = self.places.get(&name).copied();
        let change = |class| Change { name: name.clone(), class, from: None, cause: None, partly: false };
        match (&record.outcome, place) {
            // A link or a pipe that the manifest does not know either is no file; what the manifest
            // has below it was not looked at.
            (Outcome::Skipped(_), None) => {
                self.unseen.insert(name);
                None
            }
            (Outcome::Skipped(skip), Some(at)) => {
                let cause = format!("is a {} now", skip.reason());
                Some(self.error(Change { cause: Some(cause), ..change(Class::Error) }, Some(at)))
            }
            (Outcome::Failed(problem), at) => {
                self.unseen.insert(name.clone());
                Some(self.error(Change { cause: Some(problem.to_string()), ..change(Class::Error) }, at))
            }
            (Outcome::Hashed(hashed), Some(at)) => {
                let entry = &self.expectations.entries[at];
                let comparison = entry.compare(hashed);
                let same_time = hashed.closed.stat.as_ref().is_none_or(|stat| entry.has_mtime_of(stat));
                let class = match comparison {
                    Comparison::Same if same_time => Class::Matched,
                    Comparison::Same => Class::MetadataOnly,
                    _ if entry.is_at_rest(hashed) => Class::BitRot,
                    _ => Class::Modified,
                };
                if comparison != Comparison::Same {
                    // It may have the content of another name.
                    let own = Some((at, class, comparison == Comparison::Partly));
                    self.strays.push(Stray { name, hashed: hashed.clone(), own });
                    return None;
                }
                self.met[at] = true;
                Some(self.count(change(class)))
            }
            (Outcome::Hashed(_), None) if self.own.contains(&name) => None,
            (Outcome::Hashed(hashed), None) => {
                if self.without.contains(&name) {
                    let cause = "the manifest has no digest of it".to_owned();
                    return Some(self.error(Change { cause: Some(cause), ..change(Class::Error) }, None));
                }
                self.strays.push(Stray { name, hashed: hashed.clone(), own: None });
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
        self.counts.examined += u64::from(!matches!(change.class, Class::Missing | Class::Unverified));
        self.counts.partly += u64::from(change.partly);
        change
    }

    /// Ends: what was moved, copied, is new or missing, in the order of the names.
    pub fn finish(mut self) -> (Vec<Change>, Counts) {
        // Entries with digests by the first of them, and of each digest how many of its entries
        // need not be looked at again: no table of a million digests beside a million entries.
        let entries = &self.expectations.entries;
        let digest_of = |at: &usize| entries[*at].digests.first();
        let mut by_digest: Vec<usize> = (0..entries.len()).filter(|at| digest_of(at).is_some()).collect();
        by_digest.sort_by(|one, other| digest_of(one).cmp(&digest_of(other)).then(one.cmp(other)));
        let mut passed: HashMap<usize, usize> = HashMap::new();
        let mut changes = Vec::new();
        let mut strays = std::mem::take(&mut self.strays);
        strays.sort_by(|one, other| one.name.cmp(&other.name));
        let mut left = Vec::new();
        // Entries whose name is there with the content of another.
        let mut displaced = HashSet::new();
        for Stray { name, hashed, own } in strays {
            let untimed = hashed.closed.notes.contains(&Note::Untimed);
            let partly = own.is_some_and(|(_, _, partly)| partly);
            let from = if partly { None } else { self.origin(&by_digest, &mut passed, &hashed) };
            let class = match (from, own) {
                (Some(at), _) if !self.met[at] => {
                    self.met[at] = true;
                    displaced.extend(own.map(|(own, _, _)| own));
                    Class::Moved
                }
                (_, Some(own)) => {
                    left.push((name, own, untimed));
                    continue;
                }
                (Some(_), None) => Class::Copied,
                (None, None) => Class::New,
            };
            let from = from.map(|at| self.expectations.entries[at].name.clone());
            changes.push(self.count(Change { name, class, from, cause: None, partly: false }));
        }
        for (name, (at, class, partly), untimed) in left {
            let cause = (untimed && class == Class::BitRot).then(|| UNTIMED.to_owned());
            let change = Change { name, class, from: None, cause, partly };
            // The entry of its name is counted already, with the file that has its content now.
            let change = if self.met[at] {
                let cause = Some("what had its name was moved".to_owned());
                Change { class: Class::New, cause, partly: false, ..change }
            } else {
                self.met[at] = true;
                change
            };
            changes.push(self.count(change));
        }
        self.absent(&displaced, &mut changes);
        changes.sort_by(|one, other| one.name.cmp(&other.name));
        (changes, self.counts)
    }

    /// The entries that no file was met for.
    fn absent(&mut self, displaced: &HashSet<usize>, changes: &mut Vec<Change>) {
        for at in (0..self.met.len()).filter(|at| !self.met[*at]).collect::<Vec<_>>() {
            let name = self.expectations.entries[at].name.clone();
            let mut change = Change { name, class: Class::Missing, from: None, cause: None, partly: false };
            if displaced.contains(&at) {
                change.cause = Some("its name is there, with the content of another".to_owned());
            } else if let Some(cause) = self.unlooked(&plain(&change.name)) {
                change = Change { class: Class::Unverified, cause: Some(cause.to_owned()), ..change };
                self.counts.unverified += 1;
            }
            changes.push(self.count(change));
        }
    }

    /// Why nobody looked at a name; `None` where somebody did.
    fn unlooked(&mut self, name: &[u8]) -> Option<&'static str> {
        let inside = |part: &Vec<u8>| {
            let rest = name.strip_prefix(&part[..]);
            rest.is_some_and(|rest| matches!(&part[..], b"" | b"/") || rest.is_empty() || rest[0] == b'/')
        };
        if !inside(&self.root) {
            return Some("outside of the tree that is audited");
        }
        if !self.parts.is_empty() && !self.parts.iter().any(inside) {
            self.counts.beyond += 1;
            return Some("outside of the part that is audited");
        }
        is_below(name, &self.unseen).then_some("behind what could not be read or is not followed")
    }

    /// The entry that has the content of a file: one that is not met under its own name before one
    /// that is. `passed` keeps how many entries of each digest need not be looked at again.
    fn origin(&self, by_digest: &[usize], passed: &mut HashMap<usize, usize>, hashed: &Hashed) -> Option<usize> {
        let entries = &self.expectations.entries;
        let digest_of = |at: &usize| entries[*at].digests.first();
        let same = |at: usize| entries[at].compare(hashed) == Comparison::Same;
        for digest in &hashed.digests {
            let start = by_digest.partition_point(|at| digest_of(at) < Some(digest));
            let alike = by_digest[start..].partition_point(|at| digest_of(at) == Some(digest));
            let group = &by_digest[start..start + alike];
            let Some(&first) = group.first() else { continue };
            // An entry whose name is gone was moved; each only once. Those that were met stay so.
            let passed = passed.entry(start).or_default();
            *passed += group[*passed..].iter().take_while(|at| self.met[**at]).count();
            let from = match group.get(*passed) {
                Some(&at) if same(at) => Some(at),
                _ => Some(first).filter(|at| same(*at)),
            };
            if from.is_some() {
                return from;
            }
        }
        None
    }
}

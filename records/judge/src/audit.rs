//! A tree against a manifest: the outcome for every file.

use super::caseless::remark;
use super::classes::{Change, Class, Counts, Rot};
use super::expected::{Comparison, Expectations};
use super::facts::Facts;
use super::names::plain;
use pfh_digest::Digest;
use pfh_engine::{Outcome, Piece, Record};
use pfh_manifest::Times;
use pfh_source::Skip;
use std::borrow::Cow;
use std::collections::{HashMap, HashSet};

/// A file whose content is not that of its name in the manifest, until the end tells whether it was
/// moved or copied.
struct Stray {
    name: Vec<u8>,
    size: Option<u64>,
    digests: Vec<Digest>,
    pieces: Vec<Piece>,
    read: bool,
    untimed: bool,
    own: Option<Own>,
}

/// The entry of a stray file's name, and its kind of change if its content is of no other.
#[derive(Clone, Copy)]
struct Own {
    at: usize,
    partly: bool,
    rot: Option<Rot>,
}

impl Stray {
    fn new(name: Vec<u8>, facts: &Facts<'_>, own: Option<Own>) -> Stray {
        let Facts { size, read, untimed, .. } = *facts;
        Stray { name, size, digests: facts.digests.to_vec(), pieces: facts.pieces.to_vec(), read, untimed, own }
    }

    fn facts(&self) -> Facts<'_> {
        let Stray { size, digests, pieces, read, untimed, .. } = self;
        let (size, read, untimed) = (*size, *read, *untimed);
        Facts { size, digests, pieces, times: Times::default(), read, untimed }
    }
}

/// An entry of the tree that is compared.
#[derive(Debug, Clone)]
pub enum Met<'a> {
    /// A file.
    File(Facts<'a>),
    /// Something that is not a file: its kind.
    Skipped(Cow<'a, str>),
    /// It could not be read, and why.
    Failed(Cow<'a, str>),
}

impl<'a> From<&'a Record> for Met<'a> {
    fn from(record: &'a Record) -> Met<'a> {
        match &record.outcome {
            Outcome::Hashed(hashed) => Met::File(Facts::from(hashed)),
            Outcome::Skipped(skip) => Met::Skipped(skip.reason().into()),
            Outcome::Failed(problem) => Met::Failed(problem.to_string().into()),
        }
    }
}

/// The limit of a proof that a content changed under the same times where the file system keeps no
/// change time.
pub const UNTIMED: &str = "no change time is kept here: a write that put the old time back looks the same";

/// An audit under way. Names are those below the root, without `./` in front.
pub struct Auditor {
    expectations: Expectations,
    places: HashMap<Vec<u8>, usize>,
    /// Which entries were met under their own names.
    met: Vec<bool>,
    strays: Vec<Stray>,
    /// Names without a digest in the manifest.
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

    /// Takes the entry of the name `below` the root. Returns its outcome, unless only the end can
    /// tell.
    pub fn take(&mut self, met: &Met<'_>, below: &[u8]) -> Option<Change> {
        let name = plain(below);
        let place = self.places.get(&name).copied();
        match (met, place) {
            // A link or a pipe that the manifest does not know either is not a file; the files that
            // the manifest has below it were not looked at.
            (Met::Skipped(_), None) => {
                self.unseen.insert(name);
                None
            }
            (Met::Skipped(what), Some(at)) => Some(self.error(name, format!("is a {what} now"), Some(at))),
            (Met::Failed(why), at) => {
                self.unseen.insert(name.clone());
                Some(self.error(name, why.clone().into_owned(), at))
            }
            (Met::File(facts), Some(at)) => self.compared(name, facts, at),
            (Met::File(_), None) if self.own.contains(&name) => None,
            (Met::File(_), None) if is_below(&name, &self.without) => {
                Some(self.error(name, "the manifest has no digest of it".to_owned(), None))
            }
            (Met::File(facts), None) => {
                self.strays.push(Stray::new(name, facts, None));
                None
            }
        }
    }

    /// A file and the entry of its name.
    fn compared(&mut self, name: Vec<u8>, facts: &Facts<'_>, at: usize) -> Option<Change> {
        let entry = &self.expectations.entries[at];
        let comparison = entry.compare_with(facts);
        let class = match comparison {
            Comparison::Same if entry.has_mtime_of(facts) => Class::Matched,
            Comparison::Same => Class::MetadataOnly,
            Comparison::Unknown => {
                return Some(self.error(name, "no digest of one algorithm on both sides".to_owned(), Some(at)));
            }
            Comparison::Partly | Comparison::Different => {
                // It may have the content of another name.
                let own = Own { at, partly: comparison == Comparison::Partly, rot: entry.rot(facts) };
                self.strays.push(Stray::new(name, facts, Some(own)));
                return None;
            }
        };
        self.met[at] = true;
        Some(self.count(Change::of(name, class)))
    }

    fn error(&mut self, name: Vec<u8>, cause: String, place: Option<usize>) -> Change {
        if let Some(at) = place {
            self.met[at] = true;
            self.counts.unverified += 1;
        }
        self.count(Change { cause: Some(cause), ..Change::of(name, Class::Error) })
    }

    fn count(&mut self, change: Change) -> Change {
        self.counts.classes[change.class as usize] += 1;
        self.counts.examined += u64::from(!matches!(change.class, Class::Missing | Class::Unverified));
        self.counts.partly += u64::from(change.partly);
        change
    }

    /// Ends: files that were moved, copied, are new or missing, in the order of the names.
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
        for stray in strays {
            let own = stray.own;
            let partly = own.is_some_and(|own| own.partly);
            let from = if partly { None } else { self.origin(&by_digest, &mut passed, &stray.facts()) };
            let class = match (from, own) {
                (Some(at), _) if !self.met[at] => {
                    self.met[at] = true;
                    displaced.extend(own.map(|own| own.at));
                    Class::Moved
                }
                (_, Some(own)) => {
                    left.push((stray.name, own, stray.untimed));
                    continue;
                }
                (Some(_), None) => Class::Copied,
                (None, None) => Class::New,
            };
            let from = from.map(|at| self.expectations.entries[at].name.clone());
            changes.push(self.count(Change { from, ..Change::of(stray.name, class) }));
        }
        for (name, own, untimed) in left {
            // The entry of its name is counted already, with the file that has its content now.
            let change = if self.met[own.at] {
                Change {
                    cause: Some("the former file of this name was moved".to_owned()),
                    ..Change::of(name, Class::New)
                }
            } else {
                self.met[own.at] = true;
                let class = if own.rot == Some(Rot::AtRest) { Class::BitRot } else { Class::Modified };
                let cause = (untimed && class == Class::BitRot).then(|| UNTIMED.to_owned());
                Change { cause, partly: own.partly, rot: own.rot, ..Change::of(name, class) }
            };
            changes.push(self.count(change));
        }
        self.absent(&displaced, &mut changes);
        changes.sort_by(|one, other| one.name.cmp(&other.name));
        remark(&mut changes, self.expectations.entries.iter().map(|entry| &entry.name[..]));
        (changes, self.counts)
    }

    /// The entries that no file was met for.
    fn absent(&mut self, displaced: &HashSet<usize>, changes: &mut Vec<Change>) {
        for at in (0..self.met.len()).filter(|at| !self.met[*at]).collect::<Vec<_>>() {
            let name = self.expectations.entries[at].name.clone();
            let mut change = Change::of(name, Class::Missing);
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
        is_below(name, &self.unseen).then_some("behind a directory that could not be read or a link")
    }

    /// The entry that has the content of a file: one that is not met under its own name before one
    /// that is. `passed` keeps how many entries of each digest need not be looked at again.
    fn origin(&self, by_digest: &[usize], passed: &mut HashMap<usize, usize>, facts: &Facts<'_>) -> Option<usize> {
        let entries = &self.expectations.entries;
        let digest_of = |at: &usize| entries[*at].digests.first();
        let same = |at: usize| entries[at].compare_with(facts) == Comparison::Same;
        for digest in facts.digests {
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

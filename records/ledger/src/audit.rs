//! A tree against a ledger: the outcome for every file.

use super::classes::{Change, Class, Counts};
use super::facts::Facts;
use super::judge::{Comparison, Judgement};
use super::ledger::Ledger;
use super::listing::Listing;
use super::names::plain;
use super::places::Places;
use super::reread::disagree;
use super::strays::{Likely, below, pair_up, remark};
use pfh_digest::{Digest, Registry};
use pfh_engine::{HashedFile, Outcome, Piece, Record};
use pfh_manifest::Times;
use pfh_source::Skip;
use std::borrow::Cow;
use std::collections::{HashMap, HashSet};

/// A file whose content is not that of its name in the list, until the end tells whether it was
/// moved or copied.
struct Stray {
    name: Vec<u8>,
    size: Option<u64>,
    digests: Vec<Digest>,
    pieces: Vec<Piece>,
    times: Times,
    read: bool,
    untimed: bool,
    own: Option<StrayEntry>,
}

/// The entry of a stray file's name, and the judgement of it if its content is of no other.
#[derive(Clone)]
struct StrayEntry {
    at: usize,
    judged: Judgement,
}

impl Stray {
    fn new(name: Vec<u8>, facts: &Facts<'_>, own: Option<StrayEntry>) -> Stray {
        let Facts { size, times, read, untimed, .. } = *facts;
        Stray { name, size, digests: facts.digests.to_vec(), pieces: facts.pieces.to_vec(), times, read, untimed, own }
    }

    fn facts(&self) -> Facts<'_> {
        let Stray { size, digests, pieces, times, read, untimed, .. } = self;
        let (size, times, read, untimed) = (*size, *times, *read, *untimed);
        Facts { size, digests, pieces, times, read, untimed, ..Facts::default() }
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

/// An audit under way. Names are those below the root, without `./` in front.
pub struct Auditor {
    ledger: Ledger,
    places: Places,
    /// Which entries have their outcome.
    met: Vec<bool>,
    /// The entries for which a file of their name was taken.
    seen: Vec<bool>,
    /// The treatment of names that are probably another spelling of a listed one.
    likely: Likely,
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
    pub fn new(ledger: Ledger, root: &[u8], parts: &[Vec<u8>], likely: Likely) -> Self {
        let places = Places::of(&ledger.entries);
        let met = vec![false; ledger.entries.len()];
        let seen = met.clone();
        let counts = Counts { expected: met.len() as u64, ..Counts::default() };
        let named = |own: bool| {
            let of = ledger.unhashed.iter().filter(move |unhashed| (unhashed.code == Skip::Own.reason()) == own);
            of.map(|unhashed| plain(&unhashed.name)).collect()
        };
        let (without, own) = (named(false), named(true));
        let parts = parts.iter().map(|part| plain(part)).collect();
        let (root, strays, unseen) = (plain(root), Vec::new(), HashSet::new());
        Auditor { ledger, places, met, seen, likely, strays, without, own, root, parts, unseen, counts }
    }

    /// Whether the list has a digest of this name.
    pub fn lists(&self, below: &[u8]) -> bool {
        self.places.get(&self.ledger.entries, below).is_some()
    }

    /// The statements of the list on this name, if it has one of its digests.
    pub fn listing(&self, below: &[u8]) -> Option<&Listing> {
        self.places.get(&self.ledger.entries, &plain(below)).map(|at| &self.ledger.entries[at])
    }

    /// Takes the entry of the name `below` the root. Returns its outcome, unless only the end can
    /// tell.
    pub fn take(&mut self, met: &Met<'_>, below: &[u8]) -> Option<Change> {
        let name = plain(below);
        let place = self.places.get(&self.ledger.entries, &name);
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
        let judged = self.ledger.entries[at].judge(facts);
        if std::mem::replace(&mut self.seen[at], true) {
            // Operands that overlap give a file twice.
            return None;
        }
        match judged.comparison {
            Comparison::Same => Some(self.own(name, at, judged)),
            Comparison::Unknown => {
                self.counts.unverified += 1;
                Some(self.own(name, at, judged))
            }
            Comparison::Partly | Comparison::Different => {
                // It may have the content of another name.
                self.strays.push(Stray::new(name, facts, Some(StrayEntry { at, judged })));
                None
            }
        }
    }

    /// The outcome of a file under its own name.
    fn own(&mut self, name: Vec<u8>, at: usize, judged: Judgement) -> Change {
        self.met[at] = true;
        let partly = judged.is_partly();
        let Judgement { class, rot, cause, .. } = judged;
        self.count(Change { cause, partly, rot, ..Change::of(name, class) })
    }

    fn error(&mut self, name: Vec<u8>, cause: String, place: Option<usize>) -> Change {
        // Another file of that name has the entry already.
        if let Some(at) = place.filter(|at| !self.seen[*at]) {
            (self.met[at], self.seen[at]) = (true, true);
            self.counts.unverified += 1;
        }
        self.count(Change { cause: Some(cause), ..Change::of(name, Class::Error) })
    }

    /// Names of files whose stated digests may be of an algorithm that was not tried.
    pub fn doubts(&self) -> Vec<Vec<u8>> {
        let is_guess = |own: &StrayEntry| self.ledger.entries[own.at].guesses().next().is_some();
        let doubtful = self.strays.iter().filter(|stray| stray.read && stray.own.as_ref().is_some_and(is_guess));
        doubtful.map(|stray| stray.name.clone()).collect()
    }

    /// Of these entries' guessed digests: every algorithm that they may be of.
    pub fn widened(&self, names: &[Vec<u8>], registry: Registry) -> Vec<pfh_digest::Algorithm> {
        let mut all = self.ledger.algorithms.clone();
        for at in names.iter().filter_map(|name| self.places.get(&self.ledger.entries, name)) {
            let entry = &self.ledger.entries[at];
            let others = entry.alternatives(registry).into_iter().chain(entry.checksums(registry));
            all.extend(others.filter(|other| !all.contains(other)).collect::<Vec<_>>());
        }
        all
    }

    /// Takes a doubtful file again, read with more algorithms. Returns its outcome if one of them
    /// explains the stated ones.
    pub fn explain(&mut self, below: &[u8], hashed: &HashedFile, registry: Registry) -> Option<Change> {
        let name = plain(below);
        let at = self.places.get(&self.ledger.entries, &name)?;
        let stray = self.strays.iter().position(|stray| stray.name == name)?;
        // Right by an algorithm that it was wrong by before: one of the reads was not of its bytes.
        if disagree(&self.strays[stray].digests, &hashed.digests) {
            return None;
        }
        let judged = self.ledger.entries[at].explained_by(hashed, registry).judge(&Facts::from(hashed));
        if !judged.is_right() {
            // Where nothing names the algorithm, a checksum of the file is not a wrong digest.
            let is_open = !self.ledger.named && self.counts.classes[Class::Matched as usize] == 0;
            let weak = self.ledger.entries[at].weak(hashed).filter(|_| is_open)?;
            self.strays.swap_remove(stray);
            self.met[at] = true;
            self.counts.unverified += 1;
            return Some(self.error(name, format!("not compared: what stands there is its {weak}"), None));
        }
        self.strays.swap_remove(stray);
        Some(self.own(name, at, judged))
    }

    fn count(&mut self, change: Change) -> Change {
        self.counts.classes[change.class as usize] += 1;
        self.counts.examined += u64::from(!matches!(change.class, Class::Missing | Class::Unverified));
        self.counts.partly += u64::from(change.partly);
        change
    }

    /// Ends: files that were moved, copied, are new or missing, in the order of the names. `look`
    /// says what else stands at the place of a name that no file was met for.
    pub fn finish(mut self, look: &dyn Fn(&[u8]) -> Option<&'static str>) -> (Vec<Change>, Counts) {
        let mut changes = Vec::new();
        let mut strays = std::mem::take(&mut self.strays);
        strays.sort_by(|one, other| one.name.cmp(&other.name));
        self.likely(&mut strays, &mut changes);
        // Entries with digests by the first of them, and of each digest how many of its entries
        // need not be looked at again: no table of a million digests beside a million entries.
        let entries = &self.ledger.entries;
        let digest_of = |at: &usize| entries[*at].digests.first();
        let mut by_digest: Vec<usize> = (0..entries.len()).filter(|at| digest_of(at).is_some()).collect();
        by_digest.sort_by(|one, other| digest_of(one).cmp(&digest_of(other)).then(one.cmp(other)));
        let mut passed: HashMap<usize, usize> = HashMap::new();
        let mut left = Vec::new();
        // Entries whose name is there with the content of another.
        let mut displaced = HashSet::new();
        for stray in strays {
            let partly = stray.own.as_ref().is_some_and(|own| own.judged.is_partly());
            let from = if partly { None } else { self.origin(&by_digest, &mut passed, &stray.facts()) };
            let class = match (from, stray.own) {
                (Some(at), own) if !self.met[at] => {
                    self.met[at] = true;
                    displaced.extend(own.map(|own| own.at));
                    Class::Moved
                }
                (_, Some(own)) => {
                    left.push((stray.name, own));
                    continue;
                }
                (Some(_), None) => Class::Copied,
                (None, None) => Class::New,
            };
            let from = from.map(|at| self.ledger.entries[at].name.clone());
            changes.push(self.count(Change { from, ..Change::of(stray.name, class) }));
        }
        let is_open = !self.ledger.named && self.counts.classes[Class::Matched as usize] == 0;
        for (name, mut own) in left {
            if is_open && own.judged.cause.is_none() && self.ledger.entries[own.at].guesses().next().is_some() {
                own.judged.cause = Some("by no algorithm of that length: none is named".to_owned());
            }
            // The entry of its name is counted already, with the file that has its content now.
            let change = if self.met[own.at] {
                self.count(Change {
                    cause: Some("the former file of this name was moved".to_owned()),
                    ..Change::of(name, Class::New)
                })
            } else {
                self.own(name, own.at, own.judged)
            };
            changes.push(change);
        }
        self.absent(&displaced, look, &mut changes);
        changes.sort_by(|one, other| one.name.cmp(&other.name));
        remark(&mut changes, self.ledger.entries.iter().map(|entry| &entry.name[..]));
        (changes, self.counts)
    }

    /// Files whose names are probably other spellings of listed ones that no file was met for.
    fn likely(&mut self, strays: &mut Vec<Stray>, changes: &mut Vec<Change>) {
        if self.likely == Likely::Other {
            return;
        }
        let unmet = (0..self.met.len()).filter(|at| !self.met[*at] && !self.seen[*at]);
        let unmet: Vec<(usize, &[u8])> = unmet.map(|at| (at, &self.ledger.entries[at].name[..])).collect();
        let files = strays.iter().enumerate().filter(|(_, stray)| stray.own.is_none());
        let files = files.map(|(at, stray)| (at, &stray.name[..]));
        let found = if self.ledger.flat { below(&unmet, files) } else { pair_up(&unmet, files) };
        let mut taken: Vec<usize> = Vec::new();
        for (stray, at, likeness) in found {
            let (name, facts) = (strays[stray].name.clone(), strays[stray].facts());
            let listed = pfh_source::terminal::render(&self.ledger.entries[at].name);
            let cause = format!("the list names it {listed}, which differs by {likeness}");
            taken.push(stray);
            if self.likely == Likely::Named && !likeness.is_spelling() {
                let cause = format!("not compared: {cause}");
                changes.push(self.error(name, cause, Some(at)));
                continue;
            }
            let judged = self.ledger.entries[at].judge(&facts);
            self.seen[at] = true;
            self.counts.unverified += u64::from(judged.comparison == Comparison::Unknown);
            let change = self.own(name, at, judged);
            let cause = change.cause.clone().map_or(cause.clone(), |own| format!("{own}; {cause}"));
            changes.push(Change { cause: Some(cause), ..change });
        }
        taken.sort_unstable();
        taken.into_iter().rev().for_each(|stray| drop(strays.remove(stray)));
    }

    /// The entries that no file was met for.
    fn absent(
        &mut self,
        displaced: &HashSet<usize>,
        look: &dyn Fn(&[u8]) -> Option<&'static str>,
        changes: &mut Vec<Change>,
    ) {
        for at in (0..self.met.len()).filter(|at| !self.met[*at]).collect::<Vec<_>>() {
            let name = self.ledger.entries[at].name.clone();
            let mut change = Change::of(name, Class::Missing);
            if displaced.contains(&at) {
                change.cause = Some("its name is there, with the content of another".to_owned());
            } else if let Some(cause) = self.unlooked(&plain(&change.name)) {
                change = Change { class: Class::Unverified, cause: Some(cause.to_owned()), ..change };
                self.counts.unverified += 1;
            } else if let Some(what) = look(&change.name) {
                change = Change { class: Class::Unverified, cause: Some(format!("is a {what}")), ..change };
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
        let entries = &self.ledger.entries;
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

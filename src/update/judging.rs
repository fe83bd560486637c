//! Each record of a walk against that of its name in the manifest.

use super::event::{Change, Class, Event, Events};
use super::moved::Contents;
use super::problem::Problem;
use super::summary::Counts;
use super::trees::Trees;
use crate::check::{Class as Judged, Facts, Ledger, Rot};
use crate::hash::{Cache, has_none};
use crate::job::Error;
use crate::objects;
use pfh_engine::{HashedFile, Outcome, Record};
use pfh_ledger::plain;
use pfh_manifest::Fault;
use pfh_manifest::amend::{Anchor, Fate, Sheet};
use pfh_source::os::names::OsStrExt;
use pfh_source::{Problem as Unread, Skip};
use std::collections::{BTreeMap, HashMap, HashSet};
use std::ffi::OsStr;
use std::io;

/// Why a name was not looked for.
const BEHIND: &str = "behind a directory that could not be read or a link";

/// The same of a name that is there in the end, and was not met.
const LATE: &str = "it came while its directory was listed";

fn leads_up(name: &[u8]) -> bool {
    name.split(|byte| *byte == b'/').any(|part| part == b"..")
}

/// A file whose content is not the one of its name, or that is gone, until the end tells whether it
/// was moved.
struct HeldChange {
    change: Change,
    /// Entries that have its content.
    alike: Vec<usize>,
    /// The entry of its name.
    own: Option<usize>,
    /// Of bit rot: the record that is written if it was moved, and its places.
    record: Option<(Record, Vec<usize>)>,
}

/// Takes records, and decides the fate of those in the manifest.
pub struct Judging<'a> {
    sheet: Sheet,
    ledger: Ledger,
    trees: &'a Trees,
    cache: Option<Cache>,
    /// Records of the sheet by name, as names compare.
    places: HashMap<Vec<u8>, Vec<usize>>,
    /// Entries by name.
    entries: HashMap<Vec<u8>, usize>,
    fates: Vec<Fate>,
    met: Vec<bool>,
    added: BTreeMap<Anchor, Vec<u8>>,
    /// New names, which operands that overlap give twice.
    new: HashSet<Vec<u8>>,
    /// Behind which record new ones come.
    anchor: Option<Anchor>,
    /// New ones before any record of the manifest was met.
    leading: Vec<u8>,
    contents: Contents,
    held: Vec<HeldChange>,
    /// Names below which nobody looked.
    unseen: HashSet<Vec<u8>>,
    /// Records that were met.
    found: u64,
    counts: Counts,
    events: &'a mut Events<'a>,
}

impl<'a> Judging<'a> {
    /// Nothing was met yet.
    pub fn new(
        sheet: Sheet,
        ledger: Ledger,
        trees: &'a Trees,
        cache: Option<Cache>,
        events: &'a mut Events<'a>,
    ) -> Judging<'a> {
        let mut places: HashMap<Vec<u8>, Vec<usize>> = HashMap::new();
        for (at, listed) in sheet.records().iter().enumerate() {
            places.entry(plain(&listed.name)).or_default().push(at);
        }
        let entries = ledger.entries.iter().enumerate().map(|(at, entry)| (plain(&entry.name), at)).collect();
        let contents = Contents::new(ledger.entries.len());
        let records = sheet.records().len();
        let improper = |fault: &Fault| !matches!(fault, Fault::Unasked | Fault::NoFile(_));
        let improper = ledger.faults.iter().filter(|(_, fault)| improper(fault)).count() as u64;
        Judging {
            sheet,
            ledger,
            trees,
            cache,
            places,
            entries,
            fates: vec![Fate::Keep; records],
            met: vec![false; records],
            added: BTreeMap::new(),
            new: HashSet::new(),
            anchor: None,
            leading: Vec::new(),
            contents,
            held: Vec::new(),
            unseen: HashSet::new(),
            found: 0,
            counts: Counts { improper, ..Counts::default() },
            events,
        }
    }

    /// Files agree with digests that do not name their algorithm by these.
    pub fn confirm(&mut self, algorithms: &[pfh_digest::Algorithm]) {
        self.contents.is_confirmed |= !algorithms.is_empty();
    }

    fn say(&mut self, change: Change) -> io::Result<()> {
        let count = match change.class {
            Class::New => &mut self.counts.new,
            Class::Moved => &mut self.counts.moved,
            Class::Changed => &mut self.counts.changed,
            Class::Metadata => &mut self.counts.metadata,
            Class::Gone => &mut self.counts.gone,
            Class::BitRot => &mut self.counts.rotten,
            Class::Unread => &mut self.counts.unread,
        };
        *count += 1;
        (self.events)(Event::Classed(&change))
    }

    /// The record as the manifest has it; `None` where its format cannot, or has no place for it.
    fn written(&mut self, record: &Record, name: Vec<u8>) -> io::Result<Option<Vec<u8>>> {
        let mut record = record.clone();
        record.name = name;
        if let Outcome::Hashed(hashed) = &mut record.outcome {
            // Whether it was read this time is not a property of the file.
            hashed.closed.notes.retain(|note| *note != pfh_source::Note::Reused);
        }
        match self.sheet.encode(&record) {
            Ok(bytes) => Ok(bytes),
            Err(_) if has_none(&record) => {
                self.counts.without += 1;
                Ok(None)
            }
            Err(why) => {
                self.counts.unwritten += 1;
                (self.events)(Event::NotWritten(&record, &why))?;
                Ok(None)
            }
        }
    }

    /// Puts a new record behind the one that was met last.
    fn add(&mut self, bytes: &[u8]) {
        match self.anchor {
            Some(anchor) => self.added.entry(anchor).or_default().extend_from_slice(bytes),
            None => self.leading.extend_from_slice(bytes),
        }
    }

    /// New records from here on come behind this one.
    fn pass(&mut self, at: usize) {
        if self.anchor.is_none() && !self.leading.is_empty() {
            self.added.insert(Anchor::Before(at), std::mem::take(&mut self.leading));
        }
        self.anchor = Some(Anchor::After(at));
    }

    /// The fate of all records of one name: the first takes the new bytes.
    fn replace(&mut self, places: &[usize], bytes: Option<Vec<u8>>) {
        let mut bytes = bytes;
        for at in places {
            self.fates[*at] = bytes.take().map_or(Fate::Drop, Fate::Replace);
        }
    }

    /// A file that was read.
    fn hashed(&mut self, record: &Record, hashed: &HashedFile, name: &[u8], places: &[usize]) -> io::Result<()> {
        let decayed = self.cache.as_ref().map_or(Ok(false), |cache| cache.keep(record));
        let decayed = match decayed {
            Ok(decayed) => decayed,
            Err(error) => {
                (self.events)(Event::Uncached(&error))?;
                false
            }
        };
        let Some(at) = self.entries.get(name).copied() else { return self.unlisted(record, hashed, name, places) };
        let entry = &self.ledger.entries[at];
        let spelt = entry.name.clone();
        let judged = entry.judge(&Facts::from(hashed));
        let rot = judged.rot.or((decayed && !judged.is_right()).then_some(Rot::AtRest));
        if judged.is_right() {
            self.contents.hold(at);
            self.contents.is_confirmed |= entry.guessed != 0;
            if !judged.is_retimed {
                self.counts.unchanged += 1;
                return Ok(());
            }
        }
        let class = match rot {
            _ if judged.is_right() => Class::Metadata,
            _ if judged.class == Judged::BitRot || rot.is_some() => Class::BitRot,
            _ => Class::Changed,
        };
        if class != Class::BitRot {
            // The listed content is not its content any more, also where the new one has no place.
            let bytes = self.written(record, spelt.clone())?;
            self.replace(places, bytes);
        }
        let change = Change { name: spelt, class, from: None, cause: judged.cause, rot };
        if class == Class::Metadata {
            return self.say(change);
        }
        let alike = self.contents.alike(&self.ledger, hashed);
        let record = (class == Class::BitRot).then(|| (record.clone(), places.to_vec()));
        self.held.push(HeldChange { change, alike, own: Some(at), record });
        Ok(())
    }

    /// A file without a digest in the manifest.
    fn unlisted(&mut self, record: &Record, hashed: &HashedFile, name: &[u8], places: &[usize]) -> io::Result<()> {
        let spelt = self.trees.spelt(name);
        let unwritten = self.counts.unwritten + self.counts.without;
        match self.written(record, spelt.clone())? {
            Some(bytes) if places.is_empty() => self.add(&bytes),
            Some(bytes) => self.replace(places, Some(bytes)),
            None => {}
        }
        if self.counts.unwritten + self.counts.without > unwritten {
            return Ok(());
        }
        let cause = (!places.is_empty()).then(|| "it was listed without a digest".to_owned());
        let change = Change { name: spelt, class: Class::New, from: None, cause, rot: None };
        let alike = self.contents.alike(&self.ledger, hashed);
        self.held.push(HeldChange { change, alike, own: None, record: None });
        Ok(())
    }

    /// Says what became of the files with another content than their names had: as in an audit, one
    /// that has the content of a name that lost it was moved.
    fn settle(&mut self) -> io::Result<()> {
        let mut held = std::mem::take(&mut self.held);
        for HeldChange { change, alike, record, .. } in &mut held {
            if let Some(from) = self.contents.take(alike) {
                (change.class, change.rot, change.cause) = (Class::Moved, None, None);
                change.from = Some(self.ledger.entries[from].name.clone());
                if let Some((record, places)) = record.take() {
                    let bytes = self.written(&record, change.name.clone())?;
                    self.replace(&places, bytes);
                }
            }
        }
        for HeldChange { change, own, .. } in held {
            debug_assert!(own.is_none() || change.class != Class::New, "a listed name is not new");
            let is_moved = change.class == Class::Gone && own.is_some_and(|at| self.contents.is_held(at));
            if !is_moved {
                self.say(change)?;
            }
        }
        Ok(())
    }

    /// Refuses to write digests of an algorithm that the manifest does not name and no file shows.
    fn confirmed(&self) -> Result<(), Error> {
        let is_other = |held: &HeldChange| {
            held.own.is_some_and(|at| self.ledger.entries[at].guessed != 0) && held.change.class == Class::Changed
        };
        if self.contents.is_confirmed || !self.held.iter().any(is_other) {
            return Ok(());
        }
        let guesses: Vec<String> = self.ledger.guesses().iter().map(ToString::to_string).collect();
        Err(Error::request(Problem::Unnamed(guesses.join(" or "))))
    }

    /// Something that is not a file, or that could not be read.
    fn undigested(&mut self, record: &Record, name: &[u8], places: &[usize]) -> io::Result<()> {
        let listed = self.entries.get(name).map(|at| self.ledger.entries[*at].name.clone());
        let (code, cause) = match &record.outcome {
            Outcome::Skipped(skip) => (skip.reason(), skip.reason().to_owned()),
            Outcome::Failed(problem) => (problem.code(), problem.to_string()),
            Outcome::Hashed(_) => return Ok(()),
        };
        let is_failure = matches!(record.outcome, Outcome::Failed(_));
        let is_gone = matches!(&record.outcome, Outcome::Failed(problem) if is_missing(problem));
        if is_failure && !(is_gone && listed.is_some()) {
            (self.events)(Event::Unread(record))?;
        }
        match listed {
            Some(spelt) if is_failure && !is_gone => {
                self.unseen.insert(name.to_vec());
                self.say(Change { name: spelt, class: Class::Unread, from: None, cause: Some(cause), rot: None })
            }
            Some(spelt) => {
                let bytes = if is_gone { None } else { self.written(record, spelt.clone())? };
                self.replace(places, bytes);
                let cause = (!is_gone).then(|| format!("it is a {code} now"));
                let change = Change { name: spelt, class: Class::Gone, from: None, cause, rot: None };
                let own = self.entries.get(name).copied();
                self.held.push(HeldChange { change, alike: Vec::new(), own, record: None });
                Ok(())
            }
            None => {
                self.counts.unread += u64::from(is_failure);
                self.unseen.insert(name.to_vec());
                let was = places.first().and_then(|at| self.sheet.records()[*at].unhashed.as_ref());
                if matches!(&record.outcome, Outcome::Skipped(Skip::Own)) || was.is_some_and(|(_, was)| was == code) {
                    return Ok(());
                }
                let lists_all = self.sheet.lists_all();
                match self.written(record, self.trees.spelt(name))?.filter(|_| lists_all) {
                    Some(bytes) if places.is_empty() => self.add(&bytes),
                    Some(bytes) => self.replace(places, Some(bytes)),
                    None => {}
                }
                Ok(())
            }
        }
    }

    /// Ends: files that were not met are gone, or were not looked for. Gives the new list.
    ///
    /// # Errors
    /// When an event was refused, the list does not read back, or every file is gone and that was
    /// not allowed.
    pub fn finish(mut self, may_empty: bool) -> Result<(Vec<u8>, Counts), Error> {
        self.confirmed()?;
        let is_new = self.held.iter().any(|held| held.change.class == Class::New);
        self.settle().map_err(Error::Sink)?;
        let mut gone = Vec::new();
        for at in (0..self.met.len()).filter(|at| !self.met[*at]).collect::<Vec<_>>() {
            let name = plain(&self.sheet.records()[at].name);
            let is_entry = self.sheet.records()[at].unhashed.is_none();
            match self.absence(&name) {
                Absence::Outside => self.counts.beyond += u64::from(is_entry),
                Absence::Behind(cause) if is_entry => {
                    let change = Change {
                        name: self.sheet.records()[at].name.clone(),
                        class: Class::Unread,
                        from: None,
                        cause: Some(cause),
                        rot: None,
                    };
                    self.say(change).map_err(Error::Sink)?;
                }
                Absence::Behind(_) => {}
                Absence::Gone(cause) => gone.push((at, is_entry, cause)),
            }
        }
        let files = gone.iter().filter(|(_, is_entry, _)| *is_entry).count() as u64;
        if files > 0 && self.found == 0 && !is_new && !may_empty {
            return Err(Error::input(Problem::AllGone(files)));
        }
        for (at, is_entry, cause) in gone {
            self.fates[at] = Fate::Drop;
            let name = self.sheet.records()[at].name.clone();
            let is_moved = self.entries.get(&plain(&name)).is_some_and(|at| self.contents.is_held(*at));
            if is_entry && !is_moved {
                let change = Change { name, class: Class::Gone, from: None, cause, rot: None };
                self.say(change).map_err(Error::Sink)?;
            }
        }
        if !self.leading.is_empty() {
            self.added.insert(Anchor::Last, std::mem::take(&mut self.leading));
        }
        let bytes = self.sheet.amended(&self.fates, &self.added);
        let bytes = bytes.map_err(|why| Error::aborted(Problem::Unreadable(why)))?;
        Ok((bytes, self.counts))
    }

    /// Why a name was not met.
    fn absence(&self, name: &[u8]) -> Absence {
        let Some(path) = self.trees.path(name) else { return Absence::Outside };
        if self.is_unseen(name) {
            return Absence::Behind(BEHIND.to_owned());
        }
        match std::fs::symlink_metadata(OsStr::from_bytes(&path)) {
            // It has the name since its directory was listed: nobody compared it. A name that leads
            // up may be that of a file that was met.
            Ok(found) if self.trees.meets_all && !leads_up(name) => match found.is_dir() {
                true => Absence::Gone(Some("it is a directory now".to_owned())),
                false => Absence::Behind(LATE.to_owned()),
            },
            // It is there, and the selection leaves it out.
            Ok(_) => Absence::Outside,
            Err(error) if matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory) => {
                if self.is_left_out(name) { Absence::Outside } else { Absence::Gone(None) }
            }
            Err(error) => Absence::Behind(error.to_string()),
        }
    }

    fn is_unseen(&self, name: &[u8]) -> bool {
        let ends = name.iter().enumerate().filter(|(_, byte)| matches!(byte, b'/' | b'!')).map(|(at, _)| at);
        !self.unseen.is_empty()
            && (self.unseen.contains(name)
                || self.unseen.contains(&b""[..])
                || ends.into_iter().any(|at| self.unseen.contains(&name[..at])))
    }

    /// Whether a name in a container that is there may be left out by the selection.
    #[cfg(feature = "inside")]
    fn is_left_out(&self, name: &[u8]) -> bool {
        let Some(container) = crate::inside::is_inside(name) else { return false };
        let is_there = |name: &[u8]| {
            let path = self.trees.path(name);
            path.is_some_and(|path| std::fs::symlink_metadata(OsStr::from_bytes(&path)).is_ok())
        };
        !crate::inside::name::media(&plain(&container), is_there).is_empty() && !self.trees.is_whole()
    }

    #[cfg(not(feature = "inside"))]
    fn is_left_out(&self, _: &[u8]) -> bool {
        false
    }
}

/// Why a name was not met.
enum Absence {
    /// It is not among the walked files.
    Outside,
    /// Nobody could look.
    Behind(String),
    /// It is not there any more, and perhaps something else is.
    Gone(Option<String>),
}

fn is_missing(problem: &Unread) -> bool {
    matches!(problem.code(), "ENOENT" | "ENOTDIR")
}

impl pfh_engine::Sink for Judging<'_> {
    fn record(&mut self, record: Record) -> io::Result<()> {
        if matches!(record.outcome, Outcome::Skipped(skip) if objects::is_folder(&record.name, skip)) {
            return Ok(());
        }
        let name = self.trees.named(&record.name);
        let places = self.places.get(&name).cloned().unwrap_or_default();
        let is_again = places.first().is_some_and(|at| self.met[*at]);
        if is_again || (places.is_empty() && !self.new.insert(name.clone())) {
            return Ok(());
        }
        if !matches!(&record.outcome, Outcome::Failed(problem) if is_missing(problem)) {
            self.found += u64::from(self.entries.contains_key(&name));
        }
        places.iter().for_each(|at| self.met[*at] = true);
        if let Some(at) = places.first() {
            self.pass(*at);
        }
        match &record.outcome {
            Outcome::Hashed(hashed) => self.hashed(&record, hashed, &name, &places),
            Outcome::Skipped(_) | Outcome::Failed(_) => self.undigested(&record, &name, &places),
        }
    }
}

//! The records of directories and the entries of lists, each given to the auditor that classes
//! them.

use super::class::{Class, Difference};
use super::event::{Event, Events};
use super::guess;
use super::halves::Boundary;
use super::problem::Problem;
use super::request::{Metadata, Request};
use super::side::{DiffSide, List, Side, printed, within};
use super::summary::{Nothing, Summary};
use super::tree::Tree;
use crate::algorithms::REGISTRY;
use crate::check::{self, Auditor, Change, Ledger, Likely, Listing, Met};
use crate::hash::{Cache, Use};
use crate::job::Error;
use crate::objects;
use pfh_digest::Algorithm;
use pfh_engine::{Control, Outcome, Plan, Record};
use pfh_ledger::plain;
use pfh_manifest::{Reason, UnhashedEntry};
use pfh_source::Skip;
use pfh_source::os::names::OsStrExt;
use pfh_source::terminal::render;
use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::ffi::OsStr;
use std::io;
use std::path::{Path, PathBuf};

/// Links and other things of a directory that are not files, by name: the kind, and where a link
/// leads.
type Others = BTreeMap<Vec<u8>, (String, Option<PathBuf>)>;

/// A comparison under way.
pub struct Comparing<'a, 's> {
    metadata: bool,
    /// Names of a list may be other spellings of those of the other side; of two trees each file
    /// has its own.
    likely: Likely,
    /// The walked directories, of A and of B.
    directories: [Option<Vec<u8>>; 2],
    /// The side of the first record.
    first: DiffSide,
    boundary: Boundary,
    /// A, as far as it was read, until B begins.
    left: Ledger,
    audit: Option<Auditor>,
    /// B, if it is a list.
    right: Option<Box<List>>,
    /// Things that are not files, of both of two directories.
    others: [Others; 2],
    /// Plain names that B, a list, has digests of.
    listed: HashSet<Vec<u8>>,
    /// Listed names that are links in the directory on the other side.
    links: Vec<Vec<u8>>,
    /// Names that are not the same.
    classed: HashSet<Vec<u8>>,
    /// Names without a digest in A, and why.
    without: HashMap<Vec<u8>, (Reason, String)>,
    /// Device and inode of the lists and their seals, which are not part of the trees that they
    /// describe.
    own: Vec<(u64, u128)>,
    /// The cache of digests.
    pub cache: Option<Cache>,
    summary: &'a mut Summary,
    /// Hears of the events.
    pub events: &'a mut Events<'s>,
}

impl<'a, 's> Comparing<'a, 's> {
    /// Nothing was compared yet.
    pub fn new(
        request: &Request,
        sides: [Side; 2],
        first: DiffSide,
        boundary: Boundary,
        summary: &'a mut Summary,
        events: &'a mut Events<'s>,
    ) -> Self {
        let directories = [0, 1].map(|side: usize| sides[side].tree().map(Tree::base));
        let two_trees = directories.iter().all(Option::is_some);
        let mut comparing = Comparing {
            metadata: request.metadata == Metadata::Compared,
            likely: if two_trees { Likely::Other } else { request.likely },
            directories,
            first,
            boundary,
            left: Ledger::default(),
            audit: None,
            right: None,
            others: Default::default(),
            listed: HashSet::new(),
            links: Vec::new(),
            classed: HashSet::new(),
            without: HashMap::new(),
            own: Vec::new(),
            cache: None,
            summary,
            events,
        };
        for side in sides {
            let Side::List(list) = side else { continue };
            comparing.own.extend(check::own(&list.path));
            match list.which {
                DiffSide::A => comparing.left = list.ledger,
                DiffSide::B => {
                    comparing.listed = list.ledger.entries.iter().map(|entry| plain(&entry.name)).collect();
                    comparing.right = Some(list);
                }
            }
        }
        comparing.agree();
        comparing
    }

    /// Of two lists: by which digests they are compared, and those in front, by which contents are
    /// found.
    fn agree(&mut self) {
        let (true, Some(right)) = (self.directories[0].is_none(), &self.right) else { return };
        let theirs = &right.ledger.algorithms;
        self.summary.computed = self.left.algorithms.iter().filter(|ours| theirs.contains(ours)).copied().collect();
        let is_alone = |algorithm: Algorithm| !theirs.contains(&algorithm);
        for entry in self.left.entries.iter_mut().filter(|entry| entry.guessed == 0 && entry.digests.len() > 1) {
            entry.digests.sort_by_key(|digest| is_alone(digest.algorithm()));
        }
    }

    fn auditor(&mut self) -> &mut Auditor {
        let left = &mut self.left;
        let likely = self.likely;
        self.audit.get_or_insert_with(|| {
            left.settle();
            Auditor::new(std::mem::take(left), b"", &[], likely)
        })
    }

    fn which(&self, record: &Record) -> DiffSide {
        let two = self.directories.iter().all(Option::is_some);
        if two && self.boundary.is_behind(record.number) { DiffSide::B } else { self.first }
    }

    /// Takes a record of A.
    fn collect(&mut self, record: Record, name: Vec<u8>) -> io::Result<()> {
        let (reason, code) = match record.outcome {
            Outcome::Hashed(hashed) => {
                self.left.entries.push(Listing::read(name, hashed));
                return Ok(());
            }
            Outcome::Skipped(Skip::Own) => return Ok(()),
            Outcome::Skipped(skip) => (Reason::Skipped, skip.reason().to_owned()),
            Outcome::Failed(problem) => {
                let cause = format!("A: {problem}");
                let class = Class::Error;
                let (from, rot, partly, cause) = (None, None, false, Some(cause));
                self.emit(&Difference { name: name.clone(), class, from, rot, partly, cause })?;
                (Reason::Failed, problem.code().to_owned())
            }
        };
        self.left.unhashed.push(UnhashedEntry { name: name.clone(), reason, code: code.clone() });
        self.without.insert(name, (reason, code));
        Ok(())
    }

    /// Takes an entry of B.
    fn meet(&mut self, met: &Met<'_>, name: &[u8]) -> io::Result<()> {
        let change = self.auditor().take(met, name);
        change.map_or(Ok(()), |change| self.classed(change))
    }

    fn classed(&mut self, change: Change) -> io::Result<()> {
        let class = Class::of(&change, self.metadata);
        let mut cause = change.cause;
        match self.without.get(&change.name) {
            // A's own failure is listed already.
            Some((Reason::Failed, _)) if class == Class::Error => return Ok(()),
            Some((Reason::Skipped, what)) if class == Class::Error => cause = Some(format!("is a {what} in A")),
            _ => {}
        }
        let (name, from) = (printed(&change.name), change.from.as_deref().map(printed));
        self.emit(&Difference { name, class, from, rot: change.rot, partly: change.partly, cause })
    }

    fn emit(&mut self, difference: &Difference) -> io::Result<()> {
        self.summary.counts.count(difference.class);
        if !matches!(difference.class, Class::Same | Class::Metadata) {
            self.classed.insert(difference.name.clone());
        }
        (self.events)(Event::Classed(difference))
    }

    /// Reads what the walk of one directory leaves open against a list: the files that listed links
    /// lead to, and those whose stated digests may be of other algorithms.
    ///
    /// # Errors
    /// As [`guess::read`].
    pub fn again(&mut self, plan: &Plan, control: &Control<'_>) -> Result<(), Error> {
        let links = std::mem::take(&mut self.links);
        let plan = Plan { piecewise: None, ..plan.clone() };
        match (self.directories.clone(), self.right.is_some()) {
            ([Some(directory), None], true) => {
                guess::read(&directory, &links, plan.clone(), control, &mut |name, record| {
                    self.collect(record, name.to_vec())
                })?;
                let Some(list) = &mut self.right else { return Ok(()) };
                guess::try_files(&directory, &mut self.left, &mut list.ledger, plan, control)
            }
            ([None, Some(directory)], false) => {
                guess::read(&directory, &links, plan.clone(), control, &mut |name, record| {
                    self.meet(&Met::from(&record), name)
                })?;
                let doubts = self.auditor().doubts();
                let plan = Plan { algorithms: self.auditor().widened(&doubts, REGISTRY), ..plan };
                guess::read(&directory, &doubts, plan, control, &mut |name, record| {
                    let Outcome::Hashed(hashed) = &record.outcome else { return Ok(()) };
                    let change = self.auditor().explain(name, hashed, REGISTRY);
                    change.map_or(Ok(()), |change| self.classed(change))
                })
            }
            _ => Ok(()),
        }
    }

    /// Whether the list on the other side has a digest of this name in a directory.
    fn is_listed(&mut self, name: &[u8]) -> bool {
        match (&self.directories, &self.right) {
            ([Some(_), None], Some(_)) => self.listed.contains(&plain(name)),
            ([None, Some(_)], _) => self.auditor().lists(name),
            _ => false,
        }
    }

    /// Notes how the directories were read.
    ///
    /// # Errors
    /// The sink's.
    pub fn passed(&mut self, ran: &pfh_engine::Summary, used: Option<Use>) -> Result<(), Error> {
        self.summary.cache = used;
        (self.events)(Event::Passed(ran)).map_err(Error::Sink)
    }

    /// Ends: gives the classes that only the end can tell.
    ///
    /// # Errors
    /// The sink's; counts that do not add up.
    pub fn finish(mut self) -> Result<(), Error> {
        if let Some(list) = self.right.take() {
            self.listed(&list).map_err(Error::Sink)?;
        }
        self.auditor();
        let Some(audit) = self.audit.take() else { return Ok(()) };
        let (mut last, counts) = audit.finish(&|name| self.is_directory(DiffSide::B, name).then_some("directory in B"));
        last.sort_by_cached_key(|change| printed(&change.name));
        for change in last {
            self.classed(change).map_err(Error::Sink)?;
        }
        if !counts.add_up() {
            return Err(Error::aborted(Problem::Counts(Box::new(counts))));
        }
        if self.likely == Likely::Other {
            self.compare_others().map_err(Error::Sink)?;
        }
        if Class::ALL.iter().all(|class| self.summary.counts.of(*class) == 0) {
            self.summary.nothing = Some(Nothing::NoFile);
        }
        Ok(())
    }

    /// Says which links and other things that are not files are not on both sides alike: they have
    /// no content to compare, and silence would call the trees the same.
    fn compare_others(&mut self) -> io::Result<()> {
        let [a, b] = std::mem::take(&mut self.others);
        let words = |of: Option<&(String, Option<PathBuf>)>| match of {
            None => "is none".to_owned(),
            Some((kind, None)) => format!("is a {kind}"),
            Some((kind, Some(to))) => format!("is a {kind} to {}", render(to.as_os_str().as_bytes())),
        };
        let names: BTreeSet<&Vec<u8>> = a.keys().chain(b.keys()).collect();
        for name in names.into_iter().filter(|name| a.get(*name) != b.get(*name)) {
            let cause = match (a.get(name), b.get(name)) {
                (Some(_), Some(_)) => format!("{} in A, and {} in B", words(a.get(name)), words(b.get(name))),
                (one, other) => {
                    let side = if one.is_some() { "A" } else { "B" };
                    // A file in its place is reported already.
                    if self.is_named(name) {
                        continue;
                    }
                    format!("{} in {side} alone", words(one.or(other)))
                }
            };
            let (class, cause) = (Class::Error, Some(cause));
            self.emit(&Difference { name: name.clone(), class, from: None, rot: None, partly: false, cause })?;
        }
        Ok(())
    }

    /// Whether a listed name is a directory below the walked directory of a side. Two trees have it
    /// out by their files.
    fn is_directory(&self, which: DiffSide, name: &[u8]) -> bool {
        let directory = self.directories[which as usize].as_ref().filter(|_| self.likely != Likely::Other);
        directory.is_some_and(|directory| Path::new(OsStr::from_bytes(&[directory, &b"/"[..], name].concat())).is_dir())
    }

    /// Whether a name has its outcome already.
    fn is_named(&self, name: &[u8]) -> bool {
        self.without.get(name).is_some_and(|(reason, _)| *reason == Reason::Failed) || self.classed.contains(name)
    }

    /// Takes the entries of B.
    fn listed(&mut self, list: &List) -> io::Result<()> {
        for entry in &list.ledger.entries {
            let met = match self.is_directory(DiffSide::A, &entry.name) {
                true => Met::Failed("is a directory in A".into()),
                false => Met::File(entry.facts()),
            };
            self.meet(&met, &entry.name)?;
        }
        // A name with a digest in another record is compared by that.
        for UnhashedEntry { name, reason, code } in list.ledger.undigested() {
            let met = match reason {
                Reason::Skipped => Met::Skipped(code.into()),
                Reason::Failed => Met::Failed(format!("B: no digest: {code}").into()),
                Reason::Bare => Met::Failed("B: no digest of a known algorithm".into()),
            };
            self.meet(&met, name)?;
        }
        Ok(())
    }
}

impl pfh_engine::Sink for Comparing<'_, '_> {
    fn record(&mut self, record: Record) -> io::Result<()> {
        let which = self.which(&record);
        let directory = self.directories[which as usize].as_deref().unwrap_or_default();
        let name = within(directory, &record.name).to_vec();
        let is_listed = self.is_listed(&name);
        match &record.outcome {
            Outcome::Hashed(hashed) => {
                let stat = hashed.closed.stat.as_ref().map(|stat| (stat.device, stat.inode));
                // A list that names itself is compared, like any other listed file.
                if stat.is_some_and(|stat| self.own.contains(&stat)) && !is_listed {
                    return Ok(());
                }
                match self.cache.as_ref().map_or(Ok(false), |cache| cache.keep(&record)) {
                    Ok(false) => {}
                    Ok(true) => (self.events)(Event::Cached(&record))?,
                    Err(error) => (self.events)(Event::Uncached(&error))?,
                }
            }
            Outcome::Skipped(Skip::Symlink) if is_listed => {
                self.links.push(name);
                return Ok(());
            }
            Outcome::Skipped(skip) if objects::is_folder(&record.name, *skip) => return Ok(()),
            Outcome::Skipped(skip) => {
                self.summary.skipped[which as usize] += 1;
                (self.events)(Event::Unread(&record))?;
                // A container that is not opened is compared as the file that it is.
                if !matches!(skip, Skip::Own | Skip::Unfinished) && !record.name.ends_with(b"!/") {
                    let leads_to = std::fs::read_link(OsStr::from_bytes(&record.name)).ok();
                    self.others[which as usize].insert(name.clone(), (skip.reason().to_owned(), leads_to));
                }
            }
            Outcome::Failed(_) => (self.events)(Event::Unread(&record))?,
        }
        if which == DiffSide::A {
            return self.collect(record, plain(&name));
        }
        let met = match &record.outcome {
            Outcome::Failed(problem) => Met::Failed(format!("B: {problem}").into()),
            _ => Met::from(&record),
        };
        self.meet(&met, &name)
    }
}

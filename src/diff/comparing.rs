//! The records of directories and the entries of lists, each given to the auditor that classes
//! them.

use super::class::{Class, Difference};
use super::event::{Event, Events};
use super::halves::Boundary;
use super::problem::Problem;
use super::request::{Metadata, Request};
use super::side::{List, Side, Which, printed, within};
use super::summary::{Nothing, Summary};
use super::tree::Tree;
use crate::check::{self, Auditor, Change, Expectations, Expected, Met};
use crate::hash::{Cache, Use};
use crate::job::Error;
use pfh_digest::Algorithm;
use pfh_engine::{Outcome, Record};
use pfh_manifest::{Reason, Unhashed};
use pfh_source::Skip;
use std::collections::HashMap;
use std::io;

/// A comparison under way.
pub struct Comparing<'a, 's> {
    metadata: bool,
    /// The walked directories, of A and of B.
    directories: [Option<Vec<u8>>; 2],
    /// The side of the first record.
    first: Which,
    boundary: Boundary,
    /// A, as far as it was read, until B begins.
    left: Expectations,
    audit: Option<Auditor>,
    /// B, if it is a list.
    right: Option<Box<List>>,
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
        first: Which,
        boundary: Boundary,
        summary: &'a mut Summary,
        events: &'a mut Events<'s>,
    ) -> Self {
        let directories = [0, 1].map(|side: usize| sides[side].tree().map(Tree::base));
        let mut comparing = Comparing {
            metadata: request.metadata == Metadata::Compared,
            directories,
            first,
            boundary,
            left: Expectations::default(),
            audit: None,
            right: None,
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
                Which::A => comparing.left = list.expectations,
                Which::B => comparing.right = Some(list),
            }
        }
        comparing.agree();
        comparing
    }

    /// Of two lists: by which digests they are compared, and those in front, by which contents are
    /// found.
    fn agree(&mut self) {
        let (true, Some(right)) = (self.directories[0].is_none(), &self.right) else { return };
        let theirs = &right.expectations.algorithms;
        self.summary.computed = self.left.algorithms.iter().filter(|ours| theirs.contains(ours)).copied().collect();
        let is_alone = |algorithm: Algorithm| !theirs.contains(&algorithm);
        for entry in self.left.entries.iter_mut().filter(|entry| entry.guessed == 0 && entry.digests.len() > 1) {
            entry.digests.sort_by_key(|digest| is_alone(digest.algorithm()));
        }
    }

    fn auditor(&mut self) -> &mut Auditor {
        let left = &mut self.left;
        self.audit.get_or_insert_with(|| Auditor::new(std::mem::take(left), b"", &[]))
    }

    fn which(&self, record: &Record) -> Which {
        let two = self.directories.iter().all(Option::is_some);
        if two && self.boundary.is_behind(record.number) { Which::B } else { self.first }
    }

    /// Takes a record of A.
    fn collect(&mut self, record: Record, name: Vec<u8>) -> io::Result<()> {
        let (reason, code) = match record.outcome {
            Outcome::Hashed(hashed) => {
                self.left.entries.push(Expected::read(name, hashed));
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
        self.left.unhashed.push(Unhashed { name: name.clone(), reason, code: code.clone() });
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
        (self.events)(Event::Classed(difference))
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
        let (mut last, counts) = audit.finish();
        last.sort_by_cached_key(|change| printed(&change.name));
        for change in last {
            self.classed(change).map_err(Error::Sink)?;
        }
        if !counts.add_up() {
            return Err(Error::aborted(Problem::Counts(Box::new(counts))));
        }
        if Class::ALL.iter().all(|class| self.summary.counts.of(*class) == 0) {
            self.summary.nothing = Some(Nothing::NoFile);
        }
        Ok(())
    }

    /// Takes the entries of B.
    fn listed(&mut self, list: &List) -> io::Result<()> {
        for entry in &list.expectations.entries {
            self.meet(&Met::File(entry.facts()), &entry.name)?;
        }
        for Unhashed { name, reason, code } in &list.expectations.unhashed {
            let met = match reason {
                Reason::Skipped => Met::Skipped(code.into()),
                Reason::Failed => Met::Failed(format!("B: no digest: {code}").into()),
            };
            self.meet(&met, name)?;
        }
        Ok(())
    }
}

impl pfh_engine::Sink for Comparing<'_, '_> {
    fn record(&mut self, record: Record) -> io::Result<()> {
        let which = self.which(&record);
        match &record.outcome {
            Outcome::Hashed(hashed) => {
                let stat = hashed.closed.stat.as_ref().map(|stat| (stat.device, stat.inode));
                if stat.is_some_and(|stat| self.own.contains(&stat)) {
                    return Ok(());
                }
                match self.cache.as_ref().map_or(Ok(false), |cache| cache.keep(&record)) {
                    Ok(false) => {}
                    Ok(true) => (self.events)(Event::Cached(&record))?,
                    Err(error) => (self.events)(Event::Uncached(&error))?,
                }
            }
            Outcome::Skipped(_) => {
                self.summary.skipped[which as usize] += 1;
                (self.events)(Event::Unread(&record))?;
            }
            Outcome::Failed(_) => (self.events)(Event::Unread(&record))?,
        }
        let directory = self.directories[which as usize].as_deref().unwrap_or_default();
        let name = within(directory, &record.name).to_vec();
        if which == Which::A {
            return self.collect(record, pfh_judge::plain(&name));
        }
        let met = match &record.outcome {
            Outcome::Failed(problem) => Met::Failed(format!("B: {problem}").into()),
            _ => Met::from(&record),
        };
        self.meet(&met, &name)
    }
}

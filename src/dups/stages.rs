//! From sizes to digests: each stage reads more of fewer files.

use super::block::{BLOCK, Block};
use super::event::Events;
use super::found::File;
use super::problem::Problem as Wrong;
use super::request::Request;
use super::summary::Summary;
use crate::job::Error;
use crate::pass::pass;
use pfh_digest::{Algorithm, Digest, Standing};
use pfh_engine::{Control, Outcome, Plan, Record};
use pfh_source::{Cause, Entry, Item, Origin, Problem, Source, Stage};
use std::collections::HashMap;
use std::sync::Arc;

/// Of files of fewer bytes the last block is not compared: the whole costs little more.
const LONG: u64 = 64 << 10;

/// Files of one content: their places among those found, and the digest.
pub type Members = Vec<(Vec<usize>, Digest)>;

/// The stages, one after the other.
pub struct Stages<'a, 's, 'c> {
    request: &'a Request,
    files: &'a [File],
    failed: Vec<usize>,
    summary: &'a mut Summary,
    events: &'a mut Events<'s>,
    control: &'a Control<'c>,
}

/// The part of a file that a stage reads.
#[derive(Clone, Copy)]
enum Part {
    First,
    Last,
    Whole,
}

impl<'a, 's, 'c> Stages<'a, 's, 'c> {
    /// Of these files.
    pub fn new(
        request: &'a Request,
        files: &'a [File],
        summary: &'a mut Summary,
        events: &'a mut Events<'s>,
        control: &'a Control<'c>,
    ) -> Self {
        Stages { request, files, failed: Vec::new(), summary, events, control }
    }

    /// Files that could not be read.
    pub fn into_failed(self) -> Vec<usize> {
        self.failed
    }

    /// The groups of files of one content.
    ///
    /// # Errors
    /// When the caller ended the search, or an event was refused.
    pub fn run(&mut self, algorithm: Algorithm) -> Result<Members, Error> {
        let all = (0..self.files.len()).collect();
        let same_size = apart(vec![all], |at| Some(self.files[*at].stat.size));
        // One block is all of a small file: it is read once, and whole.
        let (small, long): (Vec<Vec<usize>>, Vec<_>) =
            same_size.into_iter().partition(|group| self.files[group[0]].stat.size <= BLOCK);
        // An object is one request, and is read whole; so are the files of its size.
        let has_object = |group: &Vec<usize>| group.iter().any(|at| self.files[*at].is_object());
        let (remote, long): (Vec<_>, Vec<_>) = long.into_iter().partition(has_object);
        let long = self.stage(long, Part::First, algorithm)?;
        let (short, long): (Vec<_>, Vec<_>) =
            long.into_iter().partition(|(group, _)| self.files[group[0]].stat.size < LONG);
        let long = self.stage(long.into_iter().map(|(group, _)| group).collect(), Part::Last, algorithm)?;
        let left = short.into_iter().chain(long).map(|(group, _)| group);
        self.stage(small.into_iter().chain(remote).chain(left).collect(), Part::Whole, algorithm)
    }

    /// Reads a part of each file, and gives the groups of those in which it is the same. Files are
    /// read in the order in which they were found.
    fn stage(&mut self, groups: Vec<Vec<usize>>, part: Part, algorithm: Algorithm) -> Result<Members, Error> {
        let mut order: Vec<usize> = groups.iter().flatten().copied().collect();
        order.sort_unstable();
        if order.is_empty() {
            return Ok(Vec::new());
        }
        let mut algorithms = vec![algorithm];
        // Anybody can make two files of one MD5 or SHA-1.
        if matches!(part, Part::Whole) && algorithm.standing() == Standing::Broken {
            algorithms.extend("sha256".parse::<Algorithm>().ok());
        }
        let plan = Plan { algorithms, piecewise: None, ..self.request.plan.clone() };
        let source = || -> Box<dyn Source> {
            let items = order.iter().enumerate().map(|(number, at)| self.item(number as u64, *at, part));
            Box::new(items.collect::<Vec<Item>>().into_iter())
        };
        let mut found: HashMap<usize, Vec<Digest>> = HashMap::new();
        let mut unread: Vec<(usize, Problem)> = Vec::new();
        let mut bytes = 0;
        let mut take = |record: Record| {
            let at = usize::try_from(record.number).ok().and_then(|number| order.get(number)).copied();
            let at = at.ok_or_else(|| std::io::Error::other("a record of no file"))?;
            match self.outcome(at, record, part) {
                Ok((size, digests)) => {
                    bytes += size;
                    found.insert(at, digests);
                }
                Err(problem) => unread.push((at, problem)),
            }
            Ok(())
        };
        let ran = pass(source(), || Some(source()), &plan, &mut take, self.control)?;
        if ran.interrupted {
            return Err(Error::cancelled(Wrong::Interrupted));
        }
        self.summary.read += bytes;
        for (at, problem) in unread {
            self.summary.unread(&self.files[at].names[0], problem, &self.request.plan.levels, self.events)?;
            self.failed.push(at);
        }
        let equal = apart(groups, |at| found.get(at).cloned());
        Ok(equal
            .into_iter()
            .map(|group| (found[&group[0]][0].clone(), group))
            .map(|(digest, group)| (group, digest))
            .collect())
    }

    fn item(&self, number: u64, at: usize, part: Part) -> Item {
        let File { entry, stat, names } = &self.files[at];
        let range = match part {
            Part::Whole => {
                let stat = Some(*stat).filter(|_| !self.files[at].is_object());
                return Item::Entry(Entry { number, origin: entry.origin.clone(), stat });
            }
            Part::First => 0..BLOCK,
            Part::Last => stat.size - BLOCK..stat.size,
        };
        let block = Block { entry: entry.clone(), stat: *stat, range };
        let origin = Origin::Object { name: names[0].clone().into(), object: Arc::new(block) };
        Item::Entry(Entry { number, origin, stat: None })
    }

    /// The part of a file that was read: its bytes and its digests. All stages must have read one
    /// state of it: the one that the walk saw.
    fn outcome(&self, at: usize, record: Record, part: Part) -> Result<(u64, Vec<Digest>), Problem> {
        let hashed = match record.outcome {
            Outcome::Hashed(hashed) => hashed,
            Outcome::Failed(problem) => return Err(problem),
            Outcome::Skipped(_) => return Err(Problem::new(Stage::Open, Cause::Replaced)),
        };
        let changed = match (part, hashed.closed.stat) {
            (Part::Whole, Some(stat)) => stat.change_since(&self.files[at].stat),
            // That an object is the one that was listed is known by its entity tag.
            (Part::Whole, None) if self.files[at].is_object() => None,
            (Part::Whole, None) => Some("file"),
            _ => None,
        };
        if let Some(what) = changed {
            return Err(Problem::new(Stage::Check, Cause::Changed(what)));
        }
        match hashed.digests {
            digests if digests.is_empty() => Err(Problem::new(Stage::Check, Cause::Replaced)),
            digests => Ok((hashed.closed.size, digests)),
        }
    }
}

/// Splits each group by a key, and keeps members that have company. Members stay in their order;
/// files without a key are left out.
fn apart<K: Eq + std::hash::Hash>(groups: Vec<Vec<usize>>, key: impl Fn(&usize) -> Option<K>) -> Vec<Vec<usize>> {
    let mut all = Vec::new();
    for group in groups {
        let mut parts: HashMap<K, Vec<usize>> = HashMap::new();
        for at in group {
            if let Some(key) = key(&at) {
                parts.entry(key).or_default().push(at);
            }
        }
        all.extend(parts.into_values().filter(|part| part.len() > 1));
    }
    all.sort_unstable();
    all
}

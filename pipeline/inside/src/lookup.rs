//! Names of a list that are inside containers, found again.

use super::expanding::{Expanding, SECOND};
use super::name;
use super::options::Options;
use pfh_source::{Cause, Entry, FindingId, Item, Origin, Problem, Source};
use std::collections::{HashMap, HashSet};
use std::sync::Arc;

/// Items and folders that were passed on the way and are kept, at most.
const KEPT: usize = 200_000;

/// The container of a name that is not a file but lies inside a container: the part in front of the
/// first separator, as the file system has it.
pub fn is_inside(name: &[u8]) -> Option<Vec<u8>> {
    name::container(name)
}

/// A source of names whose entries that are not files are looked for in containers.
pub struct Lookup {
    outer: Box<dyn Source>,
    options: Arc<Options>,
    root: Vec<u8>,
    walk: Option<Walk>,
}

/// A container that is being listed, for names that mostly come in its order.
struct Walk {
    container: Vec<u8>,
    /// The container, or the media that it is made of.
    holders: Vec<Entry>,
    source: Expanding,
    passed: HashMap<Vec<u8>, Item>,
    /// Containers that were not read whole, with the reason.
    problems: Vec<(Vec<u8>, Problem)>,
    /// Containers and directories in which something was listed.
    listed: HashSet<Vec<u8>>,
    /// Containers whose names were counted, and the names that they have twice: programs differ in
    /// which of the two members they take, so that the first one alone proves nothing.
    counted: HashSet<Vec<u8>>,
    doubled: HashSet<Vec<u8>>,
}

fn name_of(item: &Item) -> Vec<u8> {
    match item {
        Item::Entry(entry) => entry.name(),
        Item::Skipped { name, .. } | Item::Settled { name, .. } | Item::Problem { name, .. } => name.clone(),
    }
}

impl Lookup {
    /// Looks in containers for names of `outer` that do not exist. Relative names of `outer` start
    /// in `root`; in the working directory if that is empty.
    pub fn new(outer: Box<dyn Source>, options: Arc<Options>, root: &[u8]) -> Lookup {
        Lookup { outer, options, root: root.to_vec(), walk: None }
    }

    fn find(&mut self, entry: &Entry) -> Option<Item> {
        let Origin::File { base, path, special } = &entry.origin else { return None };
        let container = name::container(path)?;
        // A file of this very name is meant itself.
        if entry.look().is_some() {
            return None;
        }
        if self.walk.as_ref().is_none_or(|walk| walk.container != container) {
            let file = |path: &[u8]| Entry {
                number: 0,
                origin: Origin::File { base: base.clone(), path: path.to_vec().into(), special: *special },
                stat: None,
            };
            let media = name::media(&container, |path| file(path).look().is_some());
            let holders: Vec<Entry> = media.iter().map(|path| file(path)).collect();
            if holders.is_empty() {
                return None;
            }
            self.walk = Some(Walk::begin(container, holders, path, &self.options, &self.root));
        }
        let walk = self.walk.as_mut()?;
        walk.count(path, &self.options, &self.root);
        if walk.doubled.contains(&path[..]) {
            let problem = super::about::refused(FindingId::InsideTwice, SECOND);
            return Some(Item::Problem { number: 0, name: path.to_vec(), problem });
        }
        let found = walk.advance(path).or_else(|| walk.again(path, &self.options, &self.root));
        found.or_else(|| walk.why_not(path))
    }
}

impl Walk {
    fn begin(container: Vec<u8>, holders: Vec<Entry>, wanted: &[u8], options: &Arc<Options>, root: &[u8]) -> Walk {
        let source = Walk::source(&holders, wanted, options, root);
        let (passed, problems, listed) = Default::default();
        let (counted, doubled) = Default::default();
        Walk { container, holders, source, passed, problems, listed, counted, doubled }
    }

    fn source(holders: &[Entry], wanted: &[u8], options: &Arc<Options>, root: &[u8]) -> Expanding {
        let outer = holders.iter().cloned().map(Item::Entry).collect::<Vec<_>>().into_iter();
        Expanding::new(Box::new(outer), options.clone()).below(root).towards(wanted.to_vec()).of_media()
    }

    /// Looks once through the archive of this name for names that it has twice.
    fn count(&mut self, wanted: &[u8], options: &Arc<Options>, root: &[u8]) {
        let end = wanted.windows(2).rposition(|pair| pair == b"!/").map_or(0, |at| at + 2);
        let (archive, _) = wanted.split_at(end);
        if self.counted.len() >= KEPT || !self.counted.insert(archive.to_vec()) {
            return;
        }
        let mut source = Walk::source(&self.holders, wanted, options, root);
        while let Some(item) = source.pull() {
            // A file system has each name once.
            if name_of(&item).starts_with(archive) && !source.is_archive() {
                break;
            }
        }
        self.doubled.extend(source.doubled());
    }

    /// The item of this name, from here on.
    fn advance(&mut self, wanted: &[u8]) -> Option<Item> {
        if let Some(item) = self.passed.remove(wanted) {
            return Some(item);
        }
        self.source.head_for(wanted);
        while let Some(item) = self.source.pull() {
            let name = name_of(&item);
            self.note(&name, &item);
            if name == wanted {
                return Some(item);
            }
            if self.passed.len() < KEPT && !self.source.is_shared() {
                self.passed.insert(name, item);
            }
        }
        None
    }

    /// The same from the start.
    fn again(&mut self, wanted: &[u8], options: &Arc<Options>, root: &[u8]) -> Option<Item> {
        self.source = Walk::source(&self.holders, wanted, options, root);
        self.passed.clear();
        self.problems.clear();
        self.advance(wanted)
    }

    fn note(&mut self, name: &[u8], item: &Item) {
        if let (Item::Problem { problem, .. }, true) = (item, name.ends_with(b"/")) {
            self.problems.push((name.to_vec(), problem.clone()));
            return;
        }
        let mut end = name.len();
        while let Some(at) = name[..end].iter().rposition(|byte| *byte == b'/') {
            if self.listed.len() >= KEPT || !self.listed.insert(name[..=at].to_vec()) {
                return;
            }
            end = at;
        }
    }

    /// Why a name that was not found may be there all the same: a container above it was not
    /// opened, or not read to its end. Beside a file system that was listed something else may be
    /// unread (shadow copies), which says nothing of its names.
    fn why_not(&self, wanted: &[u8]) -> Option<Item> {
        let hides = |(prefix, problem): &&(Vec<u8>, Problem)| {
            let is_beside = matches!(problem.cause, Cause::Unopened(_)) && self.listed.contains(prefix);
            wanted.starts_with(prefix) && !is_beside
        };
        let (_, problem) = self.problems.iter().find(hides)?;
        Some(Item::Problem { number: 0, name: wanted.to_vec(), problem: problem.clone() })
    }
}

impl Source for Lookup {
    fn pull(&mut self) -> Option<Item> {
        let item = self.outer.pull()?;
        let Item::Entry(entry) = &item else { return Some(item) };
        let Some(found) = self.find(entry) else { return Some(item) };
        let number = entry.number;
        Some(match found {
            Item::Entry(found) => Item::Entry(Entry { number, ..found }),
            Item::Skipped { name, skip, .. } => Item::Skipped { number, name, skip },
            Item::Problem { name, problem, .. } => Item::Problem { number, name, problem },
            Item::Settled { name, closed, digests, .. } => Item::Settled { number, name, closed, digests },
        })
    }
}

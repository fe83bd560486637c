//! The names of an image: each layer adds, replaces, hides and deletes names of the layers below
//! it.

use super::blobs::clean;
use pfh_bytes::node::{Kind, Node};
use std::collections::{BTreeMap, HashSet, VecDeque};

/// The longest name, as of systems that run images, and bytes of all names.
const NAME: usize = 4096;
const NAMES: usize = 512 << 20;
/// Links that are followed on the way to a name.
const LINKS: u32 = 40;

const UPWARDS: &str = "leads out of the image: it is left out of its tree";
const LONG: &str = "has a name that no system can have: it is left out of the tree of the image";
const BEHIND: &str = "is in a directory that is a file: it is left out of the tree of the image";
const CHAIN: &str = "is behind a chain of links: it is left out of the tree of the image";
const NOWHERE: &str = "deletes nothing that can be named";
const UNLINKED: &str = "is a hard link to a name that is not a file in its layer or those below";
const TWICE: &str = "comes again in the same layer: which one counts differs between programs";

/// A member of a layer: the layer and the number of the member, both from 0.
pub type Place = (usize, u64);

enum TreeNode {
    Directory,
    /// A file, with the content of another member.
    File(Option<Place>),
    Link(Vec<u8>),
    Special,
}

struct Entry {
    place: Place,
    held: TreeNode,
}

/// How a member of a layer appears in the tree of the image.
pub enum Fate {
    /// It is a name of the image, with the content of that member if it is not its own.
    Shown(Vec<u8>, Option<Place>),
    /// It is a link of this name to that target.
    Link(Vec<u8>, Vec<u8>),
    /// A later layer hides or deletes it.
    Hidden(Vec<u8>, Option<Place>),
    /// It cannot have a place in the tree.
    Fault(&'static str),
}

/// The fates of the members of all layers.
#[derive(Default)]
pub struct Plan {
    /// By their places; none for directories and whiteouts.
    pub fates: BTreeMap<Place, Fate>,
    /// Members whose content others have.
    pub sources: HashSet<Place>,
}

/// The names so far.
pub struct Tree {
    table: BTreeMap<Vec<u8>, Entry>,
    fates: BTreeMap<Place, Fate>,
    is_hidden_kept: bool,
    /// Whiteouts of the layer at hand.
    done: HashSet<Vec<u8>>,
    names: usize,
}

impl Tree {
    /// No names.
    pub fn new(is_hidden_kept: bool) -> Tree {
        let (table, fates, done) = Default::default();
        Tree { table, fates, is_hidden_kept, done, names: 0 }
    }

    /// Goes to the next layer.
    pub fn next_layer(&mut self) {
        self.done.clear();
    }

    /// Whether the names are more than are kept.
    pub fn is_full(&self) -> bool {
        self.names > NAMES
    }

    fn fault(&mut self, place: Place, why: &'static str) {
        self.fates.insert(place, Fate::Fault(why));
    }

    /// Adds a member of the tar of a layer.
    pub fn add(&mut self, place: Place, node: &Node) {
        let held = match &node.kind {
            Kind::Directory => TreeNode::Directory,
            Kind::Link(target) if target.len() <= NAME => TreeNode::Link(target.clone()),
            Kind::Link(_) | Kind::Special(_) => TreeNode::Special,
            _ => TreeNode::File(None),
        };
        self.added(place, &node.path, held).unwrap_or_else(|why| self.fault(place, why));
    }

    /// Adds a hard link to a member that is not in the same tar.
    pub fn add_link(&mut self, place: Place, path: &[u8], target: &[u8]) {
        let mut linked = || {
            let target = clean(target).ok_or(UPWARDS)?;
            let (parent, last) = split(&target);
            let target = join(&self.resolved(parent, None)?, last);
            let held = match self.table.get(&target) {
                Some(Entry { place, held: TreeNode::File(source) }) => TreeNode::File(Some(source.unwrap_or(*place))),
                Some(Entry { held: TreeNode::Link(target), .. }) => TreeNode::Link(target.clone()),
                _ => return Err(UNLINKED),
            };
            self.added(place, path, held)
        };
        linked().unwrap_or_else(|why| self.fault(place, why));
    }

    fn added(&mut self, place: Place, path: &[u8], held: TreeNode) -> Result<(), &'static str> {
        let path = clean(path).ok_or(UPWARDS)?;
        if path.len() > NAME {
            return Err(LONG);
        }
        if path.is_empty() {
            return Ok(());
        }
        let (parent, last) = split(&path);
        if let Some(name) = last.strip_prefix(b".wh.") {
            return self.whiteout(parent, name, place.0);
        }
        let path = join(&self.resolved(parent, None)?, last);
        let is_directory = matches!(held, TreeNode::Directory);
        let was_directory = matches!(self.table.get(&path), Some(Entry { held: TreeNode::Directory, .. }));
        if !is_directory {
            // A name that is replaced by one that is not a directory takes all below it along.
            for below in self.below(&path) {
                self.hide(&below, place.0);
            }
        }
        if !(is_directory && was_directory) {
            self.hide(&path, place.0);
        }
        self.names += path.len() + if let TreeNode::Link(target) = &held { target.len() } else { 0 };
        self.table.insert(path, Entry { place, held });
        Ok(())
    }

    /// A name that deletes others: `.wh.` is in front of it.
    fn whiteout(&mut self, parent: &[u8], name: &[u8], layer: usize) -> Result<(), &'static str> {
        let is_opaque = name == b".wh..opq";
        match name {
            b"" | b"." | b".." => return Err(NOWHERE),
            // Notes of one file system to itself.
            own if own.starts_with(b".wh.") && !is_opaque => return Ok(()),
            _ => {}
        }
        match self.resolved(parent, Some(layer)) {
            Ok(parent) if is_opaque => self.delete(&parent, layer, false),
            Ok(parent) => self.delete(&join(&parent, name), layer, true),
            // The layer has a file or a link in place of the directory: its entries are gone.
            Err(BEHIND) => {}
            Err(why) => return Err(why),
        }
        Ok(())
    }

    /// The names in a directory, at any depth.
    fn below(&self, directory: &[u8]) -> Vec<Vec<u8>> {
        if directory.is_empty() {
            return self.table.keys().cloned().collect();
        }
        let (start, end) = ([directory, b"/"].concat(), [directory, b"0"].concat());
        self.table.range(start..end).map(|(path, _)| path.clone()).collect()
    }

    /// A whiteout in this layer: the names that lower layers have there are gone, in any order of
    /// the members of this layer.
    fn delete(&mut self, path: &[u8], layer: usize, with_itself: bool) {
        let key = [path, if with_itself { b"" } else { b"/" }].concat();
        if !self.done.insert(key) {
            return;
        }
        let mut gone = self.below(path);
        gone.extend(with_itself.then(|| path.to_vec()));
        for path in gone {
            if self.table.get(&path).is_some_and(|entry| entry.place.0 < layer) {
                self.hide(&path, layer);
            }
        }
    }

    /// Takes a name away, because of a member of this layer.
    fn hide(&mut self, path: &[u8], layer: usize) {
        let Some((path, entry)) = self.table.remove_entry(path) else { return };
        match entry.held {
            TreeNode::Directory => {}
            _ if entry.place.0 == layer => self.fault(entry.place, TWICE),
            TreeNode::File(source) if self.is_hidden_kept => {
                self.fates.insert(entry.place, Fate::Hidden(path, source));
            }
            _ => {}
        }
    }

    /// A directory, behind the links of the tree so far; of layers below this one alone, if one is
    /// given.
    fn resolved(&self, directory: &[u8], below: Option<usize>) -> Result<Vec<u8>, &'static str> {
        let parts = |path: &[u8]| -> VecDeque<Vec<u8>> {
            let parts = path.split(|byte| *byte == b'/').filter(|part| !matches!(*part, b"" | b"."));
            parts.map(<[u8]>::to_vec).collect()
        };
        let (mut out, mut left, mut links) = (Vec::new(), parts(directory), 0);
        while let Some(part) = left.pop_front() {
            if part == b".." {
                out = split(&out).0.to_vec();
                continue;
            }
            let next = join(&out, &part);
            let entry = self.table.get(&next);
            match entry.map(|entry| &entry.held) {
                Some(TreeNode::Link(_)) if entry.is_some_and(|entry| Some(entry.place.0) == below) => {
                    return Err(BEHIND);
                }
                Some(TreeNode::Link(target)) => {
                    links += 1;
                    if links > LINKS {
                        return Err(CHAIN);
                    }
                    if target.starts_with(b"/") {
                        out.clear();
                    }
                    let mut first = parts(target);
                    first.append(&mut left);
                    left = first;
                }
                Some(TreeNode::File(_) | TreeNode::Special) => return Err(BEHIND),
                Some(TreeNode::Directory) | None => out = next,
            }
        }
        if out.len() > NAME { Err(LONG) } else { Ok(out) }
    }

    /// The fates of all members.
    pub fn plan(self) -> Plan {
        let mut plan = Plan { fates: self.fates, sources: HashSet::new() };
        for (path, entry) in self.table {
            let fate = match entry.held {
                TreeNode::Directory => continue,
                TreeNode::File(source) => Fate::Shown(path, source),
                TreeNode::Link(target) => Fate::Link(path, target),
                TreeNode::Special => Fate::Shown(path, None),
            };
            plan.fates.insert(entry.place, fate);
        }
        let sources = plan.fates.values().filter_map(|fate| match fate {
            Fate::Shown(_, source) | Fate::Hidden(_, source) => *source,
            Fate::Fault(_) | Fate::Link(..) => None,
        });
        plan.sources = sources.collect();
        plan
    }
}

/// The directory of a path, and its last part.
fn split(path: &[u8]) -> (&[u8], &[u8]) {
    match path.iter().rposition(|byte| *byte == b'/') {
        Some(at) => (&path[..at], &path[at + 1..]),
        None => (b"", path),
    }
}

fn join(directory: &[u8], name: &[u8]) -> Vec<u8> {
    if directory.is_empty() { name.to_vec() } else { [directory, b"/", name].concat() }
}

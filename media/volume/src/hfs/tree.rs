//! The names of a volume.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use super::attribute::{Attribute, Value};
use super::catalog::{self, Item, Link, ROOT, RecordContent as Record, units};
use super::fork::{Fork, ForkKind};
use super::volume::Hfs;
use crate::decmpfs::{self, COMPRESSION, CompressedFile, FORK, Header, Parts};
use crate::listed::NumberSet;
use crate::unallocated::slack;
use crate::walk::{Entries, Tree, WalkEntry, WalkFolder, join, join_stream};
use pfh_bytes::field::failure;
use pfh_bytes::node::{Content, Failure, Kind, Node};
use pfh_bytes::stored::{HeldBytes, StoredBytes, Unreadable, gather, named};

/// The longest target of a link.
const LONGEST_TARGET: u64 = 64 << 10;

/// The files and directories that a walk came across.
#[derive(Default)]
pub struct SeenEntries {
    /// Directories that were listed.
    pub listed: NumberSet,
    /// Files that a hard link leads to.
    pub linked: NumberSet,
    /// Directories that a hard link leads to, with the first of their paths.
    folders: HashMap<u32, Vec<u8>>,
}

/// The kind of names that a walk gives.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Pass {
    Live,
    Slack,
}

/// A volume while it is walked.
pub struct Names {
    pub volume: Arc<Hfs>,
    pub pass: Pass,
    pub seen: Arc<Mutex<SeenEntries>>,
}

impl Tree for Names {
    type Directory = u32;

    fn list(self: Arc<Self>, directory: u32, path: Arc<[u8]>) -> Entries<u32> {
        self.seen.lock().unwrap_or_else(PoisonError::into_inner).listed.insert(u64::from(directory));
        let records = self.volume.catalog.of(directory);
        Box::new(records.flat_map(move |record| match record {
            Ok((key, value)) => self.found(directory, &key, &value, &path),
            Err(failed) => vec![Err(named(failed, &path))],
        }))
    }
}

/// The path of a record in the directory with this path.
fn path_of(key: &[u8], parent: &[u8]) -> Result<Vec<u8>, Failure> {
    let units = units(key).ok_or_else(|| named(failure(None, "a name that ends behind its record"), parent))?;
    join(parent, &catalog::name(&units).map_err(|failed| named(failed, parent))?)
}

impl Names {
    /// The nodes of a directory's record: a file with its streams, or a directory.
    fn found(&self, directory: u32, key: &[u8], value: &[u8], parent: &[u8]) -> Vec<Result<WalkEntry<u32>, Failure>> {
        let item = match Record::new(value) {
            Ok(Record::Item(item)) => item,
            Ok(Record::Thread(..)) => return Vec::new(),
            Err(failed) => {
                let path = path_of(key, parent).unwrap_or_else(|_| parent.to_vec());
                return vec![Err(named(failed, &path))];
            }
        };
        // Targets of links are listed by the names of the links, and the rest of this directory not
        // at all.
        if directory == ROOT && self.volume.private().has(item.id) {
            return Vec::new();
        }
        let path = match path_of(key, parent) {
            Ok(path) => path,
            Err(failed) => return vec![Err(failed)],
        };
        match item.link() {
            Some(Link::Folder(number)) => return self.folder(number, &item, path).into_iter().collect(),
            Some(link) => match self.volume.linked(link) {
                Ok(Some(target)) => {
                    let mut seen = self.seen.lock().unwrap_or_else(PoisonError::into_inner);
                    let is_first = !seen.linked.has(u64::from(target.id));
                    seen.linked.insert(u64::from(target.id));
                    if self.pass == Pass::Slack && !is_first {
                        return Vec::new();
                    }
                    return self.nodes(&target, &path);
                }
                // Anyone may give a file the type of a link.
                Ok(None) if item.data.size > 0 || self.volume.private().files.is_none() => {}
                Ok(None) => {
                    let cause = "a hard link to a file that is not there";
                    return vec![Err(named(failure(None, cause), &path))];
                }
                Err(failed) => return vec![Err(named(failed, &path))],
            },
            None => {}
        }
        self.nodes(&item, &path)
    }

    /// The name of a directory with several; all but the first are links to that.
    fn folder(&self, number: u32, link: &Item, path: Vec<u8>) -> Option<Result<WalkEntry<u32>, Failure>> {
        let is_live = self.pass == Pass::Live;
        let target = match self.volume.linked(Link::Folder(number)) {
            Ok(Some(target)) => target,
            Ok(None) => {
                let cause = "a hard link to a directory that is not there";
                return is_live.then(|| Err(named(failure(None, cause), &path)));
            }
            Err(failed) => return is_live.then(|| Err(named(failed, &path))),
        };
        let first = {
            let mut seen = self.seen.lock().unwrap_or_else(PoisonError::into_inner);
            let first = seen.folders.get(&target.id).cloned();
            if first.is_none() {
                seen.folders.insert(target.id, path.clone());
            }
            first
        };
        let into = WalkFolder { id: u64::from(target.id), path: path.clone(), directory: target.id };
        let (kind, into) = match first {
            Some(first) => (Kind::Link(first), None),
            None => (Kind::Directory, Some(into)),
        };
        let times = if into.is_some() { target.times } else { link.times };
        let node = is_live.then(|| Node { kind, times, ..blank(&target, &path) });
        (node.is_some() || into.is_some()).then_some(Ok(WalkEntry { node, into }))
    }

    /// The nodes of a file or directory in this pass.
    fn nodes(&self, item: &Item, path: &[u8]) -> Vec<Result<WalkEntry<u32>, Failure>> {
        let id = u64::from(item.id);
        let mut into = item.is_folder.then(|| WalkFolder { id, path: path.to_vec(), directory: item.id });
        let mut found = |node: Node| WalkEntry { node: Some(node), into: into.take() };
        match self.pass {
            Pass::Live => self.volume.nodes_of(item, path).into_iter().map(|node| node.map(&mut found)).collect(),
            Pass::Slack if item.is_folder => vec![Ok(WalkEntry { node: None, into })],
            Pass::Slack => self.volume.slack(item, path).into_iter().map(|node| Ok(found(node))).collect(),
        }
    }
}

/// A node without content.
fn blank(item: &Item, path: &[u8]) -> Node {
    Node::bare(path, Kind::File, Some(u64::from(item.id)), item.times)
}

impl Hfs {
    /// The nodes of a file or directory by one of its names: itself, then its streams.
    pub fn nodes_of(self: &Arc<Self>, item: &Item, path: &[u8]) -> Vec<Result<Node, Failure>> {
        let (mut attributes, mut failures) = (Vec::new(), Vec::new());
        for attribute in self.attributes(item.id) {
            match attribute {
                Ok(attribute) => attributes.push(attribute),
                Err(failed) => failures.push(Err(named(failed, path))),
            }
        }
        let (node, used) = self.main(item, &attributes, path);
        let mut nodes = vec![node];
        if item.resource.size > 0 && !used.contains(&FORK) {
            nodes.push(self.stream(item, FORK, Value::Fork(item.resource.clone()), path));
        }
        let streams = attributes.into_iter().filter(|attribute| !used.contains(&&attribute.name[..]));
        nodes.extend(streams.map(|attribute| self.stream(item, &attribute.name, attribute.value, path)));
        nodes.extend(failures);
        nodes
    }

    /// The node of a file or directory, and the names of the streams that it is made of.
    fn main(
        self: &Arc<Self>,
        item: &Item,
        attributes: &[Attribute],
        path: &[u8],
    ) -> (Result<Node, Failure>, &'static [&'static [u8]]) {
        let blank = |kind: Kind| Node { kind, ..blank(item, path) };
        let kind = match item.kind() {
            0x8000 if item.is_compressed => return self.compressed(item, attributes, path),
            0x8000 => {
                let content = self.stored(&item.data, item.id, ForkKind::Data, path);
                let node = Node { size: Some(item.data.size), content: Some(content), ..blank(Kind::File) };
                return (Ok(node), &[]);
            }
            0x4000 => Kind::Directory,
            0xa000 => match self.target(item) {
                Ok(target) => Kind::Link(target),
                Err(failed) => return (Err(named(failed, path)), &[]),
            },
            0x1000 => Kind::Special("fifo"),
            0x2000 => Kind::Special("character device"),
            0x6000 => Kind::Special("block device"),
            0xc000 => Kind::Special("socket"),
            0xe000 => Kind::Special("whiteout"),
            mode => return (Err(named(failure(None, format!("a file of the type {mode:#x}")), path)), &[]),
        };
        (Ok(blank(kind)), &[])
    }

    /// The node of a compressed file.
    fn compressed(
        self: &Arc<Self>,
        item: &Item,
        attributes: &[Attribute],
        path: &[u8],
    ) -> (Result<Node, Failure>, &'static [&'static [u8]]) {
        let node = Node { compressed: true, ..blank(item, path) };
        let unreadable = |failed: Failure| {
            let content: Arc<dyn Content> = Arc::new(Unreadable(named(failed, path)));
            (Ok(Node { size: Some(item.data.size), content: Some(content), ..node.clone() }), &[][..])
        };
        let Some(attribute) = attributes.iter().find(|attribute| attribute.name == COMPRESSION) else {
            return unreadable(decmpfs::lost());
        };
        if item.data.size > 0 {
            return unreadable(failure(None, "is compressed, and has a plain content as well"));
        }
        let raw = self.value(&attribute.value, Header::MOST);
        let (raw, header) = match raw.and_then(|raw| Header::read(&raw).map(|header| (raw, header))) {
            Ok(found) => found,
            Err(failed) => return unreadable(failed),
        };
        let used: &[&[u8]] = match header.is_in_fork() {
            // The attributes of a file that cannot be decompressed stay visible.
            _ if !header.is_read() => &[],
            true => &[COMPRESSION, FORK],
            false => &[COMPRESSION],
        };
        let parts = ForkParts { volume: self.clone(), file: item.id, attribute: raw, fork: item.resource.clone() };
        let content: Arc<dyn Content> = Arc::new(CompressedFile { parts, path: path.to_vec() });
        let (size, resident) = (Some(header.size), !header.is_in_fork());
        (Ok(Node { size, resident, content: Some(content), ..node }), used)
    }

    /// The content in the fork of a file.
    fn stored(self: &Arc<Self>, fork: &Fork, file: u32, which: ForkKind, path: &[u8]) -> Arc<dyn Content> {
        let (volume, its) = (self.clone(), fork.clone());
        let locate = Box::new(move || volume.layout(&its, file, which));
        Arc::new(StoredBytes { bytes: self.bytes.clone(), path: path.to_vec(), from: 0, size: fork.size, locate })
    }

    /// The node of a resource fork or an attribute.
    fn stream(self: &Arc<Self>, item: &Item, name: &[u8], value: Value, of: &[u8]) -> Result<Node, Failure> {
        let path = join_stream(of, name)?;
        let (size, resident) = (value.size(), matches!(value, Value::Inline(_)));
        let content: Arc<dyn Content> = match value {
            Value::Inline(bytes) => Arc::new(HeldBytes { bytes }),
            Value::Fork(fork) if name == FORK => self.stored(&fork, item.id, ForkKind::Resource, &path),
            Value::Fork(fork) => {
                let (volume, bytes) = (self.clone(), self.bytes.clone());
                let locate = Box::new(move || volume.attribute_layout(&fork));
                Arc::new(StoredBytes { bytes, path: path.clone(), from: 0, size, locate })
            }
        };
        let node = blank(item, &path);
        Ok(Node { kind: Kind::Stream, size: Some(size), resident, content: Some(content), ..node })
    }

    /// The whole value of an attribute that has no more than `most` bytes.
    fn value(&self, value: &Value, most: u64) -> Result<Arc<[u8]>, Failure> {
        match value {
            Value::Inline(bytes) => Ok(bytes.clone()),
            Value::Fork(fork) if fork.size > most => {
                Err(failure(None, format!("an attribute of {} bytes: not read", fork.size)))
            }
            Value::Fork(fork) => {
                let layout = self.attribute_layout(fork)?;
                Ok(gather(&*self.bytes, &layout, 0, usize::try_from(fork.size).unwrap_or(0))?.into())
            }
        }
    }

    /// The target of a symbolic link.
    fn target(&self, item: &Item) -> Result<Vec<u8>, Failure> {
        let size = item.data.size;
        if size > LONGEST_TARGET {
            return Err(failure(None, format!("a target of {size} bytes")));
        }
        let layout = self.layout(&item.data, item.id, ForkKind::Data)?;
        gather(&*self.bytes, &layout, 0, usize::try_from(size).unwrap_or(0))
    }

    /// The room behind the forks of a file in their last blocks.
    fn slack(self: &Arc<Self>, item: &Item, path: &[u8]) -> Vec<Node> {
        let of_fork = |fork: &Fork, which: ForkKind, path: &[u8]| {
            let layout = self.layout(fork, item.id, which).ok()?;
            slack(&self.bytes, path, fork.size, &layout)
        };
        let resource = [path, b":", FORK].concat();
        let data = of_fork(&item.data, ForkKind::Data, path);
        data.into_iter().chain(of_fork(&item.resource, ForkKind::Resource, &resource)).collect()
    }
}

/// The parts of a compressed file.
struct ForkParts {
    volume: Arc<Hfs>,
    file: u32,
    attribute: Arc<[u8]>,
    fork: Fork,
}

impl Parts for ForkParts {
    fn attribute(&self) -> Result<Arc<[u8]>, Failure> {
        Ok(self.attribute.clone())
    }

    fn fork(&self) -> Result<decmpfs::Fork, Failure> {
        if self.fork.size == 0 {
            return Err(decmpfs::lost_fork());
        }
        let layout = self.volume.layout(&self.fork, self.file, ForkKind::Resource)?;
        Ok(decmpfs::Fork::Stored { bytes: self.volume.bytes.clone(), layout, size: self.fork.size })
    }
}

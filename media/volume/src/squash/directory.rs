//! The lists of directories, and the nodes of their names.

use std::sync::Arc;

use super::file::File;
use super::inode::{Inode, Of};
use super::metadata::Cursor;
use super::volume::Squash;
use crate::walk::{Entries, Tree, WalkEntry, WalkFolder, join, join_stream};
use pfh_bytes::field::{failure, le16, le32};
use pfh_bytes::node::{Content, Failure, Kind, Node, Times};
use pfh_bytes::stored::{HeldBytes, named};

/// The least bytes that a list states: it counts three for `.` and `..`, which it does not have.
const EMPTY: u32 = 3;
/// The most names behind one header.
const MOST: u32 = 256;

/// The names of a directory, one after the other.
struct List {
    cursor: Cursor,
    left: u32,
    /// Of the header in force: how many names are left, the block of their inodes, the number that
    /// theirs are counted from.
    names: u32,
    block: u32,
}

impl List {
    fn bytes(&mut self, length: u32) -> Result<Vec<u8>, Failure> {
        let place = self.cursor.place();
        let left = self.left.checked_sub(length);
        self.left = left.ok_or_else(|| failure(Some(place), "a list of names that is cut off"))?;
        self.cursor.take(length as usize)
    }

    /// The next name, with the reference to its inode; `None` at the end.
    fn next(&mut self) -> Result<Option<(Vec<u8>, u64)>, Failure> {
        if self.names == 0 {
            if self.left == 0 {
                return Ok(None);
            }
            let head = self.bytes(12)?;
            self.names = le32(&head, 0).saturating_add(1);
            self.block = le32(&head, 4);
            if self.names > MOST {
                return Err(failure(Some(self.cursor.place()), format!("a header of {} names", self.names)));
            }
        }
        self.names -= 1;
        let entry = self.bytes(8)?;
        let name = self.bytes(u32::from(le16(&entry, 6)) + 1)?;
        Ok(Some((name, u64::from(self.block) << 16 | u64::from(le16(&entry, 0)))))
    }
}

/// Lists one directory, until its end or the first fault.
struct DirectoryLister {
    volume: Arc<Squash>,
    list: Option<List>,
    path: Arc<[u8]>,
    /// The nodes that follow the last name: those of its attributes.
    beside: Vec<Result<WalkEntry<u64>, Failure>>,
}

impl Iterator for DirectoryLister {
    type Item = Result<WalkEntry<u64>, Failure>;

    fn next(&mut self) -> Option<Self::Item> {
        if let Some(found) = self.beside.pop() {
            return Some(found);
        }
        match self.list.as_mut()?.next() {
            Ok(None) => {
                self.list = None;
                None
            }
            Ok(Some((name, reference))) => {
                self.beside = self.volume.found(&self.path, &name, reference);
                self.beside.reverse();
                self.beside.pop()
            }
            Err(failed) => {
                self.list = None;
                Some(Err(named(failed, &self.path)))
            }
        }
    }
}

impl Squash {
    /// The nodes of a name in a directory: its own, then those of its attributes.
    pub fn found(
        self: &Arc<Self>,
        directory: &[u8],
        name: &[u8],
        reference: u64,
    ) -> Vec<Result<WalkEntry<u64>, Failure>> {
        let path = match join(directory, name) {
            Ok(path) => path,
            Err(failed) => return vec![Err(failed)],
        };
        let inode = match self.inode(reference) {
            Ok(inode) => inode,
            Err(failed) => return vec![Err(named(failed, &path))],
        };
        let modified = Some(i128::from(inode.modified) * 1_000_000_000);
        let times = Times { modified, ..Times::default() };
        let bare = |path: &[u8], kind: Kind| Node::bare(path, kind, Some(inode.number.into()), times);
        let mut found = Vec::new();
        let (node, into) = match inode.of {
            Of::Directory { .. } => {
                let into = WalkFolder { id: reference, path: path.clone(), directory: reference };
                (bare(&path, Kind::Directory), Some(into))
            }
            Of::Link(target) => (bare(&path, Kind::Link(target)), None),
            Of::Special(what) => (bare(&path, Kind::Special(what)), None),
            Of::File(lies) => {
                let size = lies.size;
                let file = File { volume: self.clone(), lies, path: path.clone() };
                let compressed = file.is_packed();
                let content: Arc<dyn Content> = Arc::new(file);
                let node = bare(&path, Kind::File);
                (Node { size: Some(size), compressed, content: Some(content), ..node }, None)
            }
        };
        found.push(Ok(WalkEntry { node: Some(node), into }));
        match inode.attributes.map(|row| self.attributes(row)) {
            None => {}
            Some(Err(failed)) => found.push(Err(named(failed, &path))),
            Some(Ok(attributes)) => found.extend(attributes.into_iter().map(|(name, bytes)| {
                let node = join_stream(&path, &name).map(|path| HeldBytes { bytes }.stream(bare(&path, Kind::Stream)));
                node.map(|node| WalkEntry { node: Some(node), into: None })
            })),
        }
        found
    }
}

impl Tree for Squash {
    type Directory = u64;

    fn list(self: Arc<Self>, reference: u64, path: Arc<[u8]>) -> Entries<u64> {
        let list = self.inode(reference).and_then(|Inode { of, .. }| match of {
            Of::Directory { block, at, size } => {
                let cursor = self.metadata.within(self.superblock.directory_table, block.into(), at.into());
                Ok(List { cursor, left: size.saturating_sub(EMPTY), names: 0, block: 0 })
            }
            _ => Err(failure(None, "a directory whose inode is of another type")),
        });
        match list {
            Ok(list) => Box::new(DirectoryLister { volume: self, list: Some(list), path, beside: Vec::new() }),
            Err(failed) => Box::new(std::iter::once(Err(named(failed, &path)))),
        }
    }
}

//! The trees of a group, whose nodes are blocks of that group.

use std::collections::HashSet;
use std::sync::Arc;

use super::seal::{Owner, Seal};
use super::volume::Xfs;
use pfh_bytes::field::{array, be16, be32, failure, is_at};
use pfh_bytes::node::Failure;

/// No tree that the kernel writes is deeper.
const DEEPEST: u32 = 10;

/// A kind of tree.
#[derive(Debug, Clone, Copy)]
pub struct Shape {
    what: &'static str,
    /// The magics of versions 4 and 5.
    magic: [&'static [u8; 4]; 2],
    /// Bytes of a record and of a key, which both begin with a number.
    record: usize,
    key: usize,
}

/// Runs of free blocks.
pub const FREE: Shape = Shape { what: "tree of free runs", magic: [b"ABTB", b"AB3B"], record: 8, key: 8 };
/// Chunks of 64 inodes.
pub const INODES: Shape = Shape { what: "tree of inodes", magic: [b"IABT", b"IAB3"], record: 16, key: 4 };

/// Where a tree begins.
#[derive(Debug, Clone, Copy)]
pub struct Root {
    pub block: u32,
    pub levels: u32,
}

/// A record of a leaf: a number, and the bytes that follow it.
#[derive(Debug, Clone, Copy)]
pub struct Record {
    pub start: u32,
    /// Behind the number.
    pub rest: [u8; 12],
    /// Where it stands on the medium.
    pub offset: u64,
}

/// A node that is whole.
struct Node {
    raw: Vec<u8>,
    offset: u64,
    level: u32,
    count: usize,
    /// The entry that comes next.
    at: usize,
}

impl Node {
    /// The number that an entry begins with.
    fn number(&self, head: usize, size: usize, index: usize) -> u32 {
        be32(&self.raw, head + index * size)
    }
}

/// The records of a tree, in order.
pub struct Tree {
    volume: Arc<Xfs>,
    group: u32,
    shape: Shape,
    root: Root,
    /// Where it begins, until it has.
    start: Option<u32>,
    path: Vec<Node>,
    visited: HashSet<u32>,
}

impl Tree {
    /// All records of a tree.
    pub fn new(volume: Arc<Xfs>, group: u32, shape: Shape, root: Root) -> Tree {
        Tree { volume, group, shape, root, start: Some(0), path: Vec::new(), visited: HashSet::new() }
    }

    /// The records from the last one on that begins at this number or before.
    pub fn from(volume: Arc<Xfs>, group: u32, shape: Shape, root: Root, number: u32) -> Tree {
        Tree { start: Some(number), ..Tree::new(volume, group, shape, root) }
    }

    /// Where entries begin.
    fn head(&self) -> usize {
        if self.volume.superblock.is_sealed { 56 } else { 16 }
    }

    fn load(&mut self, block: u32, level: u32) -> Result<Node, Failure> {
        let (raw, offset) = self.volume.block_of(self.group, block, self.shape.what)?;
        let wrong = |cause: &str| Err(failure(Some(offset), format!("{}: {cause}", self.shape.what)));
        let is_sealed = self.volume.superblock.is_sealed;
        if !is_at(&raw, 0, self.shape.magic[usize::from(is_sealed)]) {
            return wrong("a node has no magic");
        }
        let owner = Some((48, Owner::Group));
        let seal = Seal { what: self.shape.what, sum: 52, place: Some(16), uuid: 32, owner };
        self.volume.verify(&raw, offset, seal, u64::from(self.group))?;
        if u32::from(be16(&raw, 4)) != level {
            return wrong("a node is of another level than its place");
        }
        let (count, size) = (usize::from(be16(&raw, 6)), self.size(level));
        if count > (raw.len() - self.head()) / size || count == 0 && block != self.root.block {
            return wrong("a node has more entries than room, or none");
        }
        if !self.visited.insert(block) {
            return wrong("a node stands twice");
        }
        Ok(Node { raw, offset, level, count, at: 0 })
    }

    /// Bytes of an entry of a node of this level: a record, or a key and a pointer.
    fn size(&self, level: u32) -> usize {
        if level == 0 { self.shape.record } else { self.shape.key + 4 }
    }

    /// Goes to the last record that begins at the number or before it.
    fn seek(&mut self, number: u32) -> Result<(), Failure> {
        if self.root.levels == 0 || self.root.levels > DEEPEST {
            let cause = format!("{}: of {} levels", self.shape.what, self.root.levels);
            return Err(failure(Some(self.volume.superblock.place(self.group, 0)), cause));
        }
        let mut node = self.load(self.root.block, self.root.levels - 1)?;
        let head = self.head();
        loop {
            let size = if node.level == 0 { self.shape.record } else { self.shape.key };
            let mut range = 0..node.count;
            while !range.is_empty() {
                let middle = range.start.midpoint(range.end);
                if node.number(head, size, middle) <= number {
                    range.start = middle + 1;
                } else {
                    range.end = middle;
                }
            }
            node.at = range.start.saturating_sub(1);
            if node.level == 0 || node.count == 0 {
                self.path.push(node);
                return Ok(());
            }
            let below = self.child(&node)?;
            node.at += 1;
            self.path.push(node);
            node = below;
        }
    }

    /// The node that the next entry leads to.
    fn child(&mut self, node: &Node) -> Result<Node, Failure> {
        let head = self.head();
        let most = (node.raw.len() - head) / (self.shape.key + 4);
        let child = be32(&node.raw, head + most * self.shape.key + node.at * 4);
        let key = node.number(head, self.shape.key, node.at);
        let below = self.load(child, node.level - 1)?;
        let size = if below.level == 0 { self.shape.record } else { self.shape.key };
        if below.number(head, size, 0) < key {
            let cause = format!("{}: a node holds records that belong to another", self.shape.what);
            return Err(failure(Some(below.offset), cause));
        }
        Ok(below)
    }
}

impl Iterator for Tree {
    type Item = Result<Record, Failure>;

    fn next(&mut self) -> Option<Self::Item> {
        if let Some(start) = self.start.take()
            && let Err(failed) = self.seek(start)
        {
            self.path.clear();
            return Some(Err(failed));
        }
        loop {
            let mut node = self.path.pop()?;
            if node.at >= node.count {
                continue;
            }
            if node.level == 0 {
                let at = self.head() + node.at * self.shape.record;
                let mut rest = [0; 12];
                rest[..self.shape.record - 4].copy_from_slice(&node.raw[at + 4..at + self.shape.record]);
                let record = Record { start: be32(&node.raw, at), rest, offset: node.offset + at as u64 };
                node.at += 1;
                self.path.push(node);
                return Some(Ok(record));
            }
            let below = self.child(&node);
            node.at += 1;
            self.path.push(node);
            match below {
                Ok(below) => self.path.push(below),
                // Records behind a bad node still follow.
                Err(failed) => return Some(Err(failed)),
            }
        }
    }
}

impl Record {
    /// A number of 32 bits behind the first.
    pub fn number(&self, at: usize) -> u32 {
        be32(&self.rest, at)
    }

    /// Two numbers of 8 bits and one of 16, behind the first.
    pub fn small(&self) -> (u16, u8) {
        (be16(&self.rest, 0), self.rest[2])
    }

    /// The 64 bits at the end.
    pub fn bits(&self) -> u64 {
        u64::from_be_bytes(array(&self.rest, 4))
    }
}

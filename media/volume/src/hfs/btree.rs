//! B-trees in files of the volume.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, PoisonError};

use super::node::{DESCRIPTOR, HEADER, Node, Place, Shape};
use pfh_bytes::bytes::Bytes;
use pfh_bytes::field::{be16, be32, byte, failure};
use pfh_bytes::layout::Layout;
use pfh_bytes::node::Failure;
use pfh_bytes::stored::gather;

/// Nodes that are held: half a megabyte with nodes of 8 KiB.
const MOST_NODES: usize = 64;
/// The deepest tree: an index node holds two records at least.
const DEEPEST: u8 = 32;
/// Keys are compared unit by unit, without folding.
const BINARY: u8 = 0xbc;

/// A tree whose header is whole.
pub struct Tree {
    bytes: Arc<dyn Bytes>,
    layout: Layout,
    shape: Shape,
    node_size: u64,
    /// How many nodes its file has.
    pub nodes: u64,
    /// The number of the root; 0 for a tree without records.
    root: u32,
    height: u8,
    /// How many records its leaves have, as it states.
    pub records: u32,
    /// Whether names are compared without case.
    pub is_folded: bool,
    held: Mutex<VecDeque<(u32, Arc<Node>)>>,
}

/// A key and its value.
pub type Record = (Vec<u8>, Vec<u8>);

/// Whether a key is in front of the place that is looked for.
type Before = Box<dyn Fn(&[u8]) -> bool + Send>;

impl Tree {
    /// Opens the tree in a file of this size, which lies at these places.
    pub fn open(bytes: &Arc<dyn Bytes>, layout: Layout, size: u64, shape: Shape) -> Result<Tree, Failure> {
        let place = layout.runs().first().and_then(|run| run.medium_offset);
        let wrong = |cause: &str| failure(place, format!("{}: {cause}", shape.what));
        if size < 512 {
            return Err(wrong("its file has no header"));
        }
        let raw = gather(&**bytes, &layout, 0, 512)?;
        let head = &raw[DESCRIPTOR..];
        let (node_size, height) = (u64::from(be16(head, 18)), be16(head, 0));
        if byte(&raw, 8) != HEADER || !node_size.is_power_of_two() || !(512..=32768).contains(&node_size) {
            return Err(wrong("its header contradicts itself"));
        }
        let nodes = size / node_size;
        let (root, records) = (be32(head, 2), be32(head, 6));
        let height = u8::try_from(height).ok().filter(|&height| height <= DEEPEST);
        let height = height.ok_or_else(|| wrong("a tree that is deeper than any"))?;
        if (root == 0) != (height == 0) || root == 0 && records > 0 {
            return Err(wrong("its header has a root and no height, or the reverse"));
        }
        let (bytes, is_folded, held) = (bytes.clone(), byte(head, 37) != BINARY, Mutex::default());
        Ok(Tree { bytes, layout, shape, node_size, nodes, root, height, records, is_folded, held })
    }

    /// The bytes of a node of any kind.
    pub fn raw(&self, number: u32) -> Result<Vec<u8>, Failure> {
        gather(&*self.bytes, &self.layout, u64::from(number) * self.node_size, self.node_size as usize)
    }

    /// The node with this number, which must be of this height.
    fn node(&self, number: u32, height: u8) -> Result<Arc<Node>, Failure> {
        let lock = || self.held.lock().unwrap_or_else(PoisonError::into_inner);
        let at = u64::from(number) * self.node_size;
        let place = self.layout.window(at, at + 1).first().and_then(|run| run.medium_offset);
        let wrong = |cause: &str| failure(place, format!("{}: {cause}", self.shape.what));
        let found = {
            let mut held = lock();
            let at = held.iter().position(|held| held.0 == number);
            at.and_then(|at| held.remove(at)).map(|found| {
                held.push_front(found.clone());
                found.1
            })
        };
        let node = match found {
            Some(node) => node,
            None => {
                if u64::from(number) >= self.nodes || number == 0 {
                    return Err(wrong(&format!("a reference to node {number} of {}", self.nodes)));
                }
                let raw = self.raw(number);
                let raw = raw.map_err(|failed| Failure { cause: wrong(&failed.cause).cause, ..failed })?;
                let node = Arc::new(Node::new(raw, place, &self.shape)?);
                let mut held = lock();
                held.push_front((number, node.clone()));
                held.truncate(MOST_NODES);
                node
            }
        };
        match node.height == height {
            true => Ok(node),
            false => Err(wrong("a node is not one level below the one that leads to it")),
        }
    }

    /// The node that a record of an index leads to, which must hold the records between its
    /// neighbours.
    fn child(&self, parent: &Node, index: usize) -> Result<Arc<Node>, Failure> {
        let number = parent.child(index).unwrap_or(0);
        let node = self.node(number, parent.height.saturating_sub(1))?;
        let is_below = node.len() > 0 && node.place(0) < parent.place(index);
        if is_below || parent.place(index + 1).is_some_and(|next| node.last() > Some(next)) {
            let cause = format!("{}: a node holds records that belong to another", self.shape.what);
            return Err(failure(node.offset, cause));
        }
        Ok(node)
    }

    /// All records from the first on that is not in front of the place that is looked for.
    pub fn from(self: &Arc<Self>, is_before: impl Fn(&[u8]) -> bool + Send + 'static) -> Cursor {
        let (start, path) = (Some(Box::new(is_before) as Before), Vec::new());
        Cursor { tree: self.clone(), path, start, left: self.nodes, leaf: None }
    }

    /// All records from a place on.
    pub fn from_place(self: &Arc<Self>, place: Place) -> Cursor {
        let of = self.shape.place;
        self.from(move |key| of(key).is_some_and(|found| found < place))
    }

    /// The records whose place begins with this number.
    pub fn of(self: &Arc<Self>, number: u32) -> impl Iterator<Item = Result<Record, Failure>> + Send + use<> {
        let (of, number) = (self.shape.place, u64::from(number));
        self.from_place((number, 0)).take_while(move |record| {
            let Ok((key, _)) = record else { return true };
            of(key).is_some_and(|found| found.0 == number)
        })
    }
}

/// Records in order.
pub struct Cursor {
    tree: Arc<Tree>,
    /// Nodes from the root on, and the record that comes next in each.
    path: Vec<(Arc<Node>, usize)>,
    /// Where it begins, until it has.
    start: Option<Before>,
    /// How many nodes it may still go into: none is in a tree twice.
    left: u64,
    /// The number of the leaf that it was in last.
    leaf: Option<u32>,
}

impl Cursor {
    /// Goes to the first record that is not in front of the place that is looked for.
    fn seek(&mut self, is_before: &dyn Fn(&[u8]) -> bool) -> Result<(), Failure> {
        if self.tree.root == 0 {
            return Ok(());
        }
        let mut node = self.tree.node(self.tree.root, self.tree.height)?;
        while node.height > 1 {
            // The first of them may be in the child before.
            let index = node.before(is_before).saturating_sub(1);
            self.path.push((node.clone(), index + 1));
            self.leaf = node.child(index).filter(|_| node.height == 2);
            node = self.tree.child(&node, index)?;
        }
        let index = node.before(is_before);
        self.path.push((node, index));
        Ok(())
    }
}

impl Iterator for Cursor {
    type Item = Result<Record, Failure>;

    fn next(&mut self) -> Option<Self::Item> {
        if let Some(start) = self.start.take()
            && let Err(failed) = self.seek(&*start)
        {
            return Some(Err(failed));
        }
        loop {
            let (node, index) = self.path.last_mut()?;
            if *index >= node.len() {
                self.path.pop();
                continue;
            }
            let at = *index;
            *index += 1;
            if node.height == 1 {
                let (key, value) = node.entry(at)?;
                return Some(Ok((key.to_vec(), value.to_vec())));
            }
            let node = node.clone();
            let Some(left) = self.left.checked_sub(1) else {
                self.path.clear();
                let cause = format!("{}: its nodes lead to one another more than once", self.tree.shape.what);
                return Some(Err(failure(node.offset, cause)));
            };
            self.left = left;
            match self.tree.child(&node, at) {
                Ok(child) => {
                    let (back, offset, is_leaf) = (child.back, child.offset, child.height == 1);
                    self.path.push((child, 0));
                    // A leaf that is in the place of another would hide that.
                    let before = if is_leaf { std::mem::replace(&mut self.leaf, node.child(at)) } else { None };
                    if before.is_some_and(|before| before != back) {
                        let cause = format!("{}: a leaf does not follow the one before it", self.tree.shape.what);
                        return Some(Err(failure(offset, cause)));
                    }
                }
                // Records behind a bad node still follow.
                Err(failed) => {
                    self.leaf = None;
                    return Some(Err(failed));
                }
            }
        }
    }
}

//! B-trees, whose nodes are found by their blocks or through a map of objects.

use std::sync::Arc;

use super::blocks::Blocks;
use super::node::{Info, Node, Place, Shape};
use super::object::{Object, within};
use pfh_bytes::field::failure;
use pfh_bytes::node::Failure;

/// How the number of a node becomes a block.
#[derive(Clone)]
pub enum Numbers {
    /// It is the block.
    Physical,
    /// It is the block, which is encrypted.
    Encrypted,
    /// By a map, as of a transaction.
    Virtual(Arc<dyn Locate>, u64),
}

/// Where an object lies.
#[derive(Debug, Clone, Copy)]
pub struct At {
    pub block: u64,
    pub is_encrypted: bool,
}

/// Finds objects by their numbers.
pub trait Locate: Send + Sync {
    /// The block of an object as of a transaction.
    fn find(&self, number: u64, transaction: u64) -> Result<At, Failure>;
}

/// A tree whose root is whole.
pub struct Tree {
    blocks: Arc<Blocks>,
    nodes: Numbers,
    shape: Shape,
    info: Info,
    root: u64,
    root_node: Arc<Node>,
}

/// A key and its value.
pub type Record = (Vec<u8>, Vec<u8>);

impl Tree {
    /// Opens the tree with this root.
    pub fn open(blocks: Arc<Blocks>, nodes: Numbers, root: u64, shape: Shape) -> Result<Tree, Failure> {
        let at = block_of(&nodes, root).map_err(|failed| within(failed, shape.what))?;
        let node = load(&blocks, at, &nodes, root, &shape, None)?;
        let info = node.info.ok_or_else(|| failure(Some(node.offset), "a tree without a root"))?;
        Ok(Tree { blocks, nodes, shape, info, root, root_node: Arc::new(node) })
    }

    /// The node that an entry leads to, which must hold the records between its neighbours.
    fn child(&self, parent: &Node, index: usize) -> Result<Arc<Node>, Failure> {
        let wrong = |offset: u64, cause: &str| failure(Some(offset), format!("{}: {cause}", self.shape.what));
        let number = parent.child(index).ok_or_else(|| wrong(parent.offset, "a node without entries"))?;
        // In trees without headers numbers count from that of the root.
        let number = if self.info.is_bare { number.saturating_add(self.root) } else { number };
        let at = block_of(&self.nodes, number).map_err(|failed| within(failed, self.shape.what))?;
        let open = || load(&self.blocks, at, &self.nodes, number, &self.shape, Some(self.info));
        let node = self.blocks.node((at.block, number, self.shape.subtype), open)?;
        if node.level + 1 != parent.level {
            return Err(wrong(node.offset, "a node is not one level below the one that leads to it"));
        }
        let is_below = node.place(0) < parent.place(index);
        if is_below || parent.place(index + 1).is_some_and(|next| node.last() > Some(next)) {
            return Err(wrong(node.offset, "a node holds records that belong to another"));
        }
        Ok(node)
    }

    /// The last record at this place or in front of it.
    pub fn last_up_to(&self, place: Place) -> Result<Option<Record>, Failure> {
        let mut node = self.root_node.clone();
        loop {
            let Some(index) = node.up_to(place).checked_sub(1) else { return Ok(None) };
            if node.level == 0 {
                return Ok(node.entry(index).map(|(key, value)| (key.to_vec(), value.to_vec())));
            }
            node = self.child(&node, index)?;
        }
    }

    /// All records from this place on.
    pub fn from(self: &Arc<Self>, place: Place) -> Cursor {
        Cursor { tree: self.clone(), path: Vec::new(), start: Some(place) }
    }

    /// The records of a number and type.
    pub fn of(self: &Arc<Self>, number: u64, kind: u8) -> impl Iterator<Item = Result<Record, Failure>> + Send + use<> {
        let place = self.shape.place;
        self.from((number, kind, 0)).take_while(move |record| {
            let Ok((key, _)) = record else { return true };
            place(key).is_some_and(|found| (found.0, found.1) == (number, kind))
        })
    }
}

/// The block of a node.
fn block_of(nodes: &Numbers, number: u64) -> Result<At, Failure> {
    match nodes {
        Numbers::Physical => Ok(At { block: number, is_encrypted: false }),
        Numbers::Encrypted => Ok(At { block: number, is_encrypted: true }),
        Numbers::Virtual(map, transaction) => map.find(number, *transaction),
    }
}

/// Reads a node: with its checksum, number and transaction, if it has a header.
fn load(
    blocks: &Blocks,
    at: At,
    nodes: &Numbers,
    number: u64,
    shape: &Shape,
    info: Option<Info>,
) -> Result<Node, Failure> {
    let raw = if at.is_encrypted { blocks.decrypted(at.block) } else { blocks.block(at.block) };
    let raw = raw.map_err(|failed| within(failed, shape.what))?;
    let offset = blocks.offset(at.block);
    // A root says by its own flags whether it has a header.
    let is_bare = info.map_or(pfh_bytes::field::le16(&raw, 32) & 16 != 0, |info| info.is_bare);
    let object = match is_bare {
        true => Object { offset, raw },
        false => {
            let object = Object::whole(offset, raw).map_err(|failed| within(failed, shape.what))?;
            let limit = match nodes {
                Numbers::Physical | Numbers::Encrypted => u64::MAX,
                Numbers::Virtual(_, transaction) => *transaction,
            };
            if object.id() != number || object.transaction() > limit {
                let cause = format!("{}: an object with another number or of a later time", shape.what);
                return Err(failure(Some(offset), cause));
            }
            object
        }
    };
    Node::new(object, shape, info)
}

/// Records in order.
pub struct Cursor {
    tree: Arc<Tree>,
    /// Numbers from the root on, and the entry that comes next in each.
    path: Vec<(Arc<Node>, usize)>,
    /// Where it begins, until it has.
    start: Option<Place>,
}

impl Cursor {
    /// Goes to the first record at the place, or behind it.
    fn seek(&mut self, place: Place) -> Result<(), Failure> {
        let mut node = self.tree.root_node.clone();
        while node.level > 0 {
            // Records at the place may be the last ones of the child before.
            let index = node.before(place).saturating_sub(1);
            if node.len() == 0 {
                return Ok(());
            }
            let child = self.tree.child(&node, index)?;
            self.path.push((node, index + 1));
            node = child;
        }
        let index = node.before(place);
        self.path.push((node, index));
        Ok(())
    }
}

impl Iterator for Cursor {
    type Item = Result<Record, Failure>;

    fn next(&mut self) -> Option<Self::Item> {
        if let Some(place) = self.start.take()
            && let Err(failed) = self.seek(place)
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
            if node.level == 0 {
                let (key, value) = node.entry(at)?;
                return Some(Ok((key.to_vec(), value.to_vec())));
            }
            let node = node.clone();
            match self.tree.child(&node, at) {
                Ok(child) => self.path.push((child, 0)),
                // Entries behind a bad node still follow.
                Err(failed) => return Some(Err(failed)),
            }
        }
    }
}

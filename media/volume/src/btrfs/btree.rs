//! Trees: items in the order of their keys.

use std::ops::Deref;
use std::sync::Arc;

use super::node::{Key, Node};
use super::pool::Pool;
use super::superblock::Root;
use pfh_bytes::field::failure;
use pfh_bytes::node::Failure;

/// A tree whose root is whole.
pub struct Tree {
    pub pool: Arc<Pool>,
    root: Root,
    what: &'static str,
}

/// The bytes of an item, in the node that holds them.
pub struct Value {
    node: Arc<Node>,
    index: usize,
}

impl Deref for Value {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        self.node.item(self.index)
    }
}

/// An item.
pub type Item = (Key, Value);

impl Tree {
    /// Opens the tree with this root.
    pub fn open(pool: &Arc<Pool>, root: Root, what: &'static str) -> Result<Arc<Tree>, Failure> {
        pool.node(root, what)?;
        Ok(Arc::new(Tree { pool: pool.clone(), root, what }))
    }

    /// The node that an entry leads to, which must hold the items between its neighbours.
    fn child(&self, parent: &Node, index: usize) -> Result<Arc<Node>, Failure> {
        let root = parent.child(index);
        let node = self.pool.node(root, self.what)?;
        let is_first = node.len() > 0 && node.key(0) == parent.key(index);
        let is_below = index + 1 == parent.len() || node.last() < Some(parent.key(index + 1));
        if !is_first || !is_below {
            let place = self.pool.place(root.logical).ok().map(|(place, _)| place);
            return Err(failure(place, format!("{}: a node holds items that belong to another", self.what)));
        }
        Ok(node)
    }

    /// The last item at this key or in front of it.
    pub fn last_up_to(&self, key: Key) -> Result<Option<Item>, Failure> {
        let mut node = self.pool.node(self.root, self.what)?;
        loop {
            let Some(index) = node.before(key, true).checked_sub(1) else { return Ok(None) };
            if node.level == 0 {
                return Ok(Some((node.key(index), Value { node, index })));
            }
            node = self.child(&node, index)?;
        }
    }

    /// The item with this key.
    pub fn get(&self, key: Key) -> Result<Option<Value>, Failure> {
        Ok(self.last_up_to(key)?.filter(|(found, _)| *found == key).map(|(_, value)| value))
    }

    /// All items from this key on.
    pub fn from(self: &Arc<Self>, key: Key) -> Cursor {
        Cursor { tree: self.clone(), path: Vec::new(), start: Some(key) }
    }

    /// The items of an identifier and type, from this one on.
    pub fn of(
        self: &Arc<Self>,
        id: u64,
        kind: u8,
        from: u64,
    ) -> impl Iterator<Item = Result<Item, Failure>> + Send + use<> {
        self.from(Key::of(id, kind, from)).take_while(move |item| match item {
            Ok((key, _)) => (key.id, key.kind) == (id, kind),
            Err(_) => true,
        })
    }
}

/// Items in order.
pub struct Cursor {
    tree: Arc<Tree>,
    /// Nodes from the root on, and the entry that comes next in each.
    path: Vec<(Arc<Node>, usize)>,
    /// Where it begins, until it has.
    start: Option<Key>,
}

impl Cursor {
    /// Goes to the first item at the key, or behind it.
    fn seek(&mut self, key: Key) -> Result<(), Failure> {
        let mut node = self.tree.pool.node(self.tree.root, self.tree.what)?;
        while node.level > 0 {
            let index = node.before(key, true).saturating_sub(1);
            // Items behind a bad node still follow.
            self.path.push((node.clone(), index + 1));
            node = self.tree.child(&node, index)?;
        }
        let index = node.before(key, false);
        self.path.push((node, index));
        Ok(())
    }
}

impl Iterator for Cursor {
    type Item = Result<Item, Failure>;

    fn next(&mut self) -> Option<Self::Item> {
        if let Some(key) = self.start.take()
            && let Err(failed) = self.seek(key)
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
                return Some(Ok((node.key(at), Value { node: node.clone(), index: at })));
            }
            let node = node.clone();
            match self.tree.child(&node, at) {
                Ok(child) => self.path.push((child, 0)),
                Err(failed) => return Some(Err(failed)),
            }
        }
    }
}

//! The lowest layer of a store ([MS-PST], 2.2): its header, and the trees of its nodes and blocks.

use super::block::{self, Place};
use super::check::{crc, wrong};
use super::cipher::Cipher;
use super::layout::Layout;
use super::page::{Page, Pages, Tree};
use pfh_bytes::bytes::Bytes;
use pfh_bytes::field::{failure, le16, le32, read};
use pfh_bytes::node::Failure;
use std::sync::Arc;

/// The kind of a node is in its lowest five bits.
pub const KIND: u32 = 0x1f;

/// The first bytes of a store.
pub const MAGIC: &[u8] = b"!BDN";

/// A node: data, and further nodes of its own.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Node {
    /// Its number.
    pub id: u32,
    /// The block of its data; 0 for none.
    pub data: u64,
    /// The block of its own nodes; 0 for none.
    pub below: u64,
    /// The node that it is in.
    pub parent: u32,
}

/// A store, open.
pub struct Store {
    /// Its bytes.
    pub bytes: Arc<dyn Bytes>,
    pages: Pages,
    /// Its layout.
    pub layout: Layout,
    /// How its blocks are encoded.
    pub cipher: Cipher,
    nodes: (u64, u64),
    blocks: (u64, u64),
}

impl Store {
    /// Opens a store.
    pub fn open(bytes: Arc<dyn Bytes>) -> Result<Store, Failure> {
        let head = read(&*bytes, 0, 564)?;
        if !head.starts_with(MAGIC) || !matches!(&head[8..10], b"SM" | b"SO" | b"AB") {
            return Err(wrong(0, "no header of a store"));
        }
        let layout = Layout::of(le16(&head, 10)).map_err(|cause| wrong(10, cause))?;
        if crc(&head[8..479]) != le32(&head, 4) {
            return Err(wrong(4, "the CRC of the header"));
        }
        let (at, nodes, blocks) = match layout {
            Layout::Ansi => (461, 184, 192),
            Layout::Unicode | Layout::Large => {
                if crc(&head[8..524]) != le32(&head, 524) {
                    return Err(wrong(524, "the CRC of the whole header"));
                }
                (513, 216, 232)
            }
        };
        let cipher = match head[at] {
            0 => Cipher::None,
            1 => Cipher::Permute,
            2 => Cipher::Cyclic,
            0x10 => return Err(wrong(at as u64, "is encrypted by Windows Information Protection")),
            other => return Err(wrong(at as u64, format!("encoding {other}, which is not known"))),
        };
        let pair = |at: usize| (layout.number(&head, at), layout.number(&head, at + layout.width()));
        let (nodes, blocks) = (pair(nodes), pair(blocks));
        Ok(Store { bytes, pages: Pages::default(), layout, cipher, nodes, blocks })
    }

    fn page(&self, tree: Tree, place: (u64, u64)) -> Result<Arc<Page>, Failure> {
        self.pages.get(&*self.bytes, self.layout, tree, place)
    }

    /// The leaf that may hold a key, and the entry.
    fn find(&self, tree: Tree, key: u64) -> Result<Option<(Arc<Page>, usize)>, Failure> {
        let mut at = if tree == Tree::Nodes { self.nodes } else { self.blocks };
        let mut above: Option<u8> = None;
        loop {
            let page = self.page(tree, at)?;
            if above.is_some_and(|above| page.level + 1 != above) {
                return Err(wrong(page.offset, "a page of another level than its tree says"));
            }
            above = Some(page.level);
            let mask = if tree == Tree::Blocks { !1 } else { u64::MAX };
            let behind = (0..page.count).take_while(|at| page.number(*at, 0) & mask <= key).count();
            let Some(entry) = behind.checked_sub(1) else { return Ok(None) };
            if page.level == 0 {
                let is_it = page.number(entry, 0) & mask == key;
                return Ok(is_it.then_some((page, entry)));
            }
            at = page.below(entry);
        }
    }

    fn node_at(&self, page: &Page, at: usize) -> Node {
        let entry = page.entry(at);
        let parent = le32(entry, 3 * self.layout.width());
        Node { id: le32(entry, 0), data: page.number(at, 1), below: page.number(at, 2), parent }
    }

    /// The node of this number.
    pub fn node(&self, id: u32) -> Result<Option<Node>, Failure> {
        let found = self.find(Tree::Nodes, u64::from(id))?;
        Ok(found.map(|(page, at)| self.node_at(&page, at)))
    }

    /// Where the block of this number is.
    pub fn place(&self, id: u64) -> Result<Place, Failure> {
        let missing = || failure(None, format!("block {id:#x} is not in the tree of blocks"));
        let (page, at) = self.find(Tree::Blocks, id & !1)?.ok_or_else(missing)?;
        let (entry, width, fields) = (page.entry(at), self.layout.width(), self.layout.block());
        let stored = usize::from(le16(entry, 2 * width));
        let length = if fields.inflated.is_some() { usize::from(le16(entry, 2 * width + 2)) } else { stored };
        if stored == 0 || length == 0 || stored.max(length) > fields.longest {
            return Err(wrong(page.offset, format!("block {id:#x} of {stored} bytes, which inflate to {length}")));
        }
        Ok(Place { id, offset: page.number(at, 1), stored, length })
    }

    /// The bytes of a block, inflated and decoded.
    pub fn block(&self, place: &Place) -> Result<Vec<u8>, Failure> {
        let fields = self.layout.block();
        let whole = (place.stored + fields.size).next_multiple_of(fields.unit);
        block::content(read(&*self.bytes, place.offset, whole)?, place, self.layout, self.cipher)
    }

    /// All nodes, in the order of their numbers.
    pub fn nodes(self: &Arc<Self>) -> Walk {
        Walk { store: self.clone(), pages: Vec::new(), next: Some(self.nodes), last: None }
    }
}

/// All nodes, one after the other.
pub struct Walk {
    store: Arc<Store>,
    /// Pages that are open, and the entry that comes of each.
    pages: Vec<(Arc<Page>, usize)>,
    next: Option<(u64, u64)>,
    last: Option<u32>,
}

impl Walk {
    fn step(&mut self) -> Result<Option<Node>, Failure> {
        loop {
            if let Some(at) = self.next.take() {
                let page = self.store.page(Tree::Nodes, at)?;
                if self.pages.last().is_some_and(|(above, _)| above.level != page.level + 1) {
                    return Err(wrong(page.offset, "a page of another level than its tree says"));
                }
                self.pages.push((page, 0));
            }
            let Some((page, at)) = self.pages.last_mut() else { return Ok(None) };
            if *at >= page.count {
                self.pages.pop();
                continue;
            }
            let entry = *at;
            *at += 1;
            if page.level > 0 {
                self.next = Some(page.below(entry));
                continue;
            }
            let node = self.store.node_at(page, entry);
            if self.last.is_some_and(|last| last >= node.id) {
                let offset = page.offset;
                self.pages.clear();
                return Err(wrong(offset, "nodes out of order: nothing behind them is listed"));
            }
            self.last = Some(node.id);
            return Ok(Some(node));
        }
    }
}

impl Iterator for Walk {
    type Item = Result<Node, Failure>;

    fn next(&mut self) -> Option<Self::Item> {
        self.step().transpose()
    }
}

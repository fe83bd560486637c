//! The lowest layer of a store ([MS-PST], 2.2): its header, the two trees of pages, and blocks.
//! Each page and block is compared with its CRC and its number.

use super::cipher::Cipher;
use crate::bytes::Bytes;
use crate::field::{failure, le16, le32, le64, read};
use crate::node::Failure;
use crate::windows::Windows;
use std::sync::Arc;

/// Bytes of a page.
const PAGE: usize = 512;
/// The longest block.
pub const BLOCK: usize = 8192;
/// Levels of a tree.
const DEEPEST: u8 = 8;

/// The kind of a node is in its lowest five bits.
pub const KIND: u32 = 0x1f;

/// What a store begins with.
pub const MAGIC: &[u8] = b"!BDN";

/// The layout of a store: of Outlook 97 to 2002, or later.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Layout {
    Ansi,
    Unicode,
}

/// Which of the two trees.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Tree {
    Nodes,
    Blocks,
}

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

/// Where a block is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Place {
    /// Its number.
    pub id: u64,
    offset: u64,
    /// Bytes of it.
    pub length: usize,
}

/// A store, open.
pub struct Store {
    bytes: Arc<dyn Bytes>,
    pages: Windows,
    /// Its layout.
    pub layout: Layout,
    cipher: Cipher,
    nodes: (u64, u64),
    blocks: (u64, u64),
}

/// The CRC of the format: of a register that begins with 0 and is not inverted.
pub fn crc(bytes: &[u8]) -> u32 {
    let mut hasher = crc32fast::Hasher::new_with_initial(u32::MAX);
    hasher.update(bytes);
    !hasher.finalize()
}

fn wrong(offset: u64, cause: impl Into<String>) -> Failure {
    failure(Some(offset), cause)
}

/// A page of a tree.
struct Page {
    bytes: Vec<u8>,
    offset: u64,
    count: usize,
    width: usize,
    level: u8,
}

impl Store {
    /// Opens a store.
    pub fn open(bytes: Arc<dyn Bytes>) -> Result<Store, Failure> {
        let head = read(&*bytes, 0, 564)?;
        if !head.starts_with(MAGIC) || !matches!(&head[8..10], b"SM" | b"SO" | b"AB") {
            return Err(wrong(0, "no header of a store"));
        }
        let layout = match le16(&head, 10) {
            14 | 15 => Layout::Ansi,
            23 => Layout::Unicode,
            version @ (36 | 37) => {
                let cause = format!("version {version}, with pages of 4 KiB (Outlook 2013 and later): not read");
                return Err(wrong(10, cause));
            }
            version => return Err(wrong(10, format!("version {version}, which is not known"))),
        };
        if crc(&head[8..479]) != le32(&head, 4) {
            return Err(wrong(4, "the CRC of the header"));
        }
        let (at, nodes, blocks) = match layout {
            Layout::Ansi => {
                let pair = |at: usize| (u64::from(le32(&head, at)), u64::from(le32(&head, at + 4)));
                (461, pair(184), pair(192))
            }
            Layout::Unicode => {
                if crc(&head[8..524]) != le32(&head, 524) {
                    return Err(wrong(524, "the CRC of the whole header"));
                }
                let pair = |at: usize| (le64(&head, at), le64(&head, at + 8));
                (513, pair(216), pair(232))
            }
        };
        let cipher = match head[at] {
            0 => Cipher::None,
            1 => Cipher::Permute,
            2 => Cipher::Cyclic,
            0x10 => return Err(wrong(at as u64, "is encrypted by Windows Information Protection")),
            other => return Err(wrong(at as u64, format!("encoding {other}, which is not known"))),
        };
        let pages = Windows::new(bytes.clone());
        Ok(Store { bytes, pages, layout, cipher, nodes, blocks })
    }

    fn is_ansi(&self) -> bool {
        self.layout == Layout::Ansi
    }

    fn page(&self, tree: Tree, (id, offset): (u64, u64)) -> Result<Page, Failure> {
        let bytes = read(&self.pages, offset, PAGE)?;
        let (end, at_crc, stated) = match self.layout {
            Layout::Ansi => (500, 508, u64::from(le32(&bytes, 504))),
            Layout::Unicode => (496, 500, le64(&bytes, 504)),
        };
        let kind = if tree == Tree::Nodes { 0x81 } else { 0x80 };
        if bytes[end] != kind || bytes[end + 1] != kind {
            return Err(wrong(offset, "another page than the tree says"));
        }
        if crc(&bytes[..end]) != le32(&bytes, at_crc) {
            return Err(wrong(offset, "the CRC of a page"));
        }
        if stated != id {
            return Err(wrong(offset, format!("page {stated:#x} where {id:#x} must be")));
        }
        let at = if self.is_ansi() { 496 } else { 488 };
        let (count, width, level) = (usize::from(bytes[at]), usize::from(bytes[at + 2]), bytes[at + 3]);
        let least = match (self.layout, level, tree) {
            (Layout::Ansi, 0, Tree::Nodes) => 16,
            (Layout::Ansi, ..) => 12,
            (Layout::Unicode, 0, Tree::Nodes) => 32,
            (Layout::Unicode, ..) => 24,
        };
        if width < least || count * width > at || level >= DEEPEST {
            return Err(wrong(offset, format!("a page of {count} entries of {width} bytes at level {level}")));
        }
        Ok(Page { bytes, offset, count, width, level })
    }

    /// The key of an entry of a page.
    fn key(&self, page: &Page, at: usize) -> u64 {
        let place = at * page.width;
        if self.is_ansi() { u64::from(le32(&page.bytes, place)) } else { le64(&page.bytes, place) }
    }

    /// The page that an entry leads to.
    fn below(&self, page: &Page, at: usize) -> (u64, u64) {
        let place = at * page.width;
        match self.layout {
            Layout::Ansi => (u64::from(le32(&page.bytes, place + 4)), u64::from(le32(&page.bytes, place + 8))),
            Layout::Unicode => (le64(&page.bytes, place + 8), le64(&page.bytes, place + 16)),
        }
    }

    /// The leaf that may hold a key, and the entry.
    fn find(&self, tree: Tree, key: u64) -> Result<Option<(Page, usize)>, Failure> {
        let mut at = if tree == Tree::Nodes { self.nodes } else { self.blocks };
        let mut above: Option<u8> = None;
        loop {
            let page = self.page(tree, at)?;
            if above.is_some_and(|above| page.level + 1 != above) {
                return Err(wrong(page.offset, "a page of another level than its tree says"));
            }
            above = Some(page.level);
            let mask = if tree == Tree::Blocks { !1 } else { u64::MAX };
            let behind = (0..page.count).take_while(|at| self.key(&page, *at) & mask <= key).count();
            let Some(entry) = behind.checked_sub(1) else { return Ok(None) };
            if page.level == 0 {
                let is_it = self.key(&page, entry) & mask == key;
                return Ok(is_it.then_some((page, entry)));
            }
            at = self.below(&page, entry);
        }
    }

    fn node_at(&self, page: &Page, at: usize) -> Node {
        let (bytes, place) = (&page.bytes, at * page.width);
        let id = le32(bytes, place);
        match self.layout {
            Layout::Ansi => Node {
                id,
                data: u64::from(le32(bytes, place + 4)),
                below: u64::from(le32(bytes, place + 8)),
                parent: le32(bytes, place + 12),
            },
            Layout::Unicode => {
                let (data, below) = (le64(bytes, place + 8), le64(bytes, place + 16));
                Node { id, data, below, parent: le32(bytes, place + 24) }
            }
        }
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
        let place = at * page.width;
        let (offset, length) = match self.layout {
            Layout::Ansi => (u64::from(le32(&page.bytes, place + 4)), le16(&page.bytes, place + 8)),
            Layout::Unicode => (le64(&page.bytes, place + 8), le16(&page.bytes, place + 16)),
        };
        let length = usize::from(length);
        if length == 0 || length > BLOCK {
            return Err(wrong(page.offset, format!("block {id:#x} of {length} bytes")));
        }
        Ok(Place { id, offset, length })
    }

    /// The bytes of a block, decoded.
    pub fn block(&self, place: &Place) -> Result<Vec<u8>, Failure> {
        let tail = if self.is_ansi() { 12 } else { 16 };
        let whole = (place.length + tail).next_multiple_of(64);
        let mut bytes = read(&*self.bytes, place.offset, whole)?;
        let end = &bytes[whole - tail..];
        let (sum, id) = match self.layout {
            Layout::Ansi => (le32(end, 8), u64::from(le32(end, 4))),
            Layout::Unicode => (le32(end, 4), le64(end, 8)),
        };
        if usize::from(le16(end, 0)) != place.length || id & !1 != place.id & !1 {
            return Err(wrong(place.offset, format!("another block than {:#x}, of {} bytes", place.id, place.length)));
        }
        bytes.truncate(place.length);
        if crc(&bytes) != sum {
            return Err(wrong(place.offset, format!("the CRC of block {:#x}", place.id)));
        }
        // Blocks that lead to others are not encoded.
        if place.id & 2 == 0 {
            self.cipher.decode(&mut bytes, place.id);
        }
        Ok(bytes)
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
    pages: Vec<(Page, usize)>,
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
                self.next = Some(self.store.below(page, entry));
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

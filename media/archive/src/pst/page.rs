//! The pages of the two trees of a store ([MS-PST], 2.2.2.7.7). Each is compared with its CRC, its
//! kind and its number.

use super::check::{crc, wrong};
use super::layout::Layout;
use pfh_bytes::bytes::Bytes;
use pfh_bytes::field::{le16, le32, read};
use pfh_bytes::node::Failure;
use std::collections::VecDeque;
use std::sync::{Arc, Mutex, PoisonError};

/// Levels of a tree.
const DEEPEST: u8 = 8;
/// Pages that are held.
const HELD: usize = 32;

/// Which of the two trees.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Tree {
    Nodes,
    Blocks,
}

/// A page of a tree.
pub struct Page {
    bytes: Vec<u8>,
    layout: Layout,
    /// Where it begins in the store.
    pub offset: u64,
    /// How many entries it has.
    pub count: usize,
    width: usize,
    /// Its level: 0 for a leaf.
    pub level: u8,
}

impl Page {
    /// The page of this number at this offset.
    fn read(store: &dyn Bytes, layout: Layout, tree: Tree, (id, offset): (u64, u64)) -> Result<Page, Failure> {
        let fields = layout.page();
        let bytes = read(store, offset, fields.size)?;
        let kind = if tree == Tree::Nodes { 0x81 } else { 0x80 };
        if bytes[fields.trailer] != kind || bytes[fields.trailer + 1] != kind {
            return Err(wrong(offset, "another page than the tree says"));
        }
        if crc(&bytes[..fields.trailer]) != le32(&bytes, fields.crc) {
            return Err(wrong(offset, "the CRC of a page"));
        }
        let stated = layout.number(&bytes, fields.id);
        if stated != id {
            return Err(wrong(offset, format!("page {stated:#x} where {id:#x} must be")));
        }
        let at = fields.counts;
        let (count, width, level) = match layout {
            Layout::Ansi | Layout::Unicode => (usize::from(bytes[at]), bytes[at + 2], bytes[at + 3]),
            Layout::Large => (usize::from(le16(&bytes, at)), bytes[at + 4], bytes[at + 5]),
        };
        let (width, words) = (usize::from(width), if (level, tree) == (0, Tree::Nodes) { 4 } else { 3 });
        if width < words * layout.width() || count * width > at || level >= DEEPEST {
            return Err(wrong(offset, format!("a page of {count} entries of {width} bytes at level {level}")));
        }
        Ok(Page { bytes, layout, offset, count, width, level })
    }

    /// An entry.
    pub fn entry(&self, at: usize) -> &[u8] {
        &self.bytes[at * self.width..(at + 1) * self.width]
    }

    /// A number of an entry: its key is the first.
    pub fn number(&self, at: usize, index: usize) -> u64 {
        self.layout.number(self.entry(at), index * self.layout.width())
    }

    /// The number and the offset of the page that an entry leads to.
    pub fn below(&self, at: usize) -> (u64, u64) {
        (self.number(at, 1), self.number(at, 2))
    }
}

/// A page that is held, with its tree, its number and its offset.
type HeldPage = (Tree, (u64, u64), Arc<Page>);

/// The pages that were read last.
#[derive(Default)]
pub struct Pages {
    held: Mutex<VecDeque<HeldPage>>,
}

impl Pages {
    /// A page, from the held ones or from the store.
    pub fn get(&self, store: &dyn Bytes, layout: Layout, tree: Tree, place: (u64, u64)) -> Result<Arc<Page>, Failure> {
        let mut held = self.held.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(at) = held.iter().position(|known| (known.0, known.1) == (tree, place))
            && let Some(known) = held.remove(at)
        {
            let page = known.2.clone();
            held.push_front(known);
            return Ok(page);
        }
        let page = Arc::new(Page::read(store, layout, tree, place)?);
        held.push_front((tree, place, page.clone()));
        held.truncate(HELD);
        Ok(page)
    }
}

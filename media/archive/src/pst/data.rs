//! The data of a node: one block, or a tree of them; and the nodes below a node ([MS-PST],
//! 2.2.2.8).

use super::block::Place;
use super::layout::Layout;
use super::store::{Node, Store};
use pfh_bytes::field::{failure, le16, le32};
use pfh_bytes::node::Failure;
use std::io::{self, Read};
use std::sync::Arc;

/// Bytes of one content, at most: its length is a number of 32 bits.
const MOST: u64 = u32::MAX as u64;
/// Nodes below one node, at most.
const BELOW: usize = 1 << 20;
/// Data that are held at once, at most: a heap.
const HELD: u64 = 64 << 20;

/// The numbers of blocks that are behind the head of a block.
fn numbers(store: &Store, block: &[u8]) -> Result<Vec<u64>, Failure> {
    let width = store.layout.width();
    let count = usize::from(le16(block, 2));
    let entries = block.get(8..8 + count * width);
    let entries = entries.ok_or_else(|| failure(None, "a list of blocks that is longer than its block"))?;
    Ok(entries.chunks_exact(width).map(|entry| store.layout.number(entry, 0)).collect())
}

/// The blocks of a content, in order.
pub struct Data {
    store: Arc<Store>,
    /// Numbers of data blocks, or of lists of them.
    lists: Vec<u64>,
    /// Whether these are lists.
    are_lists: bool,
    /// The blocks of the list that is read.
    blocks: std::vec::IntoIter<u64>,
    at: usize,
    /// Bytes of the whole.
    pub size: u64,
}

impl Data {
    /// The content that begins with this block.
    pub fn open(store: &Arc<Store>, id: u64) -> Result<Data, Failure> {
        let none = || Vec::new().into_iter();
        let data = |lists: Vec<u64>, are_lists, size| Data {
            store: store.clone(),
            lists,
            are_lists,
            blocks: none(),
            at: 0,
            size,
        };
        if id == 0 {
            return Ok(data(Vec::new(), false, 0));
        }
        let place = store.place(id)?;
        if id & 2 == 0 {
            return Ok(data(vec![id], false, place.length as u64));
        }
        let block = store.block(&place)?;
        if block.first() != Some(&1) || !matches!(block.get(1), Some(1 | 2)) || block.len() < 8 {
            return Err(failure(None, format!("block {id:#x} is not a list of blocks")));
        }
        let size = u64::from(le32(&block, 4));
        let lists = numbers(store, &block)?;
        Ok(data(lists, block[1] == 2, size))
    }

    /// The next block; `None` at the end.
    pub fn block(&mut self) -> Result<Option<Vec<u8>>, Failure> {
        loop {
            if let Some(id) = self.blocks.next() {
                let place = self.leaf(id)?;
                return self.store.block(&place).map(Some);
            }
            let Some(&id) = self.lists.get(self.at) else { return Ok(None) };
            self.at += 1;
            if !self.are_lists {
                let place = self.leaf(id)?;
                return self.store.block(&place).map(Some);
            }
            let block = self.store.block(&self.store.place(id)?)?;
            if id & 2 == 0 || block.get(..2) != Some(&[1, 1]) {
                return Err(failure(None, format!("block {id:#x} is not a list of blocks")));
            }
            self.blocks = numbers(&self.store, &block)?.into_iter();
        }
    }

    fn leaf(&self, id: u64) -> Result<Place, Failure> {
        if id & 2 != 0 {
            return Err(failure(None, format!("block {id:#x} leads to others where data must be")));
        }
        self.store.place(id)
    }

    /// All blocks, which must not be many.
    pub fn blocks(mut self) -> Result<Vec<Vec<u8>>, Failure> {
        if self.size > HELD {
            return Err(failure(None, format!("a heap of {} bytes", self.size)));
        }
        let (mut all, mut length) = (Vec::new(), 0);
        while let Some(block) = self.block()? {
            length += block.len() as u64;
            if length > HELD {
                return Err(failure(None, "a heap with more blocks than it states"));
            }
            all.push(block);
        }
        Ok(all)
    }
}

/// Reads a content; a failure has the name of its member.
pub struct Reader {
    data: Data,
    path: Arc<[u8]>,
    block: Vec<u8>,
    at: usize,
    out: u64,
}

impl Reader {
    /// Reads these data.
    pub fn new(data: Data, path: Arc<[u8]>) -> Reader {
        Reader { data, path, block: Vec::new(), at: 0, out: 0 }
    }

    fn wrong(&self, failed: Failure) -> io::Error {
        io::Error::new(io::ErrorKind::InvalidData, Failure { path: self.path.to_vec(), ..failed })
    }
}

impl Read for Reader {
    pfh_bytes::reading::shared_reads!();

    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        while self.at == self.block.len() && !buffer.is_empty() {
            match self.data.block() {
                Ok(Some(block)) => (self.block, self.at) = (block, 0),
                Ok(None) if self.out == self.data.size => return Ok(0),
                Ok(None) => {
                    let cause = format!("ends after {} of the {} bytes that it states", self.out, self.data.size);
                    return Err(self.wrong(failure(None, cause)));
                }
                Err(failed) => return Err(self.wrong(failed)),
            }
        }
        let take = (self.block.len() - self.at).min(buffer.len());
        buffer[..take].copy_from_slice(&self.block[self.at..self.at + take]);
        self.at += take;
        self.out += take as u64;
        if self.out > self.data.size.min(MOST) {
            return Err(
                self.wrong(failure(None, format!("holds more than the {} bytes that it states", self.data.size)))
            );
        }
        Ok(take)
    }
}

/// The nodes below a node, by the block that lists them.
pub fn below(store: &Store, id: u64) -> Result<Vec<Node>, Failure> {
    let mut found = Vec::new();
    if id != 0 {
        list(store, id, 2, &mut found)?;
    }
    Ok(found)
}

fn list(store: &Store, id: u64, levels: u8, found: &mut Vec<Node>) -> Result<(), Failure> {
    let wrong = |what: &str| failure(None, format!("block {id:#x}: {what}"));
    let block = store.block(&store.place(id)?)?;
    if block.first() != Some(&2) || block.get(1).is_none_or(|level| *level >= levels) {
        return Err(wrong("no list of nodes"));
    }
    let (is_leaf, count) = (block[1] == 0, usize::from(le16(&block, 2)));
    let width = store.layout.width();
    let head = if store.layout == Layout::Ansi { 4 } else { 8 };
    let entry = if is_leaf { 3 * width } else { 2 * width };
    let entries = block.get(head..head + count * entry).ok_or_else(|| wrong("a list that is longer than its block"))?;
    let number = |bytes: &[u8], at: usize| store.layout.number(bytes, at);
    for entry in entries.chunks_exact(entry) {
        if found.len() >= BELOW {
            return Err(wrong("more nodes below one than are read"));
        }
        if is_leaf {
            let (data, below) = (number(entry, width), number(entry, 2 * width));
            found.push(Node { id: le32(entry, 0), data, below, parent: 0 });
        } else {
            list(store, number(entry, width), 1, found)?;
        }
    }
    Ok(())
}

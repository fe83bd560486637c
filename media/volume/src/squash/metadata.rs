//! Tables of metadata: blocks of up to 8 KiB, each behind its length, read like one stream.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, PoisonError};

use super::packed::Method;
use pfh_bytes::bytes::Bytes;
use pfh_bytes::field::{failure, le16, read};
use pfh_bytes::node::Failure;

/// Bytes of a block, unpacked.
pub const BLOCK: usize = 8192;
/// The length's bit for a block that is stored plainly.
const PLAIN: u16 = 0x8000;
/// Blocks that are held.
const HELD: usize = 64;

/// A block, and where the next one begins.
type Block = Arc<(Vec<u8>, u64)>;

/// The metadata of a volume.
pub struct Metadata {
    pub bytes: Arc<dyn Bytes>,
    pub method: Method,
    held: Mutex<VecDeque<(u64, Block)>>,
}

/// A place in a table, which moves on with each read.
#[derive(Clone)]
pub struct Cursor {
    metadata: Arc<Metadata>,
    /// Where the block begins on the medium, and the place in it.
    block: u64,
    at: usize,
}

impl Metadata {
    /// The metadata of these bytes.
    pub fn new(bytes: Arc<dyn Bytes>, method: Method) -> Metadata {
        Metadata { bytes, method, held: Mutex::default() }
    }

    /// A place by the number that inodes and attributes are referred to: the block's from the start
    /// of a table, and the place in it.
    pub fn at(self: &Arc<Self>, table: u64, reference: u64) -> Cursor {
        self.within(table, reference >> 16, (reference & 0xffff) as usize)
    }

    /// As [`at`](Metadata::at), in two numbers.
    pub fn within(self: &Arc<Self>, table: u64, block: u64, at: usize) -> Cursor {
        Cursor { metadata: self.clone(), block: table.saturating_add(block), at }
    }

    fn block(&self, place: u64) -> Result<Block, Failure> {
        {
            let held = self.held.lock().unwrap_or_else(PoisonError::into_inner);
            if let Some((_, block)) = held.iter().find(|(at, _)| *at == place) {
                return Ok(block.clone());
            }
        }
        let head = le16(&read(&*self.bytes, place, 2)?, 0);
        let length = usize::from(head & !PLAIN);
        let wrong = |cause: &str| failure(Some(place), format!("a block of metadata {cause}"));
        if length == 0 || length > BLOCK {
            return Err(wrong(&format!("of {length} bytes")));
        }
        let start = place.saturating_add(2);
        let packed = read(&*self.bytes, start, length)?;
        let bytes = if head & PLAIN == 0 {
            self.method.unpack(&packed, BLOCK).ok_or_else(|| wrong("that does not unpack"))?
        } else {
            packed
        };
        let block = Arc::new((bytes, start + length as u64));
        let mut held = self.held.lock().unwrap_or_else(PoisonError::into_inner);
        held.push_front((place, block.clone()));
        held.truncate(HELD);
        Ok(block)
    }
}

impl Cursor {
    /// The next `length` bytes, which the caller bounds.
    pub fn take(&mut self, length: usize) -> Result<Vec<u8>, Failure> {
        let mut out = Vec::with_capacity(length);
        while out.len() < length {
            let block = self.metadata.block(self.block)?;
            let rest = block.0.get(self.at..).filter(|rest| !rest.is_empty());
            let Some(rest) = rest else {
                if self.at > block.0.len() || block.0.len() < BLOCK {
                    return Err(failure(Some(self.block), "metadata end here, and more of them are stated"));
                }
                (self.block, self.at) = (block.1, 0);
                continue;
            };
            let part = rest.len().min(length - out.len());
            out.extend_from_slice(&rest[..part]);
            self.at += part;
        }
        Ok(out)
    }

    /// Where the block stands, for failures.
    pub fn place(&self) -> u64 {
        self.block
    }
}

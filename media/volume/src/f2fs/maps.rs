//! The maps: where each node is, and which blocks are in use.

use super::superblock::{BLOCK, SEGMENT};
use super::volume::F2fs;
use pfh_bytes::field::{failure, le16, le32, read};
use pfh_bytes::node::Failure;

/// Rows in a block of the map of nodes, and their bytes; then those of the map of segments.
pub const NODES: u64 = 455;
const NODE: usize = 9;
const SEGMENTS: u64 = 55;
const ROW: usize = 74;

/// Where a node is: the inode that it belongs to, and its block; 0 for none.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Place {
    pub inode: u32,
    pub block: u32,
}

/// Whether a bit is set, the high one of each byte first.
fn has(bits: &[u8], number: u64) -> bool {
    let byte = usize::try_from(number / 8).ok().and_then(|at| bits.get(at));
    byte.is_some_and(|byte| byte >> (7 - number % 8) & 1 == 1)
}

impl F2fs {
    /// Nodes that the map has room for.
    pub fn nodes(&self) -> u64 {
        self.superblock.nat_segments / 2 * SEGMENT * NODES
    }

    /// Where a node is.
    pub fn place(&self, number: u32) -> Result<Place, Failure> {
        if u64::from(number) >= self.nodes() {
            return Err(failure(None, format!("node {number} of {}", self.nodes())));
        }
        let journal = &self.checkpoint.nat_journal;
        if let Some((_, [inode, block])) = journal.iter().find(|(of, _)| *of == number) {
            return Ok(Place { inode: *inode, block: *block });
        }
        let (block, row) = (u64::from(number) / NODES, u64::from(number) % NODES);
        let raw = read(&*self.bytes, self.map_block(block) + row * NODE as u64, NODE)?;
        Ok(Place { inode: le32(&raw, 1), block: le32(&raw, 5) })
    }

    /// Where the copy of a block of the map of nodes that counts begins.
    fn map_block(&self, block: u64) -> u64 {
        let copy = if has(&self.checkpoint.nat_bits, block) { SEGMENT } else { 0 };
        (self.superblock.nat + block / SEGMENT * 2 * SEGMENT + copy + block % SEGMENT) * BLOCK
    }

    /// Where the nodes of a block of the map are that have a place, and the first failure: the rows
    /// beside an unreadable sector are still read.
    pub fn places(&self, block: u64) -> (Vec<(u32, Place)>, Option<Failure>) {
        let numbers = (block * NODES..(block + 1) * NODES).filter_map(|number| u32::try_from(number).ok());
        let (mut places, mut failed) = (Vec::new(), None);
        let raw = read(&*self.bytes, self.map_block(block), NODES as usize * NODE).ok();
        let journal = &self.checkpoint.nat_journal;
        let is_newer = journal.iter().any(|(of, _)| u64::from(*of) / NODES == block);
        for (row, number) in numbers.enumerate() {
            let place = match &raw {
                Some(raw) if !is_newer => {
                    Ok(Place { inode: le32(raw, row * NODE + 1), block: le32(raw, row * NODE + 5) })
                }
                _ => self.place(number),
            };
            match place {
                Ok(place) if place.block != 0 => places.push((number, place)),
                Ok(_) => {}
                Err(error) => failed = failed.or(Some(error)),
            }
        }
        (places, failed)
    }

    /// Whether a block is in use; those in front of the main area are the file system's.
    pub fn is_used(&self, block: u64) -> Result<bool, Failure> {
        let Some(within) = block.checked_sub(self.superblock.main) else { return Ok(true) };
        let (segment, bit) = (within / SEGMENT, within % SEGMENT);
        if segment >= self.superblock.main_segments {
            return Ok(true);
        }
        let journal = &self.checkpoint.sit_journal;
        if let Some((_, row)) = journal.iter().find(|(of, _)| u64::from(*of) == segment) {
            return Ok(le16(row, 0) & 0x3ff != 0 && has(&row[2..66], bit));
        }
        let (block, row) = (segment / SEGMENTS, segment % SEGMENTS);
        let copy = if has(&self.checkpoint.sit_bits, block) { self.superblock.sit_segments / 2 * SEGMENT } else { 0 };
        let at = (self.superblock.sit + copy + block) * BLOCK + row * ROW as u64;
        let raw = read(&*self.bytes, at, 66)?;
        Ok(le16(&raw, 0) & 0x3ff != 0 && has(&raw[2..66], bit))
    }
}

//! The places of a file's blocks: in its inode, and in trees of nodes behind it.

use std::collections::HashMap;
use std::sync::Arc;

use super::inode::{Inode, NODES};
use super::superblock::BLOCK;
use super::volume::F2fs;
use pfh_bytes::field::{failure, le32};
use pfh_bytes::layout::Layout;
use pfh_bytes::node::Failure;

/// Nodes in a node of nodes.
const FAN: u64 = 1018;
/// A block that is reserved, and one in whose place a compressed cluster begins.
pub const RESERVED: u32 = u32::MAX;
pub const CLUSTER: u32 = u32::MAX - 1;

/// Nodes that no map has any more, by number: the place of the newest.
pub type LostNodes = HashMap<u32, (u64, u32)>;

/// The places of one file, with the nodes that were read last.
pub struct Blocks {
    volume: Arc<F2fs>,
    inode: Inode,
    /// Where to look for nodes of a deleted file.
    gone: Option<Arc<LostNodes>>,
    /// By depth: the number of the node, and the node.
    held: [(u32, Vec<u8>); 3],
}

impl Blocks {
    /// The places of an inode.
    pub fn new(volume: &Arc<F2fs>, inode: &Inode, gone: Option<Arc<LostNodes>>) -> Blocks {
        Blocks { volume: volume.clone(), inode: inode.clone(), gone, held: Default::default() }
    }

    /// The place of a block, and for how many blocks from there on it is known to be none.
    pub fn at(&mut self, index: u64) -> Result<(u32, u64), Failure> {
        let (start, count) = self.inode.places;
        if index < count as u64 {
            return Ok((le32(&self.inode.raw, start + 4 * index as usize), 1));
        }
        let mut index = index - count as u64;
        let each = self.inode.places_of_node() as u64;
        // Two nodes, two of nodes, one of nodes of nodes.
        let trees = [0, 0, 1, 1, 2];
        for (slot, depth) in trees.into_iter().enumerate() {
            let span = each * FAN.pow(depth);
            if index >= span {
                index -= span;
                continue;
            }
            let mut number = le32(&self.inode.raw, NODES + 4 * slot);
            let mut span = span;
            for level in (0..=depth).rev() {
                if number == 0 {
                    return Ok((0, span - index));
                }
                self.hold(level as usize, number)?;
                let node = &self.held[level as usize].1;
                if level == 0 {
                    return Ok((le32(node, 4 * index as usize), 1));
                }
                span /= FAN;
                number = le32(node, 4 * (index / span) as usize);
                index %= span;
            }
        }
        Err(failure(Some(self.inode.offset + 16), "a file that is longer than the places of its blocks"))
    }

    fn hold(&mut self, level: usize, number: u32) -> Result<(), Failure> {
        if self.held[level].0 != number {
            let gone = self.gone.as_ref().and_then(|gone| gone.get(&number));
            let node = match gone {
                Some((_, block)) => self.volume.node_at(*block, number, self.inode.number)?,
                None => self.volume.node(number, self.inode.number)?,
            };
            self.held[level] = (number, node);
        }
        Ok(())
    }
}

impl F2fs {
    /// Where an inode's content lies, to the end of its last block. It must not be compressed.
    pub fn layout(self: &Arc<Self>, inode: &Inode, gone: Option<Arc<LostNodes>>) -> Result<Layout, Failure> {
        let mut layout = Layout::new(self.superblock.size());
        if let Some((at, room)) = inode.inline {
            if inode.size > room as u64 {
                let cause = format!("{} bytes in the inode, where there is room for {room}", inode.size);
                return Err(failure(Some(inode.offset + 16), cause));
            }
            layout.push(inode.has_data.then_some(inode.offset + at as u64), inode.size)?;
            return Ok(layout);
        }
        let mut blocks = Blocks::new(self, inode, gone);
        let (mut index, end) = (0, inode.size.div_ceil(BLOCK));
        while index < end {
            let (place, span) = blocks.at(index)?;
            let span = span.min(end - index);
            match place {
                0 | RESERVED => layout.push(None, span * BLOCK)?,
                CLUSTER => return Err(failure(Some(inode.offset), "a compressed cluster in a file of none")),
                place => layout.push(Some(self.offset(place)?), BLOCK)?,
            }
            index += span;
        }
        Ok(layout)
    }
}

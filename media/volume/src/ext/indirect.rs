//! Pointers to blocks, direct and through up to three levels, as ext2 and ext3 have them.

use std::collections::HashSet;

use super::group::Ext;
use super::inode::Inode;
use pfh_bytes::field::{failure, le32};
use pfh_bytes::layout::Layout;
use pfh_bytes::node::Failure;

/// One file's pointers while they are followed.
struct Pointers<'a> {
    volume: &'a Ext,
    layout: Layout,
    visited: HashSet<u32>,
    /// Bytes that the file has, rounded up to blocks.
    size: u64,
}

impl Ext {
    /// Where the file of an inode without extents lies.
    pub fn pointers(&self, inode: &Inode) -> Result<Layout, Failure> {
        let size = inode.size.div_ceil(self.block_size()).saturating_mul(self.block_size());
        let layout = Layout::new(self.size());
        let mut pointers = Pointers { volume: self, layout, visited: HashSet::new(), size };
        for (slot, raw) in inode.block.chunks_exact(4).enumerate() {
            pointers.follow(le32(raw, 0), (slot as u32).saturating_sub(11))?;
        }
        if pointers.layout.end() < size {
            return Err(failure(None, format!("a size of {} is beyond the reach of its pointers", inode.size)));
        }
        Ok(pointers.layout)
    }
}

impl Pointers<'_> {
    /// Adds the blocks behind a pointer of `level` levels; those behind the end of the file are
    /// left out.
    fn follow(&mut self, pointer: u32, level: u32) -> Result<(), Failure> {
        let block_size = self.volume.block_size();
        let left = self.size.saturating_sub(self.layout.end());
        if left == 0 {
            return Ok(());
        }
        if pointer == 0 {
            let reach = (block_size / 4).saturating_pow(level).saturating_mul(block_size);
            return self.layout.push(None, reach.min(left));
        }
        if level == 0 {
            return self.layout.push(Some(u64::from(pointer) * block_size), block_size);
        }
        if !self.visited.insert(pointer) {
            return Err(failure(Some(u64::from(pointer) * block_size), "a block of pointers stands twice"));
        }
        let raw = self.volume.block(u64::from(pointer))?;
        for pointer in raw.chunks_exact(4) {
            self.follow(le32(pointer, 0), level - 1)?;
        }
        Ok(())
    }
}

//! The tree of extents of an inode.

use std::collections::HashSet;

use super::group::Ext;
use super::inode::Inode;
use pfh_bytes::field::{failure, le16, le32};
use pfh_bytes::layout::Layout;
use pfh_bytes::node::Failure;
use pfh_container::crc32c;

/// No tree that the kernel writes is deeper.
const DEEPEST: u16 = 5;

impl Ext {
    /// Where the file of an inode with extents lies.
    pub fn extents(&self, inode: &Inode) -> Result<Layout, Failure> {
        let mut layout = Layout::new(self.size());
        let mut visited = HashSet::new();
        self.extent_node(inode.seed, &inode.block, None, None, &mut visited, &mut layout)?;
        Ok(layout)
    }

    fn extent_node(
        &self,
        seed: Option<u32>,
        node: &[u8],
        place: Option<u64>,
        depth: Option<u16>,
        visited: &mut HashSet<u64>,
        layout: &mut Layout,
    ) -> Result<(), Failure> {
        let wrong = |cause: &str| Err(failure(place.map(|block| block * self.block_size()), cause));
        if le16(node, 0) != 0xf30a {
            return wrong("a node of extents has no magic");
        }
        let (entries, its_depth) = (usize::from(le16(node, 2)), le16(node, 6));
        if its_depth > DEEPEST || depth.is_some_and(|depth| depth != its_depth) {
            return wrong("a node of extents is of another depth than its place");
        }
        if 12 + 12 * entries > node.len() {
            return wrong("a node of extents has more entries than room");
        }
        if let (Some(seed), Some(_)) = (seed, place) {
            // Behind as many entries as there is room for.
            let end = 12 + 12 * usize::from(le16(node, 4));
            if end + 4 > node.len() || crc32c(seed, &node[..end]) != le32(node, end) {
                return wrong("the checksum of a node of extents is wrong");
            }
        }
        for entry in node[12..].chunks_exact(12).take(entries) {
            let first = u64::from(le32(entry, 0)) * self.block_size();
            if its_depth > 0 {
                let child = u64::from(le32(entry, 4)) | u64::from(le16(entry, 8)) << 32;
                if !visited.insert(child) {
                    return Err(failure(
                        Some(child.saturating_mul(self.block_size())),
                        "a node of extents stands twice",
                    ));
                }
                let below = self.block(child)?;
                self.extent_node(seed, &below, Some(child), Some(its_depth - 1), visited, layout)?;
                continue;
            }
            let length = le16(entry, 4);
            // Allocated and not written yet: reads as zeros.
            let (length, is_written) = if length > 0x8000 { (length - 0x8000, false) } else { (length, true) };
            let start = u64::from(le32(entry, 8)) | u64::from(le16(entry, 6)) << 32;
            let medium = start.saturating_mul(self.block_size());
            layout.push_at(first, is_written.then_some(medium), u64::from(length) * self.block_size())?;
        }
        Ok(())
    }
}

//! All blocks of a volume by their use: its own structures, directories, and what files have beyond
//! their bytes.

use std::collections::HashSet;
use std::ops::Range;
use std::sync::Arc;

use super::group::Ext;
use super::inode::{EXTENTS, INLINE, Inode};
use pfh_bytes::account::{Claims, Holds, Layers};
use pfh_bytes::field::{le16, le32};
use pfh_bytes::node::Failure;

/// No tree that the kernel writes is deeper.
const DEEPEST: u16 = 5;

/// The inode that has the room into which descriptors may grow.
const RESIZE: u32 = 7;

/// A structure of a group: its place in bytes, and its name.
type Structure = (Range<u64>, &'static [u8]);

/// The blocks of one inode.
#[derive(Default)]
struct Blocks {
    /// Blocks of its content, those included that were never written.
    data: Vec<Range<u64>>,
    /// Blocks that say where these are.
    tree: HashSet<u64>,
}

impl Ext {
    /// The claims of the file system's own structures, and beneath them those of whole files.
    pub fn layers(self: &Arc<Self>) -> Result<Layers, Failure> {
        let (mut own, mut files) = (Claims::default(), Claims::default());
        own.add(0..1024, Holds::Reserved, b"boot area");
        if self.superblock.protection != 0 {
            let block = self.superblock.protection;
            own.add(self.places(block..block + 1), Holds::Structure, b"protection against a second mount");
        }
        let groups = self.superblock.groups().min(self.bytes.size() / self.block_size());
        for group in 0..groups {
            // A group whose descriptor cannot be read has no places.
            for (blocks, name) in self.structures(group).unwrap_or_default() {
                own.add(blocks, Holds::Structure, name);
            }
        }
        for number in (0..groups).flat_map(|group| self.used_inodes(group).unwrap_or_default()) {
            let Ok(inode) = self.inode(number) else { continue };
            let mut blocks = Blocks::default();
            self.blocks_of(&inode, &mut blocks);
            let is_own = number < self.superblock.first_inode || self.superblock.own.contains(&number);
            let name: &[u8] = match number {
                _ if inode.is_directory() => b"directory",
                _ if is_own => b"inode of the file system",
                _ => b"link or device",
            };
            for block in blocks.tree {
                // The inode for growing has the room for descriptors, which is claimed already.
                let into = if number == RESIZE { &mut files } else { &mut own };
                into.add(self.places(block..block + 1), Holds::Structure, b"tree of blocks");
            }
            let is_file = inode.kind() == 0x8000 && !is_own;
            for range in blocks.data {
                match is_file {
                    _ if number == RESIZE => files.add(self.places(range), Holds::Structure, name),
                    true => files.add(self.places(self.clusters(range)), Holds::Slack, b"allocated beyond the content"),
                    false => own.add(self.places(range), Holds::Structure, name),
                }
            }
            if inode.attributes != 0 {
                own.add_once(self.places(inode.attributes..inode.attributes + 1), Holds::Structure, b"attributes");
            }
        }
        Ok(Layers { own, beneath: files, is_itemised: true })
    }

    fn places(&self, blocks: Range<u64>) -> Range<u64> {
        blocks.start.saturating_mul(self.block_size())..blocks.end.saturating_mul(self.block_size())
    }

    /// Whole clusters: with bigalloc the rest of one belongs to the file as well.
    fn clusters(&self, blocks: Range<u64>) -> Range<u64> {
        let each = u64::from(self.superblock.blocks_per_cluster);
        blocks.start / each * each..blocks.end.saturating_add(each - 1) / each * each
    }

    /// The structures of a group, in bytes.
    fn structures(&self, group: u64) -> Result<Vec<Structure>, Failure> {
        let (superblock, size) = (&self.superblock, self.block_size());
        let mut found: Vec<Structure> = Vec::new();
        let start = superblock.group_start(group);
        let has_copy = superblock.has_copy(group);
        if has_copy {
            let at = if group == 0 { 1024 } else { start * size };
            found.push((at..at + 1024, b"superblock"));
        }
        let each = size / u64::from(superblock.descriptor_size);
        let all = superblock.groups().div_ceil(each);
        let behind = if group == 0 { 1024 / size } else { start } + u64::from(has_copy);
        if superblock.first_meta == u32::MAX {
            if has_copy {
                let descriptors = behind..behind + all;
                found.push((self.places(descriptors.clone()), b"group descriptors"));
                let reserved = descriptors.end..descriptors.end + u64::from(superblock.reserved_descriptors);
                found.push((self.places(reserved), b"room for group descriptors"));
            }
        } else {
            // The first, the second and the last group of those that a block describes have it.
            let (block, within) = (group / each, group % each);
            let is_meta = block >= u64::from(superblock.first_meta);
            if is_meta && (within < 2 || within == each - 1) {
                let at = superblock.descriptor(block * each) / size;
                let at = if within == 0 { at } else { start + u64::from(has_copy) };
                found.push((self.places(at..at + 1), b"group descriptors"));
            } else if !is_meta && has_copy {
                found.push((
                    self.places(behind..behind.saturating_add(u64::from(superblock.first_meta))),
                    b"group descriptors",
                ));
            }
        }
        let [bitmaps, inodes, table] = self.places_of(group)?;
        let bytes = u64::from(superblock.inodes_per_group) * u64::from(superblock.inode_size);
        found.push((self.places(bitmaps..bitmaps.saturating_add(1)), b"bitmap of blocks"));
        found.push((self.places(inodes..inodes.saturating_add(1)), b"bitmap of inodes"));
        let table = table.saturating_mul(size);
        found.push((table..table.saturating_add(bytes.next_multiple_of(size)), b"inodes"));
        Ok(found)
    }

    /// The blocks of an inode, as far as its tree holds.
    fn blocks_of(&self, inode: &Inode, blocks: &mut Blocks) {
        let has_blocks = matches!(inode.kind(), 0x8000 | 0x4000) || inode.kind() == 0xa000 && inode.size >= 60;
        if inode.flags & INLINE != 0 || !has_blocks {
            return;
        }
        if inode.flags & EXTENTS != 0 {
            return self.extents_of(&inode.block, DEEPEST + 1, blocks);
        }
        for (slot, raw) in inode.block.chunks_exact(4).enumerate() {
            self.pointers_of(le32(raw, 0), (slot as u32).saturating_sub(11), blocks);
        }
    }

    fn extents_of(&self, node: &[u8], above: u16, blocks: &mut Blocks) {
        let (entries, depth) = (usize::from(le16(node, 2)), le16(node, 6));
        if le16(node, 0) != 0xf30a || depth >= above {
            return;
        }
        for entry in node[12..].chunks_exact(12).take(entries) {
            if depth == 0 {
                let length = match le16(entry, 4) {
                    length if length > 0x8000 => length - 0x8000,
                    length => length,
                };
                let start = u64::from(le32(entry, 8)) | u64::from(le16(entry, 6)) << 32;
                blocks.data.push(start..start + u64::from(length));
                continue;
            }
            let child = u64::from(le32(entry, 4)) | u64::from(le16(entry, 8)) << 32;
            if let (true, Ok(below)) = (blocks.tree.insert(child), self.block(child)) {
                self.extents_of(&below, depth, blocks);
            }
        }
    }

    fn pointers_of(&self, pointer: u32, level: u32, blocks: &mut Blocks) {
        let block = u64::from(pointer);
        if pointer == 0 {
            return;
        }
        if level == 0 {
            match blocks.data.last_mut() {
                Some(last) if last.end == block => last.end += 1,
                _ => blocks.data.push(block..block + 1),
            }
            return;
        }
        if let (true, Ok(raw)) = (blocks.tree.insert(block), self.block(block)) {
            raw.chunks_exact(4).for_each(|pointer| self.pointers_of(le32(pointer, 0), level - 1, blocks));
        }
    }
}

//! Forks: where the bytes of a file lie, in eight extents, and more in the tree of extents.

use std::sync::Arc;

use super::btree::Tree;
use super::node::{Place, Shape};
use pfh_bytes::field::{be32, be64, byte, failure};
use pfh_bytes::layout::Layout;
use pfh_bytes::node::Failure;

/// Numbers of the volume's own files.
pub const CATALOG: u32 = 4;
pub const ALLOCATION: u32 = 6;
pub const ATTRIBUTES: u32 = 8;

/// Bytes of eight extents.
pub const LIST: usize = 64;

/// The tree of extents.
pub const SHAPE: Shape = Shape { place, what: "tree of extents" };

/// Which fork of a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ForkKind {
    Data,
    Resource,
}

impl ForkKind {
    fn number(self) -> u8 {
        match self {
            ForkKind::Data => 0,
            ForkKind::Resource => 0xff,
        }
    }
}

/// The first block of an extent, and how many there are.
type Extent = (u32, u32);

/// A fork as its file states it.
#[derive(Debug, Clone, Default)]
pub struct Fork {
    /// Its size in bytes.
    pub size: u64,
    /// How many blocks all its extents have.
    blocks: u32,
    extents: Vec<Extent>,
}

impl Fork {
    /// The fork at the start of these bytes.
    pub fn new(raw: &[u8]) -> Fork {
        Fork { size: be64(raw, 0), blocks: be32(raw, 12), extents: extents(&raw[16.min(raw.len())..]).collect() }
    }

    /// Takes the extents up that follow those that are known.
    pub fn extend(&mut self, list: &[u8]) {
        self.extents.extend(extents(list));
    }

    /// Whether it can be a fork of a volume of these blocks.
    pub fn is_within(&self, blocks: Blocks) -> bool {
        let ends = self.extents.iter().map(|extent| u64::from(extent.0) + u64::from(extent.1));
        let (known, stated) = (self.known(), u64::from(self.blocks));
        let is_all = known == stated || known < stated && self.extents.len() == LIST / 8;
        is_all && self.size.div_ceil(blocks.size) <= stated && ends.into_iter().all(|end| end <= blocks.count)
    }

    /// How many blocks its known extents have.
    pub fn known(&self) -> u64 {
        self.extents.iter().map(|extent| u64::from(extent.1)).sum()
    }
}

/// The extents of a list, up to the first that is not in use.
fn extents(list: &[u8]) -> impl Iterator<Item = Extent> {
    let all = list.chunks_exact(8).take(LIST / 8).map(|raw| (be32(raw, 0), be32(raw, 4)));
    all.take_while(|extent| extent.1 > 0)
}

/// Blocks of a volume.
#[derive(Debug, Clone, Copy)]
pub struct Blocks {
    /// Where block 0 lies.
    pub base: u64,
    pub size: u64,
    pub count: u64,
}

impl Blocks {
    /// Where a block lies.
    pub fn offset(self, block: u64) -> u64 {
        self.base.saturating_add(block.saturating_mul(self.size))
    }

    /// Where the volume ends.
    pub fn end(self) -> u64 {
        self.offset(self.count)
    }

    /// Where the fork of a file lies, with all blocks of its extents.
    ///
    /// # Errors
    /// If extents contradict one another, or are not as many blocks as the fork states, or do not
    /// reach its size.
    pub fn layout(self, fork: &Fork, more: Option<(&Arc<Tree>, u32, ForkKind)>) -> Result<Layout, Failure> {
        let mut layout = Layout::new(self.end());
        let mut known = 0_u64;
        let mut push = |extent: Extent, known: &mut u64| {
            let (start, count) = (u64::from(extent.0), u64::from(extent.1));
            *known += count;
            layout.push(Some(self.offset(start)), count * self.size)
        };
        for &extent in &fork.extents {
            push(extent, &mut known)?;
        }
        let stated = u64::from(fork.blocks);
        if let (true, Some((tree, file, which))) = (known < stated, more) {
            for record in tree.from_place((u64::from(file), u64::from(which.number()) << 32)) {
                let (key, value) = record?;
                if known >= stated || be32(&key, 2) != file || byte(&key, 0) != which.number() {
                    break;
                }
                if u64::from(be32(&key, 6)) != known || value.len() < LIST {
                    let cause = format!("nothing is known of the extents behind block {known} of the file");
                    return Err(failure(None, cause));
                }
                for extent in extents(&value) {
                    push(extent, &mut known)?;
                }
            }
        }
        if known != stated || layout.end() < fork.size {
            let cause = format!("a fork of {} bytes in {stated} blocks, whose extents have {known}", fork.size);
            return Err(failure(None, cause));
        }
        Ok(layout)
    }
}

/// The place of a key: file, fork and first block.
fn place(key: &[u8]) -> Option<Place> {
    let within = u64::from(byte(key, 0)) << 32 | u64::from(be32(key, 6));
    (key.len() >= 10).then(|| (u64::from(be32(key, 2)), within))
}

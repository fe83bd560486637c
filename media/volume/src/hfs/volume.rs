//! One volume: its trees, and where the forks of its files lie.

use std::sync::{Arc, OnceLock};

use super::attribute::{self, Attribute};
use super::btree::Tree;
use super::catalog::{self, ROOT, ROOT_PARENT, RecordContent};
use super::fork::{self, ALLOCATION, ATTRIBUTES, Blocks, CATALOG, Fork, ForkKind};
use super::header::{Header, OFFSET};
use super::journal;
use super::node::Shape;
use super::space::Space;
use crate::file_system::{FileSystem, VolumeContent};
use pfh_bytes::bytes::Bytes;
use pfh_bytes::field::failure;
use pfh_bytes::layout::Layout;
use pfh_bytes::node::Failure;

/// A volume that is open.
pub struct Hfs {
    pub bytes: Arc<dyn Bytes>,
    pub blocks: Blocks,
    pub catalog: Arc<Tree>,
    extents: Arc<Tree>,
    attributes: Option<Arc<Tree>>,
    /// The map of free space, or why there is none.
    pub space: Result<Arc<Space>, Failure>,
    /// The directories of hard links, once they were looked for.
    pub private: OnceLock<Private>,
}

/// The numbers of the directories that hard links lead into; `None` for one that is not there.
#[derive(Debug, Clone, Copy, Default)]
pub struct Private {
    pub files: Option<u32>,
    pub folders: Option<u32>,
}

impl Private {
    /// Whether this is one of them.
    pub fn has(self, number: u32) -> bool {
        self.files == Some(number) || self.folders == Some(number)
    }
}

/// Opens an HFS+ or HFSX volume, in an HFS volume or alone; `None` for another format.
pub fn open(bytes: &Arc<dyn Bytes>) -> Result<Option<VolumeContent>, Failure> {
    Ok(open_at(bytes, 0)?.map(VolumeContent::FileSystem))
}

/// Opens the volume that begins at this place of a medium; places in it are those of the medium.
pub fn open_at(bytes: &Arc<dyn Bytes>, start: u64) -> Result<Option<FileSystem>, Failure> {
    let Some(header) = Header::read(&**bytes, start)? else { return Ok(None) };
    let blocks = Blocks { base: header.base, size: u64::from(header.block_size), count: header.blocks };
    let layout = blocks.layout(&header.extents, None).map_err(|failed| within(failed, fork::SHAPE.what))?;
    let extents = Arc::new(Tree::open(bytes, layout, header.extents.size, fork::SHAPE)?);
    let tree = |its: &Fork, number: u32, shape: Shape| -> Result<Arc<Tree>, Failure> {
        let layout = blocks.layout(its, Some((&extents, number, ForkKind::Data)));
        let layout = layout.map_err(|failed| within(failed, shape.what))?;
        Ok(Arc::new(Tree::open(bytes, layout, its.size, shape)?))
    };
    let catalog = tree(&header.catalog, CATALOG, catalog::SHAPE)?;
    let attributes = match header.attributes.size {
        0 => None,
        _ => Some(tree(&header.attributes, ATTRIBUTES, attribute::SHAPE)?),
    };
    let space = blocks.layout(&header.allocation, Some((&extents, ALLOCATION, ForkKind::Data)));
    let space = space
        .map(|layout| Arc::new(Space::new(bytes, blocks, layout, header.allocation.size)))
        .map_err(|failed| within(failed, "allocation file"));
    let mut warnings = header.warnings;
    warnings.extend(header.journal.and_then(|block| journal::remark(&**bytes, blocks, block)));
    let mut unread = Vec::new();
    if header.is_wrapped {
        unread.push(failure(Some(start + OFFSET), "the HFS volume around the HFS+ volume is not read"));
    }
    let private = OnceLock::new();
    let volume = Arc::new(Hfs { bytes: bytes.clone(), blocks, catalog, extents, attributes, space, private });
    let label = volume.label().unwrap_or_default();
    Ok(Some(FileSystem {
        kind: header.kind,
        label,
        id: header.id,
        block_size: header.block_size,
        size: blocks.end(),
        warnings,
        unread,
        snapshots: Vec::new(),
        volume,
    }))
}

/// A failure of a structure of this name.
fn within(failed: Failure, what: &str) -> Failure {
    Failure { cause: format!("{what}: {}", failed.cause), ..failed }
}

impl Hfs {
    /// The name of the root.
    fn label(&self) -> Option<Vec<u8>> {
        let (_, value) = self.catalog.of(ROOT).next()?.ok()?;
        match RecordContent::new(&value).ok()? {
            RecordContent::Thread(ROOT_PARENT, units) => catalog::name(&units).ok(),
            _ => None,
        }
    }

    /// Where the fork of a file lies.
    pub fn layout(&self, fork: &Fork, file: u32, which: ForkKind) -> Result<Layout, Failure> {
        self.blocks.layout(fork, Some((&self.extents, file, which)))
    }

    /// Where the value of an attribute lies.
    pub fn attribute_layout(&self, fork: &Fork) -> Result<Layout, Failure> {
        self.blocks.layout(fork, None)
    }

    /// The extended attributes of a file.
    pub fn attributes(&self, file: u32) -> Vec<Result<Attribute, Failure>> {
        self.attributes.as_ref().map_or_else(Vec::new, |tree| attribute::attributes(tree, file))
    }
}

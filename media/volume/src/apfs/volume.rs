//! One volume, or a snapshot of it: its inodes, attributes, and where content lies.

use std::sync::Arc;

use super::blocks::Blocks;
use super::btree::{Numbers, Tree};
use super::map::ObjectMap;
use super::node::Shape;
use super::object::{EPHEMERAL, EXTENTS, FILES, Object, PHYSICAL};
use super::record::{self, Attribute, Extent, Inode, RECORD};
use crate::file_system::{FileSystem, LockedVolume, VolumeContent};
use crate::locked::{Decrypt, Keybag};
use pfh_bytes::field::{array, failure, is_at, le32, le64, uuid};
use pfh_bytes::layout::Layout;
use pfh_bytes::node::Failure;

/// The trees of files, and of extents where these are apart.
const FILES_SHAPE: Shape = Shape { subtype: FILES, place: record::place, what: "tree of files" };
const EXTENTS_SHAPE: Shape = Shape { subtype: EXTENTS, place: record::extent_place, what: "tree of extents" };

/// Incompatible features of a volume.
const CASE_INSENSITIVE: u64 = 1;
const NORMALIZATION_INSENSITIVE: u64 = 8;
const INCOMPLETE_RESTORE: u64 = 0x10;
const SEALED: u64 = 0x20;
/// All that are read: also snapshots without data, and a volume whose key was changed once.
const KNOWN: u64 = CASE_INSENSITIVE | 2 | 4 | NORMALIZATION_INSENSITIVE | INCOMPLETE_RESTORE | SEALED;

/// The flag of a volume without encryption.
const UNENCRYPTED: u64 = 1;
/// The flag of a volume that one key encrypts.
const ONE_KEY: u64 = 8;
/// Flag of the type of a tree whose blocks are encrypted.
const ENCRYPTED: u32 = 0x1000_0000;

/// A volume that is open.
pub struct Apfs {
    pub blocks: Arc<Blocks>,
    pub tree: Arc<Tree>,
    /// Where extents are, if not in the tree of files.
    extents: Option<Arc<Tree>>,
    /// Whether names are kept with their hashes.
    pub is_hashed: bool,
}

/// A volume, opened by its superblock.
pub struct OpenVolume {
    pub label: Vec<u8>,
    pub recognised: VolumeContent,
    /// The volume's map of objects; `None` for volumes that are not read.
    pub map: Option<Arc<ObjectMap>>,
    /// The block of the root of the tree of snapshots.
    pub snapshots: u64,
}

/// Opens a volume by its superblock as of a transaction; `keys` is the place of the container's
/// keys. A snapshot comes with the map of its volume.
pub fn open_volume(
    blocks: &Arc<Blocks>,
    object: &Object,
    map: Option<Arc<ObjectMap>>,
    (transaction, keys): (u64, Keybag),
) -> Result<OpenVolume, Failure> {
    let raw = &object.raw;
    if !is_at(raw, 32, b"APSB") {
        return Err(failure(Some(object.offset + 32), "superblock of a volume: without its magic"));
    }
    let label: Vec<u8> = raw[704..960].iter().copied().take_while(|&byte| byte != 0).collect();
    let (incompatible, flags) = (le64(raw, 56), le64(raw, 264));
    let refused = |recognised| Ok(OpenVolume { label: label.clone(), recognised, map: None, snapshots: 0 });
    let is_locked = flags & UNENCRYPTED == 0 && blocks.cipher.is_none();
    if is_locked && flags & ONE_KEY == 0 {
        return refused(VolumeContent::Encrypted("APFS (a key for each file, which the device keeps)"));
    }
    if incompatible & !KNOWN != 0 {
        return refused(VolumeContent::Unread(format!("APFS volume with the unknown features {incompatible:#x}")));
    }
    let map = match map {
        Some(map) => map,
        None => Arc::new(ObjectMap::open(blocks, le64(raw, 128))?),
    };
    if is_locked {
        let recognised = VolumeContent::Locked(locked(blocks, object, &map, (transaction, keys)));
        return Ok(OpenVolume { label, recognised, map: Some(map), snapshots: le64(raw, 152) });
    }
    let tree = |kind: u32, root: u64, shape: Shape| match kind & (PHYSICAL | EPHEMERAL) {
        0 => Tree::open(blocks.clone(), Numbers::Virtual(map.clone(), transaction), root, shape),
        PHYSICAL if kind & ENCRYPTED != 0 => Tree::open(blocks.clone(), Numbers::Encrypted, root, shape),
        PHYSICAL => Tree::open(blocks.clone(), Numbers::Physical, root, shape),
        _ => Err(failure(Some(object.offset), format!("{}: in memory alone", shape.what))),
    };
    let files = tree(le32(raw, 116), le64(raw, 136), FILES_SHAPE)?;
    let extents = match le64(raw, 1032) {
        root if incompatible & SEALED != 0 && root != 0 => Some(Arc::new(tree(le32(raw, 1040), root, EXTENTS_SHAPE)?)),
        _ => None,
    };
    let mut warnings = Vec::new();
    if incompatible & INCOMPLETE_RESTORE != 0 {
        warnings.push(failure(Some(object.offset + 56), "the volume is the start of a restore that did not end"));
    }
    let volume = Arc::new(Apfs {
        blocks: blocks.clone(),
        tree: Arc::new(files),
        extents,
        is_hashed: incompatible & (CASE_INSENSITIVE | NORMALIZATION_INSENSITIVE) != 0,
    });
    let names = (label.clone(), uuid(array(raw, 240)));
    let block_size = u32::try_from(blocks.block_size).unwrap_or(u32::MAX);
    let recognised = FileSystem::alone("APFS", names, (block_size, blocks.size()), warnings, volume);
    Ok(OpenVolume { label, recognised, map: Some(map), snapshots: le64(raw, 152) })
}

/// The volume of this superblock, as long as it has no key.
fn locked(blocks: &Arc<Blocks>, object: &Object, map: &Arc<ObjectMap>, as_of: (u64, Keybag)) -> LockedVolume {
    let (volume, again) = (array(&object.raw, 240), Object { offset: object.offset, raw: object.raw.clone() });
    let (blocks, map) = (blocks.clone(), map.clone());
    let open = move |cipher: Arc<dyn Decrypt>| {
        let opened = open_volume(&Arc::new(blocks.with(cipher)), &again, Some(map.clone()), as_of)?;
        Ok(opened.recognised)
    };
    LockedVolume::new("APFS (FileVault)", (volume, as_of.1), open)
}

impl Apfs {
    /// An inode by its number.
    pub fn inode(&self, number: u64) -> Result<Inode, Failure> {
        let found = self.tree.of(number, RECORD.inode).next().transpose()?;
        let (_, value) = found.ok_or_else(|| failure(None, format!("inode {number} is not there")))?;
        Inode::new(number, &value)
    }

    /// The extended attributes of an inode, in order of their names.
    pub fn attributes(&self, number: u64) -> Vec<Result<Attribute, Failure>> {
        self.tree.of(number, RECORD.attribute).map(|record| record.and_then(|record| Attribute::new(&record))).collect()
    }

    /// Where the first `size` bytes of a stream lie, and all bytes behind them that its extents
    /// have.
    ///
    /// # Errors
    /// If extents contradict one another or do not reach the size. Only a sparse file may have
    /// places without an extent.
    pub fn layout(&self, stream: u64, size: u64, is_sparse: bool) -> Result<Layout, Failure> {
        self.extents_of(stream, size, is_sparse, |_| {})
    }

    /// As [`Apfs::layout`]; `each` takes the extents but holes, in order.
    pub fn extents_of(
        &self,
        stream: u64,
        size: u64,
        is_sparse: bool,
        mut each: impl FnMut(Extent),
    ) -> Result<Layout, Failure> {
        let mut layout = Layout::new(self.blocks.size());
        let block_size = self.blocks.block_size;
        let wrong = |offset: Option<u64>, cause: &str| failure(offset, format!("stream {stream}: {cause}"));
        let tree = self.extents.as_ref().unwrap_or(&self.tree);
        for record in tree.of(stream, RECORD.extent) {
            let extent = Extent::new(&record?).ok_or_else(|| wrong(None, "an extent that is too short"))?;
            let Extent { at, length, block, .. } = extent;
            if !at.is_multiple_of(block_size) || !length.is_multiple_of(block_size) || length == 0 {
                return Err(wrong(None, "an extent that is not of whole blocks"));
            }
            let medium = match block {
                0 => None,
                _ => Some(block.checked_mul(block_size).ok_or_else(|| wrong(None, "an extent beyond any medium"))?),
            };
            if at > layout.end() && !is_sparse {
                return Err(wrong(medium, &format!("no extent has the bytes from {} on", layout.end())));
            }
            layout.push_at(at, medium, length)?;
            if block != 0 {
                each(extent);
            }
        }
        if layout.end() < size && !is_sparse {
            let cause = format!("the extents end after {} bytes, before the size of {size}", layout.end());
            return Err(wrong(None, &cause));
        }
        Ok(layout)
    }
}

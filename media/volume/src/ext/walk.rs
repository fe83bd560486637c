//! All nodes of a volume: those of its directories, inodes that no directory lists, deleted ones,
//! free space.

use std::sync::atomic::AtomicBool;
use std::sync::{Arc, Mutex, PoisonError};

use super::group::Ext;
use super::inode::ENCRYPTED;
use super::orphans::{path_of, unlisted};
use super::place::{Place, SeenInodes};
use super::superblock::{Superblock, SuperblockSearch as FoundSuperblock};
use super::tree::{Names, Pass};
use crate::file_system::{FileSystem, Options, Volume, VolumeContent};
use crate::foresight::look_at;
use crate::unallocated;
use crate::walk::{Entries, Tree, Walk};
use pfh_bytes::account::Layers;
use pfh_bytes::bytes::Bytes;
use pfh_bytes::node::{Failure, Node, Nodes};
use pfh_bytes::stored::named;

const ROOT: u32 = 2;
/// Blocks of a directory that are looked at ahead: those behind them lie together, mostly.
const SEEN: usize = 64;

/// Opens an ext volume; `None` for another format.
pub fn open(bytes: &Arc<dyn Bytes>) -> Result<Option<VolumeContent>, Failure> {
    let superblock = match Superblock::read(&**bytes)? {
        FoundSuperblock::Nothing => return Ok(None),
        FoundSuperblock::Unread(name) => return Ok(Some(VolumeContent::Unread(name))),
        FoundSuperblock::Superblock(superblock) => *superblock,
    };
    let (kind, names) = (superblock.kind, (superblock.label.clone(), superblock.id.clone()));
    let (block_size, warnings) = (superblock.block_size, superblock.warnings.clone());
    let volume = Arc::new(Ext::new(bytes.clone(), superblock));
    let sizes = (block_size, volume.size());
    Ok(Some(FileSystem::alone(kind, names, sizes, warnings, volume)))
}

impl Volume for Ext {
    fn layers(self: Arc<Self>) -> Result<Layers, Failure> {
        Ext::layers(&self)
    }

    fn nodes(self: Arc<Self>, options: Options) -> Nodes {
        let seen: Arc<Mutex<SeenInodes>> = Arc::default();
        let names =
            |pass: Pass| Arc::new(Names { volume: self.clone(), pass, seen: seen.clone(), named: Mutex::default() });
        let walk = |pass: Pass| {
            let names = names(pass);
            (names.clone(), Walk::new(names, u64::from(ROOT), Place::Directory(ROOT)))
        };
        let (live, unnamed) = (walk(Pass::Live).1, names(Pass::Live));
        // Begun when they are asked for: the listed inodes must be known by then.
        let orphans_in_use = [Place::Roots, Place::Rest].into_iter();
        let orphans_in_use = orphans_in_use.flat_map(move |place| Walk::new(unnamed.clone(), u64::MAX, place));
        let mut nodes: Nodes = Box::new(live.chain(orphans_in_use));
        if options.deleted {
            // Faults of directories were reported when the live names were listed.
            let (names, deleted) = walk(Pass::Deleted);
            let deleted = deleted.filter(Result::is_ok);
            nodes = Box::new(nodes.chain(deleted).chain(orphans(names)));
        }
        if options.unallocated {
            let volume = self.clone();
            let blocks = self.superblock.blocks.min(self.bytes.size() / self.block_size());
            let free = unallocated::free(
                self.bytes.clone(),
                0,
                self.block_size(),
                self.superblock.first_block..blocks,
                Box::new(move |block| volume.is_used(block)),
            );
            nodes = Box::new(nodes.chain(walk(Pass::Slack).1.filter(Result::is_ok)).chain(free));
        }
        nodes
    }
}

impl Tree for Names {
    type Directory = Place;

    fn foresee(self: &Arc<Self>, directory: &Place, is_open: &Arc<AtomicBool>) {
        let (Place::Directory(number), Pass::Live) = (*directory, self.pass) else { return };
        let names = self.clone();
        look_at(&self.volume.bytes, is_open, move || {
            names.volume.inode(number).ok().filter(|inode| inode.flags & ENCRYPTED == 0)?;
            let entries = names.blocks(number).ok()?.take(SEEN).flatten().flat_map(|(entries, _)| entries);
            Some(entries.filter_map(move |entry| names.volume.inode_offset(entry.inode).ok()))
        });
    }

    fn list(self: Arc<Self>, directory: Place, path: Arc<[u8]>) -> Entries<Place> {
        let directory = match directory {
            Place::Directory(number) => number,
            Place::Roots => return unlisted(self, true),
            Place::Rest => return unlisted(self, false),
        };
        let fail = |failed: Failure| -> Entries<Place> { Box::new(std::iter::once(Err(failed))) };
        let is_live = self.pass == Pass::Live;
        let blocks = match self.blocks(directory) {
            Ok(blocks) => blocks,
            Err(failed) if is_live => return fail(named(failed, &path)),
            // Faults of live directories were reported when they were listed.
            Err(_) => return Box::new(std::iter::empty()),
        };
        Box::new(blocks.flat_map(move |block| {
            let (found, failed) = match block {
                Ok((found, failed)) => (found, failed),
                Err(failed) => (Vec::new(), Some(failed)),
            };
            let (names, path) = (self.clone(), path.clone());
            let failed = failed.filter(|_| is_live).map(|failed| Err(named(failed, &path)));
            found.into_iter().filter_map(move |entry| names.found(&entry, &path)).chain(failed)
        }))
    }
}

/// Deleted inodes whose names are gone, in order of their numbers.
fn orphans(names: Arc<Names>) -> impl Iterator<Item = Result<Node, Failure>> + Send {
    let volume = names.volume.clone();
    let (inodes, per_group) = (volume.superblock.inodes, volume.superblock.inodes_per_group);
    let volume_of_groups = volume.clone();
    let groups = (0..volume.superblock.groups().min(volume.bytes.size() / volume.block_size()))
        .filter(move |&group| volume_of_groups.has_inodes(group).unwrap_or(false));
    let numbers = groups.flat_map(move |group| {
        let first = u32::try_from(group * u64::from(per_group)).unwrap_or(u32::MAX);
        (1..=per_group).map(move |index| first.saturating_add(index))
    });
    // Groups that claim the same inodes must not be read for longer than the volume is.
    let most = volume.bytes.size() / u64::from(volume.superblock.inode_size);
    let numbers = numbers.filter(move |&number| number <= inodes);
    numbers.take(usize::try_from(most).unwrap_or(usize::MAX)).filter_map(move |number| {
        let inode = names.volume.inode(number).ok()?;
        let is_deleted = inode.links == 0 && inode.mode != 0 && inode.times.deleted.is_some();
        let is_given = names.seen.lock().unwrap_or_else(PoisonError::into_inner).orphans.has(number.into());
        if !is_deleted || is_given || !names.named.lock().unwrap_or_else(PoisonError::into_inner).insert(number) {
            return None;
        }
        names.volume.deleted(number, path_of(number), false, &names.named)?.node.map(Ok)
    })
}

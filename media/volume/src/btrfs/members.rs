//! Subvolumes and snapshots, each by its name.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use super::btree::Tree;
use super::pool::Pool;
use super::roots::{RootTree, Roots, TOP, is_subvolume};
use super::sums::Sums;
use super::superblock::Superblock;
use super::volume::Subvolume;
use crate::file_system::{FileSystem, Member, VolumeContent};
use pfh_bytes::field::uuid;
use pfh_bytes::node::Failure;

/// The name of the subvolume that all others are below, and the first part of the names of those
/// without a path.
const TOP_NAME: &[u8] = b"top-level";
const NUMBERED: &str = "subvolume-";

/// All subvolumes in order of their numbers, each followed by its snapshots.
pub fn members(
    pool: &Arc<Pool>,
    superblock: &Superblock,
    roots: &Roots,
    sums: &Arc<Result<Sums, Failure>>,
) -> Vec<Member> {
    let listed: Vec<&RootTree> = roots.trees.values().filter(|tree| is_subvolume(tree.id)).collect();
    let mut found: HashMap<u64, Result<Arc<Tree>, Failure>> =
        listed.iter().map(|tree| (tree.id, Tree::open(pool, tree.root, "tree of files"))).collect();
    let trees: HashMap<u64, Arc<Tree>> =
        found.iter().filter_map(|(id, tree)| Some((*id, tree.as_ref().ok()?.clone()))).collect();
    let names = names(&listed, roots, &trees);
    // Snapshots behind the subvolume that they are older states of, or of a snapshot of.
    let by_uuid: HashMap<[u8; 16], &RootTree> =
        listed.iter().filter(|tree| tree.uuid != [0; 16]).map(|tree| (tree.uuid, *tree)).collect();
    let is_snapshot = |tree: &RootTree| {
        let has_origin = tree.parent != [0; 16] && by_uuid.get(&tree.parent).is_some_and(|of| of.id != tree.id);
        tree.is_read_only && has_origin && roots.default != Some(tree.id) && tree.id != TOP
    };
    let origin = |tree: &RootTree| {
        let (mut id, mut parent) = (tree.id, tree.parent);
        let mut seen = HashSet::from([id]);
        while let Some(of) = by_uuid.get(&parent).filter(|of| seen.insert(of.id)) {
            id = of.id;
            if !is_snapshot(of) {
                break;
            }
            parent = of.parent;
        }
        id
    };
    let mut order: Vec<(u64, bool, u64)> = listed
        .iter()
        .map(|tree| match is_snapshot(tree) {
            true => (origin(tree), true, tree.id),
            false => (tree.id, false, tree.id),
        })
        .collect();
    order.sort_unstable();
    let member = |(_, is_snapshot, id): (u64, bool, u64)| {
        let tree = roots.trees.get(&id)?;
        let opened = found.remove(&id)?.map(|files| file_system(pool, superblock, tree, files, sums));
        Some(Member { name: names.get(&id)?.clone(), is_snapshot, found: opened })
    };
    order.into_iter().filter_map(member).collect()
}

fn file_system(
    pool: &Arc<Pool>,
    superblock: &Superblock,
    listed: &RootTree,
    tree: Arc<Tree>,
    sums: &Arc<Result<Sums, Failure>>,
) -> VolumeContent {
    let id = if listed.uuid == [0; 16] { superblock.fsid } else { listed.uuid };
    let volume = Subvolume { tree, sums: sums.clone(), root: listed.directory, is_deleted: listed.is_deleted };
    let sizes = (superblock.sector_size, pool.devices.size());
    FileSystem::alone("Btrfs", (superblock.label.clone(), uuid(id)), sizes, Vec::new(), Arc::new(volume))
}

/// The name of each subvolume: its path, if no other has that, else its number.
fn names(listed: &[&RootTree], roots: &Roots, trees: &HashMap<u64, Arc<Tree>>) -> HashMap<u64, Vec<u8>> {
    let paths: Vec<(u64, Option<Vec<u8>>)> = listed.iter().map(|tree| (tree.id, roots.path(tree.id, trees))).collect();
    let mut times: HashMap<&[u8], usize> = HashMap::new();
    for path in paths.iter().filter_map(|(_, path)| path.as_deref()) {
        *times.entry(path).or_default() += 1;
    }
    let name = |(id, path): &(u64, Option<Vec<u8>>)| {
        let is_own = |path: &&Vec<u8>| {
            let first = path.split(|&byte| byte == b'/').next().unwrap_or_default();
            let is_taken = first == TOP_NAME || first.starts_with(NUMBERED.as_bytes());
            times.get(&path[..]) == Some(&1) && !path.is_empty() && !is_taken
        };
        let name = match path.as_ref().filter(is_own) {
            _ if *id == TOP => TOP_NAME.to_vec(),
            Some(path) => path.clone(),
            None => format!("{NUMBERED}{id}").into_bytes(),
        };
        (*id, name)
    };
    paths.iter().map(name).collect()
}

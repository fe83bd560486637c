//! A file system over its devices: its subvolumes and snapshots, and its free space.

use std::sync::Arc;

use super::btree::Tree;
use super::devices::Devices;
use super::layout::pool;
use super::members::members;
use super::pool::Pool;
use super::roots::{EXTENTS, Roots, SUMS};
use super::space::Space;
use super::sums::Sums;
use super::superblock::{self, RAID_STRIPE_TREE, Superblock};
use crate::file_system::{VolumeContent, Volumes};
use pfh_bytes::bytes::Bytes;
use pfh_bytes::field::{failure, uuid};
use pfh_bytes::node::Failure;

/// Opens a file system; `None` for another format.
pub fn open(bytes: &Arc<dyn Bytes>) -> Result<Option<VolumeContent>, Failure> {
    let Some((superblock, mut warnings)) = superblock::newest(&**bytes, 0)? else { return Ok(None) };
    if superblock.unknown != 0 {
        let what = match superblock.unknown {
            RAID_STRIPE_TREE => "Btrfs with a tree of RAID stripes".to_owned(),
            unknown => format!("Btrfs with the unknown features {unknown:#x}"),
        };
        return Ok(Some(VolumeContent::Unread(what)));
    }
    let mut warn = |at: u64, cause: String| warnings.push(failure(Some(superblock.offset + at), cause));
    if superblock.log != 0 {
        warn(0x60, "the log of the last writes is not replayed".to_owned());
    }
    if superblock.is_dump {
        warn(0x38, "a dump of metadata: the content of files is not on it".to_owned());
    }
    let devices = Devices::new(bytes, &superblock);
    let size = devices.size();
    if size > bytes.size() {
        warn(0xd1, format!("the devices have {size} bytes, the medium only {}", bytes.size()));
    }
    let pool = pool(devices, &superblock, &mut warnings)?;
    let tree = tree_of_roots(&pool, &superblock, &mut warnings)?;
    let mut roots = Roots::read(&tree);
    warnings.append(&mut roots.warnings);
    let named = |id: u64, what: &'static str| match roots.trees.get(&id) {
        Some(listed) => Tree::open(&pool, listed.root, what),
        None => Err(failure(None, format!("{what}: it is not listed"))),
    };
    let sums = Arc::new(named(SUMS, "tree of checksums").map(Sums));
    let space = Space { pool: pool.clone(), extents: named(EXTENTS, "tree of extents") };
    let members = members(&pool, &superblock, &roots, &sums);
    let id = uuid(superblock.fsid);
    Ok(Some(VolumeContent::Volumes(Volumes { kind: "Btrfs", id, members, warnings, space: Arc::new(space) })))
}

/// The tree of roots: the newest one that can be read.
fn tree_of_roots(pool: &Arc<Pool>, superblock: &Superblock, warnings: &mut Vec<Failure>) -> Result<Arc<Tree>, Failure> {
    const WHAT: &str = "tree of roots";
    let failed = match Tree::open(pool, superblock.root, WHAT) {
        Ok(tree) => return Ok(tree),
        Err(failed) => failed,
    };
    for root in superblock.older.iter().filter(|root| **root != superblock.root) {
        if let Ok(tree) = Tree::open(pool, *root, WHAT) {
            let cause = format!("{}: that of the transaction {} is used", failed.cause, root.generation);
            warnings.push(failure(failed.offset, cause));
            return Ok(tree);
        }
    }
    Err(failed)
}

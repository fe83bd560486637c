//! The tree of roots: which trees there are, and how subvolumes are named.

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

use super::btree::Tree;
use super::node::Key;
use super::record::{NUMBERS, entries, kind, name_of_inode};
use super::superblock::Root;
use pfh_bytes::field::{array, byte, failure, le16, le32, le64};
use pfh_bytes::node::Failure;

/// Numbers of trees.
pub const EXTENTS: u64 = 2;
pub const TOP: u64 = 5;
pub const SUMS: u64 = 7;
/// The directory that names the default subvolume.
const DIRECTORY: u64 = 6;
/// The root directory of a subvolume.
const FIRST: u64 = 256;

/// Bytes of an item of old kernels, and of one with identifiers.
const SHORT: usize = 239;
const LONG: usize = 279;
/// Flags: to be read only, and deleted.
const READ_ONLY: u64 = 1;
const DEAD: u64 = 1 << 48;

/// The most subvolumes, in some hundred megabytes.
const MOST: usize = 1 << 18;
/// The deepest directory and subvolume, and the longest name.
const DEEPEST: usize = 256;
const LONGEST: usize = 4096;

/// A tree.
#[derive(Debug, Clone)]
pub struct RootTree {
    pub id: u64,
    pub root: Root,
    /// The number of its root directory.
    pub directory: u64,
    pub is_read_only: bool,
    /// Whether it was deleted, and waits to be removed.
    pub is_deleted: bool,
    pub uuid: [u8; 16],
    /// The subvolume that it was a copy of.
    pub parent: [u8; 16],
}

impl RootTree {
    fn new(id: u64, raw: &[u8]) -> Result<RootTree, Failure> {
        if raw.len() < SHORT {
            return Err(failure(None, format!("the root of the tree {id} is cut off")));
        }
        let has_long = raw.len() >= LONG;
        let of = |at: usize| if has_long { array(raw, at) } else { [0; 16] };
        let flags = le64(raw, 208);
        let directory = le64(raw, 168);
        Ok(RootTree {
            id,
            root: Root { logical: le64(raw, 176), generation: le64(raw, 160), level: byte(raw, 238) },
            directory: if directory == 0 { FIRST } else { directory },
            is_read_only: flags & READ_ONLY != 0,
            is_deleted: flags & DEAD != 0 || le32(raw, 216) == 0,
            uuid: of(247),
            parent: of(263),
        })
    }
}

/// All trees, and where subvolumes are.
#[derive(Default)]
pub struct Roots {
    pub trees: BTreeMap<u64, RootTree>,
    /// The subvolume, directory, and name that a subvolume is found by.
    parents: HashMap<u64, (u64, u64, Vec<u8>)>,
    /// The subvolume that is mounted if none is asked for.
    pub default: Option<u64>,
    pub warnings: Vec<Failure>,
}

/// Whether this is the number of a subvolume.
pub fn is_subvolume(id: u64) -> bool {
    id == TOP || NUMBERS.contains(&id)
}

impl Roots {
    /// The roots that the tree of roots lists.
    pub fn read(tree: &Arc<Tree>) -> Roots {
        let mut roots = Roots::default();
        for item in tree.from(Key::of(0, 0, 0)) {
            let (key, raw) = match item {
                Ok(item) => item,
                Err(failed) => {
                    roots.warnings.push(failed);
                    continue;
                }
            };
            match key.kind {
                kind::ROOT if roots.trees.len() >= MOST => {
                    roots.warnings.push(failure(None, "more than 262144 trees: the rest is not listed"));
                    break;
                }
                kind::ROOT => match RootTree::new(key.id, &raw) {
                    Ok(listed) => {
                        roots.trees.insert(key.id, listed);
                    }
                    Err(failed) => roots.warnings.push(failed),
                },
                kind::PARENT_OF_ROOT => {
                    let name = raw.get(18..18 + usize::from(le16(&raw, 16)));
                    if let Some(name) = name {
                        roots.parents.insert(key.id, (key.offset, le64(&raw, 0), name.to_vec()));
                    }
                }
                kind::NAME_BY_HASH if key.id == DIRECTORY => {
                    let found = entries(&raw).unwrap_or_default();
                    roots.default = found
                        .into_iter()
                        .find(|entry| entry.name == b"default")
                        .map(|entry| entry.to.id)
                        .or(roots.default);
                }
                _ => {}
            }
        }
        roots
    }

    /// The path of a subvolume from the top; `None` if it has no valid path.
    pub fn path(&self, id: u64, trees: &HashMap<u64, Arc<Tree>>) -> Option<Vec<u8>> {
        let (mut parts, mut id) = (Vec::new(), id);
        while id != TOP {
            let (parent, directory, name) = self.parents.get(&id)?;
            parts.push(name.clone());
            let (tree, listed) = (trees.get(parent)?, self.trees.get(parent)?);
            let mut directory = *directory;
            while directory != listed.directory {
                let item = tree.of(directory, kind::NAME_OF_INODE, 0).next()?.ok()?;
                let (_, name) = name_of_inode(&item.1)?;
                parts.push(name.to_vec());
                directory = item.0.offset;
                if parts.len() > DEEPEST {
                    return None;
                }
            }
            id = *parent;
            if parts.len() > DEEPEST {
                return None;
            }
        }
        let is_name = |part: &Vec<u8>| {
            let is_plain = !part.is_empty() && part != b"." && part != b"..";
            is_plain && !part.iter().any(|byte| matches!(byte, b'/' | 0))
        };
        parts.reverse();
        let path = parts.join(&b'/');
        (parts.iter().all(is_name) && path.len() <= LONGEST).then_some(path)
    }
}

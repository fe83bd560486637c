//! The chunks of a file system: those of the superblock lead to all others.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::btree::Tree;
use super::chunk::Chunk;
use super::devices::Devices;
use super::node::Key;
use super::pool::Pool;
use super::record::kind;
use super::superblock::Superblock;
use pfh_bytes::field::{array, failure, le64, uuid};
use pfh_bytes::node::Failure;

/// The most stripes of all chunks, in 64 MiB: petabytes.
const MOST_STRIPES: usize = 1 << 20;
/// Where the identifier of a device stands in its item.
const UUID: usize = 66;

/// Chunks by their logical places.
#[derive(Default)]
struct Chunks {
    found: BTreeMap<u64, Chunk>,
    stripes: usize,
}

impl Chunks {
    /// Adds a chunk, which may be no other's place.
    fn add(&mut self, chunk: Chunk) -> Result<(), String> {
        let before = self.found.range(..chunk.end()).next_back();
        if before.is_some_and(|(_, before)| before.end() > chunk.logical) {
            return Err(format!("two chunks claim the logical place {}", chunk.logical));
        }
        self.stripes += chunk.stripes.len();
        if self.stripes > MOST_STRIPES {
            return Err("more than a million stripes".to_owned());
        }
        self.found.insert(chunk.logical, chunk);
        Ok(())
    }
}

/// The space of a file system; its missing parts are added to `warnings`.
pub fn pool(devices: Devices, superblock: &Superblock, warnings: &mut Vec<Failure>) -> Result<Arc<Pool>, Failure> {
    let wrong = |cause: String| failure(Some(superblock.offset + 0x32b), format!("superblock: {cause}"));
    let (mut first, mut rest) = (Chunks::default(), &superblock.array[..]);
    while !rest.is_empty() {
        let key = Key::read(rest, 0);
        if key.kind != kind::CHUNK {
            return Err(wrong("its array holds another item than a chunk".to_owned()));
        }
        let item = rest.get(Key::SIZE..).unwrap_or_default();
        let (chunk, size) = Chunk::new(key.offset, item).map_err(wrong)?;
        first.add(chunk).map_err(wrong)?;
        rest = item.get(size..).unwrap_or_default();
    }
    let pool = Arc::new(Pool::new(devices.clone(), superblock, first.found));
    let tree = Tree::open(&pool, superblock.chunks, "tree of chunks")?;
    let mut all = Chunks::default();
    let mut listed = 0;
    for item in tree.from(Key::of(0, 0, 0)) {
        match item {
            Ok((key, raw)) if key.kind == kind::CHUNK => {
                let added = Chunk::new(key.offset, &raw).and_then(|(chunk, _)| all.add(chunk));
                if let Err(cause) = added {
                    warnings.push(failure(None, format!("tree of chunks: {cause}")));
                }
            }
            Ok((key, raw)) if key.kind == kind::DEVICE && raw.len() >= UUID + 16 => {
                listed += 1;
                let of: [u8; 16] = array(&raw, UUID);
                let is_there = devices.found.iter().any(|device| device.own.id == key.offset && device.own.uuid == of);
                if !is_there {
                    let size = le64(&raw, 8);
                    let cause = format!("the device {} ({}) of {size} bytes is missing", key.offset, uuid(of));
                    warnings.push(failure(None, cause));
                }
            }
            Ok(_) => {}
            Err(failed) => warnings.push(failed),
        }
    }
    if listed < superblock.devices {
        warnings.push(failure(
            Some(superblock.offset + 0x88),
            format!("{} devices, and {listed} are listed", superblock.devices),
        ));
    }
    Ok(Arc::new(Pool::new(devices, superblock, all.found)))
}

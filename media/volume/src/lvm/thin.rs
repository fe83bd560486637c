//! Pools of thin volumes: a tree of trees from a volume's number and its block to a block of the
//! pool's data, as the target `thin-pool` of the device mapper writes it (`thin-provisioning.rst`
//! and `persistent-data.rst` of Linux's documentation).

use std::io;
use std::sync::{Arc, Mutex, PoisonError};

use pfh_bytes::bytes::Bytes;
use pfh_bytes::field::{failure, le32, le64, read};
use pfh_bytes::node::Failure;
use pfh_container::crc32c;

const SECTOR: u64 = 512;
/// Blocks of metadata have this size in all pools.
const BLOCK: usize = 4096;
const MAGIC: u64 = 27_022_010;
const SUPERBLOCK_SEED: u32 = 160_774;
const NODE_SEED: u32 = 121_107;
/// The most levels of a tree: 63 entries a node at the least reach all of 2^64.
const DEEPEST: u32 = 16;
/// A pool that wants to be checked, a version that is known.
const NEEDS_CHECK: u32 = 1;
const VERSIONS: std::ops::RangeInclusive<u32> = 1..=2;

/// A pool.
pub struct Pool {
    metadata: Arc<dyn Bytes>,
    data: Arc<dyn Bytes>,
    /// The block of the tree of all volumes.
    root: u64,
    /// Bytes of a block of data.
    block: u64,
}

/// A volume of a pool.
pub struct Thin {
    pool: Pool,
    root: u64,
    size: u64,
    /// The leaf that was read last.
    last: Mutex<Option<(u64, Leaf)>>,
}

/// A leaf: keys in order, and the value of each.
#[derive(Clone)]
struct Leaf(Arc<Vec<(u64, u64)>>);

/// The end of a walk down a tree.
struct WalkEnd {
    /// The value of the key, if it is there.
    value: Option<u64>,
    leaf: Leaf,
}

/// The checksum of a block, with the seed of its kind.
fn checksum(block: &[u8], seed: u32) -> u32 {
    crc32c(!0, &block[4..]) ^ seed
}

impl Pool {
    /// Reads the superblock of a pool.
    pub fn open(metadata: Arc<dyn Bytes>, data: Arc<dyn Bytes>) -> Result<Pool, Failure> {
        let head = read(&*metadata, 0, BLOCK)?;
        let wrong = |cause: &str| failure(None, format!("a pool of thin volumes {cause}"));
        if le64(&head, 32) != MAGIC || checksum(&head, SUPERBLOCK_SEED) != le32(&head, 0) {
            return Err(wrong("whose superblock is damaged"));
        }
        if !VERSIONS.contains(&le32(&head, 40)) {
            return Err(wrong("of a version that is not known"));
        }
        if le32(&head, 4) & NEEDS_CHECK != 0 {
            return Err(wrong("that its own tools want to repair"));
        }
        let block = u64::from(le32(&head, 336)) * SECTOR;
        if block == 0 || le32(&head, 340) as usize != BLOCK / SECTOR as usize {
            return Err(wrong("with blocks of a size that there is not"));
        }
        Ok(Pool { metadata, data, root: le64(&head, 320), block })
    }

    /// A node of a tree, whose checksum is right.
    fn node(&self, at: u64) -> Result<Vec<u8>, Failure> {
        let place = at.checked_mul(BLOCK as u64).ok_or_else(|| failure(None, "a pool's tree leads beyond 2^64"))?;
        let node = read(&*self.metadata, place, BLOCK)?;
        if checksum(&node, NODE_SEED) != le32(&node, 0) || le64(&node, 8) != at {
            return Err(failure(None, format!("block {at} of the pool's metadata is damaged")));
        }
        Ok(node)
    }

    /// Walks down the tree at `root` for a key.
    fn find(&self, root: u64, key: u64) -> Result<WalkEnd, Failure> {
        let mut at = root;
        for _ in 0..DEEPEST {
            let node = self.node(at)?;
            let (flags, count, most, width) = (le32(&node, 4), le32(&node, 16), le32(&node, 20), le32(&node, 24));
            let (count, most) = (count as usize, most as usize);
            if width != 8 || count > most || most > (BLOCK - 32) / 16 {
                return Err(failure(
                    None,
                    format!("block {at} of the pool's metadata states {count} of {most} entries"),
                ));
            }
            let entry = |index: usize| (le64(&node, 32 + 8 * index), le64(&node, 32 + 8 * (most + index)));
            let entries: Vec<(u64, u64)> = (0..count).map(entry).collect();
            let after = entries.partition_point(|(own, _)| *own <= key);
            let here = after.checked_sub(1).map(|index| entries[index]);
            match flags & 3 {
                1 => match here {
                    Some((_, below)) => at = below,
                    None => return Ok(WalkEnd { value: None, leaf: Leaf(Arc::default()) }),
                },
                2 => {
                    let value = here.filter(|(own, _)| *own == key).map(|(_, value)| value);
                    return Ok(WalkEnd { value, leaf: Leaf(Arc::new(entries)) });
                }
                _ => return Err(failure(None, format!("block {at} of the pool's metadata is not a node"))),
            }
        }
        Err(failure(None, "a tree of the pool's metadata is too deep"))
    }

    /// The volume of this number, of `size` bytes.
    pub fn volume(self, number: u64, size: u64) -> Result<Thin, Failure> {
        let root = self.find(self.root, number)?.value;
        let root = root.ok_or_else(|| failure(None, format!("the pool has no volume {number}")))?;
        Ok(Thin { pool: self, root, size, last: Mutex::new(None) })
    }
}

impl Thin {
    /// The block of the pool's data that holds a block of the volume; `None` where nothing was
    /// written.
    fn block(&self, number: u64) -> io::Result<Option<u64>> {
        let mut last = self.last.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((_, leaf)) = &*last
            && let Ok(index) = leaf.0.binary_search_by_key(&number, |(key, _)| *key)
        {
            return Ok(Some(leaf.0[index].1 >> 24));
        }
        let found = self.pool.find(self.root, number).map_err(|failure| io::Error::other(failure.to_string()))?;
        *last = Some((number, found.leaf));
        // The low bits are the time of the mapping.
        Ok(found.value.map(|value| value >> 24))
    }
}

impl Bytes for Thin {
    fn size(&self) -> u64 {
        self.size
    }

    fn read_at(&self, offset: u64, buffer: &mut [u8]) -> io::Result<usize> {
        let left = self.size.saturating_sub(offset);
        let (block, rest) = (offset / self.pool.block, offset % self.pool.block);
        let room = usize::try_from(left.min(self.pool.block - rest)).unwrap_or(usize::MAX).min(buffer.len());
        if room == 0 {
            return Ok(0);
        }
        match self.block(block)? {
            Some(at) => {
                let place = at.checked_mul(self.pool.block).and_then(|at| at.checked_add(rest));
                self.pool.data.read_exact_at(place.ok_or(io::ErrorKind::UnexpectedEof)?, &mut buffer[..room])?;
            }
            None => buffer[..room].fill(0),
        }
        Ok(room)
    }
}

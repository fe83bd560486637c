//! Directories: indexes of names, read block by block rather than down the tree, so that no link
//! can lead in a circle.

use std::sync::Arc;

use super::attribute::{BITMAP, FileName, INDEX_ALLOCATION, INDEX_ROOT};
use super::record::repair;
use super::stream::Stream;
use super::volume::{File, Ntfs};
use pfh_bytes::field::{byte, failure, le16, le32, le64};
use pfh_bytes::layout::Layout;
use pfh_bytes::node::Failure;

/// The name of the index of file names.
const I30: [u16; 4] = [0x24, 0x49, 0x33, 0x30];

/// The largest map of blocks in use: 8 million blocks.
const LARGEST_MAP: u64 = 1 << 20;

/// A name in a directory, with the reference of its record.
pub struct IndexedName {
    pub reference: u64,
    pub name: FileName,
}

/// The entries of a node whose header stands at `at`.
fn entries(block: &[u8], at: usize) -> Result<Vec<IndexedName>, Failure> {
    let wrong = || failure(None, "an index of names contradicts itself");
    let start = at + usize::try_from(le32(block, at)).map_err(|_| wrong())?;
    let end = at + usize::try_from(le32(block, at + 4)).map_err(|_| wrong())?;
    let mut found = Vec::new();
    let node = block.get(..end).ok_or_else(wrong)?;
    let mut at = start;
    loop {
        if at + 16 > node.len() {
            return Err(wrong());
        }
        let (length, key) = (usize::from(le16(node, at + 8)), usize::from(le16(node, at + 10)));
        if byte(node, at + 12) & 2 != 0 {
            return Ok(found);
        }
        if length < 16 || at + length > node.len() || 16 + key > length {
            return Err(wrong());
        }
        let name = FileName::read(&node[at + 16..at + 16 + key]).ok_or_else(wrong)?;
        found.push(IndexedName { reference: le64(node, at), name });
        at += length;
    }
}

/// The names in a directory. A block that contradicts itself is a failure in its place, and the
/// others follow.
pub fn names(
    volume: &Arc<Ntfs>,
    directory: &File,
) -> Result<impl Iterator<Item = Result<IndexedName, Failure>> + Send + use<>, Failure> {
    let root = Stream::of(&directory.attributes, INDEX_ROOT, &I30)?.and_then(|root| root.resident);
    let root = root.ok_or_else(|| failure(None, "a directory without an index of names"))?;
    let first = entries(&root, 16);
    let (mut layout, mut map, mut size) = (Layout::default(), Vec::new(), volume.index_size);
    if let Some(blocks) = Stream::of(&directory.attributes, INDEX_ALLOCATION, &I30)? {
        layout = volume.layout(&blocks).and_then(|layout| layout.disjoint().map(|()| layout))?;
        let stated = usize::try_from(le32(&root, 8)).unwrap_or(0);
        if stated.is_power_of_two() && (512..=1 << 16).contains(&stated) {
            size = stated;
        }
        let bits = Stream::of(&directory.attributes, BITMAP, &I30)?;
        let bits = bits.ok_or_else(|| failure(None, "an index without a map of its blocks"))?;
        map = match &bits.resident {
            Some(map) => map.to_vec(),
            None if bits.size > LARGEST_MAP => {
                return Err(failure(None, "an index with more blocks than a volume has"));
            }
            None => volume.read(&volume.layout(&bits)?, 0, usize::try_from(bits.size).unwrap_or(0))?,
        };
        let blocks = blocks.size.div_ceil(size as u64).div_ceil(8);
        map.truncate(usize::try_from(blocks).unwrap_or(usize::MAX));
    }
    let used = (0..8 * map.len() as u64).filter(move |bit| map[(bit / 8) as usize] >> (bit % 8) & 1 == 1);
    let volume = volume.clone();
    let blocks = used.map(move |block| {
        let from = block * size as u64;
        let place = layout.window(from, from + 1).first().and_then(|run| run.medium_offset);
        let mut raw = volume.read(&layout, from, size)?;
        let found = repair(&mut raw, b"INDX").and_then(|()| entries(&raw, 24));
        found.map_err(|failed| Failure { offset: place, ..failed })
    });
    Ok(std::iter::once(first).chain(blocks).flat_map(|block| {
        let (found, failed) = match block {
            Ok(found) => (found, None),
            Err(failed) => (Vec::new(), Some(Err(failed))),
        };
        found.into_iter().map(Ok).chain(failed)
    }))
}

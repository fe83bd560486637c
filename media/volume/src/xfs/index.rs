//! The blocks of a directory: those with names, and those of its index.

use std::sync::Arc;

use super::directory::{BrokenPlace, Entry, Names, entries, short};
use super::inode::{Format, Inode};
use super::seal::{Owner, Seal};
use super::volume::Xfs;
use pfh_bytes::field::{be16, be32, failure, is_at};
use pfh_bytes::layout::Layout;
use pfh_bytes::node::{Failure, Run};
use pfh_bytes::stored::gather;

/// Where the index begins in the file of a directory, and where the map of room behind it.
const INDEX: u64 = 32 << 30;
const ROOM: u64 = 64 << 30;

/// The names of a part of a directory, and the fault of the part.
pub type Part = (Names, Option<Failure>);

/// One block of a directory.
struct Block {
    raw: Vec<u8>,
    /// Where it begins on the medium.
    offset: u64,
}

impl Xfs {
    /// The names of a directory, part by part; at the end, whether they are as many as its index
    /// has.
    pub fn names(self: &Arc<Self>, inode: &Inode) -> Result<Box<dyn Iterator<Item = Part> + Send>, Failure> {
        if !inode.is_directory() {
            return Err(failure(Some(inode.offset), "not a directory"));
        }
        if inode.content.format == Format::Local {
            let (live, broken) = short(&inode.content.raw, inode.size, self.superblock.has_types);
            let failed = broken.map(|BrokenPlace(at)| {
                let cause = "an entry of the directory contradicts itself: the rest is not listed";
                failure(Some(inode.content.offset + at as u64), cause)
            });
            return Ok(Box::new(std::iter::once((Names { live, ..Names::default() }, failed))));
        }
        let layout = self.layout(inode.number, &inode.content, false)?;
        let (volume, number) = (self.clone(), inode.number);
        let mut blocks = block_numbers(&layout, 0..INDEX, u64::from(self.superblock.directory_block));
        // Those that were found, and those that the index has in a directory of one block.
        let (mut found, mut indexed, mut is_whole, mut is_ended) = (0_u64, None, true, false);
        Ok(Box::new(std::iter::from_fn(move || {
            let Some(index) = blocks.next() else {
                if std::mem::replace(&mut is_ended, true) || !is_whole {
                    return None;
                }
                let indexed = match indexed {
                    Some(indexed) => Ok(indexed),
                    None => volume.indexed(number, &layout),
                };
                let failed = match indexed {
                    Ok(indexed) if indexed == found => return None,
                    Ok(indexed) => failure(None, format!("{found} names, and {indexed} in the directory's index")),
                    Err(failed) => failed,
                };
                return Some((Names::default(), Some(failed)));
            };
            let part = volume.data_block(number, &layout, index).map(|(names, offset, count)| {
                found += names.live.len() as u64;
                indexed = indexed.or(count);
                let failed = names.broken.map(|BrokenPlace(at)| {
                    let cause = "an entry of the directory contradicts itself: the rest of its block is not listed";
                    failure(Some(offset + at as u64), cause)
                });
                (names, failed)
            });
            let part = part.unwrap_or_else(|failed| (Names::default(), Some(failed)));
            is_whole &= part.1.is_none();
            Some(part)
        })))
    }

    /// All live names of a directory that can be read.
    pub fn live_names(self: &Arc<Self>, inode: &Inode) -> Vec<Entry> {
        self.names(inode).into_iter().flatten().flat_map(|(names, _)| names.live).collect()
    }

    /// A block of a directory's file.
    fn directory_block(&self, layout: &Layout, index: u64) -> Result<Block, Failure> {
        let size = u64::from(self.superblock.directory_block);
        let runs = layout.window(index * size, (index + 1) * size);
        let Some(offset) = runs.first().and_then(|run: &Run| run.medium_offset) else {
            return Err(failure(None, "a block of the directory is not there"));
        };
        let raw = gather(&*self.bytes, layout, index * size, size as usize)?;
        Ok(Block { raw, offset })
    }

    /// The names of a block with its place, and how many its own index has.
    fn data_block(&self, owner: u64, layout: &Layout, index: u64) -> Result<(Names, u64, Option<u64>), Failure> {
        let Block { raw, offset } = self.directory_block(layout, index)?;
        let what = "block of a directory";
        let wrong = |cause: &str| Err(failure(Some(offset), format!("{what}: {cause}")));
        let (alone, data): (&[u8], &[u8]) =
            if self.superblock.is_sealed { (b"XDB3", b"XDD3") } else { (b"XD2B", b"XD2D") };
        let is_alone = is_at(&raw, 0, alone);
        if !is_alone && !is_at(&raw, 0, data) {
            return wrong("it has no magic");
        }
        let seal = Seal { what, sum: 4, place: Some(8), uuid: 24, owner: Some((40, Owner::Inode)) };
        self.verify(&raw, offset, seal, owner)?;
        let head = if self.superblock.is_sealed { 64 } else { 16 };
        let (mut end, mut count) = (raw.len(), None);
        if is_alone {
            let (all, stale) = (be32(&raw, end - 8), be32(&raw, end - 4));
            let index = (all as usize).checked_mul(8).and_then(|length| (end - 8).checked_sub(length));
            let Some(from) = index.filter(|&from| from >= head && stale <= all) else {
                return wrong("its index has no room in it");
            };
            (end, count) = (from, Some(u64::from(all - stale)));
        }
        Ok((entries(&raw, head, end, self.superblock.has_types), offset, count))
    }

    /// How many names the index of a directory has.
    fn indexed(&self, owner: u64, layout: &Layout) -> Result<u64, Failure> {
        let what = "index of a directory";
        let mut count = 0;
        for index in block_numbers(layout, INDEX..ROOM, u64::from(self.superblock.directory_block)) {
            let Block { raw, offset } = self.directory_block(layout, index)?;
            let seal = Seal { what, sum: 12, place: Some(16), uuid: 32, owner: Some((48, Owner::Inode)) };
            self.verify(&raw, offset, seal, owner)?;
            let head = if self.superblock.is_sealed { 56 } else { 12 };
            match be16(&raw, 8) {
                0xd2f1 | 0xd2ff | 0x3df1 | 0x3dff => {
                    let (all, stale) = (be16(&raw, head), be16(&raw, head + 2));
                    count += u64::from(all.saturating_sub(stale));
                }
                0xfebe | 0x3ebe => {}
                _ => return Err(failure(Some(offset), format!("{what}: it has no magic"))),
            }
        }
        Ok(count)
    }
}

/// The blocks of a range of a directory's file that are on the medium, in order.
fn block_numbers(layout: &Layout, range: std::ops::Range<u64>, size: u64) -> impl Iterator<Item = u64> + Send + use<> {
    let runs = layout.window(range.start, range.end).into_iter().filter(|run| run.medium_offset.is_some());
    let mut next = 0;
    runs.flat_map(move |run| {
        let first = ((range.start + run.file_offset) / size).max(next);
        next = (range.start + run.file_offset + run.length).div_ceil(size);
        first..next
    })
}

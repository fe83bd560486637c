//! Looks a digest up in one table: its shard, the shard's filter, its block, its row.

use pfh_source::os::positioned::FileExt;
use std::cmp::Ordering;
use std::fs::File;
use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering as Memory};
use std::sync::{Arc, OnceLock};

use pfh_digest::Algorithm;
use pfh_digest::hex;
use xorf::{BinaryFuse8, BinaryFuse8Ref, DmaSerializable, Filter as _, FilterRef};

use crate::Error;
use crate::layout::{self, BLOCK, CRC, Filter, SHARD};
use crate::row::{LONGEST, SHORTEST};

/// The longest row: a digest and 4 bytes of combination.
const LONGEST_ROW: usize = LONGEST + 4;

/// Takes a digest and the number of its combination; an error ends the iteration.
pub type Take<'a, E> = dyn FnMut(&[u8], u32) -> Result<(), E> + 'a;

/// A table of an open file.
pub struct Table {
    digest: usize,
    combination: usize,
    rows: u64,
    shards: Vec<Shard>,
    /// The first 8 bytes of each shard's first digest, side by side: every look-up searches them.
    firsts: Vec<u64>,
    /// Bytes that indices may still take.
    budget: Arc<AtomicUsize>,
}

struct Shard {
    first: Vec<u8>,
    about: layout::Shard,
    index: OnceLock<Index>,
}

/// The part of a shard that is in memory.
struct Index {
    firsts: Vec<u64>,
    filter: Option<Fuse>,
}

/// A filter: how it is laid out, and its fingerprints.
struct Fuse {
    layout: [u8; BinaryFuse8::DESCRIPTOR_LEN],
    fingerprints: Vec<u8>,
}

impl Fuse {
    fn may_contain(&self, key: u64) -> bool {
        BinaryFuse8Ref::from_dma(&self.layout, &self.fingerprints).contains(&key)
    }
}

impl Table {
    /// Takes the entry of the directory; nothing is read yet. An error where it is impossible.
    pub fn open(
        path: &Path,
        algorithm: Algorithm,
        about: &layout::Table,
        budget: Arc<AtomicUsize>,
    ) -> Result<Table, Error> {
        let wrong = || Error::damaged(path, "damaged: its directory has impossible numbers");
        let sizes = about.digest == algorithm.length() && (SHORTEST..=LONGEST).contains(&about.digest);
        if !sizes || ![0, 1, 2, 4].contains(&about.combination) {
            return Err(wrong());
        }
        let mut shards: Vec<Shard> = Vec::with_capacity(about.shards.len());
        for shard in &about.shards {
            let first = hex::decode(shard.first.as_bytes()).filter(|first| first.len() == about.digest);
            let first = first.ok_or_else(wrong)?;
            let ascending = shards.last().is_none_or(|last| last.first < first);
            if !ascending || shard.rows == 0 || shard.rows > SHARD as u64 || !shard.filter.is_none_or(is_sound) {
                return Err(wrong());
            }
            shards.push(Shard { first, about: shard.clone(), index: OnceLock::new() });
        }
        if shards.iter().map(|shard| shard.about.rows).sum::<u64>() != about.rows {
            return Err(wrong());
        }
        let firsts = shards.iter().filter_map(|shard| key_of(&shard.first)).collect();
        Ok(Table { digest: about.digest, combination: about.combination, rows: about.rows, shards, firsts, budget })
    }

    /// How many digests there are.
    pub fn rows(&self) -> u64 {
        self.rows
    }

    /// The number of the combination of a digest of the table's length.
    pub fn find(&self, path: &Path, file: &File, digest: &[u8]) -> Result<Option<u32>, Error> {
        let Some(key) = key_of(digest) else { return Ok(None) };
        let after = self.firsts.partition_point(|first| *first <= key);
        // Shards that begin with the same key as the digest may still begin behind it.
        let Some(shard) = self.shards[..after].iter().rev().find(|shard| *shard.first <= *digest) else {
            return Ok(None);
        };
        let index = match shard.index.get() {
            Some(index) => index,
            None => {
                // Two threads may both read it; both read the same.
                let index = self.load(path, file, &shard.about)?;
                shard.index.get_or_init(|| index)
            }
        };
        if let Some(filter) = &index.filter
            && !filter.may_contain(key)
        {
            return Ok(None);
        }
        // The digest is in the last block whose first key is smaller, or in one of those that start
        // with its key: one, unless somebody chose digests that begin alike.
        let mut from = index.firsts.partition_point(|first| *first < key).saturating_sub(1);
        let mut to = match index.firsts.get(from + 1) {
            Some(first) if *first <= key => from + 1 + index.firsts[from + 1..].partition_point(|first| *first <= key),
            _ => from + 1,
        };
        let mut room = [0; BLOCK * LONGEST_ROW + CRC];
        while from < to {
            let middle = from + (to - from) / 2;
            let rows = self.block(path, file, &shard.about, middle, &mut room)?;
            match self.search(rows, digest) {
                Position::Here(combination) => return Ok(Some(combination)),
                Position::Nowhere => return Ok(None),
                Position::Before => to = middle,
                Position::Behind => from = middle + 1,
            }
        }
        Ok(None)
    }

    /// Hands each digest with the number of its combination to `take`, in ascending order; it ends
    /// with the error of `take`.
    pub fn each<E: From<Error>>(&self, path: &Path, file: &File, take: &mut Take<'_, E>) -> Result<(), E> {
        let mut room = [0; BLOCK * LONGEST_ROW + CRC];
        for shard in &self.shards {
            // Fits: rows are at most SHARD.
            for number in 0..(shard.about.rows as usize).div_ceil(BLOCK) {
                for row in self.block(path, file, &shard.about, number, &mut room)?.chunks_exact(self.row()) {
                    let (digest, about) = row.split_at(self.digest);
                    let mut combination = [0; 4];
                    combination[..self.combination].copy_from_slice(about);
                    take(digest, u32::from_le_bytes(combination))?;
                }
            }
        }
        Ok(())
    }

    fn row(&self) -> usize {
        self.digest + self.combination
    }

    /// Reads and checks a block.
    fn block<'a>(
        &self,
        path: &Path,
        file: &File,
        shard: &layout::Shard,
        number: usize,
        room: &'a mut [u8],
    ) -> Result<&'a [u8], Error> {
        let before = (number * BLOCK) as u64;
        // Fits: a block has at most BLOCK rows.
        let length = (shard.rows - before).min(BLOCK as u64) as usize * self.row();
        let offset = shard.offset.saturating_add((number * (BLOCK * self.row() + CRC)) as u64);
        let block = &mut room[..length + CRC];
        file.read_exact_at(block, offset).map_err(Error::io(path))?;
        let (rows, crc) = block.split_at(length);
        if crc32fast::hash(rows).to_le_bytes() != *crc {
            return Err(Error::damaged(path, format!("damaged: the block at {offset} does not have its checksum")));
        }
        Ok(rows)
    }

    fn search(&self, rows: &[u8], digest: &[u8]) -> Position {
        let row = |at: usize| &rows[at * self.row()..][..self.row()];
        let count = rows.len() / self.row();
        let (mut from, mut to) = (0, count);
        while from < to {
            let middle = from + (to - from) / 2;
            match row(middle)[..self.digest].cmp(digest) {
                Ordering::Equal => {
                    let mut combination = [0; 4];
                    combination[..self.combination].copy_from_slice(&row(middle)[self.digest..]);
                    return Position::Here(u32::from_le_bytes(combination));
                }
                Ordering::Less => from = middle + 1,
                Ordering::Greater => to = middle,
            }
        }
        match from {
            0 => Position::Before,
            _ if from == count => Position::Behind,
            _ => Position::Nowhere,
        }
    }

    fn load(&self, path: &Path, file: &File, shard: &layout::Shard) -> Result<Index, Error> {
        // Both fit: rows are at most SHARD, and a sound filter has few places more.
        let firsts = 8 * (shard.rows as usize).div_ceil(BLOCK);
        let places = shard.filter.map_or(0, |filter| filter.places as usize);
        let mut bytes = vec![0; firsts + places];
        file.read_exact_at(&mut bytes, shard.index).map_err(Error::io(path))?;
        if crc32fast::hash(&bytes) != shard.crc {
            return Err(Error::damaged(
                path,
                format!("damaged: the index at {} does not have its checksum", shard.index),
            ));
        }
        let fingerprints = bytes.split_off(firsts);
        let firsts = bytes.as_chunks().0.iter().map(|bytes| u64::from_le_bytes(*bytes)).collect();
        let wanted = places + bytes.len();
        let room = self.budget.fetch_update(Memory::Relaxed, Memory::Relaxed, |left| left.checked_sub(wanted)).is_ok();
        let filter = shard.filter.filter(|_| room).map(|filter| Fuse { layout: fuse_layout(filter), fingerprints });
        Ok(Index { firsts, filter })
    }
}

/// The bytes of a digest that are searched first.
fn key_of(digest: &[u8]) -> Option<u64> {
    digest.first_chunk().map(|bytes| u64::from_be_bytes(*bytes))
}

/// Where a digest is, seen from one block.
enum Position {
    Here(u32),
    /// Between two rows of the block: in no other either.
    Nowhere,
    Before,
    Behind,
}

/// The layout as xorf has it: seed, length of a segment, its mask, length of all segments but the
/// last two.
fn fuse_layout(filter: Filter) -> [u8; BinaryFuse8::DESCRIPTOR_LEN] {
    let mut layout = [0; BinaryFuse8::DESCRIPTOR_LEN];
    layout[..8].copy_from_slice(&filter.seed.to_le_bytes());
    layout[8..12].copy_from_slice(&filter.segment.to_le_bytes());
    layout[12..16].copy_from_slice(&(filter.segment - 1).to_le_bytes());
    layout[16..].copy_from_slice(&filter.segments.to_le_bytes());
    layout
}

/// Whether no key leads outside the fingerprints, and they are no more than a shard can need.
fn is_sound(filter: Filter) -> bool {
    let Filter { segment, segments, places, .. } = filter;
    // Segments begin at multiples of their length, so bits mixed into the lower part of a place
    // stay within its segment.
    segment.is_power_of_two()
        && segments.is_multiple_of(segment)
        && places <= 4 * SHARD as u64
        && u64::from(segments) + 2 * u64::from(segment) <= places
}

//! Looks blocks of one size up in an open file.

use pfh_source::os::positioned::FileExt;
use std::collections::BTreeMap;
use std::fs::File;
use std::path::Path;
use std::sync::atomic::AtomicUsize;
use std::sync::{Arc, Mutex, PoisonError};

use pfh_digest::{Algorithm, Digest};

use super::SIZES;
use super::rolling::Sieve;
use crate::layout::{Blocks, CRC, PLACES, SHARED};
use crate::table::Table;
use crate::{Error, record};

/// Files that are remembered at a time.
const REMEMBERED: usize = 4096;

/// A file that blocks are known of.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BlockFile {
    /// The position of its set in [`KnownSet::sets`](crate::KnownSet::sets).
    pub set: usize,
    /// Its name when the set was built; bytes.
    pub name: Vec<u8>,
    /// Its length in bytes.
    pub length: u64,
    first: u32,
    blocks: u32,
}

/// A place that a block has in a known file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BlockPlace {
    /// The file.
    pub file: Arc<BlockFile>,
    /// Where in it, in bytes.
    pub offset: u64,
}

/// Where a block is from.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Block {
    /// How many known files have it.
    pub files: u32,
    /// At how many places they have it.
    pub places: u32,
    /// The first of the places, sixteen at most.
    pub first: Vec<BlockPlace>,
}

/// The blocks of one size in a known-set file.
pub struct BlockTable {
    about: Blocks,
    algorithm: Algorithm,
    table: Table,
    files: Mutex<BTreeMap<u32, Arc<BlockFile>>>,
}

impl BlockTable {
    /// Takes the entry of the directory; `None` for an algorithm of a later version. An error where
    /// it is impossible.
    pub(crate) fn open(path: &Path, about: &Blocks, budget: &Arc<AtomicUsize>) -> Result<Option<BlockTable>, Error> {
        if !SIZES.contains(&about.size) || !about.size.is_power_of_two() || about.table.combination != 4 {
            return Err(Error::damaged(path, "damaged: its directory has impossible numbers"));
        }
        let Ok(algorithm) = about.table.algorithm.parse::<Algorithm>() else { return Ok(None) };
        let table = Table::open(path, algorithm, &about.table, Arc::clone(budget))?;
        Ok(Some(BlockTable { about: about.clone(), algorithm, table, files: Mutex::default() }))
    }

    /// Bytes of a block.
    pub fn size(&self) -> u32 {
        self.about.size
    }

    /// The algorithm of the digests.
    pub fn algorithm(&self) -> Algorithm {
        self.algorithm
    }

    /// How many different blocks there are.
    pub fn rows(&self) -> u64 {
        self.table.rows()
    }

    /// The filter by which blocks are found at any byte; `None` if an earlier program built the
    /// set.
    pub(crate) fn sieve(&self, path: &Path, file: &File) -> Result<Option<Sieve>, Error> {
        self.about.rolled.map(|about| Sieve::read(path, file, &about)).transpose()
    }

    pub(crate) fn find(&self, path: &Path, file: &File, digest: &Digest) -> Result<Option<u32>, Error> {
        if digest.algorithm() != self.algorithm {
            return Ok(None);
        }
        self.table.find(path, file, digest.bytes())
    }

    /// Where the block of this number is from; `sets` is how many sets there are.
    pub(crate) fn block(&self, path: &Path, file: &File, sets: usize, number: u32) -> Result<Block, Error> {
        if number < self.about.places {
            return Ok(Block { files: 1, places: 1, first: vec![self.place(path, file, sets, number)?] });
        }
        let damaged = |what: &str| Error::damaged(path, format!("damaged: {what}"));
        let at = u64::from(number - self.about.places);
        if at >= self.about.shared.count {
            return Err(damaged("a block of no place"));
        }
        let mut bytes = [0; SHARED];
        let offset = self.about.shared.offset.saturating_add(at * SHARED as u64);
        file.read_exact_at(&mut bytes, offset).map_err(Error::io(path))?;
        let (numbers, crc) = bytes.split_at(SHARED - CRC);
        if crc32fast::hash(numbers).to_le_bytes() != *crc {
            return Err(damaged("a record of a block does not have its checksum"));
        }
        let numbers: Vec<u32> = numbers.as_chunks().0.iter().map(|bytes| u32::from_le_bytes(*bytes)).collect();
        let (list, counts) = numbers.split_at(PLACES);
        let (places, files) = (counts[0], counts[1]);
        let named = PLACES.min(places as usize);
        let first: Result<Vec<_>, Error> =
            list[..named].iter().map(|number| self.place(path, file, sets, *number)).collect();
        let first = first?;
        if first.is_empty() { Err(damaged("a block of no place")) } else { Ok(Block { files, places, first }) }
    }

    fn place(&self, path: &Path, file: &File, sets: usize, number: u32) -> Result<BlockPlace, Error> {
        let of = self.file_of(path, file, sets, number)?;
        let offset = u64::from(number - of.first) * u64::from(self.about.size);
        Ok(BlockPlace { file: of, offset })
    }

    /// The file that a place is in.
    fn file_of(&self, path: &Path, file: &File, sets: usize, place: u32) -> Result<Arc<BlockFile>, Error> {
        let holds = |of: &BlockFile| place.checked_sub(of.first).is_some_and(|at| at < of.blocks);
        let remembered = || self.files.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((_, of)) = remembered().range(..=place).next_back()
            && holds(of)
        {
            return Ok(Arc::clone(of));
        }
        let damaged = |what: &str| Error::damaged(path, format!("damaged: {what}"));
        let count = u32::try_from(self.about.files.count).map_err(|_| damaged("too many files"))?;
        let (mut from, mut to) = (0, count);
        // The last file that begins at the place or before it.
        let mut found = None;
        while from < to {
            let middle = from + (to - from) / 2;
            let of = decode(&record::read(path, file, &self.about.files, middle)?)
                .filter(|of| of.set < sets)
                .ok_or_else(|| damaged("a record of a file is none"))?;
            if of.first <= place {
                found = Some(of);
                from = middle + 1;
            } else {
                to = middle;
            }
        }
        let of = Arc::new(found.filter(holds).ok_or_else(|| damaged("a place in no file"))?);
        let mut all = remembered();
        if all.len() >= REMEMBERED {
            all.clear();
        }
        all.insert(of.first, Arc::clone(&of));
        Ok(of)
    }
}

/// The record of a file, as [`decode`] reads it.
pub fn encode(set: u32, first: u32, blocks: u32, length: u64, name: &[u8]) -> Vec<u8> {
    let mut record = Vec::with_capacity(20 + name.len());
    [set, first, blocks].iter().for_each(|number| record.extend_from_slice(&number.to_le_bytes()));
    record.extend_from_slice(&length.to_le_bytes());
    record.extend_from_slice(name);
    record
}

fn decode(record: &[u8]) -> Option<BlockFile> {
    let (numbers, name) = record.split_at_checked(20)?;
    let number = |at: usize| numbers[at..].first_chunk().map(|bytes| u32::from_le_bytes(*bytes));
    let length = numbers[12..].first_chunk().map(|bytes| u64::from_le_bytes(*bytes))?;
    let (set, first, blocks) = (number(0)?, number(4)?, number(8)?);
    Some(BlockFile { set: set as usize, name: name.to_vec(), length, first, blocks })
}

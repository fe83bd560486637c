//! An open known-set file: look-ups by positioned reads, with only the indices that are touched in
//! memory.

use pfh_source::os::positioned::FileExt;
use std::collections::HashMap;
use std::fs::File;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use pfh_digest::{Algorithm, Digest};

use crate::blocks::{Block, BlockTable, Sieve};
use crate::bloom::Filter;
use crate::layout::{Directory, END, MAGIC, OF_BLOCKS, OLDEST, TAIL};
use crate::record;
use crate::sets::{Origin, Set};
use crate::table::Table;
use crate::{Class, Error};

/// Bytes of indices that are kept in memory by default: 64 MiB, those of some 50 million entries.
/// Look-ups in further indices are slower.
pub const DEFAULT_RESIDENT: usize = 64 << 20;

/// Combinations that are remembered at a time.
const REMEMBERED: usize = 1 << 16;

/// The longest directory that is believed: 256 MiB, that of 10^12 entries.
const LONGEST_DIRECTORY: u64 = 256 << 20;

/// Where a digest was found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Hit {
    /// The position of the set in [`KnownSet::sets`].
    pub set: usize,
    /// The set's remark on the entry.
    pub tag: Option<String>,
    /// The class: the set's, unless the tag says more.
    pub class: Class,
    /// Whether it is certain.
    pub certainty: Certainty,
}

/// Whether a digest is in a set.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Certainty {
    /// It is.
    Certain,
    /// A probabilistic filter says that it may be.
    Maybe,
}

/// Takes a digest and the sets that hold it; an error ends the iteration.
pub type EachDigest<'a, E> = dyn FnMut(&Digest, &[Hit]) -> Result<(), E> + 'a;

/// An open known-set file.
pub struct KnownSet {
    path: PathBuf,
    file: File,
    directory: Directory,
    tables: Vec<(Algorithm, Table)>,
    filters: Vec<Filter>,
    blocks: Vec<BlockTable>,
    /// Set once the whole file had its digest.
    whole: OnceLock<()>,
    remembered: Mutex<HashMap<u32, Arc<[Hit]>>>,
}

impl KnownSet {
    /// Opens a file; `resident` bytes of its indices at most are kept in memory.
    ///
    /// # Errors
    /// A file that is none, is cut off, or whose directory was changed.
    pub fn open(path: &Path, resident: usize) -> Result<KnownSet, Error> {
        let file = File::open(path).map_err(Error::io(path))?;
        let (directory, end) = read_directory(path, &file)?;
        let mut tables = Vec::new();
        let budget = Arc::new(resident.into());
        for table in &directory.tables {
            // A file of a later version may know algorithms that this one does not.
            if let Ok(algorithm) = table.algorithm.parse::<Algorithm>() {
                tables.push((algorithm, Table::open(path, algorithm, table, Arc::clone(&budget))?));
            }
        }
        let mut blocks = Vec::new();
        for about in &directory.blocks {
            blocks.extend(BlockTable::open(path, about, &budget)?);
        }
        let mut filters = Vec::new();
        for bloom in &directory.blooms {
            filters.extend(Filter::open(path, bloom, directory.sets.len(), end)?);
        }
        Ok(KnownSet {
            path: path.to_owned(),
            file,
            directory,
            tables,
            filters,
            blocks,
            whole: OnceLock::new(),
            remembered: Mutex::default(),
        })
    }

    /// The file.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The sets, in the order in which they were given.
    pub fn sets(&self) -> &[Set] {
        &self.directory.sets
    }

    /// The algorithms with the number of digests of each.
    pub fn algorithms(&self) -> impl Iterator<Item = (Algorithm, u64)> {
        self.tables.iter().map(|(algorithm, table)| (*algorithm, table.rows()))
    }

    /// The filters: the algorithm of their keys, the position of their set, and how many keys were
    /// put in.
    pub fn filters(&self) -> impl Iterator<Item = (Algorithm, usize, u64)> {
        self.filters.iter().map(|filter| (filter.algorithm(), filter.set(), filter.entries()))
    }

    /// The blocks of files, by their size; empty for a set of whole files.
    pub fn blocks(&self) -> &[BlockTable] {
        &self.blocks
    }

    /// The number by which [`block`](KnownSet::block) reports where a block of this size is from;
    /// `None` if it is of no known file.
    ///
    /// # Errors
    /// As for [`find`](KnownSet::find).
    pub fn find_block(&self, of: &BlockTable, digest: &Digest) -> Result<Option<u32>, Error> {
        of.find(&self.path, &self.file, digest)
    }

    /// The filter of the rolling sums of the blocks of this size, by which they are found at any
    /// byte of a medium; `None` if an earlier program built the set. It is read into memory: three
    /// to six bytes for each block.
    ///
    /// # Errors
    /// As for [`find`](KnownSet::find).
    pub fn sieve(&self, of: &BlockTable) -> Result<Option<Sieve>, Error> {
        of.sieve(&self.path, &self.file)
    }

    /// Where a block is from, by the number that [`find_block`](KnownSet::find_block) gave.
    ///
    /// # Errors
    /// As for [`find`](KnownSet::find).
    pub fn block(&self, of: &BlockTable, number: u32) -> Result<Block, Error> {
        of.block(&self.path, &self.file, self.directory.sets.len(), number)
    }

    /// Bytes of the file.
    ///
    /// # Errors
    /// The system's.
    pub fn length(&self) -> Result<u64, Error> {
        Ok(self.file.metadata().map_err(Error::io(&self.path))?.len())
    }

    /// The sets that hold a digest, certain ones first. Digests of algorithms that no set has are
    /// in none.
    ///
    /// # Errors
    /// The system's, and a file that was changed since it was written: then nothing may be
    /// concluded.
    pub fn find(&self, digest: &Digest) -> Result<Vec<Hit>, Error> {
        let mut hits = match self.find_certain(digest)? {
            Some(hits) => hits.to_vec(),
            None => Vec::new(),
        };
        for filter in self.filters.iter().filter(|filter| filter.algorithm() == digest.algorithm()) {
            if !filter.is_summed() && self.whole.get().is_none() {
                // Of layout 1: only the digest of the whole file covers its filters.
                self.verify()?;
                self.whole.get_or_init(|| ());
            }
            if filter.may_contain(&self.path, &self.file, digest)? {
                let class = self.sets()[filter.set()].class().clone();
                hits.push(Hit { set: filter.set(), tag: None, class, certainty: Certainty::Maybe });
            }
        }
        Ok(hits)
    }

    /// The sets that certainly hold a digest; `None` where there is none.
    ///
    /// # Errors
    /// As for [`find`](KnownSet::find).
    pub fn find_certain(&self, digest: &Digest) -> Result<Option<Arc<[Hit]>>, Error> {
        let Some((_, table)) = self.tables.iter().find(|(algorithm, _)| *algorithm == digest.algorithm()) else {
            return Ok(None);
        };
        match table.find(&self.path, &self.file, digest.bytes())? {
            Some(combination) => self.combination(combination).map(Some),
            None => Ok(None),
        }
    }

    /// Hands each digest of an algorithm with the sets that hold it to `take`, in ascending order.
    /// Filters hold no digests.
    ///
    /// # Errors
    /// The system's, a file that was changed, and the errors of `take`.
    pub fn each<E: From<Error>>(&self, algorithm: Algorithm, take: &mut EachDigest<'_, E>) -> Result<(), E> {
        let Some((_, table)) = self.tables.iter().find(|(known, _)| *known == algorithm) else { return Ok(()) };
        table.each(&self.path, &self.file, &mut |bytes, combination| {
            let digest =
                Digest::from_bytes(algorithm, bytes).map_err(|_| self.damaged("a digest of a wrong length"))?;
            take(&digest, &self.combination(combination)?)
        })
    }

    /// The parts of sets of a combination.
    fn combination(&self, number: u32) -> Result<Arc<[Hit]>, Error> {
        let remembered = || self.remembered.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(hits) = remembered().get(&number) {
            return Ok(Arc::clone(hits));
        }
        let list = record::read(&self.path, &self.file, &self.directory.combinations, number)?;
        let mut hits = Vec::new();
        for part in list.as_chunks::<4>().0 {
            let origin = self.origin(u32::from_le_bytes(*part))?;
            let set = &self.directory.sets[origin.set as usize];
            let class = set.class().of_entry(origin.tag.as_deref(), &set.format);
            hits.push(Hit { set: origin.set as usize, tag: origin.tag, class, certainty: Certainty::Certain });
        }
        if hits.is_empty() {
            return Err(self.damaged("a combination of no sets"));
        }
        let hits: Arc<[Hit]> = hits.into();
        let mut all = remembered();
        if all.len() >= REMEMBERED {
            all.clear();
        }
        all.insert(number, Arc::clone(&hits));
        Ok(hits)
    }

    fn origin(&self, number: u32) -> Result<Origin, Error> {
        let record = record::read(&self.path, &self.file, &self.directory.origins, number)?;
        let (set, tag) = record.split_first_chunk::<4>().ok_or_else(|| self.damaged("an origin without a set"))?;
        let set = u32::from_le_bytes(*set);
        let tag = str::from_utf8(tag).map_err(|_| self.damaged("an origin that is not text"))?;
        if set as usize >= self.directory.sets.len() {
            return Err(self.damaged("an origin of no set"));
        }
        Ok(Origin { set, tag: (!tag.is_empty()).then(|| tag.to_owned()) })
    }

    fn damaged(&self, what: &str) -> Error {
        Error::damaged(&self.path, format!("damaged: {what}"))
    }

    /// Reads the whole file and compares it with the digest that it states. Gives that digest.
    ///
    /// # Errors
    /// The system's, and a file that was changed.
    pub fn verify(&self) -> Result<[u8; 32], Error> {
        let length = self.length()?;
        let mut hasher = blake3::Hasher::new();
        let mut room = vec![0; 1 << 20];
        let mut offset = 0;
        let end = length - TAIL as u64;
        while offset < end {
            let part = &mut room[..usize::try_from(end - offset).map_or(1 << 20, |left| left.min(1 << 20))];
            self.file.read_exact_at(part, offset).map_err(Error::io(&self.path))?;
            hasher.update(part);
            offset += part.len() as u64;
        }
        let mut stated = [0; 32];
        self.file.read_exact_at(&mut stated, end + 48).map_err(Error::io(&self.path))?;
        // blake3::Hash compares in constant time.
        if hasher.finalize() == stated { Ok(stated) } else { Err(self.damaged("its digest is another")) }
    }
}

/// Whether a file starts like a known-set file.
pub fn is_known_set(path: &Path) -> bool {
    let mut start = [0; MAGIC.len()];
    File::open(path).and_then(|file| file.read_exact_at(&mut start, 0)).is_ok() && start == MAGIC
}

/// The directory, and where it starts.
fn read_directory(path: &Path, file: &File) -> Result<(Directory, u64), Error> {
    let read = |bytes: &mut [u8], offset| file.read_exact_at(bytes, offset).map_err(Error::io(path));
    let length = file.metadata().map_err(Error::io(path))?.len();
    let mut magic = [0; MAGIC.len()];
    if length < (MAGIC.len() + TAIL) as u64 {
        return Err(Error::damaged(path, "not a known-set file"));
    }
    read(&mut magic, 0)?;
    if magic != MAGIC {
        return Err(Error::damaged(path, "not a known-set file; build one with pfh known build"));
    }
    let mut tail = [0; TAIL];
    read(&mut tail, length - TAIL as u64)?;
    if tail[TAIL - END.len()..] != END {
        return Err(Error::damaged(path, "cut off: its end is missing"));
    }
    let number = |at: usize| tail[at..].first_chunk().map_or(0, |bytes| u64::from_le_bytes(*bytes));
    let (offset, size) = (number(0), number(8));
    if size > LONGEST_DIRECTORY || offset.checked_add(size) != Some(length - TAIL as u64) {
        return Err(Error::damaged(path, "cut off or changed: its directory is not where it should be"));
    }
    // Fits: it is at most LONGEST_DIRECTORY.
    let mut json = vec![0; size as usize];
    read(&mut json, offset)?;
    if blake3::hash(&json).as_bytes()[..] != tail[16..48] {
        return Err(Error::damaged(path, "damaged: its directory was changed"));
    }
    let directory: Directory =
        serde_json::from_slice(&json).map_err(|error| Error::damaged(path, format!("its directory: {error}")))?;
    if !(OLDEST..=OF_BLOCKS).contains(&directory.version) {
        let what =
            format!("of version {}, this program reads {OLDEST} to {OF_BLOCKS}: build it again", directory.version);
        return Err(Error::damaged(path, what));
    }
    if directory.version > 1 && directory.blooms.iter().any(|bloom| bloom.sums.is_none()) {
        return Err(Error::damaged(path, "damaged: a Bloom filter without checksums"));
    }
    Ok((directory, offset))
}

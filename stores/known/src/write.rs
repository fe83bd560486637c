//! Writes a known-set file.

use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::Path;
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::thread::JoinHandle;

use xorf::BinaryFuse8;

use crate::Error;
use crate::journal::Run;
use crate::layout::{BLOCK, END, Filter, MAGIC, SHARD, Section, Shard, Table};
use crate::merge::merge;
use crate::row::words;
use crate::sets::Combinations;

/// A file that counts and hashes its bytes.
pub struct CountingWriter {
    file: BufWriter<File>,
    offset: u64,
    hash: blake3::Hasher,
}

impl CountingWriter {
    pub fn start(file: File) -> io::Result<CountingWriter> {
        let mut counted =
            CountingWriter { file: BufWriter::with_capacity(1 << 20, file), offset: 0, hash: blake3::Hasher::new() };
        counted.write(&MAGIC)?;
        Ok(counted)
    }

    pub fn write(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.offset += bytes.len() as u64;
        self.hash.update(bytes);
        self.file.write_all(bytes)
    }

    pub fn offset(&self) -> u64 {
        self.offset
    }

    /// Writes the directory and the tail, and gives the file, which is not synced.
    pub fn finish(mut self, directory: &[u8]) -> io::Result<File> {
        let offset = self.offset;
        self.write(directory)?;
        let mut tail = Vec::new();
        tail.extend_from_slice(&offset.to_le_bytes());
        tail.extend_from_slice(&(directory.len() as u64).to_le_bytes());
        tail.extend_from_slice(blake3::hash(directory).as_bytes());
        tail.extend_from_slice(self.hash.finalize().as_bytes());
        tail.extend_from_slice(&END);
        self.file.write_all(&tail)?;
        self.file.into_inner().map_err(io::IntoInnerError::into_error)
    }
}

/// Writes numbered records that check themselves, and where they are.
pub fn section<'a>(
    out: &mut CountingWriter,
    records: impl Iterator<Item = Box<dyn AsRef<[u8]> + 'a>>,
) -> io::Result<Section> {
    let mut offsets = Vec::new();
    for (number, record) in records.enumerate() {
        let content = (*record).as_ref();
        offsets.extend_from_slice(&out.offset().to_le_bytes());
        let mut bytes = Vec::with_capacity(content.len() + 12);
        // Both fit: the numbers are those of origins and combinations, and the contents are made of
        // few of them.
        bytes.extend_from_slice(&(number as u32).to_le_bytes());
        bytes.extend_from_slice(&(content.len() as u32).to_le_bytes());
        bytes.extend_from_slice(content);
        bytes.extend_from_slice(&crc32fast::hash(&bytes).to_le_bytes());
        out.write(&bytes)?;
    }
    let section = Section { offset: out.offset(), count: (offsets.len() / 8) as u64 };
    out.write(&offsets)?;
    Ok(section)
}

/// The keys that a shard's index is made of.
struct Keys {
    /// The first 8 bytes of each digest that differs in them from the one before.
    keys: Vec<u64>,
    /// Those of the first digest of each block.
    firsts: Vec<u64>,
}

/// The index of a shard as it is written.
struct Index {
    bytes: Vec<u8>,
    filter: Option<Filter>,
}

fn index(keys: &Keys) -> Index {
    let mut bytes: Vec<u8> = keys.firsts.iter().flat_map(|first| first.to_le_bytes()).collect();
    // Without a filter, which keys chosen by an adversary may prevent, look-ups are slower and as
    // right.
    let filter = BinaryFuse8::try_from(&keys.keys).ok().map(|filter| {
        bytes.extend_from_slice(&filter.fingerprints);
        let at = filter.descriptor;
        let places = filter.fingerprints.len() as u64;
        Filter { seed: at.seed, segment: at.segment_length, segments: at.segment_count_length, places }
    });
    Index { bytes, filter }
}

/// Makes the index of one shard while the rows of the next are written.
struct Indexer {
    jobs: Option<SyncSender<Keys>>,
    done: Receiver<Index>,
    thread: Option<JoinHandle<()>>,
}

impl Indexer {
    fn start() -> std::io::Result<Indexer> {
        let (jobs, taken) = sync_channel::<Keys>(0);
        let (give, done) = sync_channel(1);
        let named = std::thread::Builder::new().name("pfh-index".into());
        let thread = named.spawn(move || {
            while let Ok(keys) = taken.recv() {
                pfh_source::fail_point("index");
                if give.send(index(&keys)).is_err() {
                    break;
                }
            }
        })?;
        Ok(Indexer { jobs: Some(jobs), done, thread: Some(thread) })
    }
}

impl Drop for Indexer {
    fn drop(&mut self) {
        self.jobs = None;
        if let Some(Err(panic)) = self.thread.take().map(JoinHandle::join)
            && !std::thread::panicking()
        {
            std::panic::resume_unwind(panic);
        }
    }
}

/// Writes the table of one algorithm.
pub struct TableWriter<'a> {
    out: &'a mut CountingWriter,
    path: &'a Path,
    table: Table,
    block: Vec<u8>,
    keys: Keys,
    indexer: Indexer,
    /// Whether the shard before the last waits for its index.
    waiting: bool,
}

impl<'a> TableWriter<'a> {
    /// Starts with the first row of `table`; `path` is its name in errors.
    pub fn start(out: &'a mut CountingWriter, path: &'a Path, table: Table) -> Result<TableWriter<'a>, Error> {
        let keys = Keys { keys: Vec::new(), firsts: Vec::new() };
        let block = Vec::with_capacity(BLOCK * (table.digest + 4) + 4);
        let indexer = Indexer::start().map_err(Error::io(path))?;
        Ok(TableWriter { out, path, table, block, keys, indexer, waiting: false })
    }

    /// Ends the last shard.
    pub fn end(mut self) -> Result<Table, Error> {
        self.end_shard()?;
        let last = self.table.shards.len().wrapping_sub(1);
        self.index_of(last)?;
        Ok(std::mem::take(&mut self.table))
    }

    /// Takes the next digest, in ascending order, with its number.
    pub fn row(&mut self, digest: &[u8], combination: u32) -> Result<(), Error> {
        if self.table.rows.is_multiple_of(SHARD as u64) {
            self.end_shard()?;
            let mut first = Vec::new();
            pfh_digest::hex::push(&mut first, digest);
            let first = String::from_utf8_lossy(&first).into_owned();
            self.table.shards.push(Shard { offset: self.out.offset(), first, ..Shard::default() });
        }
        // Algorithms with fewer than 16 bytes are not taken.
        let key = digest.first_chunk().map_or(0, |bytes| u64::from_be_bytes(*bytes));
        if self.block.is_empty() {
            self.keys.firsts.push(key);
        }
        if self.keys.keys.last() != Some(&key) {
            self.keys.keys.push(key);
        }
        self.block.extend_from_slice(digest);
        self.block.extend_from_slice(&combination.to_le_bytes()[..self.table.combination]);
        self.table.rows += 1;
        if let Some(shard) = self.table.shards.last_mut() {
            shard.rows += 1;
        }
        if self.block.len() == BLOCK * (self.table.digest + self.table.combination) { self.end_block() } else { Ok(()) }
    }

    fn end_block(&mut self) -> Result<(), Error> {
        if !self.block.is_empty() {
            let crc = crc32fast::hash(&self.block);
            self.block.extend_from_slice(&crc.to_le_bytes());
            self.out.write(&self.block).map_err(Error::io(self.path))?;
            self.block.clear();
        }
        Ok(())
    }

    /// Ends the last shard's rows, and writes the index of the one before, which is done by now.
    fn end_shard(&mut self) -> Result<(), Error> {
        self.end_block()?;
        if self.keys.firsts.is_empty() {
            return Ok(());
        }
        let last = self.table.shards.len() - 1;
        self.index_of(last.wrapping_sub(1))?;
        let keys = std::mem::replace(
            &mut self.keys,
            Keys { keys: Vec::with_capacity(SHARD), firsts: Vec::with_capacity(SHARD / BLOCK) },
        );
        if let Some(jobs) = &self.indexer.jobs {
            // The thread ends before its jobs only by a panic, which its end tells.
            let _ = jobs.send(keys);
        }
        self.waiting = true;
        Ok(())
    }

    fn index_of(&mut self, shard: usize) -> Result<(), Error> {
        if !std::mem::take(&mut self.waiting) {
            return Ok(());
        }
        let (Ok(index), Some(shard)) = (self.indexer.done.recv(), self.table.shards.get_mut(shard)) else {
            return Err(Error::damaged(self.path, "the thread that makes filters failed"));
        };
        shard.index = self.out.offset();
        shard.crc = crc32fast::hash(&index.bytes);
        shard.filter = index.filter;
        self.out.write(&index.bytes).map_err(Error::io(self.path))
    }
}

/// Rows between two calls of the progress callback.
const LOOK: u64 = 1 << 16;

/// Merges the runs of one algorithm into a table. `watch` learns now and then how many rows more
/// were merged, and may end it.
pub fn table(
    out: &mut CountingWriter,
    path: &Path,
    work: &Path,
    runs: &[Run],
    table: Table,
    combinations: &mut Combinations,
    watch: &mut dyn FnMut(u64) -> Result<(), Error>,
) -> Result<Table, Error> {
    let digest = table.digest;
    let mut writer = TableWriter::start(out, path, table)?;
    let mut merged = 0;
    let take = |row: &[u8], origins: &[u32]| {
        merged += origins.len() as u64;
        if merged >= LOOK {
            watch(std::mem::take(&mut merged))?;
        }
        let combination = combinations.number(origins)?;
        writer.row(&row[..digest], combination)
    };
    match words(digest) {
        3 => merge::<3>(work, runs, take),
        4 => merge::<4>(work, runs, take),
        5 => merge::<5>(work, runs, take),
        6 => merge::<6>(work, runs, take),
        7 => merge::<7>(work, runs, take),
        8 => merge::<8>(work, runs, take),
        _ => merge::<9>(work, runs, take),
    }?;
    writer.end()
}

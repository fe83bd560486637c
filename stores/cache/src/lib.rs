//! Digests kept from run to run, for files whose device, inode, size, mtime and ctime did not
//! change. An SQLite database, off unless asked for: it trusts the file system, and anyone who may
//! write to it.

#![forbid(unsafe_code)]

mod bounds;

use bounds::{LIMITS, TABLES, own_tables};
use pfh_digest::{Algorithm, Digest};
use pfh_engine::{HashedFile, Outcome, Record};
use pfh_source::os::clock;
use pfh_source::{ChangeTimes, Entry, Item, Note, ReadResult, Source, Stat};
use pfh_sqlite::{Looks, bound};
use rusqlite::{Connection, OptionalExtension, params};
use std::collections::{HashMap, HashSet};
use std::fs::File;
use std::hash::{BuildHasher, RandomState};
use std::io::{ErrorKind, Read};
use std::path::Path;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// Clocks of file systems tick: a file that changed so recently may change again without a new
/// time.
const SETTLED: Duration = Duration::from_secs(2);
/// New rows are on the disk after this time, or when that many wait.
const COMMIT: Duration = Duration::from_secs(1);
const ROWS: u64 = 4096;

/// Marks databases of this kind: "pfhc".
const APPLICATION: i64 = 0x7066_6863;

/// A cache that cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum CacheError {
    /// SQLite's own.
    #[error("the cache: {0}")]
    Database(#[from] rusqlite::Error),
    /// A file or database of something else.
    #[error("the cache: a file, but no cache of pfh's: left as it is")]
    Foreign,
    /// The file cannot be read.
    #[error("the cache: {0}")]
    Unreadable(#[from] std::io::Error),
}

impl CacheError {
    /// Whether the cache is one, and cannot be used for now: another run holds it, or its disk is
    /// full or failing. Files are hashed without it then.
    pub fn is_passing(&self) -> bool {
        use rusqlite::ErrorCode::{DatabaseBusy, DatabaseLocked, DiskFull, SystemIoFailure};
        let CacheError::Database(error) = self else { return false };
        matches!(error.sqlite_error_code(), Some(DatabaseBusy | DatabaseLocked | DiskFull | SystemIoFailure))
    }
}

/// How a run used a cache.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Use {
    /// Files that were not read.
    pub reused: u64,
    /// Files of the sample that were read though they need not have been.
    pub verified: u64,
    /// Of these the ones whose content changed though nothing said so.
    pub changed: u64,
    /// Files that were read because their file system keeps no change time: their digests are not
    /// kept either.
    pub timeless: u64,
}

struct Inner {
    connection: Connection,
    /// Looks of the query at hand.
    looks: Looks,
    algorithms: Vec<Algorithm>,
    run: i64,
    /// The share of reusable files that are read all the same, in parts of 2^32.
    sample: u64,
    random: RandomState,
    waiting: u64,
    since: Instant,
    used: Use,
    /// Files that were settled and whose records have not come yet, by their numbers.
    settled: HashSet<u64>,
    /// It failed: nothing is asked of it or kept in it any more.
    failed: bool,
    /// Whether the change times of a device can be trusted.
    devices: HashMap<u64, ChangeTimes>,
}

/// An open cache, shared by the source that asks it and the sink that feeds it.
#[derive(Clone)]
pub struct Cache(Arc<Mutex<Inner>>);

impl Cache {
    /// Opens or makes a cache. `identity` says which command this is: rows that an interrupted run
    /// of the same left are the run's own and not marked as reused. A share `sample` (0 to 1) of
    /// files that could be reused is read all the same.
    ///
    /// # Errors
    /// A file that is not a cache, or cannot be written.
    pub fn open(path: &Path, identity: &str, algorithms: &[Algorithm], sample: f64) -> Result<Cache, CacheError> {
        // Before SQLite sees it: the log of an earlier database of this name would replace the
        // present contents.
        if !is_empty_or_ours(path)? {
            return Err(CacheError::Foreign);
        }
        let mut connection = Connection::open(path)?;
        let looks = bound(&mut connection, LIMITS, None)?;
        connection.busy_timeout(Duration::from_secs(10))?;
        // At one time: another run may be making it.
        connection.execute_batch("BEGIN")?;
        let application: i64 = connection.query_row("PRAGMA application_id", [], |row| row.get(0))?;
        let tables = own_tables(&connection)?.ok_or(CacheError::Foreign)?;
        if application != APPLICATION && tables > 0 {
            return Err(CacheError::Foreign);
        }
        connection.execute_batch("COMMIT")?;
        if tables < TABLES.len() {
            let made = TABLES.map(|(name, columns)| format!("CREATE TABLE IF NOT EXISTS {name} {columns};")).concat();
            let id = format!("PRAGMA application_id = {APPLICATION};");
            // The mark is in the first page that is written: no moment has a file without it.
            connection.execute_batch(&format!("BEGIN IMMEDIATE; {id} {made} COMMIT"))?;
        }
        // Readers see whole transactions; a crash loses the last one at most.
        connection.query_row("PRAGMA journal_mode = WAL", [], |_| Ok(()))?;
        connection.execute_batch("PRAGMA synchronous = NORMAL;")?;
        let unfinished = "SELECT run FROM runs WHERE identity = ?1 AND finished = 0 ORDER BY run DESC LIMIT 1";
        let run = match connection.query_row(unfinished, [identity], |row| row.get(0)).optional()? {
            Some(run) => run,
            None => {
                connection.execute("INSERT INTO runs (identity, finished) VALUES (?1, 0)", [identity])?;
                connection.last_insert_rowid()
            }
        };
        connection.execute_batch("BEGIN")?;
        // Within range: the share is clamped, and 2^32 is exact in a double.
        let sample = (sample.clamp(0.0, 1.0) * 4_294_967_296.0) as u64;
        Ok(Cache(Arc::new(Mutex::new(Inner {
            connection,
            looks,
            algorithms: algorithms.to_vec(),
            run,
            sample,
            random: RandomState::new(),
            waiting: 0,
            since: Instant::now(),
            used: Use::default(),
            settled: HashSet::new(),
            failed: false,
            devices: HashMap::new(),
        }))))
    }

    fn inner(&self) -> MutexGuard<'_, Inner> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// A source whose entries are settled where the cache knows them.
    pub fn reusing<S: Source>(&self, source: S) -> Reusing<S> {
        Reusing { source, cache: self.clone() }
    }

    /// Keeps the digests of a record that was read. Gives `true` when the cache had others for the
    /// same unchanged file: its content changed though nothing says so.
    ///
    /// # Errors
    /// SQLite's, once: from then on nothing is asked of the cache or kept in it, and all files are
    /// read.
    pub fn keep(&self, record: &Record) -> Result<bool, CacheError> {
        let Outcome::Hashed(hashed) = &record.outcome else { return Ok(false) };
        // A file that was not read proves nothing, whichever run found its digests.
        if self.inner().settled.remove(&record.number) {
            return Ok(false);
        }
        if hashed.closed.notes.contains(&Note::Reused) || hashed.closed.notes.contains(&Note::Virtual) {
            return Ok(false);
        }
        let mut inner = self.inner();
        if inner.failed {
            return Ok(false);
        }
        let kept = inner.keep(hashed);
        inner.failed = kept.is_err();
        kept
    }

    /// How it was used so far.
    pub fn used(&self) -> Use {
        self.inner().used
    }

    /// Puts the new rows on the disk. `finished` says that the run came to its end.
    ///
    /// # Errors
    /// SQLite's; of a cache that failed before nothing is asked.
    pub fn close(&self, finished: bool) -> Result<Use, CacheError> {
        let inner = self.inner();
        if inner.failed {
            return Ok(inner.used);
        }
        if finished {
            inner.connection.execute("UPDATE runs SET finished = 1 WHERE run = ?1", [inner.run])?;
        }
        inner.connection.execute_batch("COMMIT")?;
        // The process may end before the connection does: nothing is left in the log beside the
        // file, unless another run needs it there.
        inner.connection.busy_timeout(Duration::ZERO)?;
        inner.connection.query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |_| Ok(()))?;
        inner.connection.execute_batch("BEGIN")?;
        Ok(inner.used)
    }
}

/// Whether a file is missing, empty, or says in its header that it is a database of this kind
/// ("Database File Format" of SQLite, section 1.3: 16 bytes of magic, the application's number at
/// 68). An empty database of SQLite's may become one.
fn is_empty_or_ours(path: &Path) -> std::io::Result<bool> {
    let mut header = [0; 100];
    let mut file = match File::open(path) {
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(true),
        opened => opened?,
    };
    let length = file.metadata()?.len();
    if length == 0 {
        return Ok(true);
    }
    if length < header.len() as u64 {
        return Ok(false);
    }
    file.read_exact(&mut header)?;
    Ok(header.starts_with(b"SQLite format 3\0"))
}

/// The numbers that must be the same; SQLite's integers are signed, so unsigned ones keep their
/// bits. `None` for an inode beyond 64 bits (ReFS): such files are not kept.
fn key(stat: &Stat, medium: u64) -> Option<[i64; 7]> {
    let Stat { device, inode, size, mtime, ctime, .. } = stat;
    let inode = u64::try_from(*inode).ok()? as i64;
    // Two media in turn in one drive are two devices.
    let device = *device ^ medium.wrapping_mul(0x9e37_79b9_7f4a_7c15);
    Some([device as i64, inode, *size as i64, mtime.0, i64::from(mtime.1), ctime.0, i64::from(ctime.1)])
}

/// The checksum of a row: a cache lives for years.
fn checksum(key: &[i64; 7], algorithm: &str, digest: &[u8]) -> i64 {
    let mut crc = crc32fast::Hasher::new();
    key.iter().for_each(|number| crc.update(&number.to_le_bytes()));
    crc.update(algorithm.as_bytes());
    crc.update(digest);
    i64::from(crc.finalize())
}

impl Inner {
    /// The digests of all algorithms and the run that found them, where all are there.
    fn find(&self, stat: &Stat) -> rusqlite::Result<Option<(Vec<Digest>, bool)>> {
        let sql =
            "SELECT digest, run, crc FROM digests WHERE device = ?1 AND inode = ?2 AND algorithm = ?8 AND size = ?3
            AND mtime = ?4 AND mtime_ns = ?5 AND ctime = ?6 AND ctime_ns = ?7";
        let Some(key) = key(stat, self.medium(stat)) else { return Ok(None) };
        self.looks.begin();
        let mut statement = self.connection.prepare_cached(sql)?;
        let [device, inode, size, mtime, mtime_ns, ctime, ctime_ns] = key;
        let (mut digests, mut own) = (Vec::new(), true);
        for algorithm in &self.algorithms {
            let name = algorithm.to_string();
            let row = statement
                .query_row(params![device, inode, size, mtime, mtime_ns, ctime, ctime_ns, name], |row| {
                    Ok((row.get::<_, Vec<u8>>(0)?, row.get::<_, i64>(1)?, row.get::<_, i64>(2)?))
                })
                .optional()?;
            let Some((bytes, run, crc)) = row else { return Ok(None) };
            let digest = Digest::from_bytes(*algorithm, &bytes);
            match digest {
                Ok(digest) if checksum(&key, &name, &bytes) == crc => digests.push(digest),
                _ => return Ok(None),
            }
            own &= run == self.run;
        }
        Ok(Some((digests, own)))
    }

    /// The number of the medium on which a file lies, as far as its device was asked.
    fn medium(&self, stat: &Stat) -> u64 {
        self.devices.get(&stat.device).map_or(0, |times| times.medium())
    }

    /// Whether a file's change time tells that it was rewritten. A device that cannot be asked has
    /// none.
    fn is_timed(&mut self, stat: &Stat, ask: impl FnOnce() -> Option<ChangeTimes>) -> bool {
        let times = match self.devices.get(&stat.device) {
            Some(times) => *times,
            None => match ask() {
                Some(times) => *self.devices.entry(stat.device).or_insert(times),
                None => return false,
            },
        };
        times.hold_for(stat)
    }

    fn settle(&mut self, entry: &Entry) -> Option<(ReadResult, Vec<Digest>)> {
        let stat = entry.look()?;
        // S_IFREG of stat(2): anything but a plain file is read, even if the cache has its digests.
        if stat.mode & 0o170_000 != 0o100_000 {
            return None;
        }
        if !self.is_timed(&stat, || entry.change_times()) {
            self.used.timeless += 1;
            return None;
        }
        if self.failed {
            return None;
        }
        // A cache that fails is asked in vain: the file is read.
        let (digests, own) = self.find(&stat).ok()??;
        if self.sample > 0 && self.random.hash_one((entry.number, self.used.verified)) & 0xFFFF_FFFF < self.sample {
            return None;
        }
        self.used.reused += 1;
        self.settled.insert(entry.number);
        let notes = if own { Vec::new() } else { vec![Note::Reused] };
        Some((ReadResult { size: stat.size, stat: Some(stat), notes, inside: None }, digests))
    }

    fn keep(&mut self, hashed: &HashedFile) -> Result<bool, CacheError> {
        let Some(stat) = &hashed.closed.stat else { return Ok(false) };
        if stat.mode & 0o170_000 != 0o100_000 || hashed.closed.size != stat.size {
            return Ok(false);
        }
        // Asked when the entry came by; a file that came in another way is not kept.
        if !self.is_timed(stat, || None) {
            return Ok(false);
        }
        let before = self.find(stat)?;
        self.looks.begin();
        let changed = before.as_ref().is_some_and(|(digests, _)| *digests != hashed.digests);
        self.used.verified += u64::from(before.is_some());
        self.used.changed += u64::from(changed);
        if !is_settled(stat) || (before.is_some() && !changed) {
            return Ok(changed);
        }
        let Some(key) = key(stat, self.medium(stat)) else { return Ok(changed) };
        let [device, inode, size, mtime, mtime_ns, ctime, ctime_ns] = key;
        {
            let sql = "INSERT OR REPLACE INTO digests VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11)";
            let mut statement = self.connection.prepare_cached(sql)?;
            // Digests that are text are not kept: they do not come back as bytes.
            for digest in hashed.digests.iter().filter(|digest| digest.text().is_none()) {
                let name = digest.algorithm().to_string();
                let crc = checksum(&key, &name, digest.bytes());
                let row =
                    params![device, inode, name, size, mtime, mtime_ns, ctime, ctime_ns, digest.bytes(), self.run, crc];
                statement.execute(row)?;
            }
        }
        self.waiting += 1;
        if self.waiting >= ROWS || self.since.elapsed() >= COMMIT {
            self.connection.execute_batch("COMMIT; BEGIN")?;
            self.waiting = 0;
            self.since = Instant::now();
        }
        Ok(changed)
    }
}

/// Whether a file's times are old enough that a later write must change them.
fn is_settled(stat: &Stat) -> bool {
    let now = clock::now();
    let at = |(seconds, nanoseconds): (i64, u32)| {
        u64::try_from(seconds).map(|s| Duration::new(s, nanoseconds.min(999_999_999)))
    };
    [stat.mtime, stat.ctime].into_iter().all(|time| at(time).is_ok_and(|time| time + SETTLED <= now))
}

/// A source in which unchanged files are settled.
pub struct Reusing<S> {
    source: S,
    cache: Cache,
}

impl<S: Source> Source for Reusing<S> {
    fn pull(&mut self) -> Option<Item> {
        let item = self.source.pull()?;
        Some(self.settled(item))
    }
}

impl<S: Source> Reusing<S> {
    /// The item; an unchanged file with the digests that are kept.
    fn settled(&self, item: Item) -> Item {
        let Item::Entry(entry) = item else { return item };
        match self.cache.inner().settle(&entry) {
            Some((closed, digests)) => Item::Settled { number: entry.number, name: entry.name(), closed, digests },
            None => Item::Entry(entry),
        }
    }
}

#[cfg(test)]
mod tests;

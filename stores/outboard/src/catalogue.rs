//! A catalogue of a directory that is kept: one hash tree over the names, sizes and digests of its
//! files. Changing one entry costs its path.
//!
//! The file is a database of SQLite's: the entries in the order of their keys, and the values of
//! all subtrees that have several. A change is one transaction: if it is interrupted, the old
//! catalogue or the new one is there.

mod error;
mod header;
mod locked;
mod proof;
mod turn;

pub use error::CatalogueError;
pub use header::{APPLICATION, MARK, is_catalogue};

use header::{has_own_tables, schema};
use pfh_source::os::clock;
use pfh_source::{Stat, replace_closed};
use pfh_sqlite::{Limits, Looks, bound};
use pfh_tree::catalogue::{EMPTY, Key, Lock, Value, key, leaf, nodes, prefix};
use rusqlite::{Connection, OpenFlags, OptionalExtension, params};
use std::fs::OpenOptions;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;
use std::time::Duration;
use turn::{Turn, beside};

/// 2^26 steps are a second or some; a query of a catalogue takes hundreds. Names of files are far
/// below the longest value.
const LIMITS: Limits = Limits { value: 16 << 20, statement: 1 << 16, steps: 1 << 26 };

/// Clocks of file systems tick: a file that changed so recently may change again without a new
/// time.
const SETTLED: Duration = Duration::from_secs(2);

/// A file as it is catalogued.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CatalogueEntry {
    /// Its name below the directory: bytes.
    pub name: Vec<u8>,
    /// Its bytes.
    pub size: u64,
    /// Its digest.
    pub digest: Vec<u8>,
    /// The file system's facts when it was read; empty if it may change unnoticed.
    pub stamp: Vec<u8>,
}

/// A file system's facts about a file: while they are the same, so is the file. Empty if the file
/// was changed so recently that it may change again without a new time.
pub fn stamp(stat: &Stat, settled: bool) -> Vec<u8> {
    let now = clock::now();
    let old = |(seconds, nanoseconds): (i64, u32)| {
        u64::try_from(seconds).is_ok_and(|s| Duration::new(s, nanoseconds.min(999_999_999)) + SETTLED <= now)
    };
    if !settled || !old(stat.mtime) || !old(stat.ctime) {
        return Vec::new();
    }
    // Of an inode beyond 64 bits (ReFS) the other half follows at the end.
    let (inode, beyond) = (stat.inode as u64, (stat.inode >> 64) as u64);
    let numbers = [stat.device, inode, stat.size, stat.mtime.0 as u64, stat.ctime.0 as u64];
    let parts = [u64::from(stat.mtime.1), u64::from(stat.ctime.1)];
    let beyond = (beyond != 0).then_some(beyond);
    numbers.iter().chain(&parts).chain(&beyond).flat_map(|number| number.to_le_bytes()).collect()
}

/// An open catalogue. Changes are kept when [`commit`](Catalogue::commit) returns.
pub struct Catalogue {
    connection: Connection,
    /// How long the query at hand has worked.
    looks: Looks,
    path: PathBuf,
    /// Values that were computed.
    computed: u64,
    /// The key of the root, once it is known.
    lock: Option<Lock>,
    /// Holds the copy that is read in place of a catalogue whose change was killed.
    room: Option<tempfile::TempDir>,
    /// The database that becomes the catalogue when it is committed.
    fresh: Option<Fresh>,
    /// Nobody else changes it meanwhile. Dropped last.
    turn: Option<Turn>,
}

/// A database under a name that no reader looks at, removed unless it becomes the catalogue.
struct Fresh(PathBuf);

impl Drop for Fresh {
    fn drop(&mut self) {
        let _ = std::fs::remove_file(&self.0);
        let _ = std::fs::remove_file(beside(&self.0, JOURNAL));
    }
}

/// The journal of a database, which takes a change back.
const JOURNAL: &str = "-journal";
/// The fact that has the mark of a key.
const MARK_OF_KEY: &str = "mark of a key";
/// The suffix of the name that a catalogue is made under.
const NEW: &str = "-new";

/// Files beside a catalogue while it is made or changed. It does not list them.
pub fn companions(path: &Path) -> [PathBuf; 4] {
    let new = beside(path, NEW);
    [beside(path, JOURNAL), turn::lock_of(path), beside(&new, JOURNAL), new]
}

/// Whether a change was killed, and must be taken back before anything is read.
fn left_open(error: &rusqlite::Error) -> bool {
    error.sqlite_error().is_some_and(|error| error.extended_code == rusqlite::ffi::SQLITE_READONLY_ROLLBACK)
}

type EntryDone<T> = Result<T, CatalogueError>;

impl Catalogue {
    fn failed(&self) -> impl Fn(rusqlite::Error) -> CatalogueError + use<> {
        let path = self.path.clone();
        move |error| CatalogueError::Database { path: path.clone(), error }
    }

    /// Opens a catalogue to read it.
    ///
    /// # Errors
    /// When it is none, or cannot be read.
    pub fn open(path: &Path) -> EntryDone<Catalogue> {
        // SQLite looks for a change that was killed when it reads the schema, which a pragma does.
        match Catalogue::of(path, OpenFlags::SQLITE_OPEN_READ_ONLY, "BEGIN") {
            Err(CatalogueError::Database { error, .. }) if left_open(&error) => Catalogue::as_before(path),
            opened => opened,
        }
    }

    /// Opens the catalogue as it was before a change that was killed. A reader writes nothing
    /// beside the catalogue, and so the change is taken back in a copy.
    fn as_before(path: &Path) -> EntryDone<Catalogue> {
        let unreadable = |error| CatalogueError::Unreadable { path: path.to_owned(), error };
        let room = tempfile::tempdir().map_err(unreadable)?;
        // SQLite names the journal after the file itself, not after a link to it.
        let journal = beside(&path.canonicalize().map_err(unreadable)?, JOURNAL);
        let copy = room.path().join("catalogue");
        let of = |file: &Path| std::fs::metadata(file).and_then(|of| Ok((of.len(), of.modified()?))).ok();
        let state = || of(path).zip(of(&journal));
        let before = state();
        if before.is_some() {
            std::fs::copy(&journal, beside(&copy, JOURNAL))
                .and_then(|_| std::fs::copy(path, &copy))
                .map_err(unreadable)?;
        }
        // Somebody else takes it back, or changes it, meanwhile.
        if before.is_none() || state() != before {
            return Catalogue::of(path, OpenFlags::SQLITE_OPEN_READ_ONLY, "BEGIN");
        }
        let mut opened = Catalogue::begin(&copy, OpenFlags::SQLITE_OPEN_READ_WRITE, "BEGIN")?;
        (opened.path, opened.room) = (path.to_owned(), Some(room));
        opened.fact("algorithm")?;
        Ok(opened)
    }

    /// Opens a catalogue to change it; waits until nobody else changes it.
    ///
    /// # Errors
    /// When it is none, or cannot be written; when `cancel` is set while it waits.
    pub fn change(path: &Path, cancel: &AtomicBool) -> EntryDone<Catalogue> {
        let missing = |error| CatalogueError::Unreadable { path: path.to_owned(), error };
        let own = path.canonicalize().map_err(missing)?;
        // Before a lock is made beside somebody's file.
        if !is_catalogue(&own).map_err(missing)? {
            return Err(CatalogueError::Foreign(path.to_owned()));
        }
        let turn = Catalogue::turn(&own, cancel)?;
        let mut opened = Catalogue::of(path, OpenFlags::SQLITE_OPEN_READ_WRITE, "BEGIN IMMEDIATE")?;
        opened.turn = Some(turn);
        Ok(opened)
    }

    fn turn(path: &Path, cancel: &AtomicBool) -> EntryDone<Turn> {
        let failed = |error| CatalogueError::Unreadable { path: turn::lock_of(path), error };
        let turn = Turn::wait(path, cancel).map_err(failed)?;
        turn.ok_or_else(|| CatalogueError::Cancelled(path.to_owned()))
    }

    /// Opens the same catalogue once more, to read it as it was before this change. The file itself
    /// is opened by SQLite alone: another look at it would take this connection's locks away.
    ///
    /// # Errors
    /// When it cannot be read.
    pub fn reader(&self) -> EntryDone<Catalogue> {
        Catalogue::begin(&self.path, OpenFlags::SQLITE_OPEN_READ_ONLY, "BEGIN")
    }

    fn of(path: &Path, flags: OpenFlags, begin: &str) -> EntryDone<Catalogue> {
        let unreadable = |error| CatalogueError::Unreadable { path: path.to_owned(), error };
        std::fs::metadata(path).map_err(unreadable)?;
        if !is_catalogue(path).map_err(unreadable)? {
            return Err(CatalogueError::Foreign(path.to_owned()));
        }
        Catalogue::begin(path, flags, begin)
    }

    fn begin(path: &Path, flags: OpenFlags, begin: &str) -> EntryDone<Catalogue> {
        let opened = Catalogue::connect(path, flags)?;
        opened.connection.execute_batch(begin).map_err(opened.failed())?;
        opened.only_own_tables()?;
        Ok(opened)
    }

    fn connect(path: &Path, flags: OpenFlags) -> EntryDone<Catalogue> {
        let failed = |error| CatalogueError::Database { path: path.to_owned(), error };
        let flags = flags | OpenFlags::SQLITE_OPEN_NO_MUTEX;
        let mut connection = Connection::open_with_flags(path, flags).map_err(failed)?;
        let looks = bound(&mut connection, LIMITS, None).map_err(failed)?;
        connection.busy_timeout(Duration::from_secs(600)).map_err(failed)?;
        connection.execute_batch("PRAGMA synchronous = FULL;").map_err(failed)?;
        Ok(Catalogue {
            connection,
            looks,
            path: path.to_owned(),
            computed: 0,
            lock: None,
            room: None,
            fresh: None,
            turn: None,
        })
    }

    /// Nothing is asked of a database that has anything but a catalogue's own tables.
    fn only_own_tables(&self) -> EntryDone<()> {
        let own = has_own_tables(&self.connection).map_err(self.failed())?;
        if own { Ok(()) } else { Err(CatalogueError::Foreign(self.path.clone())) }
    }

    /// An empty catalogue of digests of this algorithm, whose root is under a key if there is one.
    /// It takes the place of the one that is there when it is committed; until then nothing has
    /// changed.
    ///
    /// # Errors
    /// When it cannot be written; when `cancel` is set while another change is waited for.
    pub fn create(path: &Path, algorithm: &str, key: Option<&[u8]>, cancel: &AtomicBool) -> EntryDone<Catalogue> {
        let own = path.canonicalize().unwrap_or_else(|_| path.to_owned());
        let turn = Catalogue::turn(&own, cancel)?;
        let fresh = Fresh(beside(&own, NEW));
        let unwritten = |error| CatalogueError::Unreadable { path: fresh.0.clone(), error };
        // The files of a killed build; nobody else may have one, as the turn is ours.
        for left in [beside(&fresh.0, JOURNAL), fresh.0.clone()] {
            match std::fs::remove_file(&left) {
                Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(unwritten(error)),
                _ => {}
            }
        }
        OpenOptions::new().write(true).create_new(true).open(&fresh.0).map_err(unwritten)?;
        let mut made = Catalogue::connect(&fresh.0, OpenFlags::SQLITE_OPEN_READ_WRITE)?;
        (made.path, made.fresh, made.turn) = (own, Some(fresh), Some(turn));
        let number = u32::from_be_bytes(*APPLICATION);
        let begin = format!("BEGIN IMMEDIATE; PRAGMA application_id = {number}; {}", schema());
        made.connection.execute_batch(&begin).map_err(made.failed())?;
        made.keep("algorithm", algorithm.as_bytes())?;
        if let Some(lock) = key.map(|key| Lock::new(algorithm, key)) {
            made.keep(MARK_OF_KEY, &lock.mark())?;
            made.lock = Some(lock);
        }
        Ok(made)
    }

    /// The connection, for another query.
    fn ask(&self) -> &Connection {
        self.looks.begin();
        &self.connection
    }

    fn keep(&self, name: &str, value: &[u8]) -> EntryDone<()> {
        let sql = "INSERT OR REPLACE INTO facts VALUES (?1, ?2)";
        self.ask().execute(sql, params![name, value]).map(drop).map_err(self.failed())
    }

    fn found(&self, name: &str) -> EntryDone<Option<Vec<u8>>> {
        let sql = "SELECT value FROM facts WHERE name = ?1";
        self.ask().query_row(sql, [name], |row| row.get(0)).optional().map_err(self.failed())
    }

    fn fact(&self, name: &str) -> EntryDone<Vec<u8>> {
        self.found(name)?.ok_or_else(|| CatalogueError::Damaged(self.path.clone()))
    }

    /// The name of the algorithm that the digests are of.
    ///
    /// # Errors
    /// When it cannot be read.
    pub fn algorithm(&self) -> EntryDone<String> {
        String::from_utf8(self.fact("algorithm")?).map_err(|_| CatalogueError::Damaged(self.path.clone()))
    }

    /// The root.
    ///
    /// # Errors
    /// When it cannot be read.
    pub fn root(&self) -> EntryDone<Value> {
        self.fact("root")?.try_into().map_err(|_| CatalogueError::Damaged(self.path.clone()))
    }

    /// How many entries there are.
    ///
    /// # Errors
    /// When it cannot be read.
    pub fn entries(&self) -> EntryDone<u64> {
        let bytes = self.fact("entries")?.try_into().map_err(|_| CatalogueError::Damaged(self.path.clone()))?;
        Ok(u64::from_le_bytes(bytes))
    }

    /// Values that were computed since it was opened.
    pub fn computed(&self) -> u64 {
        self.computed
    }

    /// The entry of a name, if there is one.
    ///
    /// # Errors
    /// When it cannot be read.
    pub fn entry(&self, name: &[u8]) -> EntryDone<Option<CatalogueEntry>> {
        let sql = "SELECT name, size, digest, stamp FROM entries WHERE key = ?1";
        let mut statement = self.ask().prepare_cached(sql).map_err(self.failed())?;
        let found = statement.query_row([&key(name)[..]], row).optional().map_err(self.failed())?;
        Ok(found.filter(|entry| entry.name == name))
    }

    /// Hands each entry to `take`, in the order of the keys.
    ///
    /// # Errors
    /// When they cannot be read.
    pub fn each(&self, take: &mut dyn FnMut(CatalogueEntry)) -> EntryDone<()> {
        self.each_by_key(&mut |_, entry| take(entry))
    }

    /// The same with the keys, which ascend: pages that lead in circles, and two entries of one
    /// key, end it as damage.
    fn each_by_key(&self, take: &mut dyn FnMut(Key, CatalogueEntry)) -> EntryDone<()> {
        let sql = "SELECT name, size, digest, stamp, key FROM entries ORDER BY key";
        let mut statement = self.ask().prepare(sql).map_err(self.failed())?;
        let mut rows = statement.query([]).map_err(self.failed())?;
        let mut last = None;
        while let Some(found) = rows.next().map_err(self.failed())? {
            self.looks.begin();
            let entry = row(found).map_err(self.failed())?;
            let own = key(&entry.name);
            let kept: Vec<u8> = found.get(4).map_err(self.failed())?;
            if kept != own || last.is_some_and(|last| last >= own) {
                return Err(CatalogueError::Damaged(self.path.clone()));
            }
            last = Some(own);
            take(own, entry);
        }
        Ok(())
    }

    /// Puts an entry into a catalogue made by [`create`](Catalogue::create), before
    /// [`fill`](Catalogue::fill).
    ///
    /// # Errors
    /// When it cannot be written.
    pub fn add(&self, entry: &CatalogueEntry) -> EntryDone<()> {
        let sql = "INSERT OR REPLACE INTO entries VALUES (?1, ?2, ?3, ?4, ?5)";
        let mut statement = self.ask().prepare_cached(sql).map_err(self.failed())?;
        let CatalogueEntry { name, size, digest, stamp } = entry;
        let row = params![&key(name)[..], name, *size as i64, digest, stamp];
        statement.execute(row).map(drop).map_err(self.failed())
    }

    /// All keys and values of entries, ascending.
    fn leaves(&self) -> EntryDone<Vec<(Key, Value)>> {
        let mut leaves = Vec::new();
        self.each_by_key(&mut |key, entry| leaves.push((key, leaf(&entry.name, entry.size, &entry.digest))))?;
        Ok(leaves)
    }

    /// Computes all values from the entries; gives the root.
    ///
    /// # Errors
    /// When it cannot be written.
    pub fn fill(&mut self) -> EntryDone<Value> {
        let leaves = self.leaves()?;
        let mut wrong = None;
        let top = {
            let sql = "INSERT OR REPLACE INTO nodes VALUES (?1, ?2, ?3)";
            let mut statement = self.connection.prepare_cached(sql).map_err(self.failed())?;
            nodes(&leaves, &mut |at, depth, value| {
                self.looks.begin();
                let row = params![depth, &prefix(at, depth)[..], &value[..]];
                wrong = wrong.take().or(statement.execute(row).err());
                self.computed += 1;
            })
        };
        match wrong {
            Some(error) => Err(self.failed()(error)),
            None => self.settle(leaves.len() as u64, &top),
        }
    }

    fn settle(&mut self, entries: u64, top: &Value) -> EntryDone<Value> {
        let root = self.root_over(entries, top)?;
        self.keep("entries", &entries.to_le_bytes())?;
        self.keep("root", &root)?;
        self.computed += 1;
        Ok(root)
    }

    /// Sets the entry of a name, or removes it; costs its path. That the path was whole is proved
    /// first. Gives the root.
    ///
    /// # Errors
    /// When the entries that are there do not give the root, or cannot be written.
    pub fn set(&mut self, name: &[u8], entry: Option<&CatalogueEntry>) -> EntryDone<Value> {
        let at = key(name);
        let (before, there) = (self.entries()?, self.entry(name)?.is_some());
        self.prove(name)?;
        let deepest = self.neighbour(&at)?;
        match entry {
            Some(entry) => self.add(entry)?,
            None => {
                let sql = "DELETE FROM entries WHERE key = ?1";
                self.ask().execute(sql, [&at[..]]).map_err(self.failed())?;
            }
        }
        let entries = before + u64::from(entry.is_some()) - u64::from(there);
        // A node stands over several entries: below the deepest that this one shares there is none.
        for depth in deepest.map_or(0..0, |deepest| 0..deepest + 1).rev() {
            let start = prefix(&at, depth);
            let several = self.within(&start, depth)?.len() > 1;
            let place = params![depth, &start[..]];
            if !several {
                let sql = "DELETE FROM nodes WHERE depth = ?1 AND prefix = ?2";
                self.ask().execute(sql, place).map_err(self.failed())?;
                continue;
            }
            let value = self.halves(&at, depth)?;
            let sql = "INSERT OR REPLACE INTO nodes VALUES (?1, ?2, ?3)";
            self.ask().execute(sql, params![depth, &start[..], &value[..]]).map_err(self.failed())?;
            self.computed += 1;
        }
        let top = self.subtree(&EMPTY, 0)?;
        self.settle(entries, &top)
    }

    /// Keeps the changes: when this returns, it is on the disk.
    ///
    /// # Errors
    /// When it cannot be written; the catalogue is as it was then.
    pub fn commit(mut self) -> EntryDone<()> {
        self.ask().execute_batch("COMMIT").map_err(self.failed())?;
        let Some(fresh) = self.fresh.take() else { return Ok(()) };
        // Closed before it is renamed: SQLite knows a database by its name.
        let Catalogue { connection, path, turn, .. } = self;
        connection.close().map_err(|(_, error)| CatalogueError::Database { path: path.clone(), error })?;
        let put = || {
            // The journal of a change that was killed belongs to the old catalogue. That change is
            // taken back first, so that a kill between the two steps leaves a whole catalogue.
            let journal = beside(&path, JOURNAL);
            if journal.symlink_metadata().is_ok() {
                let _ = Catalogue::of(&path, OpenFlags::SQLITE_OPEN_READ_WRITE, "BEGIN IMMEDIATE; ROLLBACK");
                match std::fs::remove_file(&journal) {
                    Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
                    _ => {}
                }
            }
            replace_closed(&fresh.0, &path)
        };
        let placed = put().map_err(|error| CatalogueError::Unwritten { path: path.clone(), error });
        drop((fresh, turn));
        placed
    }
}

/// An entry of a row: name, size, digest, stamp.
fn row(row: &rusqlite::Row<'_>) -> rusqlite::Result<CatalogueEntry> {
    Ok(CatalogueEntry {
        name: row.get(0)?,
        size: row.get::<_, i64>(1)? as u64,
        digest: row.get(2)?,
        stamp: row.get(3)?,
    })
}

#[cfg(test)]
mod tests;

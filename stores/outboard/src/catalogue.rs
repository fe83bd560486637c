//! A catalogue of a directory that is kept: one hash tree over the names, sizes and digests of its
//! files, of which one entry is changed at the price of its path.
//!
//! The file is a database of SQLite's: the entries in the order of their keys, and the values of
//! all subtrees that have several. A change is one transaction: whatever interrupts it, the old
//! catalogue or the new one is there.

use pfh_source::Stat;
use pfh_tree::catalogue::{EMPTY, Key, Value, bit, key, last, leaf, node, nodes, prefix, root, shared};
use rusqlite::{Connection, OpenFlags, OptionalExtension, params};
use std::fs::File;
use std::io::{self, ErrorKind, Read};
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

const SCHEMA: &str = "
    CREATE TABLE IF NOT EXISTS entries (
        key BLOB PRIMARY KEY, name BLOB NOT NULL, size INTEGER NOT NULL, digest BLOB NOT NULL, stamp BLOB NOT NULL) WITHOUT ROWID;
    CREATE TABLE IF NOT EXISTS nodes (
        depth INTEGER, prefix BLOB, value BLOB NOT NULL, PRIMARY KEY (depth, prefix)) WITHOUT ROWID;
    CREATE TABLE IF NOT EXISTS facts (name TEXT PRIMARY KEY, value BLOB NOT NULL) WITHOUT ROWID;";

/// Marks databases of this kind: "pfht", at [`MARK`].
pub const APPLICATION: &[u8; 4] = b"pfht";
/// Where a database of SQLite's states its kind ("Database File Format", section 1.3).
pub const MARK: u64 = 68;
/// Clocks of file systems tick: a file that changed so recently may change again without a new
/// time.
const SETTLED: Duration = Duration::from_secs(2);

/// A catalogue that cannot be used or written.
#[derive(Debug, thiserror::Error)]
pub enum CatalogueError {
    /// SQLite's own.
    #[error("{}: {error}", path.display())]
    Database {
        /// The catalogue.
        path: PathBuf,
        /// What it says.
        error: rusqlite::Error,
    },
    /// The file cannot be read.
    #[error("{}: {error}", path.display())]
    Unreadable {
        /// The catalogue.
        path: PathBuf,
        /// What the system says.
        error: io::Error,
    },
    /// A file or database of something else.
    #[error("{}: is no catalogue of a directory", .0.display())]
    Foreign(PathBuf),
    /// The entries or the values are not those that give the root.
    #[error("{}: damaged: what it holds does not give its root; build it anew", .0.display())]
    Damaged(PathBuf),
}

/// A file as it is catalogued.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CatalogueEntry {
    /// Its name below the directory: bytes.
    pub name: Vec<u8>,
    /// Its bytes.
    pub size: u64,
    /// Its digest.
    pub digest: Vec<u8>,
    /// What the file system said of it when it was read; empty if it may change without a word.
    pub stamp: Vec<u8>,
}

/// What a file system says of a file: as long as it is the same, so is the file. Empty if the file
/// was changed so recently that it may change again without a new time.
pub fn stamp(stat: &Stat, settled: bool) -> Vec<u8> {
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    let old = |(seconds, nanoseconds): (i64, u32)| {
        u64::try_from(seconds).is_ok_and(|s| Duration::new(s, nanoseconds.min(999_999_999)) + SETTLED <= now)
    };
    if !settled || !old(stat.mtime) || !old(stat.ctime) {
        return Vec::new();
    }
    let numbers = [stat.device, stat.inode, stat.size, stat.mtime.0 as u64, stat.ctime.0 as u64];
    let parts = [u64::from(stat.mtime.1), u64::from(stat.ctime.1)];
    numbers.iter().chain(&parts).flat_map(|number| number.to_le_bytes()).collect()
}

/// Whether a file says in its header that it is a catalogue.
///
/// # Errors
/// When it cannot be read.
pub fn is_catalogue(path: &Path) -> io::Result<bool> {
    let mut header = [0; 100];
    let mut file = match File::open(path) {
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(false),
        opened => opened?,
    };
    if !file.metadata()?.is_file() {
        return Ok(false);
    }
    match file.read_exact(&mut header) {
        Err(error) if error.kind() == ErrorKind::UnexpectedEof => return Ok(false),
        read => read?,
    }
    Ok(header.starts_with(b"SQLite format 3\0") && header[MARK as usize..].starts_with(APPLICATION))
}

/// An open catalogue. What is changed is kept when [`commit`](Catalogue::commit) returns.
pub struct Catalogue {
    connection: Connection,
    path: PathBuf,
    /// Values that were computed.
    computed: u64,
    /// Holds the copy that is read in place of a catalogue whose change was killed.
    room: Option<tempfile::TempDir>,
}

/// The journal of a database: what takes a change back.
fn beside(path: &Path) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push("-journal");
    name.into()
}

/// Whether a change was killed, and must be taken back before anything is read.
fn left_open(error: &rusqlite::Error) -> bool {
    error.sqlite_error().is_some_and(|error| error.extended_code == rusqlite::ffi::SQLITE_READONLY_ROLLBACK)
}

type Done<T> = Result<T, CatalogueError>;

impl Catalogue {
    fn failed(&self) -> impl Fn(rusqlite::Error) -> CatalogueError + use<> {
        let path = self.path.clone();
        move |error| CatalogueError::Database { path: path.clone(), error }
    }

    /// Opens a catalogue to read it.
    ///
    /// # Errors
    /// When it is none, or cannot be read.
    pub fn open(path: &Path) -> Done<Catalogue> {
        // SQLite looks for a change that was killed when it reads the schema, which a pragma does.
        match Catalogue::of(path, OpenFlags::SQLITE_OPEN_READ_ONLY, "BEGIN") {
            Err(CatalogueError::Database { error, .. }) if left_open(&error) => Catalogue::as_before(path),
            opened => opened,
        }
    }

    /// Opens what was there before a change that was killed. Whoever only reads writes nothing
    /// beside the catalogue, and so the change is taken back in a copy.
    fn as_before(path: &Path) -> Done<Catalogue> {
        let unreadable = |error| CatalogueError::Unreadable { path: path.to_owned(), error };
        let room = tempfile::tempdir().map_err(unreadable)?;
        // SQLite names the journal after the file itself, not after a link to it.
        let journal = beside(&path.canonicalize().map_err(unreadable)?);
        let copy = room.path().join("catalogue");
        let of = |file: &Path| std::fs::metadata(file).and_then(|of| Ok((of.len(), of.modified()?))).ok();
        let state = || of(path).zip(of(&journal));
        let before = state();
        if before.is_some() {
            std::fs::copy(&journal, beside(&copy)).and_then(|_| std::fs::copy(path, &copy)).map_err(unreadable)?;
        }
        // Somebody else takes it back, or changes it, meanwhile.
        if before.is_none() || state() != before {
            return Catalogue::of(path, OpenFlags::SQLITE_OPEN_READ_ONLY, "BEGIN");
        }
        let mut opened = Catalogue::connect(&copy, OpenFlags::SQLITE_OPEN_READ_WRITE)?;
        opened.connection.execute_batch("BEGIN").map_err(opened.failed())?;
        (opened.path, opened.room) = (path.to_owned(), Some(room));
        opened.fact("algorithm")?;
        Ok(opened)
    }

    /// Opens a catalogue to change it; waits for whoever changes it now.
    ///
    /// # Errors
    /// When it is none, or cannot be written.
    pub fn change(path: &Path) -> Done<Catalogue> {
        Catalogue::of(path, OpenFlags::SQLITE_OPEN_READ_WRITE, "BEGIN IMMEDIATE")
    }

    fn of(path: &Path, flags: OpenFlags, begin: &str) -> Done<Catalogue> {
        let unreadable = |error| CatalogueError::Unreadable { path: path.to_owned(), error };
        std::fs::metadata(path).map_err(unreadable)?;
        if !is_catalogue(path).map_err(unreadable)? {
            return Err(CatalogueError::Foreign(path.to_owned()));
        }
        let opened = Catalogue::connect(path, flags)?;
        opened.connection.execute_batch(begin).map_err(opened.failed())?;
        Ok(opened)
    }

    fn connect(path: &Path, flags: OpenFlags) -> Done<Catalogue> {
        let failed = |error| CatalogueError::Database { path: path.to_owned(), error };
        let connection = Connection::open_with_flags(path, flags | OpenFlags::SQLITE_OPEN_NO_MUTEX).map_err(failed)?;
        connection.busy_timeout(Duration::from_secs(600)).map_err(failed)?;
        connection.execute_batch("PRAGMA synchronous = FULL; PRAGMA trusted_schema = OFF;").map_err(failed)?;
        Ok(Catalogue { connection, path: path.to_owned(), computed: 0, room: None })
    }

    /// An empty catalogue of digests of this algorithm, in the place of the one that is there.
    ///
    /// # Errors
    /// When it cannot be written.
    pub fn anew(path: &Path, algorithm: &str) -> Done<Catalogue> {
        let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_CREATE;
        let made = Catalogue::connect(path, flags)?;
        let number = u32::from_be_bytes(*APPLICATION);
        let begin = format!(
            "BEGIN IMMEDIATE; PRAGMA application_id = {number}; {SCHEMA} DELETE FROM entries; DELETE FROM nodes; DELETE FROM facts;"
        );
        made.connection.execute_batch(&begin).map_err(made.failed())?;
        made.keep("algorithm", algorithm.as_bytes())?;
        Ok(made)
    }

    fn keep(&self, name: &str, value: &[u8]) -> Done<()> {
        let sql = "INSERT OR REPLACE INTO facts VALUES (?1, ?2)";
        self.connection.execute(sql, params![name, value]).map(drop).map_err(self.failed())
    }

    fn fact(&self, name: &str) -> Done<Vec<u8>> {
        let sql = "SELECT value FROM facts WHERE name = ?1";
        let found = self.connection.query_row(sql, [name], |row| row.get(0)).optional().map_err(self.failed())?;
        found.ok_or_else(|| CatalogueError::Damaged(self.path.clone()))
    }

    /// The name of the algorithm that the digests are of.
    ///
    /// # Errors
    /// When it cannot be read.
    pub fn algorithm(&self) -> Done<String> {
        String::from_utf8(self.fact("algorithm")?).map_err(|_| CatalogueError::Damaged(self.path.clone()))
    }

    /// The root.
    ///
    /// # Errors
    /// When it cannot be read.
    pub fn root(&self) -> Done<Value> {
        self.fact("root")?.try_into().map_err(|_| CatalogueError::Damaged(self.path.clone()))
    }

    /// How many entries there are.
    ///
    /// # Errors
    /// When it cannot be read.
    pub fn entries(&self) -> Done<u64> {
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
    pub fn entry(&self, name: &[u8]) -> Done<Option<CatalogueEntry>> {
        let mut statement = self
            .connection
            .prepare_cached("SELECT name, size, digest, stamp FROM entries WHERE key = ?1")
            .map_err(self.failed())?;
        let found = statement.query_row([&key(name)[..]], row).optional().map_err(self.failed())?;
        Ok(found.filter(|entry| entry.name == name))
    }

    /// Hands each entry to `take`, in the order of the keys.
    ///
    /// # Errors
    /// When they cannot be read.
    pub fn each(&self, take: &mut dyn FnMut(CatalogueEntry)) -> Done<()> {
        let mut statement = self
            .connection
            .prepare("SELECT name, size, digest, stamp FROM entries ORDER BY key")
            .map_err(self.failed())?;
        let mut rows = statement.query([]).map_err(self.failed())?;
        while let Some(found) = rows.next().map_err(self.failed())? {
            take(row(found).map_err(self.failed())?);
        }
        Ok(())
    }

    /// Puts an entry into a catalogue that was made [`anew`](Catalogue::anew), before
    /// [`fill`](Catalogue::fill).
    ///
    /// # Errors
    /// When it cannot be written.
    pub fn add(&self, entry: &CatalogueEntry) -> Done<()> {
        let sql = "INSERT OR REPLACE INTO entries VALUES (?1, ?2, ?3, ?4, ?5)";
        let mut statement = self.connection.prepare_cached(sql).map_err(self.failed())?;
        let CatalogueEntry { name, size, digest, stamp } = entry;
        let row = params![&key(name)[..], name, *size as i64, digest, stamp];
        statement.execute(row).map(drop).map_err(self.failed())
    }

    /// All keys and values of entries, ascending.
    fn leaves(&self) -> Done<Vec<(Key, Value)>> {
        let mut leaves = Vec::new();
        self.each(&mut |entry| leaves.push((key(&entry.name), leaf(&entry.name, entry.size, &entry.digest))))?;
        Ok(leaves)
    }

    /// Computes all values from the entries; gives the root.
    ///
    /// # Errors
    /// When it cannot be written.
    pub fn fill(&mut self) -> Done<Value> {
        let leaves = self.leaves()?;
        let mut wrong = None;
        let top = {
            let sql = "INSERT OR REPLACE INTO nodes VALUES (?1, ?2, ?3)";
            let mut statement = self.connection.prepare_cached(sql).map_err(self.failed())?;
            nodes(&leaves, &mut |at, depth, value| {
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

    fn settle(&mut self, entries: u64, top: &Value) -> Done<Value> {
        let root = root(&self.algorithm()?, entries, top);
        self.keep("entries", &entries.to_le_bytes())?;
        self.keep("root", &root)?;
        self.computed += 1;
        Ok(root)
    }

    /// Compares every entry and value with the root.
    ///
    /// # Errors
    /// When they do not give it.
    pub fn prove_all(&self) -> Done<()> {
        let top = pfh_tree::catalogue::top(&self.leaves()?);
        let same = root(&self.algorithm()?, self.entries()?, &top) == self.root()?;
        if same { Ok(()) } else { Err(CatalogueError::Damaged(self.path.clone())) }
    }

    /// Sets the entry of a name, or removes it; costs its path. That the path was whole is proved
    /// first. Gives the root.
    ///
    /// # Errors
    /// When what is there does not give the root, or cannot be written.
    pub fn set(&mut self, name: &[u8], entry: Option<&CatalogueEntry>) -> Done<Value> {
        let at = key(name);
        let (before, there) = (self.entries()?, self.entry(name)?.is_some());
        self.prove(name)?;
        let deepest = self.neighbour(&at)?;
        match entry {
            Some(entry) => self.add(entry)?,
            None => {
                let sql = "DELETE FROM entries WHERE key = ?1";
                self.connection.execute(sql, [&at[..]]).map_err(self.failed())?;
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
                self.connection.execute(sql, place).map_err(self.failed())?;
                continue;
            }
            let value = self.halves(&at, depth)?;
            let sql = "INSERT OR REPLACE INTO nodes VALUES (?1, ?2, ?3)";
            self.connection.execute(sql, params![depth, &start[..], &value[..]]).map_err(self.failed())?;
            self.computed += 1;
        }
        let top = self.subtree(&EMPTY, 0)?;
        self.settle(entries, &top)
    }

    /// Proves that an entry, or that there is none of this name, is in the tree of the root: the
    /// values beside its path and its own give it.
    ///
    /// # Errors
    /// When they do not.
    pub fn prove(&self, name: &[u8]) -> Done<()> {
        let at = key(name);
        let mut value = None;
        for depth in self.neighbour(&at)?.map_or(0..0, |deepest| 0..deepest + 1).rev() {
            // A name that is not there may lie beside one entry, over which there is no node.
            if value.is_none() && self.within(&prefix(&at, depth), depth)?.len() < 2 {
                continue;
            }
            let own = match value {
                Some(value) => value,
                None => self.subtree(&prefix(&at, depth + 1), depth + 1)?,
            };
            let mut other = prefix(&at, depth + 1);
            other[depth as usize / 8] ^= 0x80 >> (depth % 8);
            let beside = self.subtree(&other, depth + 1)?;
            value = Some(if bit(&at, depth) { node(&beside, &own) } else { node(&own, &beside) });
        }
        let value = match value {
            Some(value) => value,
            // One entry, or none at all.
            None => self.within(&EMPTY, 0)?.first().map_or(EMPTY, |found| found.1),
        };
        let same = root(&self.algorithm()?, self.entries()?, &value) == self.root()?;
        if same { Ok(()) } else { Err(CatalogueError::Damaged(self.path.clone())) }
    }

    /// The most bits that a key shares with another one that is there.
    fn neighbour(&self, at: &Key) -> Done<Option<u32>> {
        let mut most = None;
        for sql in [
            "SELECT key FROM entries WHERE key < ?1 ORDER BY key DESC LIMIT 1",
            "SELECT key FROM entries WHERE key > ?1 ORDER BY key LIMIT 1",
        ] {
            let mut statement = self.connection.prepare_cached(sql).map_err(self.failed())?;
            let found: Option<Vec<u8>> =
                statement.query_row([&at[..]], |row| row.get(0)).optional().map_err(self.failed())?;
            let found = found.and_then(|key| Key::try_from(key).ok());
            most = most.max(found.map(|other| shared(at, &other)));
        }
        Ok(most)
    }

    /// The first two entries of a subtree, as key and value.
    fn within(&self, start: &Key, depth: u32) -> Done<Vec<(Key, Value)>> {
        let sql = "SELECT name, size, digest, stamp FROM entries WHERE key BETWEEN ?1 AND ?2 ORDER BY key LIMIT 2";
        let mut statement = self.connection.prepare_cached(sql).map_err(self.failed())?;
        let found = statement.query_map([&start[..], &last(start, depth)[..]], row).map_err(self.failed())?;
        let value = |entry: CatalogueEntry| (key(&entry.name), leaf(&entry.name, entry.size, &entry.digest));
        found.map(|entry| entry.map(value).map_err(self.failed())).collect()
    }

    /// The value of a subtree, as it is kept.
    fn subtree(&self, start: &Key, depth: u32) -> Done<Value> {
        let sql = "SELECT value FROM nodes WHERE depth = ?1 AND prefix = ?2";
        let mut statement = self.connection.prepare_cached(sql).map_err(self.failed())?;
        let kept: Option<Vec<u8>> =
            statement.query_row(params![depth, &start[..]], |row| row.get(0)).optional().map_err(self.failed())?;
        match kept {
            Some(value) => value.try_into().map_err(|_| CatalogueError::Damaged(self.path.clone())),
            None => Ok(self.within(start, depth)?.first().map_or(EMPTY, |found| found.1)),
        }
    }

    /// The value of a node over the subtrees that are kept.
    fn halves(&self, at: &Key, depth: u32) -> Done<Value> {
        let left = prefix(at, depth);
        let mut right = left;
        right[depth as usize / 8] |= 0x80 >> (depth % 8);
        Ok(node(&self.subtree(&left, depth + 1)?, &self.subtree(&right, depth + 1)?))
    }

    /// Keeps what was changed: when this returns, it is on the disk.
    ///
    /// # Errors
    /// When it cannot be written; the catalogue is as it was then.
    pub fn commit(self) -> Done<()> {
        self.connection.execute_batch("COMMIT").map_err(self.failed())
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

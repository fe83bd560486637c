//! Opens a database of somebody else.

use std::collections::HashMap;
use std::fmt::Write;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use rusqlite::config::DbConfig;
use rusqlite::limits::Limit;
use rusqlite::{Connection, OpenFlags};

use crate::Error;

/// Steps of SQLite's machine between two looks at the bound.
const STEPS: i32 = 1 << 16;
/// Looks without a row in between before a query is given up: 2^32 steps, tens of seconds.
const LOOKS: u64 = 1 << 16;
/// The longest value and the longest row in bytes; the longest path of RDSv3 is far below.
const LONGEST: i32 = 1 << 20;
/// Packages whose names are kept in memory; RDSv3 has some 200,000.
const MOST_PACKAGES: usize = 4 << 20;

/// What a query may cost.
pub struct Bound {
    looks: Arc<AtomicU64>,
    most: u64,
}

impl Bound {
    /// Counts a row. A row takes a byte at least: a database that gives more rows than it has bytes goes round in circles.
    pub fn row(&self, number: u64) -> Result<(), String> {
        self.looks.store(0, Ordering::Relaxed);
        if number <= self.most { Ok(()) } else { Err("it gives more rows than it has bytes: corrupt".to_owned()) }
    }
}

/// Opens a database so that reading it can do nothing but read it.
pub fn open(path: &Path) -> Result<(Connection, Bound), Error> {
    let length = std::fs::metadata(path).map_err(Error::io(path))?.len();
    let mut log = path.as_os_str().to_owned();
    log.push("-wal");
    let log = PathBuf::from(log);
    if std::fs::metadata(&log).is_ok_and(|log| log.len() > 0) {
        return Err(Error::Database(
            path.to_owned(),
            "it has a write-ahead log beside it: close it properly first".to_owned(),
        ));
    }
    let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_URI | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let connection = Connection::open_with_flags(uri(path), flags);
    let mut connection = connection.map_err(|error| Error::Database(path.to_owned(), explain(&error)))?;
    let looks = Arc::new(AtomicU64::new(0));
    let counted = looks.clone();
    let set = || -> rusqlite::Result<()> {
        connection.set_db_config(DbConfig::SQLITE_DBCONFIG_DEFENSIVE, true)?;
        connection.set_db_config(DbConfig::SQLITE_DBCONFIG_TRUSTED_SCHEMA, false)?;
        connection.set_db_config(DbConfig::SQLITE_DBCONFIG_ENABLE_TRIGGER, false)?;
        connection.set_db_config(DbConfig::SQLITE_DBCONFIG_ENABLE_VIEW, false)?;
        for (limit, most) in [
            (Limit::SQLITE_LIMIT_LENGTH, LONGEST),
            (Limit::SQLITE_LIMIT_SQL_LENGTH, LONGEST),
            (Limit::SQLITE_LIMIT_EXPR_DEPTH, 20),
            (Limit::SQLITE_LIMIT_COMPOUND_SELECT, 3),
            (Limit::SQLITE_LIMIT_VDBE_OP, 25_000),
            (Limit::SQLITE_LIMIT_FUNCTION_ARG, 8),
            (Limit::SQLITE_LIMIT_ATTACHED, 0),
            (Limit::SQLITE_LIMIT_VARIABLE_NUMBER, 10),
            (Limit::SQLITE_LIMIT_TRIGGER_DEPTH, 1),
            (Limit::SQLITE_LIMIT_WORKER_THREADS, 0),
        ] {
            connection.set_limit(limit, most)?;
        }
        // Values that a check of each cell rejects end the query instead of reading beside the page.
        connection.execute_batch("PRAGMA cell_size_check = ON; PRAGMA mmap_size = 0; PRAGMA query_only = ON;")?;
        // A negative size counts KiB.
        connection.execute_batch("PRAGMA cache_size = -8192;")?;
        connection.progress_handler(STEPS, Some(move || counted.fetch_add(1, Ordering::Relaxed) > LOOKS))
    };
    set().map_err(|error| Error::Database(path.to_owned(), explain(&error)))?;
    Ok((connection, Bound { looks, most: length }))
}

/// The path as SQLite's URI (RFC 3986): every byte that is not plain is escaped. Immutable: no locks and no journal are looked at.
fn uri(path: &Path) -> String {
    let mut uri = String::from("file:");
    if path.is_relative() {
        // A first component with a colon would be taken for a scheme.
        uri.push_str("./");
    }
    for &byte in path.as_os_str().as_bytes() {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'/' | b'.' | b'-' | b'_' => uri.push(char::from(byte)),
            // Writing to a string does not fail.
            _ => drop(write!(uri, "%{byte:02X}")),
        }
    }
    uri + "?immutable=1"
}

/// A name as SQL quotes it.
pub fn quoted(name: &str) -> String {
    format!("\"{}\"", name.replace('"', "\"\""))
}

/// The sentence of an error; messages may quote the database's own text.
pub fn explain(error: &rusqlite::Error) -> String {
    let text = match error {
        rusqlite::Error::SqliteFailure(code, _) if code.code == rusqlite::ErrorCode::OperationInterrupted => {
            "a query takes too long: this is no set of digests".to_owned()
        }
        rusqlite::Error::SqliteFailure(_, Some(message)) => message.clone(),
        other => other.to_string(),
    };
    pfh_format::terminal::render(&text.as_bytes()[..text.len().min(500)])
}

/// Packages' names by their numbers.
pub type Names = HashMap<i64, String>;

/// The packages of an RDSv3: name and version by number.
pub fn packages(connection: &Connection) -> rusqlite::Result<Names> {
    let sql = "SELECT package_id, name, version FROM main.PKG NOT INDEXED";
    let mut statement = connection.prepare(sql)?;
    let mut rows = statement.query([])?;
    let mut names = Names::new();
    while let Some(row) = rows.next()? {
        let text =
            |at| row.get_ref(at).ok().and_then(|value| value.as_str().ok().map(str::to_owned)).unwrap_or_default();
        let name = format!("package {} {}", text(1), text(2));
        if names.len() >= MOST_PACKAGES || name.len() > 4096 {
            continue;
        }
        if let Ok(id) = row.get(0) {
            names.insert(id, name.trim_end().to_owned());
        }
    }
    Ok(names)
}

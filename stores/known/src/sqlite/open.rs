//! Opens a database of somebody else.

use pfh_source::os::names::OsStrExt;
use pfh_source::os::names::with_ending;
use std::collections::HashMap;
use std::fmt::Write;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use pfh_sqlite::{Limits, Looks};
use rusqlite::{Connection, OpenFlags};

use crate::Error;

/// 2^32 steps take tens of seconds. The longest path of RDSv3 is far below the longest value.
const LIMITS: Limits = Limits { value: 1 << 20, statement: 1 << 20, steps: 1 << 32 };
/// Steps that reading the schema may take: hundreds of thousands of tables.
const SCHEMA_STEPS: u64 = 1 << 22;
/// Packages whose names are kept in memory; RDSv3 has some 200,000.
const MOST_PACKAGES: usize = 4 << 20;

/// The most that a query may cost.
pub struct QueryBound {
    looks: Looks,
    most: u64,
}

impl QueryBound {
    /// Bytes of the database.
    pub fn bytes(&self) -> u64 {
        self.most
    }

    /// A query starts.
    pub fn query(&self) {
        self.looks.begin();
    }

    /// Counts a row. A row takes a byte at least: a database that gives more rows than it has bytes
    /// goes round in circles.
    pub fn row(&self, number: u64) -> Result<(), String> {
        self.looks.begin();
        if number <= self.most { Ok(()) } else { Err("it gives more rows than it has bytes: corrupt".to_owned()) }
    }
}

/// A database with a log beside it is not all in its file.
pub fn without_log(path: &Path) -> Result<(), Error> {
    if std::fs::metadata(with_ending(path, "-wal")).is_ok_and(|log| log.len() > 0) {
        let why = "it has a write-ahead log beside it: close it properly first";
        return Err(Error::Database(path.to_owned(), why.to_owned()));
    }
    Ok(())
}

/// Opens a database so that reading it can do nothing but read it; `name` is its name in errors.
pub fn open(path: &Path, name: &Path) -> Result<(Connection, QueryBound), Error> {
    let length = std::fs::metadata(path).map_err(Error::io(name))?.len();
    without_log(path)?;
    let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_URI | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let database = |error: rusqlite::Error| Error::Database(name.to_owned(), explain(&error));
    let mut connection = Connection::open_with_flags(uri(path), flags).map_err(database)?;
    let looks = harden(&mut connection, None).map_err(database)?;
    looks.begin_short(SCHEMA_STEPS);
    connection.execute_batch("PRAGMA query_only = ON;").map_err(database)?;
    Ok((connection, QueryBound { looks, most: length }))
}

/// Turns off all features of a connection that a database could do harm with, and bounds the rest.
/// `cancel` ends a query as well.
pub fn harden(connection: &mut Connection, cancel: Option<Arc<AtomicBool>>) -> rusqlite::Result<Looks> {
    let looks = pfh_sqlite::bound(connection, LIMITS, cancel)?;
    // A negative size counts KiB.
    connection.execute_batch("PRAGMA cache_size = -8192;")?;
    Ok(looks)
}

/// The path as SQLite's URI (RFC 3986): every byte that is not plain is escaped. Immutable: no
/// locks and no journal are looked at.
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
            "a query takes too long: this is not a set of digests".to_owned()
        }
        rusqlite::Error::SqliteFailure(_, Some(message)) => message.clone(),
        other => other.to_string(),
    };
    pfh_source::terminal::render(&text.as_bytes()[..text.len().min(500)])
}

/// Packages' names by their numbers.
pub type Names = HashMap<i64, String>;

/// The packages of an RDSv3: name and version by number. The minimal edition has them in a table,
/// the full one behind a view of that name, which is not run: the applications that it is made of
/// are read.
pub fn packages(connection: &Connection, table: &str, bound: &QueryBound) -> Result<Names, String> {
    let sql = format!("SELECT package_id, name, version FROM main.{} NOT INDEXED", quoted(table));
    let wrong = |error: rusqlite::Error| explain(&error);
    let mut statement = connection.prepare(&sql).map_err(wrong)?;
    let mut rows = statement.query([]).map_err(wrong)?;
    let (mut names, mut number) = (Names::new(), 0);
    while let Some(row) = rows.next().map_err(wrong)? {
        number += 1;
        bound.row(number)?;
        let text =
            |at| row.get_ref(at).ok().and_then(|value| value.as_str().ok().map(str::to_owned)).unwrap_or_default();
        let name = format!("package {} {}", text(1), text(2));
        if names.len() >= MOST_PACKAGES || name.len() > 4096 {
            continue;
        }
        if let Ok(id) = row.get(0) {
            // A package of several applications goes by the first.
            names.entry(id).or_insert_with(|| name.trim_end().to_owned());
        }
    }
    Ok(names)
}

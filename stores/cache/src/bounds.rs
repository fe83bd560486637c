//! The tables of a cache, and what a database may cost that comes from somebody else.

use rusqlite::Connection;
use rusqlite::config::DbConfig;
use rusqlite::limits::Limit;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// The tables of a cache.
pub const TABLES: [(&str, &str); 2] = [
    ("runs", "(run INTEGER PRIMARY KEY, identity TEXT NOT NULL, finished INTEGER NOT NULL)"),
    (
        "digests",
        "(device INTEGER, inode INTEGER, algorithm TEXT, size INTEGER, mtime INTEGER, mtime_ns INTEGER, ctime INTEGER, \
         ctime_ns INTEGER, digest BLOB, run INTEGER, crc INTEGER, PRIMARY KEY (device, inode, algorithm)) WITHOUT ROWID",
    ),
];
/// Steps of SQLite's machine between two looks at the bound.
const STEPS: i32 = 1 << 14;
/// Looks before a query is given up: 2^26 steps, a second or some. A query of a cache takes
/// hundreds.
const LOOKS: u64 = 1 << 12;
/// The longest value and the longest row in bytes: the longest digest is far below.
const LONGEST: i32 = 1 << 20;

/// Bounds the time of each query and the memory of each row: a cache may come from somebody else,
/// and be made to do harm. Gives the counter of looks, which starts again with each query.
pub fn bound(connection: &mut Connection) -> rusqlite::Result<Arc<AtomicU64>> {
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_DEFENSIVE, true)?;
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_TRUSTED_SCHEMA, false)?;
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_ENABLE_TRIGGER, false)?;
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_ENABLE_VIEW, false)?;
    for (limit, most) in [
        (Limit::SQLITE_LIMIT_LENGTH, LONGEST),
        (Limit::SQLITE_LIMIT_SQL_LENGTH, 1 << 16),
        (Limit::SQLITE_LIMIT_EXPR_DEPTH, 20),
        (Limit::SQLITE_LIMIT_VDBE_OP, 25_000),
        (Limit::SQLITE_LIMIT_ATTACHED, 0),
        (Limit::SQLITE_LIMIT_TRIGGER_DEPTH, 1),
    ] {
        connection.set_limit(limit, most)?;
    }
    connection.execute_batch("PRAGMA cell_size_check = ON; PRAGMA mmap_size = 0;")?;
    let looks = Arc::new(AtomicU64::new(0));
    let counted = looks.clone();
    connection.progress_handler(STEPS, Some(move || counted.fetch_add(1, Ordering::Relaxed) > LOOKS))?;
    Ok(looks)
}

/// Number of tables of a database that has a cache's tables alone; `None` if it has anything else.
/// A foreign view or trigger would run as soon as a table of its name is read or written.
pub fn own_tables(connection: &Connection) -> rusqlite::Result<Option<usize>> {
    let mut statement = connection.prepare("SELECT type, name, coalesce(sql, '') FROM sqlite_schema LIMIT 3")?;
    let rows = statement.query_map([], |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?)))?;
    let rows = rows.collect::<rusqlite::Result<Vec<(String, String, String)>>>()?;
    let plain = |sql: &str| sql.chars().filter(|c| !c.is_whitespace()).collect::<String>();
    let is_own = |(kind, name, sql): &(String, String, String)| {
        let table = TABLES.iter().find(|(own, _)| own == name);
        kind == "table"
            && table.is_some_and(|(name, columns)| plain(sql) == plain(&format!("CREATE TABLE {name}{columns}")))
    };
    Ok(rows.iter().all(is_own).then_some(rows.len()))
}

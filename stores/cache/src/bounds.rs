//! The tables of a cache, and the limits of its database.

use pfh_sqlite::Limits;
use rusqlite::Connection;

/// The tables of a cache.
pub const TABLES: [(&str, &str); 2] = [
    ("runs", "(run INTEGER PRIMARY KEY, identity TEXT NOT NULL, finished INTEGER NOT NULL)"),
    (
        "digests",
        "(device INTEGER, inode INTEGER, algorithm TEXT, size INTEGER, mtime INTEGER, mtime_ns INTEGER, ctime INTEGER, \
         ctime_ns INTEGER, digest BLOB, run INTEGER, crc INTEGER, PRIMARY KEY (device, inode, algorithm)) WITHOUT ROWID",
    ),
];
/// 2^26 steps are a second or some; a query of a cache takes hundreds. The longest digest is far
/// below the longest value.
pub const LIMITS: Limits = Limits { value: 1 << 20, statement: 1 << 16, steps: 1 << 26 };

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

//! The header of a catalogue before SQLite opens it, and other objects in a database of its kind.

use rusqlite::Connection;
use std::fs::File;
use std::io::{self, ErrorKind, Read};
use std::path::Path;

/// Marks databases of this kind: "pfht", at [`MARK`].
pub const APPLICATION: &[u8; 4] = b"pfht";
/// Where a database of SQLite's states its kind ("Database File Format", section 1.3).
pub const MARK: u64 = 68;

/// The tables of a catalogue, as SQLite keeps them.
pub(super) const TABLES: [(&str, &str); 3] = [
    (
        "entries",
        "(key BLOB PRIMARY KEY, name BLOB NOT NULL, size INTEGER NOT NULL, digest BLOB NOT NULL, stamp BLOB NOT NULL) WITHOUT ROWID",
    ),
    ("nodes", "(depth INTEGER, prefix BLOB, value BLOB NOT NULL, PRIMARY KEY (depth, prefix)) WITHOUT ROWID"),
    ("facts", "(name TEXT PRIMARY KEY, value BLOB NOT NULL) WITHOUT ROWID"),
];

/// The statements that make them.
pub(super) fn schema() -> String {
    TABLES.iter().map(|(name, columns)| format!("CREATE TABLE {name} {columns};\n")).collect()
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

/// Whether a database has the tables of a catalogue and nothing else: a view or a trigger of
/// somebody else's would run as soon as a table of its name is read or written.
pub(super) fn has_own_tables(connection: &Connection) -> rusqlite::Result<bool> {
    let mut statement = connection.prepare("SELECT type, name, coalesce(sql, '') FROM sqlite_schema LIMIT 4")?;
    let rows = statement.query_map([], |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?)))?;
    let rows = rows.collect::<rusqlite::Result<Vec<(String, String, String)>>>()?;
    let is_own = |(kind, name, sql): &(String, String, String)| {
        let table = TABLES.iter().find(|(own, _)| own == name);
        kind == "table"
            && table.is_some_and(|(name, columns)| plain(sql) == plain(&format!("CREATE TABLE {name}{columns}")))
    };
    Ok(rows.len() == TABLES.len() && rows.iter().all(is_own))
}

/// A statement without its white space.
fn plain(sql: &str) -> String {
    sql.chars().filter(|c| !c.is_whitespace()).collect()
}

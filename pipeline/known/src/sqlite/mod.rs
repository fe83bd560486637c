//! Sets in SQLite databases: NSRL's RDSv3 (full and minimal), The Sleuth Kit's kdb, IPED's, and whatever else has a table with
//! columns of digests. Columns are found by their names at run time: editions of RDSv3 differ in them.
//!
//! A database is a program's input and may be made to harm it. It is opened read-only and immutable, nothing in its schema is run
//! (views, triggers and virtual tables are not touched, functions are not trusted), and both the work between two rows and
//! the number of rows are bounded.

mod open;

use pfh_digest::{Algorithm, Digest};
use pfh_format::known::{Known, Take};
use pfh_format::{Fault, digits};
use rusqlite::types::ValueRef;
use rusqlite::{Connection, Row};

use crate::input::{Found, Packages};
use crate::{Error, Input};
use open::quoted;

/// How a database starts (SQLite, "Database File Format", 1.3.1).
pub const MAGIC: &[u8] = b"SQLite format 3\0";

/// Tables by preference: RDSv3 full, RDSv3 minimal and its table of distinct digests, kdb and IPED.
const TABLES: [&str; 4] = ["metadata", "file", "distinct_hash", "hashes"];

/// A table and those of its columns that hold digests.
struct Table {
    name: String,
    columns: Vec<(String, Algorithm)>,
    package: Option<String>,
}

/// The algorithm of a column's name: `sha1`, `SHA-1`, `sha2_256`.
fn algorithm(column: &str) -> Option<Algorithm> {
    let plain: String = column.chars().filter(|c| !matches!(c, '-' | '_')).map(|c| c.to_ascii_lowercase()).collect();
    match plain.as_str() {
        "sha2256" => "sha256".parse().ok(),
        name @ ("md5" | "sha1" | "sha224" | "sha256" | "sha384" | "sha512") => name.parse().ok(),
        _ => None,
    }
}

fn tables(connection: &Connection) -> rusqlite::Result<Vec<Table>> {
    // A virtual table has no root page; a view is no table.
    let sql = "SELECT name FROM sqlite_schema WHERE type = 'table' AND rootpage > 0 ORDER BY rowid";
    let names: Vec<String> = connection.prepare(sql)?.query_map([], |row| row.get(0))?.collect::<Result<_, _>>()?;
    let mut found = Vec::new();
    for name in names {
        let statement = connection.prepare(&format!("SELECT * FROM main.{} LIMIT 0", quoted(&name)))?;
        let all: Vec<&str> = statement.column_names().collect();
        let columns = all.iter().filter_map(|column| Some((column.to_string(), algorithm(column)?))).collect();
        let package = all.iter().find(|column| column.eq_ignore_ascii_case("package_id")).map(|name| name.to_string());
        found.push(Table { name, columns, package });
    }
    Ok(found)
}

/// The table that holds the digests.
fn choose(tables: Vec<Table>) -> Option<Table> {
    let rank = |table: &Table| {
        let name = table.name.to_ascii_lowercase();
        TABLES.iter().position(|known| *known == name).unwrap_or(TABLES.len())
    };
    tables.into_iter().filter(|table| !table.columns.is_empty()).min_by_key(rank)
}

/// The version that an RDSv3 states of itself.
fn version(connection: &Connection) -> Option<String> {
    let sql = "SELECT version FROM main.VERSION ORDER BY rowid DESC LIMIT 1";
    let found: String = connection.query_row(sql, [], |row| row.get(0)).ok()?;
    // Words for people; a megabyte of them is none.
    (found.len() <= 256).then(|| pfh_format::terminal::render(found.as_bytes()))
}

/// Reads a database's digests.
pub fn read(input: &Input, take: &mut Take<'_>) -> Result<Found, Error> {
    let path = &input.path;
    let database = |error: rusqlite::Error| Error::Database(path.clone(), open::explain(&error));
    let (connection, bound) = open::open(path)?;
    let table = choose(tables(&connection).map_err(database)?)
        .ok_or_else(|| Error::Database(path.clone(), "no table with a column of digests".to_owned()))?;
    let packages = match (input.packages, &table.package) {
        (Packages::Remember, Some(column)) => Some((quoted(column), open::packages(&connection).map_err(database)?)),
        _ => None,
    };
    let mut list: Vec<String> = table.columns.iter().map(|(name, _)| quoted(name)).collect();
    list.extend(packages.iter().map(|(column, _)| column.clone()));
    // NOT INDEXED: the order of the rows is that of the file, which is read once from front to back.
    let sql = format!("SELECT {} FROM main.{} NOT INDEXED", list.join(", "), quoted(&table.name));
    let mut statement = connection.prepare(&sql).map_err(database)?;
    let mut rows = statement.query([]).map_err(database)?;
    let mut number = 0;
    while let Some(row) = rows.next().map_err(database)? {
        number += 1;
        bound.row(number).map_err(|why| Error::Database(path.clone(), why))?;
        let tag = packages.as_ref().and_then(|(_, packages)| package(row, table.columns.len(), packages));
        if let Some(record) = record(row, &table.columns, tag)
            && take(number, record).is_break()
        {
            break;
        }
    }
    let version = version(&connection);
    Ok(Found::Records { format: format!("sqlite {}", pfh_format::terminal::render(table.name.as_bytes())), version })
}

fn package(row: &Row<'_>, at: usize, packages: &open::Names) -> Option<String> {
    row.get_ref(at).ok()?.as_i64().ok().and_then(|id| packages.get(&id)).cloned()
}

/// `None` for a row without any digest.
fn record(row: &Row<'_>, columns: &[(String, Algorithm)], tag: Option<String>) -> Option<Result<Known, Fault>> {
    let mut known = Known { digests: Vec::with_capacity(columns.len()), tag };
    for (at, &(_, algorithm)) in columns.iter().enumerate() {
        let digest = match row.get_ref(at) {
            Ok(ValueRef::Null) => continue,
            Ok(ValueRef::Text([]) | ValueRef::Blob([])) => continue,
            Ok(ValueRef::Text(text)) => digits::digest(algorithm, text),
            Ok(ValueRef::Blob(bytes)) => Digest::from_bytes(algorithm, bytes).map_err(|_| Fault::WrongLength),
            _ => Err(Fault::Malformed("a number where a digest is due")),
        };
        match digest {
            Ok(digest) => known.digests.push(digest),
            Err(fault) => return Some(Err(fault)),
        }
    }
    if known.digests.is_empty() { None } else { Some(Ok(known)) }
}

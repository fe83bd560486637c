//! Sets in SQLite databases: NSRL's RDSv3 (full and minimal), The Sleuth Kit's kdb, IPED's, and any
//! other with a table that has columns of digests. Columns are found by their names at run time:
//! editions of RDSv3 differ in them.
//!
//! A database is a program's input and may be made to harm it. It is opened read-only and
//! immutable, nothing in its schema is run (views, triggers and virtual tables are not touched,
//! functions are not trusted), and both the work between two rows and the number of rows are
//! bounded.

pub mod delta;
pub mod kdb;
mod open;
mod script;

use std::fs::File;
use std::io::Read;
use std::ops::ControlFlow;
use std::path::Path;

use pfh_digest::{Digest, ROWS, Registry};
use pfh_manifest::known::{Column, KnownFile, Take};
use pfh_manifest::{Fault, digits};
use rusqlite::types::ValueRef;
use rusqlite::{Connection, Row};

use crate::input::{Contents, Meter, Packages};
use crate::{Error, Input};
use open::quoted;

/// How a database starts (SQLite, "Database File Format", 1.3.1).
pub const MAGIC: &[u8] = b"SQLite format 3\0";

/// Whether a file starts like an SQLite database.
pub fn is_database(path: &Path) -> bool {
    let mut start = [0; MAGIC.len()];
    File::open(path).and_then(|mut file| file.read_exact(&mut start)).is_ok() && start == MAGIC
}

/// The algorithms that a column may be of.
static LISTS: [&[pfh_digest::Row]; 1] = [&ROWS];

/// Tables by preference: RDSv3 full, RDSv3 minimal and its table of distinct digests, kdb and IPED.
const TABLES: [&str; 4] = ["metadata", "file", "distinct_hash", "hashes"];

/// A table and those of its columns that hold digests.
struct Table {
    name: String,
    columns: Vec<(String, Column)>,
    /// The column that names the package, or an object whose packages another table lists.
    package: Option<String>,
    object: Option<String>,
}

/// The contents of a column by its name; `sha2_256` is The Sleuth Kit's.
fn column(name: &str) -> Option<Column> {
    if name.eq_ignore_ascii_case("sha2_256") { Column::of("sha256") } else { Column::of(name) }
}

fn tables(connection: &Connection) -> rusqlite::Result<Vec<Table>> {
    // A virtual table has no root page; a view is not a table.
    let sql = "SELECT name FROM sqlite_schema WHERE type = 'table' AND rootpage > 0 ORDER BY rowid";
    let names: Vec<String> = connection.prepare(sql)?.query_map([], |row| row.get(0))?.collect::<Result<_, _>>()?;
    let mut found = Vec::new();
    for name in names {
        // Asked for as rows: a name that is not UTF-8 is an error there, while rusqlite's names of
        // a statement's columns panic.
        let mut statement = connection.prepare("SELECT name FROM pragma_table_info(?1, 'main') ORDER BY cid")?;
        let all: Vec<String> = statement.query_map([&name], |row| row.get(0))?.collect::<Result<_, _>>()?;
        let columns = all.iter().filter_map(|name| Some((name.clone(), column(name)?))).collect();
        let named = |wanted: &str| all.iter().find(|name| name.eq_ignore_ascii_case(wanted)).cloned();
        let (package, object) = (named("package_id"), named("object_id"));
        found.push(Table { name, columns, package, object });
    }
    Ok(found)
}

/// The tables that hold digests: of those of RDSv3, which repeat each other, the best, and all
/// others.
fn choose(tables: &[Table]) -> Vec<&Table> {
    let rank = |table: &Table| {
        let name = table.name.to_ascii_lowercase();
        TABLES.iter().position(|known| *known == name)
    };
    let with_digests = || tables.iter().filter(|table| !table.columns.is_empty());
    let best = with_digests().filter_map(rank).min();
    with_digests().filter(|table| rank(table).is_none() || rank(table) == best).collect()
}

/// The version that an RDSv3 states of itself.
fn version(connection: &Connection) -> Option<String> {
    let sql = "SELECT version FROM main.VERSION ORDER BY rowid DESC LIMIT 1";
    let found: String = connection.query_row(sql, [], |row| row.get(0)).ok()?;
    // Words for people; a megabyte of them is none.
    (found.len() <= 256).then(|| pfh_source::terminal::render(found.as_bytes()))
}

/// How the rows of a table are read, and where the names of their packages are.
fn query(tables: &[Table], table: &Table, packages: Packages) -> (String, Option<String>) {
    let mut list: Vec<String> = table.columns.iter().map(|(name, _)| format!("digests.{}", quoted(name))).collect();
    let named = |wanted: &str| tables.iter().find(|table| table.name.eq_ignore_ascii_case(wanted));
    // NOT INDEXED: the order of the rows is that of the file, which is read once from front to
    // back.
    let mut from = format!("main.{} AS digests NOT INDEXED", quoted(&table.name));
    let mut names = None;
    if packages == Packages::Remember {
        match (&table.package, named("PACKAGE_OBJECT"), &table.object) {
            (Some(package), ..) => {
                list.push(format!("digests.{}", quoted(package)));
                names = named("PKG");
            }
            // The full edition: a file is in as many packages as that table has rows for it; one
            // that is in none is read all the same.
            (None, Some(pairs), Some(object)) if pairs.package.is_some() && pairs.object.is_some() => {
                list.push("pairs.package_id".to_owned());
                let pairs = quoted(&pairs.name);
                from += &format!(" LEFT JOIN main.{pairs} AS pairs ON pairs.object_id = digests.{}", quoted(object));
                names = named("PKG").or_else(|| named("APPLICATION"));
            }
            _ => {}
        }
    }
    (format!("SELECT {} FROM {from}", list.join(", ")), names.map(|table| table.name.clone()))
}

/// Reads the digests of a database. It lies at `path`, and has the name of the input in errors.
pub fn read(input: &Input, path: &Path, meter: &Meter, take: &mut Take<'_>) -> Result<Contents, Error> {
    let database = |error: rusqlite::Error| Error::Database(input.path.clone(), open::explain(&error));
    let (connection, bound) = open::open(path, &input.path)?;
    let tables = tables(&connection).map_err(database)?;
    let chosen = choose(&tables);
    if chosen.is_empty() {
        return Err(Error::Database(input.path.clone(), "no table with a column of digests".to_owned()));
    }
    let mut number = 0;
    for table in &chosen {
        if each(&connection, &bound, input, (&tables, table), meter, &mut number, take)?.is_break() {
            break;
        }
    }
    let names: Vec<String> = chosen.iter().map(|table| pfh_source::terminal::render(table.name.as_bytes())).collect();
    Ok(Contents::Records { format: format!("sqlite {}", names.join(", ")), version: version(&connection) })
}

/// Hands out the rows of a table; `number` counts those of all tables.
fn each(
    connection: &Connection,
    bound: &open::QueryBound,
    input: &Input,
    (tables, table): (&[Table], &Table),
    meter: &Meter,
    number: &mut u64,
    take: &mut Take<'_>,
) -> Result<ControlFlow<()>, Error> {
    let database = |error: rusqlite::Error| Error::Database(input.path.clone(), open::explain(&error));
    let (sql, names) = query(tables, table, input.packages);
    bound.query();
    let packages = names.map(|table| open::packages(connection, &table, bound)).transpose();
    let packages = packages.map_err(|why| Error::Database(input.path.clone(), why))?;
    bound.query();
    // The highest number is that of the last row, so it is about their count; in a corrupt database
    // it may be any number.
    let last = format!("SELECT max(rowid) FROM main.{}", quoted(&table.name));
    let about =
        connection.query_row(&last, [], |row| row.get::<_, i64>(0)).map_or(0, |rows| rows.max(0).unsigned_abs());
    let mut statement = connection.prepare(&sql).map_err(database)?;
    let mut rows = statement.query([]).map_err(database)?;
    while let Some(row) = rows.next().map_err(database)? {
        *number += 1;
        bound.row(*number).map_err(|why| Error::Database(input.path.clone(), why))?;
        if number.is_multiple_of(1 << 12) {
            meter.part(*number, about, bound.bytes());
        }
        let tag = packages.as_ref().and_then(|packages| package(row, table.columns.len(), packages));
        let (known, fault) = record(row, &table.columns, tag);
        let mut records = known.map(Ok).into_iter().chain(fault.map(Err));
        if records.any(|record| take(*number, record).is_break()) {
            return Ok(ControlFlow::Break(()));
        }
    }
    Ok(ControlFlow::Continue(()))
}

fn package(row: &Row<'_>, at: usize, packages: &open::Names) -> Option<String> {
    row.get_ref(at).ok()?.as_i64().ok().and_then(|id| packages.get(&id)).cloned()
}

/// The digests of a row, and the fault of a value that is not a digest; neither of a row whose
/// columns are empty.
fn record(row: &Row<'_>, columns: &[(String, Column)], tag: Option<String>) -> (Option<KnownFile>, Option<Fault>) {
    let mut known = KnownFile { digests: Vec::with_capacity(columns.len()), tag };
    let mut wrong = None;
    for (at, &(_, column)) in columns.iter().enumerate() {
        let digest = match row.get_ref(at) {
            Ok(ValueRef::Null) => continue,
            Ok(ValueRef::Text([]) | ValueRef::Blob([])) => continue,
            Ok(ValueRef::Text(text)) => match column {
                Column::Digest(algorithm) => digits::digest(algorithm, text),
                Column::Any => digits::unnamed(&digits::candidates(Registry::new(&LISTS), &[]), text),
            },
            Ok(ValueRef::Blob(bytes)) => match column {
                Column::Digest(algorithm) => Digest::from_bytes(algorithm, bytes).map_err(|_| Fault::WrongLength),
                Column::Any => Err(Fault::Malformed("bytes of no stated algorithm")),
            },
            _ => Err(Fault::Malformed("a number where a digest is due")),
        };
        match digest {
            Ok(digest) => known.digests.push(digest),
            Err(fault) => wrong = Some(fault),
        }
    }
    ((!known.digests.is_empty()).then_some(known), wrong)
}

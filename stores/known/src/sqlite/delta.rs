//! NSRL's deltas, which NIST publishes between two full editions of RDSv3, "a set of SQL INSERT,
//! UPDATE, and DELETE statements contained in a single SQL file, that can be run in the previous
//! full RDSv3 SQLite database publication" (NIST, RDSv3 announcement).
//!
//! The edition that somebody has is only ever read: the script runs in a copy in the work
//! directory. Where the file system shares blocks the copy costs nothing, elsewhere as much space
//! as the edition takes. The script is a program of somebody else: it may insert, update and delete
//! rows of ordinary tables, and a statement reads no rows but those that it changes: nothing
//! multiplies. SQLite asks [`may`] about every access of every statement.

use pfh_source::os::names::with_ending;
use std::collections::HashSet;
use std::fs::File;
use std::io::{self, BufRead, Read};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use pfh_source::Document;
use rusqlite::config::DbConfig;
use rusqlite::hooks::{AuthAction, AuthContext, Authorization};
use rusqlite::limits::Limit;
use rusqlite::{Connection, ErrorCode, OpenFlags};

use super::script::{LONGEST, Script, ScriptFault, Statement};
use super::{MAGIC, is_database, open};
use crate::{Error, input};

/// Bytes of a copy between two looks at the flag that ends it.
const PIECE: u64 = 256 << 20;

/// Bytes that a script may add for each of its own, and beside: a row of RDSv3 takes less than the
/// statement that inserts it, but a script may be packed. Beyond this a statement makes every row
/// larger.
const GROWTH: u64 = 64;
const BESIDE: u64 = 64 << 20;

/// Functions of SQLite for a script with the schema of RDSv3.
const FUNCTIONS: [&str; 18] = [
    "abs", "char", "coalesce", "count", "ifnull", "instr", "length", "like", "lower", "max", "min", "nullif",
    "replace", "substr", "trim", "typeof", "unistr", "upper",
];

/// A statement that changed no row: the path of its script and its line.
pub type Idle = (PathBuf, u64);

/// Applies deltas, one after the other, to a copy of a database; the copy appears at `output` when
/// all of them were applied. Gives, of each delta that has one, the first statement that changed
/// nothing: it may have been made for another database.
pub fn apply(base: &Path, deltas: &[PathBuf], output: &Path, cancel: &Arc<AtomicBool>) -> Result<Vec<Idle>, Error> {
    open::without_log(base)?;
    let partial = with_ending(output, ".partial");
    copy(base, &partial, cancel)?;
    let mut most = std::fs::metadata(base).map_err(Error::io(base))?.len() + BESIDE;
    for delta in deltas {
        most += GROWTH * std::fs::metadata(delta).map_err(Error::io(delta))?.len();
    }
    let mut copy = Copy::open(base, &partial, most, cancel)?;
    let mut idle = Vec::new();
    for delta in deltas {
        idle.extend(copy.run(delta)?.map(|line| (delta.clone(), line)));
    }
    copy.close()?;
    pfh_source::replace_closed(&partial, output).map_err(Error::io(output))?;
    Ok(idle)
}

fn copy(base: &Path, to: &Path, cancel: &AtomicBool) -> Result<(), Error> {
    let from = File::open(base).map_err(Error::io(base))?;
    if !is_database(base) {
        return Err(Error::damaged(base, "a delta belongs to an SQLite database of NSRL, and this is none"));
    }
    let mut to_file = File::create(to).map_err(Error::io(to))?;
    // In the kernel, which shares the blocks where the file system can.
    while io::copy(&mut (&from).take(PIECE), &mut to_file).map_err(Error::io(to))? > 0 {
        if cancel.load(Ordering::Relaxed) {
            return Err(Error::Cancelled);
        }
    }
    Ok(())
}

/// Whether a script may do this: see the module. `inserts`: the statement is an INSERT.
fn may(context: &AuthContext<'_>, inserts: bool, tables: &HashSet<String>) -> bool {
    let ordinary = |table: &str| context.database_name == Some("main") && tables.contains(table);
    match context.action {
        AuthAction::Insert { table_name } | AuthAction::Delete { table_name } => ordinary(table_name),
        AuthAction::Update { table_name, .. } => ordinary(table_name),
        // The rows that are changed; inserted values stand in the statement.
        AuthAction::Read { table_name, .. } => !inserts && ordinary(table_name),
        // Several rows of values are a SELECT to SQLite.
        AuthAction::Select => inserts,
        AuthAction::Function { function_name } => {
            FUNCTIONS.binary_search(&function_name.to_ascii_lowercase().as_str()).is_ok()
        }
        // The start of a dump; whether keys are checked harms nobody.
        AuthAction::Pragma { pragma_name, .. } => pragma_name.eq_ignore_ascii_case("foreign_keys"),
        _ => false,
    }
}

/// The copy that scripts change.
struct Copy<'a> {
    /// The database that it copies: errors name this.
    base: &'a Path,
    connection: Connection,
    looks: pfh_sqlite::Looks,
    /// Whether the statement at hand is an INSERT.
    inserts: Arc<AtomicBool>,
    cancel: &'a AtomicBool,
}

impl<'a> Copy<'a> {
    fn open(base: &'a Path, path: &Path, most: u64, cancel: &'a Arc<AtomicBool>) -> Result<Copy<'a>, Error> {
        let database = |error: rusqlite::Error| Error::Database(base.to_owned(), open::explain(&error));
        let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
        let mut connection = Connection::open_with_flags(path, flags).map_err(database)?;
        let looks = open::harden(&mut connection, Some(Arc::clone(cancel))).map_err(database)?;
        let inserts = Arc::new(AtomicBool::new(false));
        let inserting = Arc::clone(&inserts);
        let prepare = || -> rusqlite::Result<()> {
            connection.set_limit(Limit::SQLITE_LIMIT_SQL_LENGTH, LONGEST as i32)?;
            // A statement of 4 MiB with hundreds of rows needs as many steps as it has values, and
            // some.
            connection.set_limit(Limit::SQLITE_LIMIT_VDBE_OP, 4 << 20)?;
            connection.set_limit(Limit::SQLITE_LIMIT_EXPR_DEPTH, 100)?;
            connection.set_db_config(DbConfig::SQLITE_DBCONFIG_ENABLE_FKEY, false)?;
            // A copy that was being changed when the power went is made again: no journal, and no
            // waiting for the disk.
            connection.set_db_config(DbConfig::SQLITE_DBCONFIG_DEFENSIVE, false)?;
            connection.execute_batch("PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF;")?;
            connection.set_db_config(DbConfig::SQLITE_DBCONFIG_DEFENSIVE, true)?;
            let page: i64 = connection.query_row("PRAGMA page_size", [], |row| row.get(0))?;
            let pages = most / u64::try_from(page.max(512)).unwrap_or(512);
            connection.execute_batch(&format!("PRAGMA max_page_count = {pages}; BEGIN;"))?;
            let sql = "SELECT name FROM sqlite_schema WHERE type = 'table' AND rootpage > 0 AND name NOT LIKE 'sqlite!_%' ESCAPE '!'";
            let tables: HashSet<String> =
                connection.prepare(sql)?.query_map([], |row| row.get(0))?.collect::<Result<_, _>>()?;
            connection.authorizer(Some(move |context: AuthContext<'_>| {
                if may(&context, inserting.load(Ordering::Relaxed), &tables) {
                    Authorization::Allow
                } else {
                    Authorization::Deny
                }
            }))
        };
        prepare().map_err(database)?;
        Ok(Copy { base, connection, looks, inserts, cancel })
    }

    /// Runs a script; gives the line of the first statement that changed nothing.
    fn run(&mut self, delta: &Path) -> Result<Option<u64>, Error> {
        let wrong = |line: u64, why: &str| Error::Database(delta.to_owned(), format!("line {line}: {why}"));
        let mut reader =
            input::unpacked(Box::new(Document::file(delta).map_err(Error::io(delta))?)).map_err(Error::io(delta))?;
        let start = reader.fill_buf().map_err(Error::io(delta))?;
        if start.starts_with(b"PK\x03\x04") {
            return Err(Error::damaged(delta, "a zip archive: unpack it first"));
        }
        if start.starts_with(MAGIC) {
            return Err(Error::damaged(delta, "a database, not an SQL script: it is a set of its own"));
        }
        let mut script = Script::new(reader);
        let (mut idle, mut begun) = (None, None);
        loop {
            let statement = match script.next() {
                Ok(Some(statement)) => statement,
                Ok(None) => break,
                Err(ScriptFault::Io(error)) => return Err(Error::io(delta)(error)),
                Err(ScriptFault::At(line, why)) => return Err(wrong(line, why)),
            };
            if self.cancel.load(Ordering::Relaxed) {
                return Err(Error::Cancelled);
            }
            match statement.verb().as_str() {
                "INSERT" | "REPLACE" | "UPDATE" | "DELETE" => {
                    let changed = self.change(&statement).map_err(|why| match why {
                        Some(why) => wrong(statement.line, &why),
                        None => Error::Cancelled,
                    })?;
                    if changed == 0 {
                        idle = idle.or(Some(statement.line));
                    }
                }
                "PRAGMA" => {
                    self.change(&statement).map_err(|why| wrong(statement.line, &why.unwrap_or_default()))?;
                }
                // All of it is one transaction of ours.
                "BEGIN" => begun = Some(statement.line),
                "COMMIT" | "END" => begun = None,
                _ => return Err(wrong(statement.line, "a delta has INSERT, UPDATE and DELETE only")),
            }
        }
        match begun {
            Some(line) => Err(wrong(line, "cut off: BEGIN without COMMIT")),
            None => Ok(idle),
        }
    }

    /// Runs a statement and gives the number of rows that it changed; the sentence why it did not,
    /// none where somebody ended it.
    fn change(&self, statement: &Statement) -> Result<usize, Option<String>> {
        self.looks.begin();
        self.inserts.store(matches!(statement.verb().as_str(), "INSERT" | "REPLACE"), Ordering::Relaxed);
        let result = self.connection.prepare(&statement.text).and_then(|mut prepared| match prepared.column_count() {
            0 => prepared.execute([]),
            _ => prepared.query([]).and_then(|mut rows| rows.next().map(|_| 0)),
        });
        result.map_err(|error| match error.sqlite_error_code() {
            Some(ErrorCode::OperationInterrupted) if self.cancel.load(Ordering::Relaxed) => None,
            Some(ErrorCode::AuthorizationForStatementDenied) => {
                Some(format!("it has a statement that no delta needs ({})", open::explain(&error)))
            }
            Some(ErrorCode::DiskFull) => {
                Some("it makes the database larger than any delta does, or the disk is full".to_owned())
            }
            _ => Some(open::explain(&error)),
        })
    }

    fn close(mut self) -> Result<(), Error> {
        let database = |error: rusqlite::Error| Error::Database(self.base.to_owned(), open::explain(&error));
        self.connection.authorizer(None::<fn(AuthContext<'_>) -> Authorization>).map_err(database)?;
        self.connection.execute_batch("COMMIT").map_err(database)?;
        self.connection.close().map_err(|(_, error)| Error::Database(self.base.to_owned(), open::explain(&error)))
    }
}

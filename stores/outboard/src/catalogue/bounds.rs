//! What a catalogue may cost its reader: it may come from somebody else, and be made to do harm.

use rusqlite::Connection;
use rusqlite::config::DbConfig;
use rusqlite::limits::Limit;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// Steps of SQLite's machine between two looks at the bound.
const STEPS: i32 = 1 << 14;
/// Looks before a query is given up: 2^26 steps, a second or some. No query of a catalogue takes
/// more than hundreds; what SQLite does of itself to read the schema counts as well.
const LOOKS: u64 = 1 << 12;
/// The longest value and the longest row in bytes; names of files are far below.
const LONGEST: i32 = 16 << 20;

/// How long a query has worked.
#[derive(Clone, Default)]
pub(super) struct Looks(Arc<AtomicU64>);

impl Looks {
    /// A query starts, or a row came.
    pub(super) fn begin(&self) {
        self.0.store(0, Ordering::Relaxed);
    }
}

/// Bounds the time of each query and the memory of each row.
pub(super) fn bound(connection: &mut Connection) -> rusqlite::Result<Looks> {
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_DEFENSIVE, true)?;
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_TRUSTED_SCHEMA, false)?;
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_ENABLE_TRIGGER, false)?;
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_ENABLE_VIEW, false)?;
    for (limit, most) in [
        (Limit::SQLITE_LIMIT_LENGTH, LONGEST),
        (Limit::SQLITE_LIMIT_SQL_LENGTH, 1 << 16),
        (Limit::SQLITE_LIMIT_EXPR_DEPTH, 20),
        (Limit::SQLITE_LIMIT_COMPOUND_SELECT, 3),
        (Limit::SQLITE_LIMIT_VDBE_OP, 25_000),
        (Limit::SQLITE_LIMIT_ATTACHED, 0),
        (Limit::SQLITE_LIMIT_TRIGGER_DEPTH, 1),
    ] {
        connection.set_limit(limit, most)?;
    }
    connection.execute_batch("PRAGMA cell_size_check = ON; PRAGMA mmap_size = 0;")?;
    let looks = Looks::default();
    let counted = looks.clone();
    connection.progress_handler(STEPS, Some(move || counted.0.fetch_add(1, Ordering::Relaxed) > LOOKS))?;
    Ok(looks)
}

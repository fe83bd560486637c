//! Limits of SQLite for databases that others may have made: a database cannot run code, and a
//! query ends after a number of steps. The cache, catalogues and known sets differ in three
//! numbers.

#![forbid(unsafe_code)]

use rusqlite::Connection;
use rusqlite::config::DbConfig;
use rusqlite::limits::Limit;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

/// The limits that depend on the store.
#[derive(Debug, Clone, Copy)]
pub struct Limits {
    /// Bytes of the longest value and of the longest row.
    pub value: i32,
    /// Bytes of the longest statement, those of the schema included.
    pub statement: i32,
    /// Steps of SQLite's machine without a row before a query is given up.
    pub steps: u64,
}

/// Steps of SQLite's machine between two calls of its progress handler.
const INTERVAL: u64 = 1 << 14;

/// How long a query has worked since the last row.
#[derive(Clone)]
pub struct Looks {
    count: Arc<AtomicU64>,
    most: u64,
}

impl Looks {
    /// A query starts, or a row came.
    pub fn begin(&self) {
        self.count.store(0, Ordering::Relaxed);
    }

    /// A query starts that takes at most `steps`.
    pub fn begin_short(&self, steps: u64) {
        self.count.store(self.most.saturating_sub(steps / INTERVAL), Ordering::Relaxed);
    }
}

/// Switches triggers, views and attached databases off, and bounds the time of each query and the
/// memory of each row. `cancel` ends a query as well.
///
/// # Errors
/// As SQLite.
pub fn bound(connection: &mut Connection, limits: Limits, cancel: Option<Arc<AtomicBool>>) -> rusqlite::Result<Looks> {
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_DEFENSIVE, true)?;
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_TRUSTED_SCHEMA, false)?;
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_ENABLE_TRIGGER, false)?;
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_ENABLE_VIEW, false)?;
    for (limit, most) in [
        (Limit::SQLITE_LIMIT_LENGTH, limits.value),
        (Limit::SQLITE_LIMIT_SQL_LENGTH, limits.statement),
        (Limit::SQLITE_LIMIT_EXPR_DEPTH, 20),
        (Limit::SQLITE_LIMIT_COMPOUND_SELECT, 3),
        (Limit::SQLITE_LIMIT_VDBE_OP, 25_000),
        (Limit::SQLITE_LIMIT_FUNCTION_ARG, 8),
        (Limit::SQLITE_LIMIT_ATTACHED, 0),
        (Limit::SQLITE_LIMIT_VARIABLE_NUMBER, 16),
        (Limit::SQLITE_LIMIT_TRIGGER_DEPTH, 1),
        (Limit::SQLITE_LIMIT_WORKER_THREADS, 0),
    ] {
        connection.set_limit(limit, most)?;
    }
    // Each cell is checked before it is read.
    connection.execute_batch("PRAGMA cell_size_check = ON; PRAGMA mmap_size = 0;")?;
    let looks = Looks { count: Arc::default(), most: limits.steps / INTERVAL };
    let (counted, most) = (looks.count.clone(), looks.most);
    let stopped = move || cancel.as_ref().is_some_and(|cancel| cancel.load(Ordering::Relaxed));
    let ends = move || stopped() || counted.fetch_add(1, Ordering::Relaxed) > most;
    connection.progress_handler(INTERVAL as i32, Some(ends))?;
    Ok(looks)
}

#[cfg(test)]
mod tests {
    use super::*;

    const LIMITS: Limits = Limits { value: 1 << 20, statement: 1 << 16, steps: 1 << 20 };
    const ENDLESS: &str = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT count(*) FROM n";

    #[test]
    fn an_endless_query_ends() {
        let mut connection = Connection::open_in_memory().unwrap();
        let looks = bound(&mut connection, LIMITS, None).unwrap();
        for _ in 0..2 {
            looks.begin();
            let ended = connection.query_row(ENDLESS, [], |row| row.get::<_, i64>(0));
            assert_eq!(ended.unwrap_err().sqlite_error_code(), Some(rusqlite::ErrorCode::OperationInterrupted));
        }
        let mut connection = Connection::open_in_memory().unwrap();
        let cancelled = Some(Arc::new(AtomicBool::new(true)));
        bound(&mut connection, Limits { steps: u64::MAX, ..LIMITS }, cancelled).unwrap();
        assert!(connection.query_row(ENDLESS, [], |row| row.get::<_, i64>(0)).is_err());
    }

    #[test]
    fn what_a_database_could_do_harm_with_is_off() {
        let mut connection = Connection::open_in_memory().unwrap();
        connection.execute_batch("CREATE TABLE t(a); CREATE VIEW v AS SELECT a FROM t;").unwrap();
        bound(&mut connection, LIMITS, None).unwrap();
        assert!(connection.prepare("SELECT * FROM v").is_err());
        assert!(connection.execute_batch("ATTACH ':memory:' AS other").is_err());
        assert!(connection.execute_batch("INSERT INTO t VALUES (zeroblob(2097152))").is_err());
        assert!(connection.execute_batch("INSERT INTO t VALUES (zeroblob(1000))").is_ok());
    }
}

use super::*;

fn open(path: &Path) -> Result<Cache, CacheError> {
    Cache::open(path, "a command", &["sha256".parse().expect("an algorithm")], 0.0)
}

/// A cache that was made, and changed by hand afterwards.
fn by_hand(sql: &str) -> (tempfile::TempDir, std::path::PathBuf) {
    let room = tempfile::tempdir().expect("a directory");
    let path = room.path().join("cache");
    open(&path).and_then(|cache| cache.close(true)).expect("a cache");
    Connection::open(&path).and_then(|connection| connection.execute_batch(sql)).expect("changed");
    (room, path)
}

#[test]
fn a_cache_is_opened_again() {
    let (_room, path) = by_hand("SELECT 1");
    open(&path).and_then(|cache| cache.close(true)).expect("the same cache");
}

/// A view of a table's name would run whenever the table is asked.
#[test]
fn a_foreign_schema_is_not_run() {
    let view = "DROP TABLE digests; CREATE VIEW digests AS WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x FROM n)
        SELECT x AS device, x AS inode, x AS algorithm, x AS size FROM n";
    for sql in [
        view,
        "CREATE TABLE more (x)",
        "CREATE TRIGGER more AFTER INSERT ON runs BEGIN DELETE FROM digests; END",
        "CREATE INDEX more ON digests (abs(size))",
        "DROP TABLE runs; CREATE TABLE runs (run INTEGER PRIMARY KEY, identity TEXT DEFAULT (abs(1)), finished INTEGER)",
    ] {
        let (_room, path) = by_hand(sql);
        let before = std::fs::read(&path).expect("read");
        assert!(matches!(open(&path), Err(CacheError::Foreign)), "{sql}");
        assert!(std::fs::read(&path).expect("read") == before, "{sql}: left as it is");
    }
}

#[test]
fn a_query_without_end_is_ended() {
    let room = tempfile::tempdir().expect("a directory");
    let cache = open(&room.path().join("cache")).expect("a cache");
    let endless = "WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x FROM n) SELECT max(x) FROM n";
    let inner = cache.inner();
    inner.looks.begin();
    let error = inner.connection.query_row(endless, [], |_| Ok(())).expect_err("ended");
    assert_eq!(error.sqlite_error_code(), Some(rusqlite::ErrorCode::OperationInterrupted));
}

/// A digest of 4 MB is not a digest: the row is an error, and the file is read.
#[test]
fn a_value_longer_than_any_is_not_read() {
    let long = "INSERT INTO digests VALUES (1, 2, 'sha256', 3, 4, 5, 6, 7, zeroblob(4000000), 1, 0)";
    let (_room, path) = by_hand(long);
    let cache = open(&path).expect("a cache");
    let stat = Stat { device: 1, inode: 2, size: 3, mtime: (4, 5), ctime: (6, 7), mode: 0o100_644, atime: (0, 0) };
    assert!(cache.inner().find(&stat).is_err());
}

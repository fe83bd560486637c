//! Databases that were made to do harm: one typed error each, soon, and nothing else.

use crate::generators;
use std::fs;
use std::ops::ControlFlow;
use std::path::Path;

use pfh_known::{Build, Class, Error, Input};
use rusqlite::Connection;

fn refused(path: &Path) -> String {
    let directory = tempfile::tempdir().expect("a directory");
    let mut faults = 0;
    let build = Build {
        inputs: vec![Input::new(path, Class::Good)],
        output: directory.path().join("known"),
        work: None,
        memory: 0,
        fault: &mut |_, _, _| {
            faults += 1;
            ControlFlow::Continue(())
        },
        progress: &mut |_| {},
        cancel: Default::default(),
    };
    match build.run() {
        Err(Error::Database(_, why)) => why,
        Err(error) => panic!("another error: {error}"),
        Ok(built) => format!("built: {built:?}, {faults} faults"),
    }
}

fn database(path: &Path, sql: &str) {
    Connection::open(path).and_then(|connection| connection.execute_batch(sql)).expect("made");
}

#[test]
fn schemas_that_compute_are_not_run() {
    let directory = tempfile::tempdir().expect("a directory");
    let path = directory.path().join("view.db");
    // A view that never ends, under the name that RDSv3 gives to one.
    database(
        &path,
        "CREATE VIEW FILE AS WITH RECURSIVE n(sha1) AS (SELECT '' UNION ALL SELECT sha1 FROM n) SELECT sha1 FROM n;
         CREATE TABLE x (y);",
    );
    assert_eq!(refused(&path), "no table with a column of digests");
    let path = directory.path().join("virtual.db");
    // The SQLite of this build has no such module, and would not make the table by itself.
    database(
        &path,
        "CREATE TABLE x (y); PRAGMA writable_schema = ON;
         INSERT INTO sqlite_schema (type, name, tbl_name, rootpage, sql)
         VALUES ('table', 'METADATA', 'METADATA', 0, 'CREATE VIRTUAL TABLE METADATA USING fts5(sha1)');",
    );
    assert!(refused(&path).starts_with("no table"), "{}", refused(&path));
}

#[test]
fn what_is_no_database() {
    let directory = tempfile::tempdir().expect("a directory");
    let path = directory.path().join("short.db");
    fs::write(&path, b"SQLite format 3\0 and nothing more").expect("written");
    let why = refused(&path);
    assert!(!why.starts_with("built"), "{why}");
    let path = directory.path().join("wal.db");
    generators::rds_minimal(&path, 0..3);
    fs::write(directory.path().join("wal.db-wal"), b"a log").expect("written");
    assert!(refused(&path).contains("write-ahead log"));
}

/// Found by fuzzing: rusqlite's names of a statement's columns panic on them.
#[test]
fn a_columns_name_that_is_not_utf_8() {
    let directory = tempfile::tempdir().expect("a directory");
    let path = directory.path().join("name.db");
    database(&path, "CREATE TABLE METADATA (sha1 TEXT, remarks TEXT); CREATE TABLE other (remarks TEXT);");
    let mut bytes = fs::read(&path).expect("read");
    let places: Vec<usize> = (0..bytes.len() - 7).filter(|&at| &bytes[at..at + 7] == b"remarks").collect();
    assert_eq!(places.len(), 2);
    for at in places {
        bytes[at] = 0xF6;
    }
    fs::write(&path, &bytes).expect("written");
    let why = refused(&path);
    assert!(!why.starts_with("built"), "{why}");
}

#[test]
fn changed_pages_give_an_error_or_fewer_rows_and_end() {
    let directory = tempfile::tempdir().expect("a directory");
    let good = directory.path().join("good.db");
    generators::rds_full(&good, 0..400);
    let whole = fs::read(&good).expect("read");
    let path = directory.path().join("bad.db");
    let mut refusals = 0;
    // Page headers and the pointers behind them: where a change does the most.
    for page in (0..whole.len()).step_by(4096) {
        for offset in [0, 3, 5, 8, 9, 12, 13, 20] {
            let mut bytes = whole.clone();
            if let Some(byte) = bytes.get_mut(page + offset) {
                *byte ^= 0x55;
            }
            if bytes.starts_with(b"SQLite format 3\0") {
                fs::write(&path, &bytes).expect("written");
                refusals += usize::from(!refused(&path).starts_with("built"));
            }
        }
    }
    assert!(refusals > 10, "only {refusals} changes were noticed");
}

#[test]
fn rows_that_go_round_in_circles_end() {
    let directory = tempfile::tempdir().expect("a directory");
    let path = directory.path().join("circle.db");
    generators::rds_full(&path, 0..2000);
    let mut bytes = fs::read(&path).expect("read");
    let page_size = 4096;
    // Every pointer of every interior page (type 5) leads to the page's last child: rows come again
    // and again.
    let mut changed = 0;
    for page in bytes.chunks_mut(page_size).skip(1).filter(|page| page[0] == 5) {
        let cells = usize::from(u16::from_be_bytes([page[3], page[4]]));
        let last: [u8; 4] = page[8..12].try_into().expect("four");
        for cell in 0..cells {
            let at = 12 + 2 * cell;
            let place = usize::from(u16::from_be_bytes([page[at], page[at + 1]]));
            page[place..place + 4].copy_from_slice(&last);
            changed += 1;
        }
    }
    assert!(changed > 3, "the database is too small for this test");
    fs::write(&path, &bytes).expect("written");
    // SQLite reads each child as often as it is pointed to; the count of rows stays bounded either
    // way.
    let answer = refused(&path);
    assert!(!answer.is_empty());
}

#[test]
fn values_of_other_types_are_faults() {
    let directory = tempfile::tempdir().expect("a directory");
    let path = directory.path().join("types.db");
    database(
        &path,
        "CREATE TABLE hashes (md5, sha1); INSERT INTO hashes VALUES (5, NULL), (x'00', NULL), ('zz', NULL), (NULL, '');",
    );
    assert!(refused(&path).ends_with("3 faults"), "{}", refused(&path));
}

/// `.cargo/config.toml` leaves them out; a build that does not read it brings them back.
#[test]
fn sqlite_has_nothing_but_tables() {
    let connection = Connection::open_in_memory().expect("opened");
    let mut asked = connection.prepare("PRAGMA compile_options").expect("asked");
    let options: Vec<String> = asked.query_map([], |row| row.get(0)).expect("listed").map(Result::unwrap).collect();
    for absent in ["ENABLE_FTS3", "ENABLE_FTS5", "ENABLE_RTREE", "ENABLE_LOAD_EXTENSION", "ENABLE_STAT4"] {
        assert!(!options.iter().any(|option| option == absent), "{absent}: {options:?}");
    }
    assert!(options.iter().any(|option| option == "OMIT_LOAD_EXTENSION"), "{options:?}");
}

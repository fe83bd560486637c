//! NSRL's deltas: the result is that of SQLite itself, the edition is only read, and a script can
//! do nothing but change rows.

use crate::generators;
use std::fs;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};

use crate::generators::digest;
use crate::room::Room;
use pfh_known::{Build, BuildResult, Class, DEFAULT_RESIDENT, Error, Input, KnownSet};
use rusqlite::Connection;

impl Room {
    /// Builds a set of a database and deltas; reports of places without a record come along.
    fn build(&self, base: &Path, deltas: &[PathBuf], output: &str) -> Result<(BuildResult, Vec<String>), Error> {
        let mut faults = Vec::new();
        let build = Build {
            inputs: vec![Input { deltas: deltas.to_vec(), name: Some("NSRL".into()), ..Input::new(base, Class::Good) }],
            output: self.path(output),
            work: Some(self.path("work")),
            memory: 0,
            fault: &mut |path, line, fault| {
                faults.push(format!("{}:{line}: {fault}", path.file_name().expect("a name").display()));
                ControlFlow::Continue(())
            },
            progress: &mut |_| {},
            cancel: Default::default(),
        };
        build.run().map(|built| (built, faults))
    }

    /// Why a delta is refused. The work directory must not keep its copy for another build.
    fn refused(&self, sql: &str) -> String {
        let base = self.path("base.db");
        if !base.exists() {
            generators::rds_minimal(&base, 0..50);
        }
        let delta = self.file("delta.sql", sql);
        match self.build(&base, &[delta], "refused") {
            Err(Error::Database(path, why) | Error::Damaged(path, why)) => {
                assert_eq!(path, self.path("delta.sql"), "{why}");
                assert!(!self.path("refused").exists() && !self.path("work/applied-0").exists());
                why
            }
            other => panic!("{sql:.200}: {other:?}"),
        }
    }
}

fn holds(known: &KnownSet, n: u64) -> [bool; 3] {
    ["md5", "sha1", "sha256"].map(|name| !known.find(&digest(name, n)).expect("found").is_empty())
}

#[test]
fn the_same_as_sqlite() {
    for (table, make) in
        [("FILE", generators::rds_minimal as fn(&Path, std::ops::Range<u64>)), ("METADATA", generators::rds_full)]
    {
        let room = Room::new();
        let base = room.path("base.db");
        make(&base, 0..300);
        let before = fs::read(&base).expect("read");
        let sql = generators::delta(table, 10..40, 500..540, (50, 900));
        let later = generators::delta(table, 500..510, 600..601, (900, 50));
        let deltas = [room.file("one.sql", &sql), room.file("two.sql", &later)];
        let (built, faults) = room.build(&base, &deltas, "known").unwrap_or_else(|error| panic!("{error}"));
        assert_eq!(faults, Vec::<String>::new());
        assert_eq!(fs::read(&base).expect("read"), before, "the edition is only read");
        assert_eq!(built.sets[0].version.as_deref(), Some("2026.06.1"));
        assert_eq!(built.sets[0].source, "base.db + one.sql + two.sql");
        let known = KnownSet::open(&room.path("known"), DEFAULT_RESIDENT).expect("opened");
        for n in 0..1000 {
            let expected = matches!(n, 0..10 | 40..300 | 510..540 | 600);
            assert_eq!(holds(&known, n), [expected; 3], "{table} {n}");
        }
        // The same by hand, as NIST says: run the scripts in the database, and build from that.
        let by_hand = room.path("by-hand.db");
        fs::copy(&base, &by_hand).expect("copied");
        let connection = Connection::open(&by_hand).expect("opened");
        connection.execute_batch(&sql).and_then(|()| connection.execute_batch(&later)).expect("run");
        connection.close().expect("closed");
        room.build(&by_hand, &[], "known-by-hand").expect("built");
        let by_hand = KnownSet::open(&room.path("known-by-hand"), DEFAULT_RESIDENT).expect("opened");
        assert!(known.algorithms().eq(by_hand.algorithms()));
        assert!(!room.path("work").exists());
    }
}

#[test]
fn a_delta_of_another_database_is_reported() {
    let room = Room::new();
    let base = room.path("base.db");
    generators::rds_minimal(&base, 0..50);
    let delta = room.file("delta.sql", generators::delta("FILE", 70..75, 80..81, (1, 2)));
    let (built, faults) = room.build(&base, &[delta], "known").expect("built");
    let fault = "delta.sql:3: changes nothing: the delta may be of another database or applied already";
    assert_eq!((faults, built.sets[0].faults), (vec![fault.to_owned()], 1));
    // No such table at all.
    assert!(room.refused("\nINSERT INTO METADATA(sha1) VALUES('x');").starts_with("line 2: no such table"));
    // No database.
    let list = room.file("list.txt", generators::list("sha1", 0..3));
    let delta = room.file("delta.sql", "DELETE FROM FILE;");
    assert!(matches!(room.build(&list, &[delta], "other"), Err(Error::Damaged(path, _)) if path == list));
}

#[test]
fn a_script_changes_rows_and_nothing_else() {
    let room = Room::new();
    let target = room.path("written");
    let target = target.display();
    for sql in [
        format!("ATTACH '{target}' AS other;"),
        format!("VACUUM INTO '{target}';"),
        format!(".output {target}\n;"),
        format!(".shell touch {target}\n;"),
        "DETACH main;".to_owned(),
        "CREATE TABLE x (y);".to_owned(),
        "CREATE TRIGGER t AFTER INSERT ON FILE BEGIN DELETE FROM FILE; END;".to_owned(),
        "CREATE VIRTUAL TABLE v USING fts5(x);".to_owned(),
        "DROP TABLE FILE;".to_owned(),
        "ALTER TABLE FILE ADD COLUMN x;".to_owned(),
        "ROLLBACK;".to_owned(),
        "SAVEPOINT a;".to_owned(),
        "SELECT 1;".to_owned(),
        "WITH x AS (SELECT 1) DELETE FROM FILE;".to_owned(),
        "REINDEX;".to_owned(),
        "ANALYZE;".to_owned(),
        "EXPLAIN DELETE FROM FILE;".to_owned(),
    ] {
        assert_eq!(room.refused(&sql), "line 1: a delta has INSERT, UPDATE and DELETE only", "{sql}");
    }
    for sql in [
        "PRAGMA writable_schema=ON;",
        "PRAGMA journal_mode=WAL;",
        "PRAGMA trusted_schema=ON;",
        "INSERT INTO sqlite_schema VALUES('table','x','x',2,'CREATE TABLE x(y)');",
        "UPDATE sqlite_master SET sql='';",
        "DELETE FROM sqlite_schema;",
        "INSERT INTO FILE(sha1) SELECT name FROM sqlite_schema;",
        "INSERT INTO FILE(sha1) VALUES(load_extension('x'));",
        "INSERT INTO FILE(sha1) VALUES(readfile('/etc/passwd'));",
        "INSERT INTO FILE(sha1) VALUES(randomblob(1000000000));",
        "INSERT INTO FILE(sha1) SELECT value FROM generate_series(1,5);",
        "INSERT INTO FILE(sha1) SELECT name FROM pragma_database_list;",
        "INSERT INTO FILE(sha1) WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x FROM n) SELECT x FROM n;",
        "DELETE FROM DISTINCT_HASH;",
        "INSERT INTO FILE(sha1) SELECT sha1 FROM DISTINCT_HASH;",
        "DELETE FROM FILE WHERE sha1 IN (SELECT sql FROM temp.sqlite_schema);",
        "DELETE FROM FILE WHERE sha1 IN (SELECT a.md5 || b.md5 || c.md5 FROM FILE a, FILE b, FILE c);",
        "UPDATE FILE SET sha1 = (SELECT count(*) FROM FILE a, FILE b, FILE c);",
        "UPDATE FILE SET sha1 = a.md5 FROM FILE a, FILE b, FILE c;",
        "INSERT INTO FILE SELECT a.* FROM FILE a, FILE b, FILE c;",
        "INSERT INTO FILE(sha1) VALUES(1) RETURNING fts5(1);",
    ] {
        let why = room.refused(sql);
        assert!(why.starts_with("line 1: "), "{sql}: {why}");
    }
    assert!(!room.path("written").exists());
    for (sql, why) in [
        ("DELETE FROM FILE;\nINSERT INTO", "line 2: cut off: it has no end"),
        ("BEGIN;\nDELETE FROM FILE;\n", "line 1: cut off: BEGIN without COMMIT"),
        ("PK\u{3}\u{4}", "a zip archive: unpack it first"),
        ("SQLite format 3\0", "a database, not an SQL script: it is a set of its own"),
    ] {
        assert_eq!(room.refused(sql), why);
    }
}

#[test]
fn a_statement_that_makes_rows_large_ends() {
    let room = Room::new();
    let base = room.path("base.db");
    generators::rds_minimal(&base, 0..300);
    let (thousand, other) = ("a".repeat(1000), "b".repeat(1000));
    let sql = format!("UPDATE FILE SET file_name = replace('{thousand}', 'a', '{other}');");
    let delta = room.file("delta.sql", sql);
    let Err(Error::Database(_, why)) = room.build(&base, &[delta], "known") else { panic!("not refused") };
    assert_eq!(why, "line 1: it makes the database larger than any delta does, or the disk is full");
}

#[test]
fn statements_of_dumps_and_gzip() {
    use std::io::Write;
    let room = Room::new();
    let base = room.path("base.db");
    generators::rds_minimal(&base, 0..10);
    let upper = |name: &str, n| digest(name, n).to_string().to_uppercase();
    let sql = format!(
        "PRAGMA foreign_keys=OFF;\r\nBEGIN;\r\nINSERT INTO \"FILE\" VALUES('{}','{}','{}','','a' || char(10),1,1),('','{}','','',replace('a\\n','\\n',char(10)),1,2);\r\n\
         DELETE FROM FILE WHERE md5=lower('{}') OR upper(md5) IN ('x', '{}');\r\nEND;\r\n",
        upper("sha256", 20),
        upper("sha1", 20),
        upper("md5", 20),
        upper("sha1", 21),
        upper("md5", 6),
        upper("md5", 5),
    );
    let mut packed = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    packed.write_all(sql.as_bytes()).expect("memory");
    let delta = room.file("delta.sql.gz", packed.finish().expect("memory"));
    let (_, faults) = room.build(&base, &[delta], "known").unwrap_or_else(|error| panic!("{error}"));
    assert_eq!(faults, Vec::<String>::new());
    let known = KnownSet::open(&room.path("known"), DEFAULT_RESIDENT).expect("opened");
    assert_eq!([holds(&known, 4), holds(&known, 5), holds(&known, 20)], [[true; 3], [false; 3], [true; 3]]);
    assert_eq!(holds(&known, 21), [false, true, false]);
}

#[test]
fn an_interrupted_build_goes_on_with_its_copy() {
    let room = Room::new();
    let base = room.path("base.db");
    generators::rds_minimal(&base, 0..150_000);
    let delta = room.file("delta.sql", generators::delta("FILE", 10..12, 200_000..200_010, (50, 900_000)));
    // Of another database as well: its fault is counted once.
    let other = room.file("other.sql", "DELETE FROM FILE WHERE md5='x';");
    let deltas = [delta, other];
    let (built, _) = room.build(&base, &deltas, "whole").expect("built");
    let whole = fs::read(room.path("whole")).expect("read");
    let cancel = std::sync::Arc::new(std::sync::atomic::AtomicBool::new(false));
    let flag = cancel.clone();
    let stopped = Build {
        inputs: vec![Input { deltas: deltas.to_vec(), name: Some("NSRL".into()), ..Input::new(&base, Class::Good) }],
        output: room.path("stopped"),
        work: Some(room.path("work")),
        memory: 0,
        fault: &mut |_, _, _| ControlFlow::Continue(()),
        progress: &mut |_| flag.store(true, std::sync::atomic::Ordering::Relaxed),
        cancel,
    };
    assert!(matches!(stopped.run(), Err(Error::Cancelled)));
    assert!(room.path("work/applied-0").exists() && !room.path("stopped").exists());
    let (again, faults) = room.build(&base, &deltas, "stopped").expect("built");
    assert!(again.resumed > 0 && faults.is_empty(), "{again:?}");
    assert_eq!(again.sets, built.sets);
    assert!(fs::read(room.path("stopped")).expect("read") == whole && !room.path("work").exists());
    assert_eq!(again.sets[0].faults, 1);
}

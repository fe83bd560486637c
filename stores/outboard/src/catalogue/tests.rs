use super::*;
use pfh_tree::catalogue::root;
use std::collections::BTreeMap;

static NEVER: AtomicBool = AtomicBool::new(false);

/// The root of entries, computed from nothing.
fn expected(entries: &BTreeMap<Vec<u8>, CatalogueEntry>) -> Value {
    let mut leaves: Vec<(Key, Value)> =
        entries.values().map(|entry| (key(&entry.name), leaf(&entry.name, entry.size, &entry.digest))).collect();
    leaves.sort();
    root("blake3", leaves.len() as u64, &pfh_tree::catalogue::top(&leaves))
}

fn entry(number: u64, version: u64) -> CatalogueEntry {
    let name = format!("directory/file {number}").into_bytes();
    CatalogueEntry { name, size: version, digest: version.to_le_bytes().to_vec(), stamp: Vec::new() }
}

/// After any addition, change or removal the root is that of a build of the present entries, and so
/// are all stored values.
#[test]
fn any_changes_give_the_root_of_a_build() {
    let room = tempfile::tempdir().expect("a directory");
    let path = room.path().join("catalogue");
    let mut state = 7_u64;
    let mut next = |below: u64| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) % below
    };
    for start in [0, 1, 2, 3, 40] {
        let mut entries = BTreeMap::new();
        let mut built = Catalogue::create(&path, "blake3", None, &NEVER).expect("a catalogue");
        for number in 0..start {
            built.add(&entry(number, 0)).expect("added");
            entries.insert(entry(number, 0).name, entry(number, 0));
        }
        assert_eq!(built.fill().expect("a root"), expected(&entries));
        built.commit().expect("committed");
        for step in 0..120 {
            let mut changed = Catalogue::change(&path, &NEVER).expect("a catalogue");
            let one = entry(next(60), step);
            let found = if next(3) == 0 {
                entries.remove(&one.name);
                changed.set(&one.name, None)
            } else {
                entries.insert(one.name.clone(), one.clone());
                changed.set(&one.name, Some(&one))
            };
            assert_eq!(found.expect("a root"), expected(&entries), "{start} {step}");
            assert_eq!(changed.entries().expect("a number"), entries.len() as u64);
            changed.prove_all().expect("whole");
            for number in 0..60 {
                changed.prove(&entry(number, 0).name).expect("proved");
            }
            changed.commit().expect("committed");
        }
        // No value is kept that a build would not have kept.
        let rows = |catalogue: &Catalogue| {
            let mut statement =
                catalogue.connection.prepare("SELECT depth, prefix, value FROM nodes").expect("a statement");
            let rows = statement.query_map([], |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?))).expect("rows");
            rows.collect::<Result<Vec<(u32, Vec<u8>, Vec<u8>)>, _>>().expect("rows")
        };
        let kept = rows(&Catalogue::open(&path).expect("a catalogue"));
        let mut fresh = Catalogue::create(&path, "blake3", None, &NEVER).expect("a catalogue");
        entries.values().for_each(|entry| fresh.add(entry).expect("added"));
        fresh.fill().expect("a root");
        assert_eq!(rows(&fresh), kept);
    }
}

#[test]
fn one_entry_of_many_costs_its_path() {
    let room = tempfile::tempdir().expect("a directory");
    let path = room.path().join("catalogue");
    let mut built = Catalogue::create(&path, "blake3", None, &NEVER).expect("a catalogue");
    (0..20_000).for_each(|number| built.add(&entry(number, 0)).expect("added"));
    built.fill().expect("a root");
    built.commit().expect("committed");
    let mut changed = Catalogue::change(&path, &NEVER).expect("a catalogue");
    changed.set(&entry(77, 0).name, Some(&entry(77, 1))).expect("a root");
    // Some 14 levels of 20,000 entries, and the root.
    assert!((5..40).contains(&changed.computed()), "{}", changed.computed());
}

/// An entry or a value that was changed behind the root's back is found before anything is made of
/// it.
#[test]
fn a_damaged_path_is_found() {
    let room = tempfile::tempdir().expect("a directory");
    let path = room.path().join("catalogue");
    let mut built = Catalogue::create(&path, "blake3", None, &NEVER).expect("a catalogue");
    (0..50).for_each(|number| built.add(&entry(number, 0)).expect("added"));
    built.fill().expect("a root");
    built.commit().expect("committed");
    for sql in ["UPDATE nodes SET value = zeroblob(32) WHERE depth = 1", "UPDATE entries SET size = 9"] {
        let mut changed = Catalogue::change(&path, &NEVER).expect("a catalogue");
        changed.connection.execute(sql, []).expect("changed");
        let one = entry(3, 1);
        assert!(matches!(changed.set(&one.name, Some(&one)), Err(CatalogueError::Damaged(_))), "{sql}");
        if sql.contains("entries") {
            assert!(matches!(changed.prove_all(), Err(CatalogueError::Damaged(_))));
        }
    }
    std::fs::write(&path, b"something else").expect("written");
    assert!(matches!(Catalogue::open(&path), Err(CatalogueError::Foreign(_))));
    assert!(!is_catalogue(&path).expect("read"));
}

/// A database with the tables of a catalogue and other content, made by hand.
fn by_hand(sql: &str) -> (tempfile::TempDir, std::path::PathBuf) {
    let room = tempfile::tempdir().expect("a directory");
    let path = room.path().join("catalogue");
    let mut built = Catalogue::create(&path, "blake3", None, &NEVER).expect("a catalogue");
    (0..40).for_each(|number| built.add(&entry(number, 0)).expect("added"));
    built.fill().expect("a root");
    built.commit().expect("committed");
    Connection::open(&path).and_then(|connection| connection.execute_batch(sql)).expect("changed");
    (room, path)
}

/// Two entries of one name have the same path: no tree holds both.
#[test]
fn entries_under_keys_that_are_not_theirs_are_damage() {
    let twin = "INSERT INTO entries SELECT zeroblob(32), name, size, digest, stamp FROM entries LIMIT 1";
    let (_room, path) = by_hand(twin);
    let opened = Catalogue::open(&path).expect("opened");
    assert!(matches!(opened.prove_all(), Err(CatalogueError::Damaged(_))));
    assert!(matches!(opened.each(&mut |_| {}), Err(CatalogueError::Damaged(_))));
}

#[test]
fn values_beyond_those_of_the_tree_are_damage_and_are_not_all_counted() {
    let more = "INSERT INTO nodes WITH RECURSIVE n(x) AS (SELECT 1000 UNION ALL SELECT x + 1 FROM n WHERE x < 9000)
        SELECT x, x'00', x'00' FROM n";
    let (_room, path) = by_hand(more);
    let opened = Catalogue::open(&path).expect("opened");
    assert!(matches!(opened.prove_all(), Err(CatalogueError::Damaged(_))));
}

#[test]
fn a_value_longer_than_any_is_an_error_and_takes_no_memory() {
    let (_room, path) =
        by_hand("UPDATE entries SET name = zeroblob(20000000) WHERE key = (SELECT max(key) FROM entries)");
    let opened = Catalogue::open(&path).expect("opened");
    let error = opened.each(&mut |entry| assert!(entry.name.len() < 100)).expect_err("too long");
    assert!(matches!(error, CatalogueError::Database { .. }), "{error}");
}

/// A schema that computes: an index over an expression, a view, a trigger.
#[test]
fn a_foreign_schema_is_not_run() {
    for sql in [
        "CREATE INDEX more ON entries (abs(size))",
        "CREATE VIEW more AS WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x FROM n) SELECT x FROM n",
        "CREATE TRIGGER more AFTER UPDATE ON facts BEGIN DELETE FROM entries; END",
    ] {
        let (_room, path) = by_hand(sql);
        assert!(matches!(Catalogue::open(&path), Err(CatalogueError::Foreign(_))), "{sql}");
        assert!(matches!(Catalogue::change(&path, &NEVER), Err(CatalogueError::Foreign(_))), "{sql}");
    }
}

/// A query that gives no row ends soon.
#[test]
fn a_query_without_end_is_ended() {
    let (_room, path) = by_hand("SELECT 1");
    let opened = Catalogue::open(&path).expect("opened");
    let endless = "WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x FROM n) SELECT max(x) FROM n";
    let error = opened.ask().query_row(endless, [], |_| Ok(())).expect_err("ended");
    assert_eq!(error.sqlite_error_code(), Some(rusqlite::ErrorCode::OperationInterrupted));
}

/// Pages that lead back to others, wherever a page points: an end, and no panic.
#[test]
fn pages_that_lead_in_circles_end() {
    let (_room, path) = by_hand("PRAGMA page_size = 512; VACUUM");
    let whole = std::fs::read(&path).expect("read");
    let mut wrong = 0;
    for page in 1..whole.len() / 512 {
        let mut bytes = whole.clone();
        // An interior page (types 2 and 5) points to the first child, or to itself.
        if !matches!(bytes[page * 512], 2 | 5) {
            continue;
        }
        for target in [page as u32 + 1, 2] {
            bytes[page * 512 + 8..page * 512 + 12].copy_from_slice(&target.to_be_bytes());
            std::fs::write(&path, &bytes).expect("written");
            let proved = Catalogue::open(&path).and_then(|opened| opened.prove_all());
            wrong += usize::from(proved.is_err());
        }
    }
    assert!(wrong > 1, "only {wrong} circles were noticed");
}

/// Who lacks the key can neither change a catalogue nor believe one; a catalogue without a key is
/// not one under it.
#[test]
fn a_root_under_a_key() {
    let room = tempfile::tempdir().expect("a directory");
    let path = room.path().join("catalogue");
    let build = |key: Option<&[u8]>| {
        let mut built = Catalogue::create(&path, "hmac-sha256", key, &NEVER).expect("a catalogue");
        (0..40).for_each(|number| built.add(&entry(number, 0)).expect("added"));
        let root = built.fill().expect("a root");
        built.commit().expect("committed");
        root
    };
    let (plain, under) = (build(None), build(Some(b"key")));
    assert!(plain != under && under != build(Some(b"other")) && under == build(Some(b"key")));
    let mut changed = Catalogue::change(&path, &NEVER).expect("a catalogue");
    let one = entry(3, 1);
    let set = changed.set(&one.name, Some(&one));
    assert!(matches!(set, Err(CatalogueError::NoKey(_))), "{set:?}");
    for (key, why) in [(None, "which is needed"), (Some(&b"other"[..]), "another key")] {
        assert!(changed.unlock(key).expect_err("locked").to_string().contains(why));
    }
    changed.unlock(Some(b"key")).expect("unlocked");
    let root = changed.set(&one.name, Some(&one)).expect("a root");
    assert_ne!(root, under);
    changed.prove_all().expect("whole");
    changed.commit().expect("committed");
    // Put in its place by somebody without the key: other entries, or a catalogue without one.
    let forge = |sql: &str| {
        let copy = room.path().join("copy");
        std::fs::copy(&path, &copy).expect("copied");
        Connection::open(&copy).and_then(|connection| connection.execute_batch(sql)).expect("changed");
        let mut opened = Catalogue::open(&copy).expect("opened");
        opened.unlock(Some(b"key")).and_then(|()| opened.prove_all())
    };
    forge("SELECT 1").expect("whole");
    assert!(matches!(forge("DELETE FROM facts WHERE name = 'mark of a key'"), Err(CatalogueError::Keyless(_))));
    assert!(matches!(forge("UPDATE entries SET size = 9 WHERE size = 1"), Err(CatalogueError::Damaged(_))));
}

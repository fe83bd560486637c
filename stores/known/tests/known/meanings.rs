//! The meanings of entries: values that stand for no digest, categories, tables, keys of filters.

use std::ops::ControlFlow;
use std::path::Path;
use std::sync::Arc;

use crate::generators::{self, digest};
use crate::room::Room;
use pfh_digest::Digest;
use pfh_known::{Build, BuildResult, Class, DEFAULT_RESIDENT, Input, KnownSet};

/// Builds a set of class bad; gives it with its counts and the number of its faults.
fn build(room: &Room, path: impl AsRef<Path>) -> (KnownSet, BuildResult, u64) {
    let mut faults = 0;
    let build = Build {
        inputs: vec![Input::new(path.as_ref(), Class::Bad)],
        output: room.path("known"),
        work: None,
        memory: 32 << 20,
        fault: &mut |_, _, _| {
            faults += 1;
            ControlFlow::Continue(())
        },
        progress: &mut |_| {},
        cancel: Arc::default(),
    };
    let built = build.run().unwrap_or_else(|error| panic!("{error}"));
    let known = KnownSet::open(&room.path("known"), DEFAULT_RESIDENT).unwrap_or_else(|error| panic!("{error}"));
    (known, built, faults)
}

/// The class of the only hit of a digest.
fn class(known: &KnownSet, digest: &Digest) -> Option<String> {
    let hits = known.find(digest).unwrap_or_else(|error| panic!("{error}"));
    hits.first().map(|hit| hit.class.name().to_owned())
}

#[test]
fn placeholders_are_no_digests() {
    let room = Room::new();
    let (zeros, nothing) = ("0".repeat(64), generators::algorithm("sha256").digest(b""));
    let of = |name| [digest(name, 1).to_string(), digest(name, 2).to_string()];
    let ([md5, other], [sha1, _]) = (of("md5"), of("sha1"));
    let table = format!("md5,sha1,sha256,name\n{md5},{sha1},{zeros},a\n{other},,{nothing},b\n,,{zeros},c\n");
    let (known, built, faults) = build(&room, room.file("l.csv", table));
    assert_eq!((built.sets[0].records, built.sets[0].placeholders, faults), (2, 3, 1));
    assert_eq!(built.digests, [("md5".to_owned(), 2), ("sha1".to_owned(), 1)]);
    assert_eq!(class(&known, &digest("md5", 1)).as_deref(), Some("bad"));
    assert_eq!(class(&known, &Digest::from_bytes(generators::algorithm("sha256"), &[0; 32]).expect("32 bytes")), None);
    // The digest of nothing alone is that of the empty file.
    let (known, built, _) = build(&room, room.file("empty.txt", format!("{nothing}\n")));
    assert_eq!((class(&known, &nothing).as_deref(), built.sets[0].placeholders), (Some("bad"), 0));
}

#[test]
fn categories_keep_their_meaning() {
    let room = Room::new();
    let (known, ..) = build(&room, room.file("vics.json", generators::vics(0..3)));
    let classes: Vec<Option<String>> = (0..3).map(|n| class(&known, &digest("md5", n))).collect();
    assert_eq!(classes, [Some("uncategorised".to_owned()), Some("bad".to_owned()), Some("bad".to_owned())]);
}

#[test]
fn every_table_of_a_database_is_read() {
    let room = Room::new();
    let connection = rusqlite::Connection::open(room.path("two.db")).expect("opened");
    let sql = format!(
        "CREATE TABLE allow (md5 TEXT); INSERT INTO allow VALUES ('{}');
         CREATE TABLE notes (text TEXT); CREATE TABLE samples (id INTEGER, hashes_MD5 TEXT);
         INSERT INTO samples VALUES (1, '{}');",
        digest("md5", 1),
        digest("md5", 2)
    );
    connection.execute_batch(&sql).expect("made");
    connection.close().expect("closed");
    let (known, built, faults) = build(&room, room.path("two.db"));
    assert_eq!((built.sets[0].format.as_str(), built.sets[0].records, faults), ("sqlite allow, samples", 2, 0));
    assert!([1, 2].iter().all(|n| class(&known, &digest("md5", *n)).is_some()));
}

/// Lists that begin with a line of labels, or have none where others have one.
#[test]
fn lists_of_sets_of_other_programs() {
    let room = Room::new();
    let (md5, sha1) = (digest("md5", 1).to_string(), digest("sha1", 1).to_string());
    let sha256 = digest("sha256", 1).to_string();
    let bazaar = format!(
        "# \"first_seen_utc\",\"sha256_hash\",\"md5_hash\",\"file_name\",\"imphash\"\n\
         \"2024-05-05 11:58:20\", \"{sha256}\", \"{md5}\", \"evil.exe\", \"{}\"\n",
        digest("md5", 2)
    );
    let misp = format!(
        r#"{{"response":[{{"Event":{{"Attribute":[{{"type":"md5","value":"{md5}"}},{{"type":"filename|sha256","value":"w|{sha256}"}},{{"type":"imphash","value":"{}"}}]}}}}]}}"#,
        digest("md5", 2)
    );
    let stix = format!(
        r#"{{"type":"bundle","objects":[{{"type":"indicator","pattern":"[file:hashes.MD5 = '{md5}' OR file:hashes.'SHA-256' = '{sha256}']"}}]}}"#
    );
    for (list, wanted) in [
        (format!("MD5\r\n{md5}\r\n"), "md5"),
        (format!("\"sha-1\"\n\"{sha1}\"\n"), "sha1"),
        (format!("{md5}:5:Win.Evil-1\n"), "md5"),
        (format!("{sha256}:*:Win.Evil-2:73\n"), "sha256"),
        (format!("name,hashes_MD5\nx,{md5}\n"), "md5"),
        (format!("a  {md5}  {sha1}\n"), "sha1"),
        (bazaar, "sha256"),
        (misp, "md5"),
        (stix, "sha256"),
    ] {
        let (known, _, faults) = build(&room, room.file("l", &list));
        assert_eq!(faults, 0, "{list}");
        assert!(class(&known, &digest(wanted, 1)).is_some(), "{list}");
        assert!(class(&known, &digest("md5", 2)).is_none(), "{list}");
    }
}

#[test]
fn filters_have_keys_of_either_case() {
    let room = Room::new();
    for filter in [generators::bloom(0..10), generators::bloom_in_small_letters(0..10)] {
        let (known, ..) = build(&room, room.file("x.bloom", filter));
        assert!((0..10).all(|n| class(&known, &digest("sha1", n)).is_some()));
        assert!(class(&known, &digest("sha1", 11)).is_none());
    }
}

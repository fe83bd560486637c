//! Every version of an object, by a name that is read back.

use super::pfh;
use super::store::{Object, Store};
use crate::program::{Room, records, sha256};

/// Two objects with versions, one of them deleted, beside keys that begin alike.
fn store() -> Store {
    let object = |key: &str, version: Option<&'static str>, bytes: &str| Object {
        key: key.into(),
        bytes: bytes.as_bytes().to_vec(),
        version,
        ..Object::default()
    };
    let mut store = Store::of(&[]);
    store.page = 2;
    store.objects = vec![
        object("a", Some("v3"), "third"),
        object("a", Some("v2"), "second"),
        object("a", None, "first"),
        object("a/b", Some("w1"), "below"),
        object("ab", Some("x1"), "beside"),
        Object { is_deleted: true, ..object("gone", Some("y2"), "") },
        object("gone", Some("y1"), "was here"),
        object("odd?versionId=v9", None, "odd"),
    ];
    store
}

#[test]
fn every_version_is_read_and_checked() {
    let (room, store) = (Room::new(), store().serve());
    let seen = pfh(&room, store.port, &["hash", "-q", "--versions", "s3://bucket", "-f", "jsonl"]);
    assert_eq!(seen.code, Some(0), "{}", seen.stderr);
    let lines = records(&seen);
    let wanted = [
        ("a?versionId=v3", "third"),
        ("a?versionId=v2", "second"),
        ("a?versionId=null", "first"),
        ("a/b?versionId=w1", "below"),
        ("ab?versionId=x1", "beside"),
        ("gone?versionId=y1", "was here"),
        ("odd?versionId=v9?versionId=null", "odd"),
    ];
    let found: Vec<_> = lines.iter().filter(|line| line.kind() == "file").collect();
    for (line, (name, bytes)) in found.iter().zip(wanted) {
        let same = (line.path(), line.digest("sha256").unwrap().to_owned());
        assert_eq!(same, (&*format!("s3://bucket/{name}"), sha256(bytes.as_bytes())));
    }
    let skipped = lines.iter().filter(|line| line.kind() == "skipped").map(|line| line.path().to_owned());
    assert_eq!((found.len(), skipped.collect::<Vec<_>>()), (7, vec!["s3://bucket/gone?versionId=y2".to_owned()]));
    // Of one key with the keys below it, and of one version.
    for (words, count) in [
        (&["hash", "-q", "--versions", "s3://bucket/a"][..], 4),
        (&["hash", "-q", "--versions", "s3://bucket/a/"], 1),
        (&["hash", "-q", "s3://bucket/a?versionId=v2"], 1),
        (&["hash", "-q", "s3://bucket/odd?versionId=v9"], 1),
        (&["hash", "-q", "s3://bucket"], 4),
    ] {
        let seen = pfh(&room, store.port, words);
        let count_seen = seen.stdout.iter().filter(|byte| **byte == b'\n').count();
        assert_eq!((seen.code, count_seen), (Some(0), count), "{words:?} {}", seen.stderr);
    }
    let seen = pfh(&room, store.port, &["hash", "-q", "--versions", "s3://bucket", "-o", "list"]);
    assert_eq!(seen.code, Some(0), "{}", seen.stderr);
    let seen = pfh(&room, store.port, &["check", "--allow-outside", "list"]);
    let ok = String::from_utf8_lossy(&seen.stdout).matches(": OK").count();
    assert_eq!((seen.code, ok), (Some(0), 7), "{}", seen.stderr);
    // A version that is not there is not the newest one.
    room.file("other", format!("{}  s3://bucket/a?versionId=v8\n", sha256(b"third")).as_bytes());
    let seen = pfh(&room, store.port, &["check", "--allow-outside", "other"]);
    assert_ne!(seen.code, Some(0), "{}", seen.stderr);
}

#[test]
fn versions_are_of_stores() {
    let room = Room::new();
    room.file("here", b"900150983cd24fb0d6963f7d28e17f72  a\n");
    for words in [&["hash", "--versions", "here"][..], &["check", "--versions", "here"]] {
        let seen = pfh(&room, 9, words);
        assert!(seen.code == Some(2) && seen.stderr.contains("--versions"), "{:?} {}", seen.code, seen.stderr);
    }
    // A store that passes over what it does not know.
    let plain = store().fault(|request| {
        let list = "<ListBucketResult><IsTruncated>false</IsTruncated></ListBucketResult>";
        request.page.map(|_| super::store::Answer::new(200, list))
    });
    let seen = pfh(&room, plain.serve().port, &["hash", "-q", "--versions", "s3://bucket"]);
    assert!(seen.code == Some(3) && seen.stderr.contains("listing"), "{:?} {}", seen.code, seen.stderr);
}

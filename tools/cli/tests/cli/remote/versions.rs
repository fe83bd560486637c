//! Every version of an object, by a name that is read back.

use super::pfh;
use super::store::{Form, Object, Running, Store};
use crate::program::{Room, records, sha256};
use pfh_inject::{Outcome, Trial};
use std::time::Duration;

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
        (&["hash", "-q", "s3://bucket/odd?versionId=v9?versionId="], 1),
        (&["hash", "-q", "--versions", "s3://bucket/odd?versionId=v9"], 1),
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

/// A key that ends like the name of a version, beside that version.
fn ambiguous() -> Store {
    let mut store = store();
    let object = |key: &str, version: Option<&'static str>, bytes: &str| Object {
        key: key.into(),
        bytes: bytes.as_bytes().to_vec(),
        version,
        ..Object::default()
    };
    store.objects = vec![
        object("odd", Some("v9"), "a version"),
        object("odd?versionId=", Some("z1"), "no version"),
        object("odd?versionId=v9", Some("z2"), "a key"),
    ];
    store
}

#[test]
fn a_key_that_ends_like_a_version_is_read_as_itself() {
    let (room, store) = (Room::new(), ambiguous().serve());
    let keys =
        [("odd", "a version"), ("odd?versionId=?versionId=", "no version"), ("odd?versionId=v9?versionId=", "a key")];
    let versions = [
        ("odd?versionId=v9", "a version"),
        ("odd?versionId=?versionId=z1", "no version"),
        ("odd?versionId=v9?versionId=z2", "a key"),
    ];
    for (words, wanted) in [(&[][..], keys), (&["--versions"], versions)] {
        let hash = [&["hash", "-q", "s3://bucket", "-o", "list"], words].concat();
        let seen = pfh(&room, store.port, &hash);
        assert_eq!(seen.code, Some(0), "{}", seen.stderr);
        let list = std::fs::read_to_string(room.path().join("list")).unwrap();
        let line = |(name, bytes): (&str, &str)| format!("{}  s3://bucket/{name}\n", sha256(bytes.as_bytes()));
        assert_eq!(list, wanted.map(line).concat());
        let seen = pfh(&room, store.port, &["check", "--allow-outside", "list"]);
        let text = String::from_utf8_lossy(&seen.stdout).into_owned();
        assert_eq!((seen.code, text.matches(": OK").count()), (Some(0), 3), "{text} {}", seen.stderr);
        std::fs::remove_file(room.path().join("list")).unwrap();
        // Each name alone, as an operand.
        for (name, bytes) in wanted {
            let seen = pfh(&room, store.port, &["hash", "-q", &format!("s3://bucket/{name}")]);
            assert_eq!(String::from_utf8_lossy(&seen.stdout), line((name, bytes)), "{}", seen.stderr);
        }
    }
    // A key as the store has it, of a version that is not there: printed as a key; in a list it
    // stands for the version.
    let lone = super::store::Store { objects: ambiguous().objects.split_off(2), ..ambiguous() }.serve();
    let seen = pfh(&room, lone.port, &["hash", "-q", "s3://bucket/odd?versionId=v9"]);
    let line = format!("{}  s3://bucket/odd?versionId=v9?versionId=\n", sha256(b"a key"));
    assert_eq!((seen.code, String::from_utf8_lossy(&seen.stdout).into_owned()), (Some(0), line), "{}", seen.stderr);
    room.file("other", format!("{}  s3://bucket/odd?versionId=v9\n", sha256(b"a key")).as_bytes());
    let seen = pfh(&room, lone.port, &["check", "--allow-outside", "other"]);
    assert!(seen.code != Some(0) && seen.stderr.contains("has ?versionId= behind it"), "{}", seen.stderr);
}

/// The program with a store of Google's or Azure's protocol.
fn elsewhere(room: &Room, store: &Running, words: &[&str]) -> Outcome {
    let at = format!("http://127.0.0.1:{}", store.port);
    let environment = [
        format!("HOME={}", room.path().display()),
        format!("GOOGLE_BASE_URL={at}"),
        "GOOGLE_SKIP_SIGNATURE=true".into(),
        format!("AZURITE_BLOB_STORAGE_URL={at}"),
        "AZURE_STORAGE_USE_EMULATOR=true".into(),
    ];
    let under = ["env"].into_iter().chain(environment.iter().map(String::as_str));
    let trial = Trial::new(env!("CARGO_BIN_EXE_pfh")).args(words).directory(room.path());
    trial.under(under).limit(Duration::from_secs(120)).run().unwrap()
}

#[test]
fn versions_of_google_and_azure_are_read_and_checked() {
    let object = |key: &str, version: Option<&'static str>, bytes: &str| Object {
        key: key.into(),
        bytes: bytes.as_bytes().to_vec(),
        version,
        ..Object::default()
    };
    let times = ["2026-01-01T00:00:00.0000003Z", "2026-01-01T00:00:00.0000002Z", "2026-01-01T00:00:00.0000001Z"];
    for (scheme, form, [newer, older, gone]) in [
        ("gs", Form::Generations, ["1767225600000003", "1767225600000002", "1767225600000001"]),
        ("az", Form::Blobs, times),
    ] {
        let base = Some(newer).filter(|_| scheme == "gs");
        let mut served = Store::of(&[]);
        (served.page, served.form) = (2, form);
        served.objects = vec![
            object("a", Some(newer), "third"),
            object("a", Some(older), "second"),
            object("a", Some(gone), "first"),
            object("a/b", Some(older), "below"),
            object("ab", Some(older), "beside"),
            // Of the time before the container had versions.
            object("old", base, "base"),
        ];
        let (room, store) = (Room::new(), served.serve());
        let bucket = format!("{scheme}://bucket");
        let seen = elsewhere(&room, &store, &["hash", "-q", "--versions", &bucket, "-o", "list"]);
        assert_eq!(seen.code, Some(0), "{scheme} {}", seen.stderr);
        let list = std::fs::read_to_string(room.path().join("list")).unwrap();
        let behind = base.map(|version| format!("?versionId={version}")).unwrap_or_default();
        for (name, bytes) in [
            (format!("a?versionId={newer}"), "third"),
            (format!("a?versionId={older}"), "second"),
            (format!("a?versionId={gone}"), "first"),
            (format!("a/b?versionId={older}"), "below"),
            (format!("ab?versionId={older}"), "beside"),
            (format!("old{behind}"), "base"),
        ] {
            let line = format!("{}  {bucket}/{name}\n", sha256(bytes.as_bytes()));
            assert!(list.contains(&line), "{line} is not in {list}");
        }
        assert_eq!(list.lines().count(), 6);
        let seen = elsewhere(&room, &store, &["check", "--allow-outside", "list"]);
        let text = String::from_utf8_lossy(&seen.stdout).into_owned();
        assert_eq!((seen.code, text.matches(": OK").count()), (Some(0), 6), "{text} {}", seen.stderr);
        // Of one key with the keys below it, of one version, and of the newest.
        for (words, count) in [
            (&["hash", "-q", "--versions", &format!("{bucket}/a")][..], 4),
            (&["hash", "-q", &format!("{bucket}/a?versionId={gone}")], 1),
            (&["hash", "-q", &bucket], 4),
        ] {
            let seen = elsewhere(&room, &store, words);
            let lines = String::from_utf8_lossy(&seen.stdout).lines().count();
            assert_eq!((seen.code, lines), (Some(0), count), "{words:?} {}", seen.stderr);
        }
        room.file("other", format!("{}  {bucket}/a?versionId=9\n", sha256(b"third")).as_bytes());
        let seen = elsewhere(&room, &store, &["check", "--allow-outside", "other"]);
        assert_ne!(seen.code, Some(0), "{}", seen.stderr);
    }
}

#[test]
fn a_listing_without_versions_is_not_one_of_versions() {
    let room = Room::new();
    // Google's protocol, of a store that passes over the parameter.
    let plain = store().fault(|request| {
        let one = "<Contents><Key>a</Key><Generation>1</Generation><Size>1</Size></Contents>";
        let list = format!("<ListBucketResult><IsTruncated>false</IsTruncated>{one}</ListBucketResult>");
        request.page.map(|_| super::store::Answer::new(200, list))
    });
    let seen = elsewhere(&room, &plain.serve(), &["hash", "-q", "--versions", "gs://bucket"]);
    assert!(seen.code == Some(3) && seen.stderr.contains("without their versions"), "{:?} {}", seen.code, seen.stderr);
    let web = store().serve();
    let page = format!("http://127.0.0.1:{}/bucket/a", web.port);
    let seen = elsewhere(&room, &web, &["hash", "-q", "--versions", &page]);
    assert!(seen.code == Some(3) && seen.stderr.contains("no versions"), "{:?} {}", seen.code, seen.stderr);
    assert!(web.requests().is_empty());
}

//! Listings as stores should not send them, and keys that no file could have: each fault of a page
//! is an error, and never the end of the list.

use super::store::{Answer, Fault, Form, Running, Store};
use super::{pfh, pfh_with};
use crate::program::{Room, records, sha256};
use std::collections::BTreeSet;

const KEYS: [&str; 8] = ["a1", "a2", "a3", "b1", "b2", "b3", "c1", "c2"];

/// The name and digest of each object whose content is its key, by `hash`.
fn found(room: &Room, store: &Running, code: i32) -> BTreeSet<(String, String)> {
    let seen = pfh(room, store.port, &["hash", "-q", "-f", "jsonl", "s3://bucket"]);
    assert_eq!(seen.code, Some(code), "{}", seen.stderr);
    let files = records(&seen).into_iter().filter(|line| line.kind() == "file");
    files.map(|line| (line.path().to_owned(), line.digest("sha256").unwrap().to_owned())).collect()
}

fn expected(keys: &[&str]) -> BTreeSet<(String, String)> {
    keys.iter().map(|key| (format!("s3://bucket/{key}"), sha256(key.as_bytes()))).collect()
}

/// Every fault of the first page and of a later one, in every command that walks: exit 3, a
/// sentence, and no verdict on the objects that were not seen.
#[test]
fn an_answer_that_is_no_page_is_not_the_end_of_the_list() {
    const WEB: &str = "<!DOCTYPE html><html><body>sign in</body></html>";
    const PLAIN: &str = "<html><body>sign in</body></html>";
    const ERROR: &str = "<?xml version='1.0'?><Error><Code>AccessDenied</Code></Error>";
    const SILENT: &str = "<ListBucketResult><Name>bucket</Name></ListBucketResult>";
    const CUT: &str = "<ListBucketResult><IsTruncated>true</IsTruncated></ListBucketResult>";
    const HALF: &str = "<ListBucketResult><IsTruncated>false</IsTruncated><Contents><Key>a";
    const FEWER: &str = "<ListBucketResult><KeyCount>3</KeyCount><IsTruncated>false</IsTruncated></ListBucketResult>";
    const AGAIN: &str = "<ListBucketResult><IsTruncated>true</IsTruncated><NextContinuationToken>x\
        </NextContinuationToken></ListBucketResult>";
    let bodies = [WEB, PLAIN, ERROR, "", "{\"keys\":[]}", SILENT, CUT, HALF, FEWER, AGAIN].map(|body| (200, body));
    let statuses = [(500, ERROR), (503, ""), (403, ERROR), (404, ERROR), (301, ""), (204, "")];
    for (status, body) in bodies.into_iter().chain(statuses) {
        for wrong in [0, 1] {
            let fault = move |request: &super::store::Request| {
                let page = request.page?;
                (page == wrong || page > 1 || body == AGAIN && page > wrong).then(|| Answer::new(status, body))
            };
            let port = Store::of(&KEYS).fault(fault).serve().port;
            let room = Room::new();
            room.file("bad", format!("{}  x\n", sha256(b"c2")).as_bytes());
            for words in [
                &["hash", "-q", "s3://bucket"][..],
                &["hash", "-q", "s3://bucket", "-o", "list"],
                &["match", "-q", "-k", "bad", "s3://bucket"],
                &["check", "-q", "s3://bucket"],
            ] {
                let seen = pfh_with(&room, port, &["AWS_MAX_ATTEMPTS=2"], words);
                let what = format!("{status} {body:?} as page {wrong}: {words:?}: {}", seen.stderr);
                assert_eq!(seen.code, Some(3), "{what}");
                assert!(seen.stderr.contains("listing") || seen.stderr.contains(&status.to_string()), "{what}");
            }
        }
    }
}

/// Stores that know the older form of listings, or give no tokens, are walked behind the last key.
#[test]
fn older_stores_are_walked_to_their_end() {
    let odd = ["a b", "a+b", "a//b", "c&d", "d/", "e", "e/../f", "g\n", "h", "i", "j"];
    for form in [Form::Tokens, Form::Marker, Form::StartAfter] {
        for encodes in [true, false] {
            for keys in [&KEYS[..], &odd] {
                let mut store = Store::of(keys);
                (store.form, store.encodes) = (form, encodes);
                let store = store.serve();
                let room = Room::new();
                let objects: Vec<&str> = keys.to_vec();
                assert_eq!(found(&room, &store, 0), expected(&objects), "{form:?} {encodes}");
                room.file("bad", format!("{}  x\n", sha256(keys[keys.len() - 1].as_bytes())).as_bytes());
                let seen = pfh(&room, store.port, &["match", "-q", "-k", "bad", "--class", "notable", "s3://bucket"]);
                assert_eq!(seen.code, Some(1), "{form:?} {encodes}: {}", seen.stderr);
            }
        }
    }
    // One that refuses what it does not know.
    for status in [400, 501] {
        let mut store = Store::of(&KEYS).fault(move |request| {
            let is_new = ["list-type", "encoding-type"].iter().any(|name| request.query.contains_key(*name));
            is_new.then(|| Answer::new(status, "<Error><Code>NotImplemented</Code></Error>"))
        });
        store.form = Form::Marker;
        assert_eq!(found(&Room::new(), &store.serve(), 0), expected(&KEYS), "{status}");
    }
    // One that begins again is found out, and what it gave is read.
    let mut store = Store::of(&KEYS);
    store.form = Form::Nowhere;
    let (room, store) = (Room::new(), store.serve());
    assert_eq!(found(&room, &store, 3), expected(&KEYS[..3]));
    let seen = pfh(&room, store.port, &["hash", "-q", "s3://bucket"]);
    assert!(seen.stderr.contains("not whole"), "{}", seen.stderr);
}

/// Keys that S3 allows, and that few tools read.
const ODD: [&str; 34] = [
    "/lead",
    "//",
    "a",
    "a ",
    "a//b",
    "a/./b",
    "a/../b",
    "a/.",
    "a/..",
    ".",
    "..",
    "./x",
    "../x",
    "../../x",
    "..a",
    "a\nb",
    "a\tb",
    "a\rb",
    "a\u{1}b",
    "a\u{7f}b",
    "a\\b",
    "a%2Fb",
    "a%b",
    "a+b",
    "a?b=c",
    "a#b",
    "a*",
    "a:b",
    "a;b",
    "a=b&c",
    "d",
    "d/",
    "é\u{301}\u{1F600}",
    "~'\"<>[]{}|^`",
];

#[test]
fn every_key_that_a_store_has_is_read() {
    for encodes in [true, false] {
        let mut store = Store::of(&ODD);
        store.encodes = encodes;
        let (store, room) = (store.serve(), Room::new());
        // `d` and `d/` are two objects, each with its own bytes.
        assert_eq!(found(&room, &store, 0), expected(&ODD));
        // Each by its name alone, and all of a list.
        for key in ODD.iter().filter(|key| !key.ends_with('/')) {
            let name = format!("s3://bucket/{key}");
            let seen = pfh(&room, store.port, &["hash", "-q", "-f", "jsonl", &name]);
            assert_eq!(records(&seen)[0].digest("sha256"), Some(&*sha256(key.as_bytes())), "{key:?} {}", seen.stderr);
        }
        for format in ["sums", "jsonl"] {
            let seen = pfh(&room, store.port, &["hash", "-q", "-f", format, "s3://bucket", "-o", "list"]);
            assert_eq!(seen.code, Some(0), "{}", seen.stderr);
            let seen = pfh(&room, store.port, &["check", "--allow-outside", "list"]);
            assert_eq!(seen.code, Some(0), "{}", seen.stderr);
            assert_eq!(String::from_utf8_lossy(&seen.stdout).matches(": OK").count(), ODD.len());
            std::fs::remove_file(room.path().join("list")).unwrap();
        }
    }
}

/// A key that cannot be named is an error of its own; a folder is skipped.
#[test]
fn a_folder_is_skipped_and_a_key_without_a_name_costs_no_other() {
    let mut store = Store::of(&["e/", "f", "g/h/", "z"]);
    for object in &mut store.objects {
        if object.key.ends_with('/') {
            object.bytes.clear();
        }
    }
    let (store, room) = (store.serve(), Room::new());
    let seen = pfh(&room, store.port, &["hash", "--no-progress", "-f", "jsonl", "s3://bucket"]);
    let text = String::from_utf8(seen.stdout.clone()).unwrap();
    assert_eq!(seen.code, Some(0), "{text}{}", seen.stderr);
    assert_eq!(text.matches("\"type\":\"skipped\"").count(), 2, "{text}");
    assert!(text.contains("\"s3://bucket/g/h/\""), "{text}");
    let fault: Fault = Box::new(|request| {
        request.page?;
        Some(Answer::new(
            200,
            "<ListBucketResult><EncodingType>url</EncodingType><IsTruncated>false</IsTruncated><Contents><Key>a%ff</Key>\
             <Size>1</Size></Contents><Contents><Key>z</Key><Size>1</Size></Contents></ListBucketResult>",
        ))
    });
    let mut store = Store::of(&["z"]);
    store.fault = fault;
    let store = store.serve();
    assert_eq!(found(&room, &store, 3), expected(&["z"]));
}

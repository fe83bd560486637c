//! `pfh bag`, as it is typed.

use crate::program::{Room, pfh};
use pfh_inject::Outcome;
use serde_json::Value;
use std::fs;

fn out(seen: &Outcome) -> String {
    String::from_utf8(seen.stdout.clone()).unwrap()
}

#[cfg(unix)]
#[test]
fn what_is_printed_and_how_it_ends() {
    let room = Room::new();
    room.file("b/data/letter", b"Dear Ada");
    room.file("b/data/d/100%\n", b"odd");
    let seen = pfh(&room, "bag create -a sha256,md5,sha3-256 --info Source-Organization=Archive b");
    assert_eq!(seen.code, Some(0), "{}", seen.stderr);
    assert!(seen.stderr.contains("b: a bag of 2 files, 11 bytes, by sha256, md5, sha3-256"), "{}", seen.stderr);
    let seen = pfh(&room, "bag validate b --json");
    let summary: Value = serde_json::from_slice(seen.lines().last().unwrap()).unwrap();
    assert_eq!((seen.code, &summary["verdict"], &summary["files"]), (Some(0), &"verified".into(), &2.into()));
    assert_eq!(summary["algorithms"].to_string(), r#"["md5","sha256","sha3-256"]"#);
    room.file("b/data/new", b"new");
    fs::remove_file(room.path().join("b/data/d/100%\n")).unwrap();
    let seen = pfh(&room, "bag validate b");
    assert_eq!(seen.code, Some(1));
    assert!(out(&seen).contains("error       data/new: is in no manifest\n"), "{}", out(&seen));
    assert!(out(&seen).contains("error       data/d/100%\\n: is missing\n"), "{}", out(&seen));
    let seen = pfh(&room, "bag update b -a sha512");
    assert_eq!((seen.code, &*out(&seen)), (Some(0), "- data/d/100%\\n\n+ data/new\n"), "{}", seen.stderr);
    room.file("b/data/letter", b"Dear Bob");
    assert_eq!(pfh(&room, "bag update b").code, Some(1));
    assert_eq!(pfh(&room, "bag update b --force").code, Some(0));
    room.file("b/data/letter", b"Dear Ada");
    let seen = pfh(&room, "bag validate b --quiet");
    assert_eq!((seen.code, &*out(&seen)), (Some(1), ""));
    room.file("loose/letter", b"x");
    for (words, code, why) in [
        ("bag create b", 2, "is a bag already"),
        ("bag validate loose", 1, "no valid bag"),
        ("bag validate nowhere", 3, "No such file"),
        ("bag validate loose/letter", 3, "ENOTDIR"),
        ("bag create loose", 2, "no folder data"),
        ("bag update loose", 2, "bagit.txt is missing"),
        ("bag create -a ssdeep loose", 2, "ssdeep has no manifests"),
        ("bag create --info Payload:x=1 loose", 2, ""),
    ] {
        let seen = pfh(&room, words);
        assert_eq!(seen.code, Some(code), "{words}: {}", seen.stderr);
        assert!(seen.stderr.contains(why), "{words}: {}", seen.stderr);
    }
}

//! `pfh cat`: bytes, places and sentences.

use crate::program::Room;
use pfh_inject::{Need, Outcome, Trial, lacks, random};

fn pfh(room: &Room, words: &str) -> Outcome {
    Trial::new(env!("CARGO_BIN_EXE_pfh")).args(words.split(' ')).directory(room.path()).run().unwrap()
}

const PACKED: [&[u8]; 2] = [b"\x1f\x8b\x08\0\0\0\0\0\0\x03", b"\x4b\x4c\x4a\x06\0\xc2\x41\x24\x35\x03\0\0\0"];

#[test]
fn bytes_go_out_as_they_are_and_faults_are_named() {
    let room = Room::new();
    room.file("in.gz", &PACKED.concat());
    let mut torn = PACKED.concat();
    torn[15] ^= 1;
    room.file("torn.gz", &torn);
    let seen = pfh(&room, "cat in.gz!/in");
    assert_eq!((seen.code, &seen.stdout[..], &seen.stderr[..]), (Some(0), &b"abc"[..], ""));
    assert_eq!(pfh(&room, "cat --raw in.gz!/in").stdout, PACKED.concat());
    for (words, code, sentence) in [
        ("cat in.gz", 2, "not the name of a member"),
        ("cat in.gz!/im", 3, "the nearest: in.gz!/in"),
        ("cat torn.gz!/torn", 3, "unreadable after"),
        ("cat gone.gz!/in", 3, "ENOENT"),
        ("cat --runs in.gz!/in", 3, "no runs: it is compressed"),
        ("cat --slack in.gz!/in", 3, "no slack: it is compressed"),
        ("cat in.gz!/in -o in.gz --force", 2, "which is read"),
        ("cat --json in.gz!/in", 2, "--runs"),
    ] {
        let seen = pfh(&room, words);
        assert!(seen.code == Some(code) && seen.stderr.contains(sentence), "{words}: {:?} {}", seen.code, seen.stderr);
    }
    assert_eq!(pfh(&room, "cat in.gz!/in -o out").code, Some(0));
    assert_eq!(std::fs::read(room.path().join("out")).unwrap(), b"abc");
}

/// Every name that `hash --inside` prints is one that `cat` takes, with the bytes of its digest.
#[test]
fn every_printed_name_is_one_that_is_read() {
    if lacks(&[Need::Program("mke2fs")]) {
        return;
    }
    let room = Room::new();
    for (name, length) in [("a", 100), ("sub/b", 70_001), ("sub/odd! name", 5_000), ("empty", 0)] {
        room.file(format!("tree/{name}"), &random(length as u64, length));
    }
    room.file("tree/in.gz", &PACKED.concat());
    let make = "truncate -s 4M ext && mke2fs -q -F -t ext4 -b 4096 -d tree ext";
    assert!(std::process::Command::new("sh").args(["-ec", make]).current_dir(room.path()).status().unwrap().success());
    let listed = pfh(&room, "hash --inside --members --deleted --unallocated -a sha256 -f jsonl ext");
    assert_eq!(listed.code, Some(0), "{}", listed.stderr);
    let text = String::from_utf8(listed.stdout).unwrap();
    let rows = text.lines().map(|line| serde_json::from_str::<serde_json::Value>(line).unwrap());
    let mut seen = 0;
    for row in rows.filter(|row| row["type"] == "file") {
        let name = row["path"].as_str().unwrap();
        let got = Trial::new(env!("CARGO_BIN_EXE_pfh")).args(["cat", name]).directory(room.path()).run().unwrap();
        assert_eq!(got.code, Some(0), "{name}: {}", got.stderr);
        assert_eq!(crate::program::sha256(&got.stdout), row["digests"]["sha256"].as_str().unwrap(), "{name}");
        seen += 1;
    }
    assert!(seen > 8, "{text}");
}

//! Containers that are recognised and not read: the output of the commands, and their exits.
#![cfg(unix)]

use crate::program::{Room, records};
use pfh_inject::{Need, Outcome, Trial, lacks};

fn pfh(room: &Room, words: &str) -> Outcome {
    Trial::new(env!("CARGO_BIN_EXE_pfh")).args(words.split(' ')).directory(room.path()).run().unwrap()
}

#[test]
fn unopened_containers_are_counted_by_every_command() {
    let room = Room::new();
    room.file("d/a.sit", b"StuffIt (c)1997-..............");
    room.file("d/b.7z", b"7z\xbc\xaf\x26\x1c\0\x04.............");
    let count = "containers not opened: 2;";
    let seen = pfh(&room, "hash -r --inside -f jsonl d");
    assert!(seen.code == Some(3) && seen.stderr.contains(count), "{}", seen.stderr);
    let lines = records(&seen);
    assert!(lines.iter().any(|line| line.kind() == "error" && line.path() == "d/a.sit!/"), "{lines:?}");
    room.file("known", b"900150983cd24fb0d6963f7d28e17f72  x\n");
    let seen = pfh(&room, "match -r --inside --class bad -k known d");
    assert!(seen.code == Some(3) && seen.stderr.contains(count), "{}", seen.stderr);
    assert_eq!(pfh(&room, "hash -r -o list d").code, Some(0));
    let seen = pfh(&room, "check --audit --inside list d");
    assert!(seen.code != Some(0) && seen.stderr.contains(count), "{}", seen.stderr);
    // Formats that are not read are skipped if that is asked for; damaged containers are not.
    let seen = pfh(&room, "hash --inside=lenient -f jsonl d/a.sit");
    assert!(seen.code == Some(0) && seen.stderr.contains("containers not opened: 1;"), "{}", seen.stderr);
    assert!(records(&seen).iter().any(|line| line.kind() == "skipped"), "{seen:?}");
    assert_eq!(pfh(&room, "hash --inside=lenient d/b.7z").code, Some(3));
    assert_eq!(pfh(&room, "hash --inside=nonsense d/a.sit").code, Some(2));
}

/// A listed name in a container that is not opened was compared with nothing.
#[test]
fn a_check_of_a_container_that_is_not_opened_is_3() {
    if lacks(&[Need::Program("zip")]) {
        return;
    }
    let room = Room::new();
    room.file("d/f", b"content");
    let zip = std::process::Command::new("zip").args(["-q", "z.zip", "f"]).current_dir(room.path().join("d")).status();
    assert!(zip.unwrap().success());
    room.file("d/a.sit", b"StuffIt (c)1997-..............");
    assert_eq!(pfh(&room, "hash -r --inside d -o list").code, Some(3));
    let seen = pfh(&room, "check --audit --inside list d");
    assert_eq!(seen.code, Some(3), "{}", seen.stderr);
    let list = std::fs::read_to_string(room.path().join("list")).unwrap();
    let digest = list.lines().find(|line| line.ends_with("d/z.zip!/f")).unwrap().split(' ').next().unwrap();
    room.file("inner", format!("{digest}  d/z.zip!/f\n{digest}  d/a.sit!/f\n").as_bytes());
    for words in ["check inner", "check --inside inner"] {
        let seen = pfh(&room, words);
        assert!(seen.code == Some(3) && seen.stderr.contains("d/a.sit!/f: StuffIt: recognised, not read"), "{seen:?}");
        let said = "1 of 2 files verified against inner: sha256; 1 could not be read";
        assert!(seen.stderr.contains(said), "{words}: {}", seen.stderr);
    }
    room.file("inner", format!("{digest}  d/z.zip!/f\n{digest}  d/z.zip!/g\n").as_bytes());
    let seen = pfh(&room, "check inner");
    assert!(seen.code == Some(1) && seen.stderr.contains("1 missing"), "{}", seen.stderr);
}

/// Shadow copies of a volume are named by commands that compare.
#[test]
fn shadow_copies_are_named_by_match_and_check() {
    if lacks(&[Need::Program("mkntfs")]) {
        return;
    }
    let room = Room::new();
    let make = "truncate -s 8M disk; mkntfs -F -q -s 512 -p 0 -H 16 -S 63 disk 2>/dev/null";
    let made = std::process::Command::new("sh").args(["-ec", make]).current_dir(room.path()).status();
    assert!(made.unwrap().success());
    assert_eq!(pfh(&room, "hash --inside disk -o list").code, Some(0));
    // A header that leads to a block of the catalogue, whose second entry is a store.
    let mut disk = std::fs::read(room.path().join("disk")).unwrap();
    let mark = b"\x6b\x87\x08\x38\x76\xc1\x48\x4e\xb7\xae\x04\x04\x6e\x6c\xc7\x52";
    let (catalogue, place) = (7 << 20, (7_u64 << 20).to_le_bytes());
    let store: [(usize, &[u8]); 5] =
        [(0x1e00, mark), (0x1e30, &place), (catalogue, mark), (catalogue + 20, &[2]), (catalogue + 128, &[2])];
    for (at, part) in store {
        disk[at..at + part.len()].copy_from_slice(part);
    }
    room.file("disk", &disk);
    for (words, code) in [("match --inside -k list disk", 3), ("check --audit --inside list disk", 1)] {
        let seen = pfh(&room, words);
        assert!(seen.stderr.contains("shadow copies: a header of version 0"), "{words}: {}", seen.stderr);
        assert_eq!(seen.code, Some(code), "{words}: {}", seen.stderr);
    }
}

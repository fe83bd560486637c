//! `pfh diff`, as it is typed: its output, and its input.

use crate::program::Room;
use pfh_inject::{Need, Outcome, Trial, lacks};
use serde_json::Value;
use std::fs;
use std::path::Path;
use std::process::Command;

fn pfh(room: &Room, words: &str) -> Outcome {
    Trial::new(env!("CARGO_BIN_EXE_pfh")).args(words.split_whitespace()).directory(room.path()).run().unwrap()
}

fn out(seen: &Outcome) -> String {
    String::from_utf8(seen.stdout.clone()).unwrap()
}

fn copy(room: &Room) {
    let done = Command::new("cp").args(["-a", "a", "b"]).current_dir(room.path()).status().unwrap();
    assert!(done.success());
}

fn touch(path: &Path, date: &str) {
    assert!(Command::new("touch").args(["-d", date]).arg(path).status().unwrap().success());
}

/// A tree and a copy in which one file of each class is.
fn changed() -> Room {
    let room = Room::new();
    for name in ["same", "changed", "rotten", "d/moved", "copied", "removed", "touched"] {
        touch(&room.file(format!("a/{name}"), format!("content of {name}").as_bytes()), "2020-01-01");
    }
    copy(&room);
    let b = room.path().join("b");
    room.file("b/changed", b"another content, longer");
    room.file("b/rotten", b"content 0f rotten");
    touch(&b.join("rotten"), "2020-01-01");
    fs::rename(b.join("d/moved"), b.join("d/here")).unwrap();
    fs::copy(b.join("copied"), b.join("again")).unwrap();
    fs::remove_file(b.join("removed")).unwrap();
    touch(&b.join("touched"), "2021-01-01");
    room.file("b/added", b"new");
    room
}

/// The differences that every way of comparing the two must find.
const FOUND: &str = "\
added     added
copied    again  (from copied)
changed   changed
moved     d/here  (from d/moved)
removed   removed
bit-rot   rotten  (size and mtime are the same, ctime is not)
";

#[test]
fn of_two_lists_no_file_is_read() {
    if lacks(&[Need::Program("strace")]) {
        return;
    }
    let room = changed();
    assert_eq!(pfh(&room, "hash -r a -o a.list").code, Some(0));
    assert_eq!(pfh(&room, "hash -r b -o b.list").code, Some(0));
    let program = env!("CARGO_BIN_EXE_pfh");
    let seen = Trial::new("strace")
        .args(["-f", "-e", "trace=%file", "-o", "calls", program, "diff", "a.list", "b.list"])
        .directory(room.path())
        .run()
        .unwrap();
    assert_eq!(seen.code, Some(1), "{}", seen.stderr);
    let calls = fs::read_to_string(room.path().join("calls")).unwrap();
    assert!(calls.contains("\"a.list\"") && !calls.contains("\"a/") && !calls.contains("\"b/"), "{calls}");
    // A list says so although the trees are gone.
    fs::remove_dir_all(room.path().join("a")).unwrap();
    fs::remove_dir_all(room.path().join("b")).unwrap();
    assert_eq!(out(&pfh(&room, "diff a.list b.list")), out(&seen));
}

#[cfg(unix)]
#[test]
fn what_is_printed() {
    let room = changed();
    let seen = pfh(&room, "diff a b");
    assert_eq!((seen.code, &*out(&seen)), (Some(1), FOUND), "{}", seen.stderr);
    let end = "differ: 1 changed, 1 bit-rot, 1 moved, 1 copied, 1 added, 1 removed; 3 same by sha256";
    assert!(seen.stderr.contains(&format!("a and b {end}")), "{}", seen.stderr);
    let seen = pfh(&room, "diff a b --metadata --only metadata,same");
    assert_eq!((seen.code, &*out(&seen)), (Some(1), "same      copied\nsame      same\nmetadata  touched\n"));
    room.file("a/x\ny", b"odd");
    assert_eq!(out(&pfh(&room, "diff a b -z --only removed")), "removed\0x\ny\0");
    assert!(out(&pfh(&room, "diff a b --only removed")).contains("removed   x\\ny\n"));
    assert_eq!(out(&pfh(&room, "diff a b --quiet")), "");
    // The same, and by which digests; a list from standard input, whose names have more in front.
    assert_eq!(pfh(&room, "hash -r a -o list").code, Some(0));
    let list = fs::read(room.path().join("list")).unwrap();
    let seen = Trial::new(env!("CARGO_BIN_EXE_pfh")).args(["diff", "-", "a"]).directory(room.path()).input(list).run();
    let seen = seen.unwrap();
    assert_eq!((seen.code, &*out(&seen)), (Some(0), ""), "{}", seen.stderr);
    assert!(seen.stderr.contains("- and a are the same: 8 files by sha256"), "{}", seen.stderr);
    let whole = room.path().join("a").display().to_string();
    assert_eq!(pfh(&room, &format!("hash -r {whole} -o whole")).code, Some(0));
    let seen = pfh(&room, "diff whole a");
    assert!(seen.stderr.contains(&format!("without {whole}/ in front")), "{}", seen.stderr);
    let seen = pfh(&room, "diff a b -a md5 --json");
    let summary: Value = serde_json::from_slice(seen.lines().last().unwrap()).unwrap();
    assert_eq!((&summary["verdict"], &summary["algorithms"][0]), (&"differs".into(), &"md5".into()));
}

#[test]
fn what_has_no_verdict_says_why() {
    let room = Room::new();
    room.file("a/one", b"1");
    room.file("b/one", b"1");
    for (words, why) in
        [("a ./a", "one and the same"), ("none1 none2", "neither has a file"), ("a/one b", "no list at all")]
    {
        fs::create_dir_all(room.path().join("none1")).unwrap();
        fs::create_dir_all(room.path().join("none2")).unwrap();
        let seen = pfh(&room, &format!("diff {words} --json"));
        assert_eq!(seen.code, Some(3), "{words}: {}", seen.stderr);
        assert!(seen.stderr.contains(why), "{words}: {}", seen.stderr);
        assert!(out(&seen).contains(r#""verdict":"nothing-to-compare-with""#), "{words}");
    }
    assert_eq!(pfh(&room, "diff a nowhere").code, Some(3));
    assert_eq!(pfh(&room, "diff - -").code, Some(2));
    assert_eq!(pfh(&room, "diff a b --only new").code, Some(2));
    room.file("torn", b"30ea2fb3e0b2eb5e5a7a1c5b9c4b4a6d  one\nrubbish\n");
    let seen = pfh(&room, "diff torn b");
    assert!(seen.stderr.contains("torn:2: ") && seen.stderr.contains("1 line is improperly formatted"), "{seen:?}");
    assert_eq!(pfh(&room, "hash -r a -f bsd -o bsd").code, Some(0));
    room.file("md5", b"c4ca4238a0b923820dcc509a6f75849b  a/one\n");
    let seen = pfh(&room, "diff bsd md5");
    assert_eq!(seen.code, Some(3), "{}", seen.stderr);
    assert!(out(&seen).contains("error     a/one  (no digest of one algorithm on both sides)"), "{}", out(&seen));
}

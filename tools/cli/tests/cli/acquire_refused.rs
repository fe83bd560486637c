//! Requests that `pfh acquire` refuses before it writes, and the names that it writes.
#![cfg(unix)]

use crate::program::{MIB, Room};
use pfh_inject::{Loop, Need, Outcome, Tmpfs, Trial, content, lacks};
use std::fs;
use std::process::Command;

fn acquire(room: &Room, words: &str) -> Outcome {
    let words = words.split_whitespace();
    Trial::new(env!("CARGO_BIN_EXE_pfh")).args(["acquire", "--json"]).args(words).directory(room.path()).run().unwrap()
}

#[test]
fn what_cannot_work_is_refused_and_leaves_nothing() {
    let room = Room::in_memory();
    room.file("source", &content(1, 100_000));
    fs::create_dir(room.path().join("directory")).unwrap();
    // More chunks than 32 bits count; no byte of it is on the disk.
    fs::File::create(room.path().join("vast")).unwrap().set_len(200 << 40).unwrap();
    for (words, why) in [
        ("directory --to new", "directory"),
        ("source --to new --skip 100000", "nothing lies beyond"),
        ("source --to new --skip 1T", "nothing lies beyond"),
        ("source --to new.E01 --split 1000", "35677"),
        ("source --to new --split 100 --suffix aa", "names"),
        ("vast --to new.E01", "at most"),
        ("source --to -", "pfh dd"),
        ("source --to directory", "irectory"),
        ("source --to missing/new", "target missing/new"),
        ("source --to new --log /dev/null", "must be a file"),
    ] {
        let seen = acquire(&room, words);
        assert!(seen.code == Some(2) && seen.stderr.contains(why), "{words}: {}", seen.stderr);
        assert_eq!(fs::read_dir(room.path()).unwrap().count(), 3, "{words} left something");
    }
}

#[test]
fn the_log_says_that_hidden_areas_were_not_looked_for() {
    if lacks(&[Need::Loop]) {
        return;
    }
    let room = Room::new();
    let source = room.file("disk", &content(2, MIB));
    for (number, options) in [&["-r"][..], &[]].into_iter().enumerate() {
        let device = Loop::attach(&source, options).unwrap();
        assert_eq!(acquire(&room, &format!("{} --to {number}", device.path().display())).code, Some(0));
        let log = fs::read_to_string(room.path().join(format!("{number}.log"))).unwrap();
        assert!(log.contains("HPA"), "{log}");
    }
}

/// D8, D19, D20: a place that cannot hold an image is refused under its own name, at once, and
/// nothing is made.
#[test]
fn places_that_can_hold_no_image_are_refused_by_their_names() {
    let room = Room::new();
    room.file("source", &content(5, 100_000));
    assert!(Command::new("mkfifo").arg(room.path().join("pipe")).status().unwrap().success());
    std::os::unix::fs::symlink("nowhere", room.path().join("loose")).unwrap();
    for (words, why) in [
        ("source --to pipe", "target pipe: a pipe (FIFO)"),
        ("source --to image --to pipe", "target pipe: a pipe (FIFO)"),
        ("source --to image --map pipe", "--map pipe: a pipe (FIFO)"),
        ("source --to image --outboard pipe", "--outboard pipe: a pipe (FIFO)"),
        ("source --to image --case-uco pipe", "--case-uco pipe: a pipe (FIFO)"),
        ("source --to image --log pipe", "must be a file"),
        ("source --to /dev/stdout", "target /dev/stdout: "),
        ("source --to /dev/fd/1", "target /dev/fd/1: "),
        ("source --to /dev/null", "target /dev/null: a character device"),
        ("source --to loose", "target loose: a link to nowhere"),
        ("source --to loose --force", "target loose: a link to nowhere"),
        ("source --to image --map loose", "--map loose: a link to nowhere"),
        ("source --to image --log loose", "--log loose: a link to nowhere"),
    ] {
        let seen = acquire(&room, words);
        assert!(seen.code == Some(2) && seen.stderr.contains(why), "{words}: {}", seen.stderr);
        assert_eq!(fs::read_dir(room.path()).unwrap().count(), 3, "{words} left something");
    }
    for words in ["if=source of=pipe", "if=source of=out hashlog=pipe hash=md5", "if=source vf=pipe"] {
        let words = words.split_whitespace();
        let trial = Trial::new(env!("CARGO_BIN_EXE_pfh")).arg("dd").args(words).directory(room.path());
        let seen = trial.limit(std::time::Duration::from_secs(60)).run().unwrap();
        assert!(seen.code == Some(2) && seen.stderr.contains("pipe (FIFO)"), "{}", seen.stderr);
        assert_eq!(fs::read_dir(room.path()).unwrap().count(), 3, "dd left something");
    }
}

/// D20: a read-only place is reported before anything is made, and by the name of the file that
/// cannot be there.
#[test]
fn read_only_places_are_refused_before_anything_is_made() {
    if lacks(&[Need::Root]) {
        return;
    }
    let room = Room::new();
    room.file("source", &content(6, 100_000));
    let small = Tmpfs::mount(&room.path().join("ro"), MIB).unwrap();
    let remounted = Command::new("mount").args(["-o", "remount,ro"]).arg(small.path()).status().unwrap();
    assert!(remounted.success());
    for (words, why) in [
        ("source --to ro/x.dd", "target ro/x.dd: Read-only file system"),
        ("source --to ro/x.E01", "target ro/x.E01: Read-only file system"),
        ("source --to ro/x --split 1000", "target ro/x.000: Read-only file system"),
        ("source --to x --map ro/map", "--map ro/map: Read-only file system"),
        ("source --to x --log ro/log", "--log ro/log: Read-only file system"),
        ("source --to x --outboard ro/tree", "--outboard ro/tree: Read-only file system"),
        ("source --to x --case-uco ro/case", "--case-uco ro/case: Read-only file system"),
    ] {
        let seen = acquire(&room, words);
        assert!(seen.code == Some(2) && seen.stderr.contains(why), "{words}: {}", seen.stderr);
        assert_eq!(fs::read_dir(room.path()).unwrap().count(), 2, "{words} left something");
    }
}

/// D22: a name makes no line of its own in the log for people, and no escape sequence.
#[test]
fn names_are_escaped_in_the_log_for_people() {
    let room = Room::new();
    room.file("source", &content(7, 100_000));
    let name = "x\nunreadable: none\x1b[31m";
    let seen = Trial::new(env!("CARGO_BIN_EXE_pfh"))
        .args(["acquire", "--no-progress", "source", "--log", "log", "--verify", "--case-uco"])
        .arg(format!("{name}.jsonld"))
        .args(["--to", name])
        .directory(room.path())
        .run()
        .unwrap();
    assert_eq!(seen.code, Some(0), "{}", seen.stderr);
    let log = fs::read_to_string(room.path().join("log")).unwrap();
    assert!(log.contains("file: x\\nunreadable: none\\x1b[31m, 100000 bytes"), "{log}");
    assert!(!log.lines().any(|line| line.starts_with("unreadable")) && !log.contains('\x1b'), "{log}");
    let seen = Trial::new(env!("CARGO_BIN_EXE_pfh")).arg("verify").arg(name).args(["--log", "log.jsonl"]);
    let seen = seen.directory(room.path()).run().unwrap();
    assert_eq!(seen.code, Some(0), "{seen:?}");
}
